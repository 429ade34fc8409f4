/* SPDX-License-Identifier: MIT */
/* A remainder by a power of two, or a bit-field, that is a factor of a size is a
 * count; the twins add one to a size, which is padding. */
#include <stdlib.h>
struct item { long a[4]; };
struct bits { unsigned n : 6; };
struct item *remainder_of(unsigned long n) {
  return malloc((n % 64 + 1) * sizeof(struct item));
}
struct item *field_of(const struct bits *b) {
  return malloc((b->n + 1) * sizeof(struct item));
}
void *padded(size_t n) { return malloc(n + (-n & 15)); }
struct item *headed(size_t n) {
  return malloc(sizeof(struct item) + (n & 15));
}
/* functions:
field_of factory -
headed factory -
padded malloc 0
remainder_of factory -
*/
/* sites:
8 remainder_of malloc typed struct_item array struct_item
11 field_of malloc typed struct_item array struct_item
13 padded malloc pass-through - - void
15 headed malloc typed struct_item one struct_item
*/
