/* SPDX-License-Identifier: MIT */
/* A slab whose pieces are found by the bits of a map: what it returns cannot be
 * followed, but callers give it the size of what they take the result for, and
 * so what wraps it is known as well.  The twin that only looks up changes
 * nothing, and callers of the other twin are of two minds.  What gives a piece
 * back changes what taking it changes; its twins keep what they get, or change
 * other things. */
#include <stdint.h>
#include <string.h>
struct slab { uintptr_t start, used, marks; void *last; uint64_t map[8]; };
struct session { int id; char name[40]; };
struct node { struct node *next; };
void *take(struct slab *s, size_t size) {
  for (unsigned n = 0; n < 8; n++)
    for (unsigned i = 0; i < 64; i++)
      if (!(s->map[n] >> i & 1)) {
        s->map[n] |= (uint64_t)1 << i;
        s->used++;
        return (void *)(s->start + (n * 64 + i) * (size > 32 ? 64 : 32));
      }
  return 0;
}
void *take_zeroed(struct slab *s, size_t size) {
  void *p = take(s, size);
  return p ? memset(p, 0, size) : 0;
}
void *look(struct slab *s, size_t size) {
  unsigned n = 0;
  while (n < 8 && !s->map[n])
    n++;
  return (void *)(s->start + (n ^ 3) * (size > 32 ? 64 : 32));
}
void *mark(struct slab *s, size_t size) {
  s->map[size & 7] ^= 1;
  return (void *)(s->start + (s->map[size & 7] ^ 3) * 32);
}
void give(struct slab *s, void *p) {
  uintptr_t n = ((uintptr_t)p - s->start) / 32;
  if (n >= 512)
    return;
  s->map[n / 64] &= ~((uint64_t)1 << n % 64);
  s->used--;
}
void give_unless(struct slab *s, int n, void *p) {
  if (!n)
    give(s, p);
}
void give_locked(struct slab *s, void *p) { give(s, p); }
void keep(struct slab *s, void *p) {
  s->map[0] ^= 1;
  s->used--;
  s->last = p;
}
void set_mark(struct slab *s, void *p) {
  s->map[((uintptr_t)p - s->start) / 32] ^= 1;
  s->marks++;
}
int main(void) {
  static struct slab s;
  struct session *a = take(&s, sizeof(struct session));
  struct node *b = take(&s, sizeof(struct node));
  struct session *c = look(&s, sizeof(struct session));
  struct node *d = look(&s, sizeof(struct node));
  struct session *e = mark(&s, sizeof(struct session));
  struct node *f = mark(&s, sizeof(struct session));
  struct node *g = mark(&s, sizeof(struct node));
  struct node *h = take_zeroed(&s, sizeof(struct node));
  return a && b && c && d && e && f && g && h;
}
/* functions:
take pool 1
take_zeroed pool 1
*/
/* frees:
give 1
give_locked 1
*/
/* sites:
24 take_zeroed take pass-through - - void
60 main take typed struct_session one struct_session
61 main take typed struct_node one struct_node
67 main take_zeroed typed struct_node one struct_node
*/
