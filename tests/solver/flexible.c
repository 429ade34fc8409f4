/* SPDX-License-Identifier: MIT */
/* One T with a tail, a header and elements, a record cut short; characters are
 * bytes. */
#include <stddef.h>
#include <stdlib.h>
struct str { size_t len; char data[]; };
struct list { int n; long items[]; };
struct old { int n; long items[1]; };
struct str *str(size_t n) { return malloc(sizeof(struct str) + n); }
struct list *list(int n) { return malloc(sizeof(struct list) + n * sizeof(long)); }
struct old *old(int n) { return malloc(offsetof(struct old, items) + n * sizeof(long)); }
struct old *less(int n) { return malloc(sizeof(struct old) + (n - 1) * sizeof(long)); }
char *chars(size_t n) { return malloc(n * sizeof(char) + sizeof("x")); }
long *matrix(void) { return malloc(sizeof(long[3][4])); }
/* sites:
9 str malloc typed struct_str flexible struct_str
10 list malloc typed struct_list flexible struct_list
11 old malloc typed struct_old flexible struct_old
12 less malloc typed struct_old flexible struct_old
13 chars malloc pass-through - - char
14 matrix malloc typed long array long
*/
