/* SPDX-License-Identifier: MIT */
/* A free that is behind a test whether another pointer is there, through which
 * the memory is given back: a parser, a suite of functions, both; by one of two
 * functions.  The twins give it back if a count, a number or a member says so,
 * or where the other pointer is not there; or what was given before. */
#include <stdlib.h>
struct suite { void *(*get)(size_t); void (*release)(void *); };
struct parser { int n; void *last; struct suite mem; };
void (*hook)(void *);
void *get_in(struct parser *p, size_t n) {
  if (!p)
    return 0;
  return p->mem.get(n);
}
void release_in(struct parser *p, void *what) {
  if (p)
    p->mem.release(what);
}
void release_it(struct parser *p, void *what) { p->mem.release(what); }
void release_both(struct parser *p, const struct suite *s, void *what) {
  if (!p || s == NULL)
    return;
  p->n--;
  s->release(what);
}
void release_or(struct parser *p, void *what) {
  if (!p)
    return;
  if (hook)
    hook(what);
  else
    free(what);
}
void release_some(struct parser *p, void *what) {
  if (!--*(int *)what)
    p->mem.release(what);
}
void release_if(struct parser *p, void *what, int really) {
  if (p && really)
    p->mem.release(what);
}
void release_last(struct parser *p, void *what) {
  if (p->last)
    p->mem.release(what);
}
void release_without(struct parser *p, void *what) {
  if (!p)
    free(what);
}
void release_before(struct parser *p, void *what) {
  if (p)
    p->mem.release(p->last);
  p->last = what;
}
int main(int c, char **v) {
  struct parser p = {c, 0, {malloc, free}};
  int *a = get_in(&p, sizeof *a), *b = get_in(&p, sizeof *b);
  *b = c;
  release_in(&p, a);
  release_some(&p, b);
  release_it(&p, get_in(&p, 40));
  return v == 0;
}
/* functions:
get_in malloc 1
suite.get malloc 0
*/
/* frees:
release_both 2
release_in 1
release_it 1
release_or 1
suite.release 0
*/
