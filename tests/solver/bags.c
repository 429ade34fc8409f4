/* SPDX-License-Identifier: MIT */
/* Of a size that is no sum of products only what is in it is known: a record
 * tells more than a number that is in it as well, and a record that ends in
 * elements of another more than that.  Which was met first says nothing: here
 * the numbers were, and the twin has nothing but numbers. */
#include <stdlib.h>
unsigned *numbers(int n) { return malloc(n * sizeof(unsigned)); }
struct value { long kind, number; };
struct value *values(int n) { return malloc(n * sizeof(struct value)); }
struct big { struct big *next; int k; unsigned x[]; };
struct array { int used; struct value items[]; };
struct big *make_big(int k) {
  return malloc(sizeof(struct big) + ((1 << k) - 1) * sizeof(unsigned));
}
struct array *make_array(int n) {
  return malloc(sizeof(struct array) + (n * 3 / 2) * sizeof(struct value));
}
unsigned *make_numbers(int k) { return malloc((1 << k) * sizeof(unsigned)); }
/* sites:
7 numbers malloc typed unsigned_int array unsigned_int
9 values malloc typed struct_value array struct_value
13 make_big malloc typed struct_big array struct_big
16 make_array malloc typed struct_array array struct_array
18 make_numbers malloc typed unsigned_int array unsigned_int
*/
