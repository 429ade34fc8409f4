#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A value that goes round a loop is what it begins with, or what the loop gives;
# a number that stops at a bound may be that bound, and one that stops at the end
# of a string, and nowhere else, is how far that is.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile loops.c <<'EOF'
#include <stdlib.h>
struct node { size_t size; struct node *next; };
void *retry(size_t n) {
  void *p = NULL;
  while (!p)
    p = malloc(n);
  return p;
}
struct node *last(struct node *p) {
  while (p->next)
    p = p->next;
  return p;
}
void *bounded(const char *s, size_t max) {
  size_t n = 0;
  while (n < max && s[n])
    n++;
  return malloc(n);
}
void *unbounded(const char *s) {
  size_t n = 0;
  while (s[n] != 'x')
    n++;
  return malloc(n);
}
void *measured(const char *s) {
  size_t n = 0;
  while (s[n])
    n++;
  return malloc(n);
}
void *same(size_t n, int k) {
  while (k--)
    free(malloc(n));
  return malloc(n);
}
EOF

says loops.o return >said
expect said <<'EOF'
either(0, malloc(...))
either(p0, ?loop->next)
malloc(...)
malloc(...)
malloc(...)
malloc(...)
EOF
says loops.o call | grep malloc\( >said
expect said <<'EOF'
malloc(p0)
malloc(either(0, ?loop, p1))
malloc(either(0, ?loop))
malloc(p0 + ?loop - p0)
malloc(p0)
free(malloc(...))
malloc(p0)
EOF
