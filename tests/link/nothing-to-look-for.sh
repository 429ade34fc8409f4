#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The output is only searched where a site has no place in an object: not for
# the sake of a unit without calls, but for one that `ld -r` has made.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile makes.c <<'EOF2'
#include <stdlib.h>
struct thing { long x[3]; };
void *make(void) { return malloc(sizeof(struct thing)); }
EOF2
compile plain.c <<'EOF2'
int plain(int x) { return x + 1; }
EOF2
compile main.c <<'EOF2'
void *make(void);
int plain(int);
int main(void) { return plain(0) - 1 + !make(); }
EOF2

link() { # link OBJECT...: what the log says of the search
  rm -f log
  CC_ALLOCS_LOG=$work/log cc-allocs "$@" -o prog
  grep -q 'solve: prog: 1 of 1 call sites have an address' log
  sed -n '/^cca-analyze: prog:/p' log
}
[ -z "$(link main.o makes.o plain.o)" ]
ld -r makes.o plain.o -o both.o
[ "$(link main.o both.o)" = \
  "cca-analyze: prog: 1 call sites found in the output" ]
