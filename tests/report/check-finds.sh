#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `allocs check` says where a size contradicts the use, in the words of a
# compiler, through wrappers, products, reallocation and pools in other files;
# and nothing about the line below each of them, which is right.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >wrap.h <<'EOF'
#include <stddef.h>
struct node { struct node *next; long key, value; };
struct small { int x; };
struct pool;
void *get(size_t n);
void *get_many(size_t n, size_t size);
void *resize(void *p, size_t n);
void *from_pool(struct pool *p, size_t n);
EOF
compile wrap.c <<'EOF'
#include <stdlib.h>
#include "wrap.h"
struct pool { char *next, *end; };
void *get(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
void *get_many(size_t n, size_t size) { return get(n * size); }
void *resize(void *p, size_t n) { p = realloc(p, n); if (!p) abort(); return p; }
void *from_pool(struct pool *p, size_t n) {
  if (n > (size_t)(p->end - p->next)) return NULL;
  char *q = p->next;
  p->next += n;
  return q;
}
EOF
compile use.c <<'EOF'
#include "wrap.h"
struct node *one, **list;
struct pool *pool;
int *numbers; long *longs;
void use(size_t n) {
  one = get(sizeof(struct node *));
  one = get(sizeof(struct node));
  list = get_many(n, sizeof(struct node));
  list = get_many(n, sizeof(struct node *));
  list = resize(list, (n + 1) * sizeof(struct node));
  list = resize(list, (n + 1) * sizeof(struct node *));
  one = from_pool(pool, sizeof(struct small));
  one = from_pool(pool, sizeof(struct node));
  longs = get_many(n, sizeof(int));
  longs = get(2 * n * sizeof(int));
}
int main(void) { use(3); return 0; }
EOF
link prog use.o wrap.o
status=0
allocs check prog >said 2>error || status=$?
[ $status = 1 ]
expect error </dev/null
grep -v ': note: ' said >findings
expect findings <<'EOF'
use.c:6:9: warning: get() is given sizeof(struct node *), and the result is used as struct node: 8 bytes, not 24; is sizeof(struct node) meant? [pointer-for-object]
use.c:8:10: warning: get_many() is given sizeof(struct node) * n, and the result is used as struct node *: 24 bytes each, not 8; is sizeof(struct node *) meant? [object-for-pointer]
use.c:10:10: warning: resize() is given sizeof(struct node) * n + sizeof(struct node), and the result is used as struct node *: 24 bytes each, not 8; is sizeof(struct node *) meant? [object-for-pointer]
use.c:12:9: warning: from_pool() is given sizeof(struct small), and the result is used as struct node: 4 bytes, not 24; is sizeof(struct node) meant? [too-small]
use.c:14:11: warning: get_many() is given sizeof(int) * n, and the result is used as long: 4 bytes each, not 8; is sizeof(long) meant? [too-small]
EOF
sed -n '/^use.c:8:/,/^use.c:10/p' said | grep ': note: ' >chain
expect chain <<'EOF'
wrap.c:5: note: get_many allocates p0 * p1 bytes
wrap.c:5: note: it calls get
wrap.c:4: note: which calls malloc
EOF
