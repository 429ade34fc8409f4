/* SPDX-License-Identifier: MIT */
/* A container keeps its element size in the object that stands for it: each is
 * typed by its own, whether it lies in a record, behind a pointer, in a local or
 * a global variable, or in an array; whoever put the size in; bytes where that
 * is no type's; and though a record with the container as its first member is
 * taken for it.  The twins: a pointer from nowhere, one object that holds first
 * one type, then another, and a record with the container as its second. */
#include <stdlib.h>
struct array { char *elements; size_t count, room, size; };
struct route { int a[3]; };
struct host { int b[5]; };
struct port { int c[7]; };
struct conf { struct array routes, both; struct array *hosts; int count; };
struct other { struct conf c; struct array ports[4]; };
static struct array names;
static int array_init(struct array *a, size_t n, size_t size) {
  a->count = 0;
  a->room = n;
  a->size = size;
  a->elements = malloc(n * size);
  return a->elements ? 0 : -1;
}
struct array *array_create(size_t n, size_t size) {
  struct array *a = malloc(sizeof(struct array));
  if (!a || array_init(a, n, size))
    return NULL;
  return a;
}
void *array_push(struct array *a) {
  if (a->count == a->room) {
    a->room *= 2;
    a->elements = realloc(a->elements, a->room * a->size);
  }
  return a->elements + a->size * a->count++;
}
void setup(struct conf *c, struct other *o) {
  array_init(&c->routes, 4, sizeof(struct route));
  array_init(&c->both, 4, sizeof(struct route));
  array_init(&c->both, 4, sizeof(struct host));
  c->hosts = array_create(4, sizeof(struct host));
  array_init(&o->ports[c->count], 1, sizeof(struct port));
  array_init(&names, 1, 1);
}
struct route *route(struct conf *c) { return array_push(&c->routes); }
struct host *host(struct conf *c) { return array_push(c->hosts); }
struct port *port(struct other *o, int i) { return array_push(&o->ports[i]); }
char *name(void) { return array_push(&names); }
void *both(struct conf *c) { return array_push(&c->both); }
struct host *anywhere(struct array **all) { return array_push(all[1]); }
int local(void) {
  struct array ports;
  array_init(&ports, 1, sizeof(struct port));
  struct port *p = array_push(&ports);
  return p->c[0];
}
static struct host *passed(struct array *a) { return array_push(a); }
struct host *pass(struct conf *c) { return passed(c->hosts); }
struct table { struct array all; int buckets[8]; };
struct late { long first; struct array all; };
struct table *table_create(void) {
  struct table *t = malloc(sizeof(struct table));
  array_init(&t->all, 1, sizeof(struct host));
  return t;
}
struct late *late_create(void) {
  struct late *t = malloc(sizeof(struct late));
  array_init(&t->all, 1, sizeof(struct host));
  return t;
}
int tables(void) {
  struct host *h = array_push((struct array *)table_create());
  struct host *i = array_push((struct array *)late_create());
  return h->b[0] + i->b[0];
}
/* sites:
20 array_init malloc pass-through - - char
24 array_create malloc typed struct_array one struct_array
32 array_push realloc bytes - - char
40 setup array_create typed struct_array one struct_array
44 route array_push typed struct_route one struct_route
45 host array_push typed struct_host one struct_host
46 port array_push typed struct_port one struct_port
47 name array_push bytes - - char
48 both array_push typed - several void
49 anywhere array_push untyped - - struct_host
53 local array_push typed struct_port one struct_port
56 passed array_push typed struct_host one struct_host
57 pass passed typed struct_host one struct_host
61 table_create malloc typed struct_table one struct_table
66 late_create malloc typed struct_late one struct_late
71 tables table_create typed struct_table one struct_array
71 tables array_push typed struct_host one struct_host
72 tables late_create typed struct_late one struct_array
72 tables array_push untyped - - struct_host
*/
