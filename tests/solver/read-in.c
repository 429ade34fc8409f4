/* SPDX-License-Identifier: MIT */
/* What is read from a file into a block, all of it, is content, whatever type's
 * size it is asked for by; the twins write a tag into a header, and a name into
 * a member of what they make. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct section { long name, size; };
static long read_fully(int fd, void *buf, size_t n) {
  char *to = buf;
  size_t done = 0;
  for (long k; (k = read(fd, to, n - done)) > 0; to += k)
    done += k;
  return done;
}
void *load(int fd, long at, size_t n) {
  void *data = malloc(n);
  lseek(fd, at, SEEK_SET);
  read_fully(fd, data, n);
  return data;
}
void *load_once(int fd, size_t n) {
  void *data = malloc(n);
  read(fd, data, n);
  return data;
}
struct tag { char text[16]; };
void *tagged(size_t n, int number) {
  struct tag *t = malloc(sizeof(struct tag) + n);
  snprintf(t->text, sizeof t->text, "%d", number);
  return t + 1;
}
struct object { int kind; char name[12]; };
static void object_init(struct object *o, int number) {
  o->kind = 1;
  snprintf(o->name, sizeof o->name, "%d", number);
}
void *object_new(size_t n, int number) {
  struct object *o = malloc(n);
  object_init(o, number);
  return o;
}
struct shape { struct object o; long sides; };
int vendor_log(const char *format, ...);
void *vendor_get(size_t n);
long use(int fd) {
  struct section *s = load(fd, 0, sizeof(struct section));
  struct section *t = load_once(fd, sizeof(struct section));
  struct section *u = tagged(sizeof(struct section), 1);
  struct shape *v = object_new(sizeof(struct shape), 1);
  struct shape *w = vendor_get(sizeof(struct shape));
  vendor_log("%lu", (unsigned long)sizeof(struct section));
  return s->size + t->size + u->size + v->sides + w->sides;
}
/* functions:
load content -
load_once content -
object_new malloc 0
tagged malloc 0 +16
*/
/* imports:
vendor_get 0 struct shape
*/
