/* SPDX-License-Identifier: MIT */
/* The block leaves through a parameter; the twin stores what it was given. */
#include <stdlib.h>
struct item { long a[4]; };
int make(void **out, size_t n) {
  *out = malloc(n);
  return *out ? 0 : -1;
}
static void with_alarm(int n, void **pp) {
  void *p = malloc(n);
  *pp = p;
}
void *through(unsigned long n) {
  void *p;
  with_alarm((int)n, &p);
  return p;
}
void *aligned(size_t align, size_t n) {
  void *p;
  return posix_memalign(&p, align, n) ? NULL : p;
}
int hand_back(void **out, void *p, size_t n) {
  *out = p;
  return 0;
}
struct item *use(void) {
  void *p;
  make(&p, sizeof(struct item));
  return p;
}
/* functions:
make malloc 1 via 0
with_alarm malloc 0 via 1
through malloc 0
aligned memalign 1
use factory -
*/
