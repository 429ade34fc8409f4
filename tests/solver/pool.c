/* SPDX-License-Identifier: MIT */
/* Bump allocators, forwards and from the end; the twin is a cursor over bytes
 * that it reads. */
#include <stddef.h>
#include <stdint.h>
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
struct item *use(struct arena *a) { return bump(a, sizeof(struct item)); }
char *peek(struct arena *a) { return a->next; }
/* functions:
bump pool 1
down pool 1
post pool 1
zero pool 1,2
use factory -
*/
