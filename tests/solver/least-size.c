/* SPDX-License-Identifier: MIT */
/* A pool whose blocks have a least size: that is in the size of nothing that it
 * makes.  The twin has more behind its record because it asks for it. */
#include <stdlib.h>
struct line { long a[3]; };
struct text { long length; char bytes[]; };
enum { LEAST = 504 };
struct mark { struct mark *before; char space[LEAST]; };
struct mark first_mark, *marks = &first_mark;
char *mark_free = first_mark.space;
size_t mark_left = LEAST;
char *mark_end = first_mark.space + LEAST;
void *mark_take(size_t n) {
  size_t aligned = (n + 7) & ~7UL;
  char *p;
  if (aligned > mark_left) {
    size_t room = aligned < LEAST ? LEAST : aligned;
    struct mark *m = malloc(sizeof(struct mark) - LEAST + room);
    m->before = marks;
    marks = m;
    mark_free = m->space;
    mark_left = room;
    mark_end = mark_free + room;
  }
  p = mark_free;
  mark_free += aligned;
  mark_left -= aligned;
  return p;
}
struct line *new_line(void) { return mark_take(sizeof(struct line)); }
struct text *new_text(size_t n) { return mark_take(sizeof(struct text) + n); }
long use(void) { return new_line()->a[0] + new_text(3)->length; }
/* functions:
mark_take pool 0
new_line factory -
new_text factory -
*/
/* sizes:
mark_take: p0
new_line: sizeof(struct line)
new_text: sizeof(struct text) + p0
*/
/* sites:
18 mark_take malloc typed struct_mark flexible struct_mark
30 new_line mark_take typed struct_line one struct_line
31 new_text mark_take typed struct_text flexible struct_text
32 use new_line typed struct_line one struct_line
32 use new_text typed struct_text flexible struct_text
*/
