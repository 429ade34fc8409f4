/* SPDX-License-Identifier: MIT */
/* A function that uses what it is given and frees it at the end is no
 * deallocation function, whether it hands it to `...` or to a function that
 * says how it went, makes something out of it, collects what its members lead
 * to, hands its members on, or calls what others registered for it, some of
 * which frees; the twins look at its size, at its address, or for its header,
 * take it off a list, or call one of two that free. */
#include <stdlib.h>
#include <malloc.h>
static size_t in_use;
void report(const char *format, ...);
int show(const char *text);
void tell(char *text) {
  report("%s", text);
  free(text);
}
void display(char *text) {
  if (show(text))
    abort();
  free(text);
}
void counted(void *p) {
  in_use -= malloc_usable_size(p);
  free(p);
}
void checked(void *p) {
  if ((unsigned long)p % 8)
    abort();
  free(p);
}
struct heap { struct block *parts[2]; };
struct block { struct block *next, *before; };
char *unpack(const void *text, size_t n) {
  const char *from = text;
  char *to = malloc(n);
  for (size_t i = 0; to && i < n; i++)
    to[i] = from[i] ^ 1;
  return to;
}
void keep(char *unpacked);
void make(void *text, size_t n) {
  char *unpacked = unpack(text, n);
  free(text);
  keep(unpacked);
}
void each(struct block **parts, int n);
void collect(void *p) {
  struct heap *h = p;
  struct block *parts[2] = {h->parts[0], h->parts[1]};
  each(parts, 2);
  free(h);
}
void behind(void *p) {
  free((struct block *)p - 1);
}
void unlinked(void *p) {
  struct block *b = (struct block *)p - 1;
  b->before->next = b->next;
  b->next->before = b->before;
  free(b);
}
struct class { int (*compare)(void *, void *); void (*end)(void *); };
void class_init(struct class *c, void *data) {
  struct class *info = data;
  c->compare = info->compare;
  c->end = info->end;
  free(data);
}
struct boxed { void (*release)(void *); void (*drop)(void *); } boxed[2];
struct counted { long count; };
void unref(void *p) {
  struct counted *c = p;
  if (!--c->count)
    free(c);
}
void release(void *p) { free(p); }
void boxes(void) {
  boxed[0].release = release;
  boxed[1].release = unref;
  boxed[0].drop = release;
  boxed[1].drop = free;
}
void boxed_free(int i, void *p) { boxed[i].release(p); }
void boxed_drop(int i, void *p) { boxed[i].drop(p); }
/* frees:
behind 0
boxed_drop 1
checked 0
counted 0
release 0
unlinked 0
*/
