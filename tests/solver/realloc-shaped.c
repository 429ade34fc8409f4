/* SPDX-License-Identifier: MIT */
/* Functions that allocate, resize and free; allocate-copy-free is a realloc;
 * a buffer that grows by what it holds is none of them. */
#include <stdlib.h>
#include <string.h>
typedef void *(*allocator)(void *ud, void *p, size_t old, size_t size);
struct state { allocator f; void *ud; };
struct buffer { char *data; size_t len, room; };
static void *l_alloc(void *ud, void *p, size_t old, size_t size) {
  if (size == 0) {
    free(p);
    return NULL;
  }
  return realloc(p, size);
}
void init(struct state *s, allocator f) { s->f = f; }
void start(struct state *s) { init(s, l_alloc); }
void *fresh(struct state *s, size_t n) { return s->f(s->ud, NULL, 0, n); }
void *again(struct state *s, void *p, size_t old, size_t n) {
  return s->f(s->ud, p, old, n);
}
void gone(struct state *s, void *p, size_t old) { s->f(s->ud, p, old, 0); }
void *moved(void *p, size_t old, size_t n) {
  void *q = malloc(n);
  memcpy(q, p, old);
  free(p);
  return q;
}
char *reserve(struct buffer *b, size_t more) {
  b->data = realloc(b->data, b->len + more);
  return b->data;
}
/* functions:
l_alloc realloc 3
state.f realloc 3
fresh malloc 1
again realloc 3
moved realloc 2
reserve grow -
*/
/* frees:
gone 1
*/
