#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A pointer into a block is the block's plus an offset, also through a sizeof;
# a moving pointer is a sum, which tells a bump allocator.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile interior.c <<'EOF'
#include <stdlib.h>
struct h { size_t n; struct h *next; char tail[8]; };
struct pool { char *cur, *end; };
void *past(size_t n) { struct h *h = malloc(sizeof *h + n); return h + 1; }
void *bytes(size_t n) { char *p = malloc(n + 8); return p + 8; }
void *sized(size_t n) {
  char *p = malloc(n + sizeof(struct h));
  return p + sizeof(struct h);
}
void *member(size_t n) { struct h *h = malloc(n); return h->tail; }
void *back(void *p) { return (struct h *)p - 1; }
void *bump(struct pool *p, size_t n) {
  if ((size_t)(p->end - p->cur) < n)
    return NULL;
  char *r = p->cur;
  p->cur += n;
  return r;
}
void *element(struct h *p, size_t i) { return p + i; }
void *whole(size_t n) { return malloc(n); }
EOF

says interior.o return >said
expect said <<'EOF'
&*(malloc(...) + 24)
&*(malloc(...) + 8)
malloc(...) + sizeof(struct h)
&malloc(...)->tail
&*(p0 - 24)
either(0, p0->cur)
p0 + p1 * 24
malloc(...)
EOF
says interior.o store >said
expect said <<<"p0->cur = p0->cur + p1"
