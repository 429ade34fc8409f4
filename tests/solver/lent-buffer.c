/* SPDX-License-Identifier: MIT */
/* A block in a local record that another function fills is content; the twin
 * record only carries the block. */
#include <stdlib.h>
struct buffer { char *data; size_t used, room; };
void print_value(const void *item, struct buffer *b);
char *print(const void *item, size_t room) {
  struct buffer b = {malloc(room), 0, room};
  if (b.data)
    print_value(item, &b);
  return b.data;
}
char *carried(size_t room) {
  struct buffer b = {malloc(room), 0, room};
  if (!b.data)
    abort();
  return b.data;
}
/* functions:
print content -
carried malloc 0
*/
