/* SPDX-License-Identifier: MIT */
/* A block in a local record or pointer that another function fills is content;
 * the twin record only carries the block, the twin pointer is only looked at. */
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
long convert(const char **in, char **out, size_t room);
static long converted(const char **in, char **out, size_t room) {
  return convert(in, out, room - 4);
}
char *transcode(const char *s, size_t room) {
  char *result = malloc(room), *to = result;
  converted(&s, &to, room);
  return result;
}
static int failed(char **p) { return !*p; }
char *looked_at(size_t room) {
  char *p = malloc(room);
  return failed(&p) ? NULL : p;
}
/* functions:
print content -
carried malloc 0
looked_at malloc 0
transcode content -
*/
