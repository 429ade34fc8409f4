/* SPDX-License-Identifier: MIT */
/* Pieces whose header, a record or some words, is not handed out: the size is
 * the caller's but for the header, and the header's type is not the object's.
 * The twin takes the last element off an array. */
#include <stdlib.h>
struct arena { char *next; };
struct header { long x, y; };
struct stack { char *items; size_t each, count; };
void *behind_record(struct arena *a, size_t n) {
  char *v = a->next;
  a->next = v + n;
  return v + sizeof(struct header);
}
void *behind_words(struct arena *a, size_t n) {
  char *v = a->next;
  a->next = v + n;
  return v + 2 * sizeof(unsigned long);
}
void *last(struct stack *s) {
  return s->count ? s->items + s->each * --s->count : NULL;
}
int use(struct arena *a, struct stack *s) {
  int *i = behind_record(a, 5 * sizeof(int));
  long *j = behind_words(a, 3 * sizeof(long));
  s->each = sizeof(short);
  return *i = *j = *(short *)last(s);
}
/* functions:
behind_record pool 1
behind_words pool 1
*/
/* sites:
23 use behind_record typed int array int
24 use behind_words typed long array long
*/
