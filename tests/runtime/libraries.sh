#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a program allocates by the functions of a library, which gets it from a
# second one, has the program's types; what a library allocates for itself has
# its own; and nothing is known of a library without a classification, whatever
# its functions are called.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

library cc-allocs bar <<'EOF'
#include <stdlib.h>
struct log { long x[9]; };
void *volatile logged;
void *bar_alloc(int tag, size_t n) {
  if (tag == 7) logged = malloc(sizeof(struct log));
  return malloc(n);
}
EOF
library cc-allocs foo -lbar <<'EOF'
#include <stddef.h>
void *bar_alloc(int tag, size_t n);
void *foo_alloc(size_t n) { return bar_alloc(7, n); }
EOF
cat >main.c <<'EOF'
#include <stddef.h>
struct point { long x, y; };
struct line { struct point a, b; };
void *foo_alloc(size_t), *bar_alloc(int, size_t);
void *volatile kept;
int main(void) {
  for (int i = 0; i < 3; i++) kept = foo_alloc(sizeof(struct point));
  kept = bar_alloc(1, 4 * sizeof(struct line));
  return 0;
}
EOF
cc-allocs -O2 -g main.c -L. -lfoo -lbar -Wl,-rpath,"$PWD" -o main
types main | sort >rows
expect rows <<'EOF'
1 128 1 struct line[]
3 216 3 struct log
3 48 3 struct point
EOF

# The twin: libraries that say nothing.
mkdir plain
(
  cd plain
  library "$CCA_CC" bar <../bar.c
  library "$CCA_CC" foo -lbar <../foo.c
)
cc-allocs -O2 -g main.c -Lplain -lfoo -lbar -Wl,-rpath,"$PWD/plain" -o silent
types silent >rows
expect rows </dev/null
sort silent.rows >rest
expect rest <<'EOF'
3 216 3 216 1 untyped inside
4 176 4 176 2 untyped unlisted
EOF
