/* SPDX-License-Identifier: MIT */
/* A record is found in a table of pointers, or made as large as the caller says
 * and put into it: no allocation function, but its calls say which type is made
 * if any is.  The twins: one only finds, one makes a new one each time and
 * returns it out of the table, one hands out what is kept in a stack, and one
 * finds or makes what nobody says the size of a type of. */
#include <stdlib.h>
#include <string.h>
struct named { const char *name; };
struct table { struct named **v; size_t used, size; };
struct entity { struct named named; char *text; int open; };
struct prefix { struct named named; void *binding; };
struct thing { long x[5]; };
struct named *find(struct table *t, const char *name) {
  size_t i = strlen(name) & (t->size - 1);
  while (t->v[i]) {
    if (!strcmp(name, t->v[i]->name))
      return t->v[i];
    i = i ? i - 1 : t->size - 1;
  }
  return 0;
}
struct named *lookup(struct table *t, const char *name, size_t size) {
  size_t i;
  if (!t->size) {
    t->size = 64;
    t->v = calloc(t->size, sizeof *t->v);
  }
  i = strlen(name) & (t->size - 1);
  while (t->v[i]) {
    if (!strcmp(name, t->v[i]->name))
      return t->v[i];
    i = i ? i - 1 : t->size - 1;
  }
  if (!size)
    return 0;
  t->v[i] = malloc(size);
  t->v[i]->name = name;
  t->used++;
  return t->v[i];
}
struct named *add(struct table *t, const char *name, size_t size) {
  t->v[t->used] = malloc(size);
  t->v[t->used]->name = name;
  return t->v[t->used++];
}
void *take(struct table *t, size_t size) {
  return t->used ? (void *)t->v[--t->used] : malloc(size);
}
struct named *text_of(struct table *t, const char *name) {
  size_t i = strlen(name) & (t->size - 1);
  if (!t->v[i])
    t->v[i] = malloc(strlen(name) + 1);
  return t->v[i];
}
struct entity *entity(struct table *t, const char *name) {
  return (struct entity *)lookup(t, name, sizeof(struct entity));
}
int main(int argc, char **argv) {
  static struct table t;
  struct entity *e = entity(&t, argv[0]);
  struct prefix *p = (struct prefix *)lookup(&t, argv[0], sizeof *p);
  struct prefix *q = (struct prefix *)add(&t, argv[0], sizeof *q);
  struct thing *x = take(&t, sizeof *x);
  return find(&t, argv[0]) == text_of(&t, argv[0]) || !e || !p || !q ||
         !x + argc;
}
/* functions:
add malloc 2
entity lazy -
lookup lazy 2
take malloc 1
text_of content -
*/
/* sites:
27 lookup calloc typed struct_named_* array struct_named_*
37 lookup malloc pass-through - - struct_named
43 add malloc pass-through - - struct_named
48 take malloc pass-through - - -
53 text_of malloc bytes - - struct_named
57 entity lookup typed struct_entity one struct_entity
62 main lookup typed struct_prefix one struct_prefix
63 main add typed struct_prefix one struct_prefix
64 main take typed struct_thing one struct_thing
*/
