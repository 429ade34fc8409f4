/* SPDX-License-Identifier: MIT */
/* Copies of what an argument holds; the twins return their argument or a
 * place in it, have something else read into the copy, or cut it off where they
 * find something. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char *copy(const char *s) {
  size_t n = strlen(s) + 1;
  char *p = malloc(n);
  memcpy(p, s, n);
  return p;
}
void *copy_n(const void *s, size_t n) {
  void *p = malloc(n);
  if (p)
    memcpy(p, s, n);
  return p;
}
char *copy_z(const char *s, size_t n) {
  char *p = malloc(n + 1);
  memcpy(p, s, n);
  p[n] = 0;
  return p;
}
char *libc(int flag, const char *s) { return flag ? strdup(s) : NULL; }
char *span(const char *from, const char *to) {
  return copy_z(from, to - from);
}
char *scanned(const char *s) {
  char *p = strdup(s);
  if (p && sscanf(s, "%8s", p) != 1)
    p[0] = 0;
  return p;
}
char *cut(const char *s) {
  char *p = strdup(s), *end = strchr(p, '[');
  if (end)
    *end = 0;
  return p;
}
char *cut_line(const char *s) {
  char *p = strdup(s);
  p[strcspn(p, "\n")] = 0;
  return p;
}
char *marked(const char *s) {
  char *p = strdup(s);
  if (strchr(p, '['))
    p[0] = 0;
  return p;
}
char *find(const char *s, size_t n) { return memchr(s, ':', n); }
void *fill(void *p, size_t n) { return memset(p, 0, n); }
/* A hook that nobody sets here stands for what is called else; one that is set
 * does what it is set to. */
static void *(*hook)(size_t);
static char *(*name_of)(const char *);
static char name[8];
static char *same_name(const char *s) { return *s ? name : NULL; }
void set_hook(void *(*h)(size_t)) { hook = h; }
void set_name(void) { name_of = same_name; }
char *by_hook(const char *s) {
  size_t n = strlen(s) + 1;
  void *p;
  if (!hook)
    return strdup(s);
  p = hook(n);
  return p ? memcpy(p, s, n) : NULL;
}
char *named(const char *s) { return name_of ? name_of(s) : strdup(s); }
/* functions:
by_hook dup -
copy dup -
copy_n dup 1
copy_z dup 1
cut content -
cut_line content -
libc dup -
marked dup -
named content -
scanned content -
span dup -
*/
