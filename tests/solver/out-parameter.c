/* SPDX-License-Identifier: MIT */
/* The block leaves through a parameter, or what it finds there is resized, or
 * moved into it; the twins store what they were given, free what was there, or
 * copy something else. */
#include <stdlib.h>
#include <string.h>
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
int resize(void **buffer, size_t n) {
  void *p = *buffer ? realloc(*buffer, n) : malloc(n);
  if (p)
    *buffer = p;
  return p != NULL;
}
int replace(void **buffer, size_t n) {
  free(*buffer);
  *buffer = malloc(n);
  return *buffer != NULL;
}
int move(void **buffer, size_t old, size_t n) {
  void *p = malloc(n);
  if (!p)
    return -1;
  memcpy(p, *buffer, old);
  free(*buffer);
  *buffer = p;
  return 0;
}
int copy(void **buffer, const void *from, size_t n) {
  void *p = malloc(n);
  if (!p)
    return -1;
  memcpy(p, from, n);
  *buffer = p;
  return 0;
}
struct item *use(void) {
  void *p;
  make(&p, sizeof(struct item));
  return p;
}
/* functions:
copy dup 2 via 0
make malloc 1 via 0
move realloc 2 via 0
replace malloc 1 via 0
resize realloc 1 via 0
with_alarm malloc 0 via 1
through malloc 0
aligned memalign 1
use factory -
*/
