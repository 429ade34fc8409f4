/* SPDX-License-Identifier: MIT */
/* A slab whose handle carries the element size: allocation from it is typed.
 * The twin's field holds a length that no sizeof reaches. */
#include <stdlib.h>
struct cache { size_t size; };
struct text { size_t length; };
struct item { long a[5]; };
struct cache *cache_create(size_t size) {
  struct cache *c = malloc(sizeof *c);
  c->size = size;
  return c;
}
void *cache_alloc(struct cache *c) { return malloc(c->size); }
void *text_alloc(struct text *t) { return malloc(t->length); }
void text_set(struct text *t, size_t n) { t->length = n; }
struct item *use(struct cache *c) { return cache_alloc(c); }
struct cache *items(void) { return cache_create(sizeof(struct item)); }
/* functions:
cache_create factory -
cache_alloc pool -
text_alloc content -
use pool -
items factory -
*/
