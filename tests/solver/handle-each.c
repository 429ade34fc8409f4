/* SPDX-License-Identifier: MIT */
/* A container keeps its element size in the object that stands for it: each is
 * typed by its own, whether it lies in a record, behind a pointer, in a local or
 * a global variable, or in an array; whoever put the size in; bytes where that
 * is no type's.  The twins: a pointer from nowhere, and one object that holds
 * first one type, then another. */
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
/* sites:
19 array_init malloc pass-through - - char
23 array_create malloc typed struct_array one struct_array
31 array_push realloc bytes - - char
39 setup array_create typed struct_array one struct_array
43 route array_push typed struct_route one struct_route
44 host array_push typed struct_host one struct_host
45 port array_push typed struct_port one struct_port
46 name array_push bytes - - char
47 both array_push typed - several void
48 anywhere array_push untyped - - struct_host
52 local array_push typed struct_port one struct_port
55 passed array_push typed struct_host one struct_host
56 pass passed typed struct_host one struct_host
*/
