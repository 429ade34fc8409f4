#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The size of arrays names their elements: used as a pointer to such an array it
# is what it says, and used as one to an array of others it is not.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile arrays.c <<'EOF'
#include <stdlib.h>
struct pair { int x, y; };
int (*a)[2], (*b)[3][2];
long (*c)[2];
struct pair (*d)[4], *(*e)[4];
void use(size_t n) {
  a = malloc(n * sizeof *a);
  b = malloc(n * sizeof *b);
  c = malloc(n * sizeof *a);
  d = malloc(n * sizeof *d);
  e = malloc(n * sizeof *d);
}
EOF
COLUMNS=500 allocs report --sites arrays.o | sed -n 's/^ *\([0-9]*\):7 .* malloc */\1 /p' >got
expect got <<'EOF'
7 int[]          2 * sizeof(int) * n
8 int[]          6 * sizeof(int) * n
9 int[]          2 * sizeof(int) * n, used as long[2]
10 struct pair[]  4 * sizeof(struct pair) * n
11 struct pair[]  4 * sizeof(struct pair) * n, used as struct pair *[4]
EOF
allocs report arrays.o | grep -x '  agreement  3 of 5 results are used as the type that the size names' >/dev/null
