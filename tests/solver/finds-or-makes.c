/* SPDX-License-Identifier: MIT */
/* Who finds a record where it was kept, or else makes and keeps one, is no
 * factory: most calls allocate nothing.  The twins keep a stock: one takes its
 * records off a list, one off a stack, one cuts them from a chunk, one makes a
 * new one each time, though it remembers the last, and one returns a list that
 * it has made, the other way round. */
#include <stdlib.h>
struct item { struct item *next; long a[3]; };
struct chunk { struct chunk *next; int used; struct item items[8]; };
struct owner { struct item *item, *last, *stock; struct chunk *chunk; };
struct item *find_or_make(struct owner *o) {
  if (!o->item)
    o->item = calloc(1, sizeof(struct item));
  return o->item;
}
struct item *off_list(struct owner *o) {
  struct item *i = o->stock;
  if (!i)
    o->stock = i = calloc(1, sizeof(struct item));
  o->stock = i->next;
  return i;
}
struct item *from_chunk(struct owner *o) {
  if (!o->chunk || o->chunk->used == 8)
    o->chunk = calloc(1, sizeof(struct chunk));
  return &o->chunk->items[o->chunk->used++];
}
struct item *fresh(struct owner *o) {
  o->last = calloc(1, sizeof(struct item));
  return o->last;
}
struct item *fresh_too(struct owner *o) {
  o->item = fresh(o);
  return o->item;
}
struct table { struct item *slots[64], *spare[8]; int spares; };
static struct item *find(struct table *t, long key) {
  for (int i = 0; i < 64; i++)
    if (t->slots[i] && t->slots[i]->a[0] == key)
      return t->slots[i];
  return NULL;
}
static void insert(struct table *t, struct item *i) {
  t->slots[i->a[0] & 63] = i;
}
struct item *lookup(struct table *t, long key) {
  struct item *i = find(t, key);
  if (!i) {
    i = malloc(sizeof *i);
    i->a[0] = key;
    insert(t, i);
  }
  return i;
}
struct item *checked(struct table *t, long key) {
  return key < 0 ? NULL : lookup(t, key);
}
static struct item *pop(struct table *t) {
  return t->spares ? t->spare[--t->spares] : NULL;
}
struct item *from_stack(struct table *t, long key) {
  struct item *i = pop(t);
  if (!i) {
    i = malloc(sizeof *i);
    i->a[0] = key;
    insert(t, i);
  }
  return i;
}
static struct item *reverse(struct item *list) {
  struct item *before = NULL, *next;
  for (; list; list = next) {
    next = list->next;
    list->next = before;
    before = list;
  }
  return before;
}
struct item *reversed(int n) {
  struct item *list = NULL;
  while (n--) {
    struct item *i = malloc(sizeof *i);
    i->next = list;
    list = i;
  }
  return reverse(list);
}
int use(struct owner *o) {
  return find_or_make(o) && off_list(o) && from_chunk(o) && fresh(o) &&
         fresh_too(o);
}
int use_table(struct table *t) {
  return lookup(t, 1) && checked(t, 2) && from_stack(t, 3) && reversed(4);
}
static void *zeroed(void *hint, unsigned long n) {
  return hint ? hint : calloc(1, n);
}
struct shared { void *extra; };
void *extra_of(struct shared *s, unsigned long n) {
  if (!s->extra && n)
    s->extra = zeroed(NULL, n);
  return s->extra;
}
void *place_in_chunk(struct owner *o) {
  if (!o->chunk || o->chunk->used == 8)
    o->chunk = calloc(1, sizeof(struct chunk));
  return &o->chunk->items[o->chunk->used++];
}
long use_place(struct owner *o) { return *(long *)place_in_chunk(o); }
/* Who gives a new string to one that finds, finds; who gives it a new table
 * makes one in it. */
#include <string.h>
struct named { struct named *next; const char *name; };
struct names { struct named *all[8], *last; };
struct named *named(struct names *names, const char *name) {
  struct named *n = names->all[*name % 8];
  while (n && strcmp(n->name, name))
    n = n->next;
  if (!n) {
    n = malloc(sizeof *n);
    n->name = name;
    n->next = names->all[*name % 8];
    names->all[*name % 8] = n;
  }
  return n;
}
struct named *named_copy(struct names *names, const char *name) {
  return named(names, strdup(name));
}
struct named *named_first(const char *name) {
  return named(calloc(1, sizeof(struct names)), name);
}
/* What is found through a slot may be unlinked to be freed; a wrapper finds,
 * too.  Who frees what is old, and takes the next off its stock, makes. */
