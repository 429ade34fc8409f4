/* SPDX-License-Identifier: MIT */
/* An allocator behind a table that is installed at run time, a global pointer,
 * and a parameter; the twin's table holds a function that does not allocate. */
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
*/
