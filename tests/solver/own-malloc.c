/* SPDX-License-Identifier: MIT */
/* A malloc of the program's own, in Doug Lea's way: pieces of a chunk, with a
 * header and a least size, the next free place loaded again after it was moved,
 * the address aligned.  Its headers are in the size of nothing that callers
 * make; the twin is a record before what its caller asks for, which is. */
#include <stdlib.h>
struct chunk {
  size_t foot, head;
  struct chunk *next, *last;
};
struct space {
  size_t left;
  struct chunk *rest;
  size_t top_left;
  struct chunk *top;
};
#define HEAD (2 * sizeof(size_t))
#define LEAST sizeof(struct chunk)
static char *aligned(char *p) {
  size_t low = (size_t)(p + HEAD) & 15;
  return p + (low ? (16 - low) & 15 : 0);
}
static void *large(size_t n) {
  char *p = malloc(n + 6 * sizeof(size_t) + 15);
  if (!p)
    return NULL;
  struct chunk *c = (struct chunk *)aligned(p);
  c->head = n;
  return (char *)c + HEAD;
}
void *space_malloc(struct space *s, size_t n) {
  size_t size = n < LEAST - 8 ? LEAST : (n + sizeof(size_t) + 15) & ~(size_t)15;
  if (size <= s->left) {
    size_t rest = s->left - size;
    struct chunk *c = s->rest;
    if (rest >= LEAST) {
      struct chunk *r = s->rest = (struct chunk *)((char *)c + size);
      s->left = rest;
      r->head = rest | 1;
    } else {
      s->left = 0;
      s->rest = NULL;
    }
    c->head = size | 3;
    return (char *)c + HEAD;
  }
  if (size < s->top_left) {
    size_t rest = s->top_left -= size;
    struct chunk *c = s->top;
    struct chunk *r = s->top = (struct chunk *)((char *)c + size);
    r->head = rest | 1;
    c->head = size | 3;
    return (char *)c + HEAD;
  }
  return large(size);
}
void *checked(struct space *s, size_t n) {
  void *p = space_malloc(s, n);
  if (!p)
    abort();
  return p;
}
struct item {
  long a[5];
};
struct text {
  long length;
  char bytes[];
};
struct item *new_item(struct space *s) {
  return checked(s, sizeof(struct item));
}
struct item *new_items(struct space *s, size_t n) {
  return checked(s, n * sizeof(struct item));
}
struct text *new_text(struct space *s, size_t n) {
  return checked(s, sizeof(struct text) + n);
}
long use(struct space *s) {
  return new_text(s, 5)->length + new_items(s, 3)->a[0] + new_item(s)->a[0];
}
/* functions:
checked pool 1
large malloc 0 +16
new_item factory -
new_items factory -
new_text factory -
space_malloc pool 1
*/
/* sites:
24 large malloc pass-through - - char
55 space_malloc large pass-through - - void
58 checked space_malloc pass-through - - void
71 new_item checked typed struct_item one struct_item
74 new_items checked typed struct_item array struct_item
77 new_text checked typed struct_text flexible struct_text
80 use new_text typed struct_text flexible struct_text
80 use new_items typed struct_item array struct_item
80 use new_item typed struct_item flexible struct_item
*/
