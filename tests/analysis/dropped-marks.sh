#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Where clang refuses a mark, that mark alone is dropped, and the summary says
# how many were; a unit that clang cannot parse at all says why.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
export CC_ALLOCS_CC=gcc

cat >a.c <<'EOF'
int must_be_constant(unsigned long n) __attribute__((const));
void *alloc(unsigned long);
void *f(void *p) {
  __builtin___clear_cache(p, p);
  p = __builtin_alloca_with_align(16, 8 *
        sizeof(long));
  return alloc(sizeof(int));
}
EOF
cc-allocs -c a.c
allocs dump a.o | grep '^unit .* status=partial reason="1 of 2 marks were refused by clang" marks=2 dropped=1 ' >/dev/null
allocs dump a.o | grep 'alloc(sizeof(int))' >/dev/null

cat >b.c <<'EOF'
int f(int n) {
  int nested(int m) { return m + n; }
  return nested(sizeof n);
}
EOF
cc-allocs -c b.c
allocs dump b.o | grep '^unit .* status=failed reason="b.c:2: function definition is not allowed here"' >/dev/null
