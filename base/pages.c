/* SPDX-License-Identifier: MIT */
/*
 * pages.c -- one more setting in an environment.
 */
#include "pages.h"

#include <stdlib.h>
#include <string.h>

/* Transparent huge pages, and a heap that grows by many of them at once: a page
 * can only be huge where the heap already is.  A kernel that has none, or
 * another C library, takes no notice. */
static char setting[] = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"
                        ":glibc.malloc.top_pad=33554432";
enum { NAME_LEN = sizeof "GLIBC_TUNABLES=" - 1 };

char **cca_pages_environment(char **environment) {
  size_t count = 0;
  while (environment[count]) {
    if (strncmp(environment[count], setting, NAME_LEN) == 0)
      return NULL;
    count++;
  }
  char **longer = malloc((count + 2) * sizeof *longer);
  if (!longer)
    return NULL;
  memcpy(longer, environment, count * sizeof *longer);
  longer[count] = setting;
  longer[count + 1] = NULL;
  return longer;
}
