/* SPDX-License-Identifier: MIT */
/* A pointer that holds a function of libc has evidence, too: what it holds, and
 * where that is put there, if it is by name.  The twins hold a function of their
 * own, whose chain they have, or get one that has no name there. */
#include <stdlib.h>
struct suite {
  void *(*get)(size_t);
  void *(*resize)(void *, size_t);
};
struct t { int a[5]; };
void *(*get)(size_t) = malloc;
static void *own(size_t n) { return malloc(n); }
void *(*get2)(size_t) = own;
static struct suite suite;
static void *(*later)(size_t, size_t);
static void *(*given)(size_t);
void set(int quick) {
  suite.get = malloc;
  suite.resize = realloc;
  later = quick ? calloc : NULL;
}
void set_given(void *(*f)(size_t)) { given = f; }
int main(int c, char **v) {
  struct t *a = get(sizeof *a), *b = get2(sizeof *b);
  struct t *d = suite.get(sizeof *d), *e = suite.resize(d, 2 * sizeof *e);
  set(c);
  set_given(malloc);
  return a == b || later(2, sizeof *a) == e || given(sizeof *b) == v;
}
/* chains:
get2: calls malloc 12
get: holds malloc 11
given: holds malloc -
later: holds calloc 20
own: calls malloc 12
suite.get: holds malloc 18
suite.resize: holds realloc 19
*/
