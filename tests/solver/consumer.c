/* SPDX-License-Identifier: MIT */
/* A function that uses what it is given and frees it at the end is no
 * deallocation function, whether it hands it to `...` or to a function that
 * says how it went, makes something out of it, or collects what its members
 * lead to; the twins look at its size, at its address, or for its header, or take
 * it off a list. */
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
/* frees:
behind 0
checked 0
counted 0
unlinked 0
*/
