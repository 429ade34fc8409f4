#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A function that makes one of five types makes all of them, and so may each of
# its calls; its twin makes two.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need python3

compile makes.c <<'EOF2'
#include <stdlib.h>
struct a { int x[1]; };
struct b { int x[2]; };
struct c { int x[3]; };
struct d { int x[4]; };
struct e { int x[5]; };
__attribute__((noinline)) void *make(int k) {
  switch (k) {
  case 0: return malloc(sizeof(struct a));
  case 1: return malloc(sizeof(struct b));
  case 2: return malloc(sizeof(struct c));
  case 3: return malloc(sizeof(struct d));
  default: return malloc(sizeof(struct e));
  }
}
__attribute__((noinline)) void *make2(int k) {
  return k ? malloc(sizeof(struct a)) : malloc(sizeof(struct b));
}
int main(int c, char **v) { return make(c) == make2(c) && v; }
EOF2
allocs report --json makes.o >makes.json
python3 - makes.json >said <<'EOF2'
import json, sys
report = json.load(open(sys.argv[1]))
for f in report["allocation_functions"]:
    print(f["name"], *sorted(t["type"] for t in f["called_with"]))
for s in report["allocation_sites"]:
    if s["callee"] != "malloc":
        print(s["line"], s["callee"], *sorted(t["type"] for t in s["types"]))
EOF2
diff -u - said >&2 <<'EOF2'
make struct a struct b struct c struct d struct e
make2 struct a struct b
19 make struct a struct b struct c struct d struct e
19 make2 struct a struct b
EOF2
