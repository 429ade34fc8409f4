/* SPDX-License-Identifier: MIT */
/* What gives memory back may do so by one of several functions, on each way the
 * last that gets the pointer: a hook or free, a list or free, after the memory
 * was cleared, its address shown, or looked up as a number; it may return null.
 * Where the pointer itself says that the memory is somebody else's, nothing is
 * given back.  The twins leave a way out, or one that the content decides, use
 * the memory afterwards, only put it on a list, or return something else. */
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
static char buffer[64];
void unless_buffer(void *p) {
  if (p != buffer)
    free(p);
}
struct area { char *first, *end; struct area *next; };
void unless_in_area(const struct area *a, void *p) {
  if (!p)
    return;
  for (; a; a = a->next)
    if ((char *)p >= a->first && (char *)p < a->end)
      return;
  free(p);
}
void if_odd(void *p) {
  if ((unsigned long)p & 1)
    return;
  free(p);
}
void unless_content(void *p) {
  if (*(char *)p != 'x')
    free(p);
}
void unless_room(const struct area *a, void *p) {
  if (a->first != a->end)
    free(p);
}
/* A list that is put to at both ends knows where its last link is. */
struct queue { struct link *first, **last; int count; };
void to_queue(struct queue *q, void *p) {
  struct link *l = p;
  if (q->count > 8)
    free(p);
  else {
    if (!(l->next = q->first))
      q->last = &l->next;
    q->first = l;
  }
}
struct member { struct link link; int value; };
static int *last_value;
void shown_to_others(struct queue *q, void *p) {
  struct member *m = p;
  if (q->count > 8)
    free(p);
  else
    last_value = &m->value;
}
/* frees:
by_hook 0
by_size 1
if_odd 0
to_null 0
to_queue 1
unless_buffer 0
unless_in_area 1
*/
