/* SPDX-License-Identifier: MIT */
/* Both take a size and set members; a sizeof reaches only the first, which
 * allocates objects for its callers. The other is a constructor. */
#include <stdlib.h>
struct object { struct object *next; int type; };
struct table { struct object head; void *slots; };
struct pool { char *last, *end; };
struct object *new_object(int type, size_t size) {
  struct object *o = malloc(size);
  o->type = type;
  return o;
}
struct table *new_table(void) {
  return (struct table *)new_object(1, sizeof(struct table));
}
struct pool *create_pool(size_t size) {
  struct pool *p = malloc(size);
  p->last = (char *)p + sizeof(struct pool);
  p->end = (char *)p + size;
  return p;
}
struct pool *a_pool(void) { return create_pool(4096); }
/* functions:
new_object malloc 1
new_table factory -
create_pool factory -
a_pool factory -
*/
