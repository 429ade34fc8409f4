/* SPDX-License-Identifier: MIT */
/* A header before the result is no part of the size; one that the result does
 * not skip belongs to the type, and the function is a factory. */
#include <stdlib.h>
struct head {
  size_t size;
  long magic;
};
void *skips(size_t n) {
  struct head *h = malloc(sizeof(struct head) + n);
  h->size = n;
  return h + 1;
}
void *prefixed(size_t n) {
  char *p = malloc(n + sizeof(size_t));
  *(size_t *)p = n;
  return p + sizeof(size_t);
}
struct head *keeps(size_t n) { return malloc(sizeof(struct head) + n); }
void *user(void) { return skips(sizeof(struct head)); }
/* functions:
skips malloc 0 +16
prefixed malloc 0 +8
keeps factory -
user factory - +16
*/
