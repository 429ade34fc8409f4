#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A size is what it was computed from: sizeof is not folded, casts, checks and
# shifts do not hide it, constants are folded into one form.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile sizes.c <<'EOF'
#include <stddef.h>
#include <stdlib.h>
struct h { size_t n; struct h *next; char tail[]; };
void *f0(size_t n) { return malloc(n * sizeof(struct h) + 3 + 4); }
void *f1(unsigned n) { return malloc((size_t)(n * (int)sizeof(int))); }
void *f2(unsigned n) { return malloc((size_t)n << 4); }
void *f3(size_t n, size_t m) {
  size_t t;
  return __builtin_mul_overflow(n, m, &t) ? NULL : malloc(t);
}
void *f4(size_t n) { return malloc(n > sizeof(long) ? n : sizeof(long)); }
void *f5(size_t n) { return malloc((n + 7) & ~(size_t)7); }
void *f6(size_t n) { return malloc(n + (16 - (n & 15))); }
void *f7(size_t n) { return malloc(offsetof(struct h, tail) + n); }
void *f8(char *a, char *b) { return malloc(b - a); }
void *f9(void) { return malloc(sizeof("abc") - 1); }
void *f10(int k) {
  size_t n;
  switch (k) {
  case 0: n = sizeof(int); break;
  case 1: n = sizeof(struct h); break;
  default: n = 8;
  }
  return malloc(n);
}
void *f11(void) { return malloc(24); }
EOF

says sizes.o call >said
expect said <<'EOF'
malloc(p0 * sizeof(struct h) + 7)
malloc(p0 * sizeof(int))
malloc(p0 * 16)
malloc(p0 * p1)
malloc(either(p0, sizeof(long)))
malloc(p0 + 7 & -8)
malloc(p0 + (16 - (p0 & 15)))
malloc(offsetof(struct h, tail) + p0)
malloc(p1 - p0)
malloc(sizeof(char[4]) + -1)
malloc(either(8, sizeof(struct h), sizeof(int)))
malloc(24)
EOF
allocs dump sizes.o >dump
grep -q 'name="char\[4\]" .*flags=bytes' dump
not grep -q 'name="int" .*flags=bytes' dump
