#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Text that gcc has preprocessed, as distcc and ccache send it: fortified
# headers, gcc's own types, attributes and atomics are no error.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc

cat >a.c <<'EOF'
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
struct s { _Atomic int n; _Atomic(long) m; char text[8]; };
struct s *make(const char *text) {
  struct s *s = malloc(sizeof(struct s));
  _Float32 x = 1;
  memcpy(s->text, text, sizeof s->text);
  atomic_fetch_add(&s->n, (int)x);
  atomic_store(&s->m, 2);
  printf("%s\n", s->text);
  return s;
}
EOF
gcc -O2 -D_FORTIFY_SOURCE=2 -E a.c -o a.i
grep '__malloc__ (fclose' a.i >/dev/null || skip 'these headers are too old'
CC_ALLOCS_CC=gcc cc-allocs -O2 -c a.i
allocs dump a.o >dump
grep '^unit ' dump >/dev/null
not grep -E '^unit .*(status|dropped)=' dump
grep '# malloc(sizeof(struct s))' dump >/dev/null
