/* SPDX-License-Identifier: MIT */
/* Who finds a record where it was kept, or else makes and keeps one, is no
 * factory: most calls allocate nothing.  The twins keep a stock: one takes its
 * records off a list, one cuts them from a chunk, and one makes a new one each
 * time, though it remembers the last. */
#include <stdlib.h>
struct item { struct item *next; long a[3]; };
struct chunk { struct chunk *next; int used; struct item items[8]; };
struct owner { struct item *item, *last, *stock; struct chunk *chunk; };
struct item *find_or_make(struct owner *o) {
  if (!o->item)
    o->item = calloc(1, sizeof(struct item));
  return o->item;
}
struct item *off_list(struct owner *o) {
  struct item *i = o->stock;
  if (!i)
    o->stock = i = calloc(1, sizeof(struct item));
  o->stock = i->next;
  return i;
}
struct item *from_chunk(struct owner *o) {
  if (!o->chunk || o->chunk->used == 8)
    o->chunk = calloc(1, sizeof(struct chunk));
  return &o->chunk->items[o->chunk->used++];
}
struct item *fresh(struct owner *o) {
  o->last = calloc(1, sizeof(struct item));
  return o->last;
}
int use(struct owner *o) {
  return find_or_make(o) && off_list(o) && from_chunk(o) && fresh(o);
}
/* functions:
find_or_make lazy -
off_list factory -
from_chunk factory - +16
fresh factory -
*/
/* sites:
12 find_or_make calloc typed struct_item one struct_item
18 off_list calloc typed struct_item one struct_item
24 from_chunk calloc typed struct_chunk one struct_chunk
28 fresh calloc typed struct_item one struct_item
32 use off_list typed struct_item one -
32 use from_chunk typed struct_chunk flexible -
32 use fresh typed struct_item one -
*/
