/* SPDX-License-Identifier: MIT */
/* Products in any order, behind an overflow check, with the element count in
 * memory; the twin's second argument does not enter the size. */
#include <stdint.h>
#include <stdlib.h>
struct item { int a, b, c; };
void *swapped(size_t size, void *ctx, size_t n) { return malloc(n * size); }
void *checked(size_t n, size_t size) {
  if (size && n > SIZE_MAX / size)
    return NULL;
  return malloc(n * size);
}
void *builtin(size_t n, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(n, size, &all))
    return NULL;
  return malloc(all);
}
void *grow(void *block, int *count, int limit, size_t size) {
  int n = *count * 2 > limit ? limit : *count * 2;
  *count = n;
  return realloc(block, n * size);
}
void *only_first(size_t n, size_t unused) { return malloc(n); }
struct item *items(size_t n) { return checked(n, sizeof(struct item)); }
/* functions:
swapped calloc 0,2
checked calloc 0,1
builtin calloc 0,1
grow realloc 2,3
only_first malloc 0
items factory -
*/
/* sites:
7 swapped malloc pass-through - - void
11 checked malloc pass-through - - void
17 builtin malloc pass-through - - void
22 grow realloc pass-through - - void
24 only_first malloc pass-through - - void
25 items checked typed struct_item array struct_item
*/
