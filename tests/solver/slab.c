/* SPDX-License-Identifier: MIT */
/* A slab whose pieces are found by the bits of a map: what it returns cannot be
 * followed, but callers give it the size of what they take the result for, and
 * so what wraps it is known as well.  The twin that only looks up changes
 * nothing, and callers of the other twin are of two minds. */
#include <stdint.h>
#include <string.h>
struct slab { uintptr_t start; uint64_t map[8]; };
struct session { int id; char name[40]; };
struct node { struct node *next; };
void *take(struct slab *s, size_t size) {
  for (unsigned n = 0; n < 8; n++)
    for (unsigned i = 0; i < 64; i++)
      if (!(s->map[n] >> i & 1)) {
        s->map[n] |= (uint64_t)1 << i;
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
/* sites:
21 take_zeroed take pass-through - - void
36 main take typed struct_session one struct_session
37 main take typed struct_node one struct_node
43 main take_zeroed typed struct_node one struct_node
*/
