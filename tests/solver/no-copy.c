/* SPDX-License-Identifier: MIT */
/* What begins as a copy and is edited through a moving pointer, what comes from
 * one of two places, what may be the argument itself, and what leaves
 * something out by its own judgement are content; the twins are copies that
 * end in a terminator, and a part that the caller names. */
#include <stdlib.h>
#include <string.h>
char *unescape(const char *s) {
  char *result = strdup(s), *to = result;
  for (; *s; s++)
    if (*s != '\\')
      *to++ = *s;
  *to = 0;
  return result;
}
char *terminated(const char *s) {
  char *result = strdup(s), *to = result;
  while (*to != '\n')
    to++;
  *to = 0;
  return result;
}
char *named(const char *fallback) {
  const char *name = getenv("NAME");
  return strdup(name ? name : fallback);
}
char *maybe(const char *s, size_t n) {
  if (!memchr(s, '%', n))
    return (char *)s;
  char *p = malloc(n);
  memcpy(p, s, n);
  return p;
}
char *tail(const char *s, size_t n) {
  char *p = malloc(n - 2);
  memcpy(p, s + 2, n - 2);
  return p;
}
char *part(const char *s, size_t from, size_t to) {
  char *p = malloc(to - from + 1);
  memcpy(p, s + from, to - from);
  return p;
}
/* functions:
maybe content -
named content -
part dup 1,2
tail content -
terminated dup -
unescape content -
*/
