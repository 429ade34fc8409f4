/* SPDX-License-Identifier: MIT */
/* Wrappers with a failure exit, a floor, a retry loop, a statistics counter;
 * the twin takes a size and returns no memory. */
#include <stdlib.h>
static size_t total;
void flush_caches(void);
void *exits(size_t n) {
  void *p = malloc(n ? n : 1);
  if (!p)
    exit(1);
  return p;
}
void *retries(const char *file, int line, size_t n) {
  void *p;
  while (!(p = malloc(n)))
    flush_caches();
  total += n;
  return p;
}
size_t rounds(size_t n) { return (n + 7) & ~(size_t)7; }
void *aligned(size_t n) { return exits(rounds(n)); }
/* functions:
exits malloc 0
retries malloc 2
aligned malloc 0
*/
/* sites:
8 exits malloc pass-through - - void
15 retries malloc pass-through - - void
21 aligned exits pass-through - - void
*/
