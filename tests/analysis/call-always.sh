#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A call always happens if no path to a return avoids it, but where its pointer
# is null, or where nobody uses its result and another pointer that the function
# is given is null; not if something else decides, and not if it comes back in a
# loop.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile always.c <<'EOF'
#include <stdlib.h>
struct s { void *p; size_t n; };
void a1(void *p) { free(p); }
void a2(void *p) { if (p) free(p); }
void a3(void *p) { if (!p) return; free((char *)p - 8); }
void a4(struct s *s) { if (s->p != NULL) free(s->p); }
void a5(void *p, int k) { if (k) abort(); free(p); }
void a6(void *p, int k) { if (k) free(p); else free(p); }
void a7(void *p, int k) { if (!p) return; if (k == 1) free(p); else if (k) free(p); else free(p); }
void a8(void *p, void *q) { if (q) free(p); }
void a9(void *p, struct s *s, void *q) { if (!s || q == NULL) return; free(p); }
void n1(void *p, int k) { if (k) free(p); }
void n2(void *p, void *q) { if (!q) free(p); }
void n3(struct s *s) { if (s->n) free(s->p); }
void n4(void **p) { while (*p) free(*p++); }
void n5(void *p) { if (p) return; free(p); }
void n6(void *p, void *q, int k) { if (k) free(p); else free(q); }
void *n7(void *p, void *q, int *r) { return q ? realloc(p, 9) : r; }
void n8(void *p, struct s *s) { if (s->p) free(p); }
void n9(void *p, size_t *q) { if (*q) free(p); }
EOF

allocs dump always.o | sed -n 's/^func @\([0-9]*\) symbol="\([^"]*\)".*/\1 \2/p' >funcs
allocs dump always.o | grep '^call .*\(free\|realloc\)(' |
  sed 's/,last_0//
       s/.*func=@\([0-9]*\) .*flags=\([a-z,_]*\).*/\1 \2/
       s/.*func=@\([0-9]*\) .*/\1 -/' >calls
awk 'NR == FNR { name[$1] = $2; next } { print name[$1], $2 }' funcs calls >said
expect said <<'EOF'
a1 always
a2 always
a3 always
a4 always
a5 always
a6 always
a6 always
a7 always
a7 always
a7 always
a8 always
a9 always
n1 -
n2 -
n3 -
n4 in_loop
n5 -
n6 -
n6 -
n7 -
n8 -
n9 -
EOF
