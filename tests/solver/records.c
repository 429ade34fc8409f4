/* SPDX-License-Identifier: MIT */
/* Nodes of several types from one chunked allocator: the chunk is handed out in
 * pieces, so that no factor of it reaches a caller; what makes any of the types
 * has all of them, and what is declared to return one of them that one. */
#include <stdlib.h>
enum { CHUNK = 1024 };
struct object { int type; };
struct blob { struct object object; int size; };
struct tree { struct object object; void *buffer; };
struct state { char *p; int left; } blobs, trees;
static void *node(struct state *s, size_t size) {
  void *result;
  if (!s->left) {
    s->left = CHUNK;
    s->p = malloc(CHUNK * size);
  }
  s->left--;
  result = s->p;
  s->p += size;
  return result;
}
struct blob *new_blob(void) {
  struct blob *b = node(&blobs, sizeof(struct blob));
  b->object.type = 1;
  return b;
}
struct tree *new_tree(void) {
  struct tree *t = node(&trees, sizeof(struct tree));
  t->object.type = 2;
  return t;
}
struct object *any(int type) {
  return type == 1 ? &new_blob()->object : &new_tree()->object;
}
struct tree *tree_or_null(int type) {
  struct object *o = any(type);
  return o->type == 2 ? (struct tree *)o : NULL;
}
struct blob *blob(void) { return (struct blob *)any(1); }
int main(int argc, char **argv) {
  struct object *o = any(argc);
  struct tree *t = tree_or_null(argc);
  return o->type + (t && *argv != 0);
}
/* functions:
any factory -
blob factory -
new_blob factory -
new_tree factory -
node pool 1
tree_or_null factory -
*/
/* sites:
15 node malloc pass-through - - char
23 new_blob node typed struct_blob one struct_blob
28 new_tree node typed struct_tree one struct_tree
33 any new_blob typed struct_blob one struct_blob
33 any new_tree typed struct_tree one struct_tree
36 tree_or_null any typed - several struct_object
39 blob any typed struct_blob one struct_blob
41 main any typed - several struct_object
42 main tree_or_null typed struct_tree one struct_tree
*/
