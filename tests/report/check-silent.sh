#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Differences that are no contradiction are compared, and say nothing; one
# mistake among them is found all the same.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >harmless.c <<'EOF'
#include <stdlib.h>
__attribute__((noinline)) void *get(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
struct base { int kind; };
struct derived { struct base base; long more; };
struct alike { int kind; };
union any { int i; struct derived d; };
struct storage { size_t x[16]; };
struct tail { long n; int items[]; };
struct pair { struct base *a; struct tail *b; };
struct base *b; struct alike *a; union any *u; struct storage *s; struct tail *t;
unsigned long *ul; void **v, ***vvv; char *c; int **pp; struct pair *pair; struct derived *d;
int *i;
void use(size_t n) {
  b = get(sizeof(struct derived));         /* more than is used: a base */
  a = get(sizeof(struct base));            /* as large: the same layout */
  u = get(sizeof(struct base));            /* one member of a union */
  s = get(sizeof(struct derived));         /* storage that callers reserve */
  ul = get(n * sizeof(long));              /* signed and unsigned */
  v = get(n * sizeof(struct base *));      /* pointers are of one size */
  c = get(sizeof(struct derived));         /* bytes */
  pp = get(n * sizeof(struct base *));     /* another pointer */
  t = get(sizeof(struct tail) + n * sizeof(int)); /* a tail */
  d = get(sizeof(struct base) + sizeof(long) * 2); /* a sum */
  ul = get(4 * n * sizeof(int));           /* enough of a smaller type */
  i = get(n * sizeof(long));               /* more than is used */
  pair = get(2 * sizeof(void *));          /* the members, counted */
  vvv = get(sizeof(void *));               /* one pointer, for another */
MISTAKE
}
int main(void) { use(1); return 0; }
EOF
sed 's/^MISTAKE$//' harmless.c | compile silent.c
sed 's/^MISTAKE$/  d = get(sizeof(struct base));/' harmless.c | compile mistaken.c
allocs check silent.o >said
expect said </dev/null
allocs check --json silent.o | sed -n 's/^  "compared": \(.*\),$/\1/p' >compared
echo 11 | expect compared
not allocs check mistaken.o >said
sed -n 1p said >first
expect first <<'EOF'
mistaken.c:28:7: warning: get() is given sizeof(struct base), and the result is used as struct derived: 4 bytes, not 16; is sizeof(struct derived) meant? [too-small]
EOF
