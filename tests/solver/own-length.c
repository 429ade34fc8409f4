/* SPDX-License-Identifier: MIT */
/* A string's length that a loop of the function's own counts is as good as
 * strlen()'s: what copies as many bytes is a dup.  The twins count up to
 * something else, too, from somewhere else, by more than one, or in another
 * string than is copied, or fill the copy themselves. */
#include <stdlib.h>
#include <string.h>
char *copy(const char *s) {
  size_t n = 0;
  char *p;
  while (s[n] != 0)
    n++;
  n++;
  p = malloc(n);
  if (!p)
    return 0;
  memcpy(p, s, n);
  return p;
}
static size_t own_length(const unsigned char *s) {
  int n;
  for (n = 0; s[n]; n++)
    ;
  return n;
}
char *copy_by(const char *s) {
  size_t n = own_length((const unsigned char *)s);
  char *p = malloc(n + 1);
  memcpy(p, s, n);
  p[n] = 0;
  return p;
}
char *word(const char *s) {
  size_t n = 0;
  while (s[n] && s[n] != ' ')
    n++;
  char *p = malloc(n + 1);
  memcpy(p, s, n);
  p[n] = 0;
  return p;
}
char *up_to_colon(const char *s) {
  size_t n = 0;
  while (s[n] != ':')
    n++;
  char *p = malloc(n + 1);
  memcpy(p, s, n);
  p[n] = 0;
  return p;
}
char *until(const char *s) {
  size_t n = 0;
  while (s[n]) {
    if (s[n] == '\n')
      break;
    n++;
  }
  char *p = malloc(n + 1);
  memcpy(p, s, n);
  p[n] = 0;
  return p;
}
char *rest(const char *s) {
  size_t n = 1;
  while (s[n])
    n++;
  char *p = malloc(n + 1);
  memcpy(p, s, n + 1);
  return p;
}
char *pairs(const char *s) {
  size_t n = 0;
  while (s[n])
    n += 2;
  char *p = malloc(n + 1);
  memcpy(p, s, n + 1);
  return p;
}
char *other(const char *s, const char *t) {
  size_t n = 0;
  while (t[n])
    n++;
  char *p = malloc(n + 1);
  memcpy(p, s, n + 1);
  return p;
}
char *lower(const char *s) {
  size_t n = 0;
  while (s[n])
    n++;
  char *p = malloc(n + 1);
  for (size_t i = 0; i <= n; i++)
    p[i] = s[i] | ' ';
  return p;
}
/* functions:
copy dup -
copy_by dup -
lower content -
other content -
pairs content -
rest content -
until content -
up_to_colon content -
word content -
*/
/* sizes:
copy: length(p0) + 1
copy_by: length(p0) + 1
lower: length(p0) + 1
other: length(p1) + 1
pairs: ? + 1
rest: ? + 1
until: ? + 1
up_to_colon: ? + 1
word: ? + 1
*/
