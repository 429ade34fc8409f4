/* SPDX-License-Identifier: MIT */
/* A factory that returns a member of what it makes: its callers get that, one or
 * an array of them.  The twins return the whole, and a member that is no
 * record. */
#include <stdlib.h>
struct thread { long id; };
struct extra { long space; struct thread thread; };
struct item { long a[3]; };
struct chunk { long used; struct item items[8]; };
struct named { long id; char name[24]; };
struct thread *thread_new(void) {
  struct extra *e = calloc(1, sizeof *e);
  return &e->thread;
}
struct item *items_new(void) {
  struct chunk *c = calloc(1, sizeof *c);
  return c->items;
}
struct extra *extra_new(void) { return calloc(1, sizeof(struct extra)); }
char *name_new(void) {
  struct named *n = calloc(1, sizeof *n);
  return n->name;
}
int main(void) { return thread_new() && items_new() && extra_new() && name_new(); }
/* sites:
12 thread_new calloc typed struct_extra one struct_extra
16 items_new calloc typed struct_chunk one struct_chunk
19 extra_new calloc typed struct_extra one struct_extra
21 name_new calloc typed struct_named one struct_named
24 main thread_new typed struct_thread one -
24 main items_new typed struct_item array -
24 main extra_new typed struct_extra one -
24 main name_new typed struct_named one -
*/
