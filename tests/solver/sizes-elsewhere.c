/* SPDX-License-Identifier: MIT */
/* Sizes that arise in one function and are used in another: returned, kept in
 * a global, in a field, in a static table, an enumerator; one variable for two
 * types. */
#include <stdlib.h>
struct node { int level; struct node *next[1]; };
struct priv { char name[40]; };
struct kind { const char *name; size_t size; };
struct big { long a[9]; };
static size_t kept;
static const struct kind kinds[] = {{"priv", sizeof(struct priv)}};
enum { BIG = sizeof(struct big) };
static size_t node_size(int level) {
  return sizeof(struct node) + level * sizeof(struct node *);
}
void *xmalloc(size_t n) { return malloc(n); }
struct node *node(int level) { return xmalloc(node_size(level)); }
void keep(void) { kept = sizeof(struct big); }
void *from_global(void) { return xmalloc(kept); }
void *from_table(int i) { return xmalloc(kinds[i].size); }
void two(void **a, void **b) {
  size_t n = sizeof(struct big);
  *a = xmalloc(n);
  n = sizeof(struct priv);
  *b = xmalloc(n);
}
/* sites:
16 xmalloc malloc pass-through - - void
17 node xmalloc typed struct_node flexible struct_node
19 from_global xmalloc typed struct_big unknown void
20 from_table xmalloc typed struct_priv unknown void
23 two xmalloc typed struct_big one void
25 two xmalloc typed struct_priv one void
*/