struct named **slot(struct names *names, const char *name) {
  struct named **at = &names->all[*name % 8];
  while (*at && strcmp((*at)->name, name))
    at = &(*at)->next;
  return at;
}
struct named *set(struct names *names, const char *name, int unset) {
  struct named **at = slot(names, name), *n = *at;
  if (n) {
    if (unset) {
      *at = n->next;
      free(n);
      return n;
    }
  } else {
    n = malloc(sizeof *n);
    n->next = *at;
    *at = n;
  }
  n->name = name;
  return n;
}
struct named *set_copy(struct names *names, const char *name) {
  return set(names, strdup(name), 0);
}
struct named *off_stock(struct names *stock, int old) {
  struct named *n = stock->all[0];
  if (n && old) {
    stock->all[0] = n->next;
    free(n);
    n = stock->all[0];
  }
  if (n)
    stock->all[0] = n->next;
  else
    n = malloc(sizeof *n);
  stock->last = n;
  return n;
}
/* What something found or made leads to was there before; what something made
 * leads to, was not. */
struct item *last_of(struct owner *o) {
  struct item *i = find_or_make(o);
  return i->next ? i->next : i;
}
struct item *first_of_new(void) {
  struct owner *o = calloc(1, sizeof *o);
  find_or_make(o);
  return o->item ? o->item : fresh(o);
}
/* What is found was put there for an address; whether it is that one is asked of
 * what the other call is given, and says nothing of whose memory it is. */
struct open { char *at; struct open *next; };
static struct open *put(char *at, struct open **place) {
  struct open *o = malloc(sizeof *o);
  if (!o) abort();
  o->at = at;
  o->next = *place;
  *place = o;
  return o;
}
struct open *at_address(struct open **place, char *at) {
  struct open *o;
  while ((o = *place) && o->at >= at) {
    if (o->at == at)
      return o;
    place = &o->next;
  }
  return put(at, place);
}
struct open *at_front(struct open **place, char *at) {
  while (*place && (*place)->at >= at)
    place = &(*place)->next;
  return put(at, place);
}
/* functions:
find_or_make lazy -
off_list factory -
from_chunk factory - +16
fresh factory -
fresh_too factory -
lookup lazy -
checked lazy -
from_stack factory -
reversed factory -
extra_of lazy -
zeroed malloc 1
place_in_chunk factory - +16
named lazy -
named_copy lazy -
named_first factory -
set lazy -
set_copy lazy -
off_stock factory -
last_of lazy -
first_of_new factory -
put factory -
at_address lazy -
at_front factory -
*/
/* sites:
13 find_or_make calloc typed struct_item one struct_item
19 off_list calloc typed struct_item one struct_item
25 from_chunk calloc typed struct_chunk one struct_chunk
29 fresh calloc typed struct_item one struct_item
33 fresh_too fresh typed struct_item one struct_item
49 lookup malloc typed struct_item one struct_item
64 from_stack malloc typed struct_item one struct_item
82 reversed malloc typed struct_item one struct_item
89 use off_list typed struct_item one -
89 use from_chunk typed struct_item one -
89 use fresh typed struct_item one -
90 use fresh_too typed struct_item one -
93 use_table from_stack typed struct_item one -
93 use_table reversed typed struct_item one -
96 zeroed calloc pass-through - - -
101 extra_of zeroed bytes - - void
106 place_in_chunk calloc typed struct_chunk one struct_chunk
109 use_place place_in_chunk typed struct_chunk flexible -
120 named malloc typed struct_named one struct_named
128 named_copy strdup bytes - - char
131 named_first calloc typed struct_names one struct_names
150 set malloc typed struct_named one struct_named
158 set_copy strdup bytes - - char
170 off_stock malloc typed struct_named one struct_named
181 first_of_new calloc typed struct_owner one struct_owner
183 first_of_new fresh typed struct_item one -
189 put malloc typed struct_open one struct_open
203 at_address put typed struct_open one struct_open
208 at_front put typed struct_open one struct_open
*/
