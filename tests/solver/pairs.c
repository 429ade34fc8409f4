/* SPDX-License-Identifier: MIT */
/* Which deallocation function gets whose blocks: the result of a call, of one of
 * two, of a factory, of what is kept where nothing else is.  The twins: a place
 * that two allocation functions fill, one that holds what a caller gave, and a
 * pointer from nowhere. */
#include <stdlib.h>
struct pool { char *next, *end; };
struct item { struct item *link; char *name, *text, *given; };
void *xmalloc(size_t n) {
  void *p = malloc(n);
  if (!p)
    abort();
  return p;
}
void xfree(void *p) {
  if (p)
    free(p);
}
void *small(size_t n) { return malloc(n + 8); }
struct item *item_new(char *given) {
  struct item *i = xmalloc(sizeof *i);
  i->name = xmalloc(8);
  i->text = given ? xmalloc(8) : small(8);
  i->given = given;
  return i;
}
void item_clear(struct item *i) {
  xfree(i->name);
  i->name = NULL;
  xfree(i->text);
  xfree(i->given);
}
int use(int n, char **all) {
  char *a = xmalloc(n), *b = n ? xmalloc(1) : NULL, *c = malloc(n);
  struct item *i = item_new(a);
  int sum = a[0] + b[0] + c[0];
  item_clear(i);
  xfree(a);
  free(b);
  xfree(i);
  xfree(c);
  xfree(all[0]);
  return sum;
}
/* pairs:
malloc xfree 1
xmalloc free 1
xmalloc xfree 3
*/
