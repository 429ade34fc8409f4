/* SPDX-License-Identifier: MIT */
/* A copy that is made only if the argument is of some kind, or of as much as
 * another function finds right; that is one of two results, the other of which
 * lies in the object or comes through a pointer that a callee sets; that a
 * stream of the caller's is pointed at, and fills; or that has more behind it,
 * is none.  The twins measure only, copy what lies in an object, and keep the
 * copy in one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int kind_of(const char *name) {
  return *name == '/' ? 1 : strchr(name, '.') ? 2 : 0;
}
static long scheme_length(const char *uri) {
  const char *p = uri;
  while (*p >= 'a' && *p <= 'z')
    p++;
  return *p == ':' ? p - uri : -1;
}
static long length(const char *s) {
  const char *p = s;
  while (*p)
    p++;
  return p - s;
}
char *absolute(const char *name) {
  return kind_of(name) & 1 ? strdup(name) : NULL;
}
char *scheme(const char *uri) {
  long n = scheme_length(uri);
  return n == -1 ? NULL : strndup(uri, n);
}
char *measured(const char *s) {
  size_t n = length(s) + 1;
  char *p = malloc(n);
  return p ? memcpy(p, s, n) : NULL;
}
struct text {
  char *bytes;
  unsigned length;
  int borrowed;
};
char *finish(struct text *t) {
  if (!t->borrowed)
    return t->bytes;
  char *p = malloc(t->length + 1);
  if (p)
    memcpy(p, t->bytes, t->length + 1);
  return p;
}
char *finish_checked(struct text *t) { return t ? finish(t) : NULL; }
char *finish_copy(struct text *t) {
  char *p = malloc(t->length + 1);
  if (p)
    memcpy(p, t->bytes, t->length + 1);
  return p;
}
char names[8][32];
static int look_up(const char *s, char **found) {
  for (int i = 0; i < 8; i++)
    if (strcmp(names[i], s) > 0) {
      *found = names[i];
      return 1;
    }
  return 0;
}
char *match(const char *fallback) {
  char *name;
  if (!look_up("x", &name))
    name = strdup(fallback);
  return name;
}
struct stream {
  char *next;
  size_t left;
};
void inflate_into(struct stream *s);
char *unpack(struct stream *s, const char *start, size_t n, size_t have) {
  char *p = malloc(n);
  memcpy(p, start, have);
  s->next = p + have;
  s->left = n - have;
  inflate_into(s);
  return p;
}
char *kept(struct stream *s, const char *start, size_t n) {
  char *p = malloc(n);
  memcpy(p, start, n);
  s->next = p;
  s->left = n;
  return p;
}
char *longer(const struct text *t, size_t first, size_t more) {
  char *p;
  if (t->bytes) {
    p = malloc(t->length + more);
    memcpy(p, t->bytes, t->length);
  } else
    p = malloc(first + more);
  return p;
}
/* functions:
absolute content -
finish content -
finish_checked content -
finish_copy dup -
kept dup 2
longer concat -
match content -
measured dup -
scheme content -
unpack content -
*/
