#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Without debug information it is not known which call of the source a call of
# the code is, where the function has several.  If these differ in their type,
# the object has none; with debug information, or if they agree, it has.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

cat >differ.c <<'EOF'
#include <stdlib.h>
struct a { long x[2]; };
struct b { long x[4]; };
void *volatile kept[4];
/* gcc calls malloc() for realloc(NULL, n), so three times. */
__attribute__((noinline)) void differ(void) {
  kept[0] = malloc(sizeof(struct a));
  kept[1] = realloc(NULL, sizeof(struct b));
  kept[2] = malloc(sizeof(struct a));
  kept[3] = NULL;
}
int main(void) { differ(); return 0; }
EOF
cc-allocs -O2 differ.c -o differ
types differ >rows
expect rows </dev/null
grep -q '^3 64 3 64 [123] untyped ambiguous$' differ.rows

# What was inlined may be meant as well; gcc puts it last.
cat >inlined.c <<'EOF'
#include <stdlib.h>
struct a { long x[2]; };
struct b { long x, y; };
void *volatile kept[3];
static inline __attribute__((always_inline)) void inner(INNER) {
  kept[0] = malloc(sizeof(struct b));
}
__attribute__((noinline)) void outer(int n) {
  if (__builtin_expect(n, 0)) inner(GIVEN);
  kept[1] = malloc(sizeof(struct a));
  kept[2] = malloc(sizeof(struct a));
}
int main(int argc, char **argv) { (void)argv; outer(argc); return 0; }
EOF
for given in '' n; do # a call that gives nothing is in no summary
  cc-allocs -O2 -DINNER="${given:+int }${given:-void}" -DGIVEN="$given" \
    inlined.c -o inlined
  types inlined >rows
  expect rows </dev/null
  grep -q '^3 48 3 48 [123] untyped ambiguous$' inlined.rows
done

# The twins: with lines; and where all calls make the same.
cc-allocs -O2 -g differ.c -o differ-g
types differ-g | sort >rows
expect rows <<'EOF'
1 32 1 struct b
2 32 2 struct a
EOF
cc-allocs -O2 -g -DINNER=void -DGIVEN= inlined.c -o inlined-g
types inlined-g | sort >rows
expect rows <<'EOF'
1 16 1 struct b
2 32 2 struct a
EOF
sed 's/struct b)/struct a)/; s/realloc(NULL, /malloc(/' differ.c >agree.c
cc-allocs -O2 agree.c -o agree
types agree >rows
expect rows <<'EOF'
3 48 3 struct a
EOF
