/* SPDX-License-Identifier: MIT */
/* How a sum is written: it begins with what is added, if anything is. */
#include <stdlib.h>
void *rest(size_t used, size_t all) { return malloc(all - used + 1); }
void *below(size_t n) { return malloc(64 - n); }
void *both(size_t n, size_t m) { return malloc(n + m); }
void *aligned_down(size_t n) { return malloc(-n); }
/* sizes:
rest: p1 - p0 + 1
below: 64 - p0
both: p0 + p1
aligned_down: -p0
*/
