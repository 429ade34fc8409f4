/* SPDX-License-Identifier: MIT */
/* Recursion in wrappers and in sizes ends; a function that only calls itself
 * allocates nothing. */
#include <stdlib.h>
void *a(size_t n, int depth);
void *b(size_t n, int depth) { return a(n, depth - 1); }
void *a(size_t n, int depth) { return depth ? b(n, depth) : malloc(n); }
struct item { long a[2]; };
size_t sum(int n) { return n ? sum(n - 1) + sizeof(struct item) : 0; }
void *summed(int n) { return malloc(sum(n)); }
void *nothing(size_t n) { return nothing(n); }
/* functions:
a malloc 0
b malloc 0
summed factory -
*/
