#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# With the header gcc sees the sizes of objects behind wrappers: it warns of a
# deliberate overflow through each of them, which it does not without; and it
# does not warn of the use that is within bounds.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc

cat >wrap.h <<'EOF'
#include <stddef.h>
struct pool;
void *get(size_t n);
void *get_many(struct pool *, size_t n, int size);
void *resize(void *, size_t old, size_t n);
void *from_pool(struct pool *p, unsigned n);
EOF
compile wrap.c <<'EOF'
#include <stdlib.h>
#include <stdint.h>
#include "wrap.h"
struct pool { char *next, *end; };
void *get(size_t n) { void *p = malloc(n ? n : 1); if (!p) abort(); return p; }
void *get_many(struct pool *p, size_t n, int size) {
  (void)p;
  if (n > SIZE_MAX / 2 / (size_t)size) abort();
  return get(n * (size_t)size);
}
void *resize(void *p, size_t old, size_t n) { (void)old; p = realloc(p, n); if (!p) abort(); return p; }
void *from_pool(struct pool *p, unsigned n) {
  if (n > (size_t)(p->end - p->next)) return NULL;
  char *q = p->next;
  p->next += n;
  return q;
}
int main(void) { return get(8) == resize(get_many(0, 2, 8), 16, 9); }
EOF
link prog wrap.o
allocs export --format=header prog >seen.h
sed -n '/^struct/p; /^#ifndef [gfr]/,/^#endif/p; /Left/,$p' seen.h >said
expect said <<'EOF'
struct pool;
#ifndef get
void *get(unsigned long)
    __attribute__((__alloc_size__(1)));
#endif
#ifndef get_many
void *get_many(struct pool *, unsigned long, int)
    __attribute__((__alloc_size__(2, 3)));
#endif
#ifndef resize
void *resize(void *, unsigned long, unsigned long)
    __attribute__((__alloc_size__(3)));
#endif
#ifndef from_pool
void *from_pool(struct pool *, unsigned int)
    __attribute__((__alloc_size__(2)));
#endif
EOF

# warns FILE FLAG...: the lines at which gcc warns.
warns() {
  gcc -Wall -O2 -D_FORTIFY_SOURCE=3 -fdiagnostics-plain-output "${@:2}" -c "$1" -o out.o 2>&1 |
    sed -n "s/.*inlined from .* at $1:\([0-9]*\):.*/\1/p; s/^$1:\([0-9]*\):[0-9]*: warning: .*/\1/p" | sort -nu
}
cat >use.c <<'EOF'
#include <string.h>
#include "wrap.h"
extern char *kept[8];
void use(struct pool *p, char *old) {
  kept[0] = get(16); memset(kept[0], 0, 16);
  kept[1] = get(16); memset(kept[1], 0, 17);
  kept[2] = get_many(p, 4, 8); memset(kept[2], 0, 32);
  kept[3] = get_many(p, 4, 8); memset(kept[3], 0, 33);
  kept[4] = resize(old, 64, 32); memset(kept[4], 0, 32);
  kept[5] = resize(old, 64, 32); memset(kept[5], 0, 64);
  kept[6] = from_pool(p, 8); memset(kept[6], 0, 8);
  kept[7] = from_pool(p, 8); memset(kept[7], 0, 9);
}
EOF
warns use.c >without
expect without </dev/null
warns use.c -include seen.h >with
printf '%s\n' 6 8 10 12 | expect with
