/* SPDX-License-Identifier: MIT */
/* What gives memory back may do so by one of several functions, on each way the
 * last that gets the pointer: a hook or free, a list or free, after the memory
 * was cleared, its address shown, or looked up as a number; it may return null.
 * The twins leave a way out, use the memory afterwards, only put it on a list,
 * or return something else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct link { struct link *next; };
struct stock { struct link *first; int count; };
static struct stock small, large;
static void (*hook)(void *);
int known(unsigned long address);
int show(const char *text);
void by_hook(void *p) {
  if (hook)
    hook(p);
  else
    free(p);
}
void put(struct stock *s, void *p) {
  struct link *l = p;
  l->next = s->first;
  s->first = l;
  s->count++;
}
void by_size(size_t n, void *p) {
  if (!p)
    return;
  if (!known((unsigned long)p))
    fprintf(stderr, "%p is unknown\n", p);
  if (n < 16) {
    memset(p, 0, n);
    put(&small, p);
  } else if (n < 32)
    put(&large, p);
  else
    free(p);
}
void some_way(int n, void *p) {
  if (n == 1)
    hook(p);
  else if (n == 2)
    free(p);
}
void shown(int n, void *p) {
  if (n && show(p))
    hook(p);
  else
    free(p);
}
void afterwards(int n, void *p) {
  if (n)
    free(p);
  else
    show(p);
}
void listed(int n, void *p) {
  if (n)
    put(&small, p);
  else
    put(&large, p);
}
void *to_null(void *p) {
  free(p);
  return NULL;
}
void *to_next(struct link *l) {
  struct link *next = l->next;
  free(l);
  return next;
}
int to_status(void *p) {
  free(p);
  return 0;
}
/* frees:
by_hook 0
by_size 1
to_null 0
*/
