/* SPDX-License-Identifier: MIT */
/* Bump allocators, forwards and from the end, which may be a number of bytes; the
 * twins are a cursor over bytes that it reads, and a stack of bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct arena { char *next, *end; };
struct item { double d[3]; };
void *bump(struct arena *a, size_t n) {
  char *p = (char *)(((uintptr_t)a->next + 15) & ~(uintptr_t)15);
  if ((size_t)(a->end - p) < n)
    return NULL;
  a->next = p + n;
  return p;
}
void *down(struct arena *a, size_t n) {
  a->end -= n;
  return a->end;
}
void *post(struct arena *a, size_t n) {
  void *p = a->next;
  a->next = (char *)p + n;
  return p;
}
void *zero(struct arena *a, size_t count, size_t size) {
  return bump(a, count * size);
}
struct extent { struct extent *next; char *start; size_t room; };
struct extents { size_t size; struct extent *first; };
void *last(struct extents *e, size_t n) {
  if (!e->first || n > e->first->room) {
    struct extent *more = malloc(sizeof(struct extent));
    more->start = malloc(e->size);
    more->room = e->size;
    more->next = e->first;
    e->first = more;
  }
  e->first->room -= n;
  return e->first->start + e->first->room;
}
struct stack { char *bytes; size_t depth; };
void push(struct stack *s, const void *from, size_t n) {
  memcpy(s->bytes + s->depth, from, n);
  s->depth += n;
}
void *pop(struct stack *s, size_t n) {
  s->depth -= n;
  return s->bytes + s->depth;
}
struct item *use(struct arena *a) { return bump(a, sizeof(struct item)); }
char *peek(struct arena *a) { return a->next; }
/* functions:
bump pool 1
down pool 1
last pool 1
post pool 1
zero pool 1,2
use factory -
*/
