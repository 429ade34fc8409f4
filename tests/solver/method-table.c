/* SPDX-License-Identifier: MIT */
/* An allocator behind a table that is installed at run time, a global pointer,
 * and a parameter; the twin's table holds a function that does not allocate, and
 * the twins of a pointer that frees are a hook for what a list drops, and a
 * destructor in a table in which nothing allocates. */
#include <stdlib.h>
struct methods { void *(*get)(int); void (*put)(void *); int (*size)(void *); };
struct config { struct methods m; int other; };
static struct config config;
static void *mem_get(int n) { return malloc(n); }
static void mem_put(void *p) { free(p); }
static int mem_size(void *p) { return 0; }
static const struct methods defaults = {mem_get, mem_put, mem_size};
void install(const struct methods *m) { config.m = *m; }
void start(void) { install(&defaults); }
void *get(int n) { return config.m.get(n); }
void put(void *p) { config.m.put(p); }
int size(void *p) { return config.m.size(p); }
static void *(*hook)(size_t) = malloc;
void *hooked(size_t n) { return hook(n); }
void *parser(void *(*make)(size_t)) { return make(sizeof(struct config)); }
void *use(void) { return parser(malloc); }
struct list { void (*drop)(void *); void *item; };
void list_init(struct list *l, void (*drop)(void *)) { l->drop = drop; }
void list_clear(struct list *l) { l->drop(l->item); }
void list_of_blocks(struct list *l) { list_init(l, free); }
struct kind { unsigned long (*hash)(const void *); void (*destroy)(void *); };
static const struct kind strings = {0, free}, copies = {0, mem_put};
struct set { const struct kind *kind; void *item; };
void drop(struct set *s) { s->kind->destroy(s->item); }
void drop_all(struct set *s) {
  s->kind = &strings;
  drop(s);
  s->kind = &copies;
  drop(s);
}
static void (*release)(void *) = free;
void set_release(void (*other)(void *)) { release = other; }
void released(void *p) { release(p); }
/* functions:
mem_get malloc 0
methods.get malloc 0
get malloc 0
hook malloc 0
hooked malloc 0
parser factory -
use factory -
*/
/* frees:
mem_put 0
methods.put 0
put 0
release 0
released 0
*/
