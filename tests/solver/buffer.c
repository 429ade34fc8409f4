/* SPDX-License-Identifier: MIT */
/* What makes content of what it is given hands nothing on to its callers, of
 * whatever types that was; the twin, a realloc, does. */
#include <stdlib.h>
struct point { int x, y; };
struct name { char text[24]; };
char *hex(const void *p, size_t n) {
  const unsigned char *b = p;
  char *s = malloc(2 * n + 1);
  for (size_t i = 0; i < n; i++) {
    s[2 * i] = "0123456789abcdef"[b[i] >> 4];
    s[2 * i + 1] = "0123456789abcdef"[b[i] & 15];
  }
  s[2 * n] = '\0';
  return s;
}
void *again(void *p, size_t size) {
  void *q = realloc(p, size);
  if (!q)
    abort();
  return q;
}
int use(struct point *p, struct name *n, struct point **q, struct name **m) {
  *q = again(*q, sizeof **q);
  *m = again(*m, sizeof **m);
  return hex(p, 2 * sizeof *p)[0] + hex(n, 2 * sizeof *n)[0];
}
/* functions:
again realloc 1
hex content -
*/
/* sites:
9 hex malloc bytes - - char
18 again realloc pass-through - - void
24 use again typed struct_point one struct_point
25 use again typed struct_name one struct_name
*/
