/* SPDX-License-Identifier: MIT */
/* A function that uses what it is given and frees it at the end is no
 * deallocation function, whether it hands it to `...` or to a function that
 * says how it went; the twins look at its size or at its address. */
#include <stdlib.h>
#include <malloc.h>
static size_t in_use;
void report(const char *format, ...);
int show(const char *text);
void tell(char *text) {
  report("%s", text);
  free(text);
}
void display(char *text) {
  if (show(text))
    abort();
  free(text);
}
void counted(void *p) {
  in_use -= malloc_usable_size(p);
  free(p);
}
void checked(void *p) {
  if ((unsigned long)p % 8)
    abort();
  free(p);
}
/* frees:
checked 0
counted 0
*/
