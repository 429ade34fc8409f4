/* SPDX-License-Identifier: MIT */
/* Pools whose chunks count what is used of them themselves; whose large pieces
 * have a chunk, and its header, for themselves; whose pieces end in the record
 * that is returned; and copies put into them.  The twins read what lies in a
 * buffer that somebody else filled, add to an array, look a record up before they
 * make one, and fill with what the caller says. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
struct chunk { struct chunk *next; size_t used; };
struct store { struct chunk *chunk; size_t piece, room; };
struct line { long a[3]; };
void store_init(struct store *s, size_t piece, size_t count) {
  s->piece = piece;
  s->room = piece * count;
  s->chunk = NULL;
}
void *store_take(struct store *s) {
  struct chunk *c = s->chunk;
  if (!c || c->used == s->room) {
    c = malloc(sizeof(struct chunk) + s->room);
    if (!c)
      return NULL;
    c->used = 0;
    c->next = s->chunk;
    s->chunk = c;
  }
  void *data = (char *)c + sizeof(struct chunk) + c->used;
  c->used += s->piece;
  return data;
}
void lines(struct store *s) { store_init(s, sizeof(struct line), 32); }
struct reader { char *buffer; size_t at, length; };
char *read_bytes(struct reader *r, size_t n) {
  char *p = NULL;
  if (r->length - r->at >= n) {
    p = r->buffer + r->at;
    r->at += n;
  }
  return p;
}
struct list { struct line *all; int count; };
struct line *add(struct list *l, int n) {
  struct line *first = &l->all[l->count];
  l->count += n;
  return first;
}
struct block { struct block *next; char *free, *end; char space[]; };
struct pool { struct block *block; size_t room; };
static struct block *block_new(struct pool *p, size_t room) {
  struct block *b = malloc(sizeof(struct block) + room);
  b->next = p->block;
  b->free = b->space;
  b->end = b->free + room;
  p->block = b;
  return b;
}
void *pool_take(struct pool *p, size_t n) {
  struct block *b = p->block;
  if (!b || (size_t)(b->end - b->free) < n) {
    if (n >= p->room / 2)
      return block_new(p, n);
    b = block_new(p, p->room);
  }
  char *piece = b->free;
  b->free += n;
  return piece;
}
struct line *pool_line(struct pool *p) {
  return pool_take(p, sizeof(struct line));
}
char *pool_strdup(struct pool *p, const char *text) {
  size_t n = strlen(text) + 1;
  return memcpy(pool_take(p, n), text, n);
}
char *pool_strndup(struct pool *p, const char *text, size_t n) {
  char *to = pool_take(p, n + 1);
  to[n] = 0;
  return memcpy(to, text, n);
}
struct page { void *data; struct page *next; };
struct cache { size_t page, all; struct page *free, *first; };
void cache_init(struct cache *c, size_t page) {
  c->page = page;
  c->all = page + sizeof(struct page);
}
struct page *page_new(struct cache *c) {
  struct page *p;
  if (c->free) {
    p = c->free;
    c->free = p->next;
    p->next = NULL;
  } else {
    char *data = malloc(c->all);
    if (!data)
      return NULL;
    p = (struct page *)&data[c->page];
    p->data = data;
  }
  return p;
}
struct page *page_find(struct cache *c, void *data) {
  struct page *p = c->first;
  while (p && p->data != data)
    p = p->next;
  return p ? p : page_new(c);
}
char *filled(size_t n, char with) {
  char *p = malloc(n + 1);
  memset(p, with, n);
  p[n] = 0;
  return p;
}
/* functions:
block_new factory -
filled content -
page_find content -
page_new pool -
pool_line factory -
pool_strdup dup -
pool_strndup dup 2
pool_take pool 1
store_take pool -
*/
