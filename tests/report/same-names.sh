#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Functions of one name, two of them static: each is called with the types of its own
# calls.  The twin: copies of a header's function are one.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need python3

cat >h.h <<'EOF'
#include <stdlib.h>
void *init(size_t n);
static __attribute__((noinline)) void *common(size_t n) { return malloc(n); }
EOF
for name in a b; do
  compile $name.c -DNAME=$name <<'EOF'
#define init inherited
#include "h.h"
#undef init
#define TYPE_(name) struct name
#define TYPE(name) TYPE_(name)
#define CALL_(name) call_##name
#define CALL(name) CALL_(name)
TYPE(NAME) { int x[4]; };
static __attribute__((noinline)) void *init(size_t n) { return malloc(n); }
void *CALL(NAME)(int k) {
  return k ? init(sizeof(TYPE(NAME))) : common(sizeof(TYPE(NAME)));
}
EOF
done
compile c.c <<'EOF'
#include <stdlib.h>
void *init(size_t n) { return malloc(n); }
EOF
compile d.c <<'EOF'
#include "h.h"
struct d { int x[5]; };
void *call_d(int k) {
  return k == 0 ? init(sizeof(struct d)) : init(2 * sizeof(struct d));
}
EOF
ar rc all.a a.o b.o c.o d.o
allocs report --json all.a >report.json
python3 - report.json >said <<'EOF'
import json, sys
for f in json.load(open(sys.argv[1]))["allocation_functions"]:
    print(f["name"], f["unit"], f["sites"],
          *(f'{t["type"]}:{t["sites"]}' for t in f["called_with"]))
EOF
sort said >got
expect got <<'EOF'
call_a a.c 0
call_b b.c 0
call_d d.c 0
common a.c 2 struct a:1 struct b:1
init a.c 1 struct a:1
init b.c 1 struct b:1
init c.c 2 struct d:2
EOF
