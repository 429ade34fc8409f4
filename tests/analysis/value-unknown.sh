#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What cannot be said has a reason: contents of memory, arguments of "...",
# assembly; and a number that lies in a named place is none of these.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile unknown.c <<'EOF'
#include <stdarg.h>
#include <stdlib.h>
struct s { unsigned char len; };
void *content(unsigned char *p) { return malloc(p[0] + p[1] * 256); }
void *field(struct s *s) { return malloc(s->len); }
void *args(int n, ...) {
  va_list ap;
  va_start(ap, n);
  size_t k = va_arg(ap, size_t);
  va_end(ap);
  return malloc(k);
}
void *assembly(size_t n) {
  __asm__("" : "+r"(n));
  return malloc(n);
}
void *grown(size_t n, double by) { return malloc((size_t)(n * by)); }
void *letter(int i) { return malloc("abc"[i]); }
EOF

says unknown.o call >said
expect said <<'EOF'
malloc(?content + ?content * 256)
malloc(p0->len)
malloc(?varargs)
malloc(?assembly)
malloc(mix(p0, p1))
malloc(?content)
EOF
