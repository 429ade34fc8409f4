#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The list has every function; the variables of liballocs, sourced by a shell,
# have a letter for each parameter and a capital for the one that matters.  Both
# say who frees whose blocks, as it was seen.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile wrap.c <<'EOF'
#include <stdlib.h>
struct node { struct node *next; };
struct pool { char *next, *end; struct node *freed; };
void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
void *xcalloc(size_t n, size_t size) { void *p = calloc(n, size); if (!p) abort(); return p; }
void *elements(void *p, int size, int *n) { *n = *n ? 2 * *n : 4; return realloc(p, (size_t)size * (size_t)*n); }
void *scaled(double x, size_t n) { return x > 1 ? malloc(n) : NULL; }
void *from_pool(struct pool *p, size_t n) {
  if (n > (size_t)(p->end - p->next)) return NULL;
  char *q = p->next;
  p->next += n;
  return q;
}
int out(void **p, size_t n) { *p = malloc(n); return *p != NULL; }
struct node *node_new(void) { return xmalloc(sizeof(struct node)); }
void xfree(const char *why, void *p) { (void)why; free(p); }
void to_pool(struct pool *p, void *q) {
  struct node *n = q;
  if ((char *)q < p->end) { n->next = p->freed; p->freed = n; } else free(q);
}
void use(struct pool *p, int n) {
  void *a = xmalloc(n), *b = xcalloc(n, 8), *c = xmalloc(8), *d = from_pool(p, 8);
  xfree("a", a);
  free(b);
  free(c);
  xfree("node", node_new());
  to_pool(p, d);
}
int twice(int n) { return 2 * n; }
EOF
allocs export --format=list wrap.o | sort >list
sort >wanted <<'EOF'
# name	kind	size_args	free
xmalloc	malloc	0	xfree,free
xcalloc	calloc	0,1	free
elements	realloc	1	-
scaled	malloc	1	-
from_pool	pool	1	to_pool
out	malloc	1	-
node_new	factory	-	-
xfree	free	-	1
to_pool	free	-	1
EOF
expect list <wanted

allocs export --format=liballocs wrap.o >variables
(
  # shellcheck source=/dev/null
  . ./variables
  for word in $LIBALLOCS_ALLOC_FNS; do echo "alloc $word"; done
  for word in $LIBALLOCS_SUBALLOC_FNS; do echo "suballoc $word"; done
  for word in $LIBALLOCS_FREE_FNS; do echo "free $word"; done
  for word in $LIBALLOCS_SUBFREE_FNS; do echo "subfree $word"; done
) | sort >words
expect words <<'EOF'
alloc elements(pIp)p
alloc xcalloc(zZ)p
alloc xmalloc(Z)p
free xfree(pP)
suballoc from_pool(pZ)p
subfree to_pool(pP)->from_pool
EOF
sed -n '/Left out/,$p' variables >left
expect left <<'EOF'
# Left out:
#   out (wrap.c:14): its result comes back through a parameter
#   scaled (wrap.c:7): liballocs has no letter for one of its parameters
EOF

# Without debug information the types are not known, and nothing is guessed.
cc-allocs -c -O2 wrap.c -o bare.o
allocs export --format=liballocs bare.o | sed '/^#   /!d; /xmalloc/!d' >left
echo '#   xmalloc (wrap.c:4): no debug information describes it' | expect left
allocs export --format=liballocs bare.o | grep -c '=""$' >empty
echo 4 | expect empty
