/* libs: cca_base */
/* SPDX-License-Identifier: MIT */
/*
 * test-pages.c -- our programs are started with one setting more, last, and
 * with the user's own settings if there are any.
 */
#include <stdlib.h>

#include "base/pages.h"
#include "check.h"

static void test_added(void) {
  char home[] = "HOME=/x", near_miss[] = "GLIBC_TUNABLES_OF=mine";
  char *before[] = {home, near_miss, NULL};
  char **after = cca_pages_environment(before);
  CHECK(after && after[0] == home && after[1] == near_miss && !after[3]);
  CHECK_STR(after[2], "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"
                      ":glibc.malloc.top_pad=33554432");
  CHECK(!before[2]);
  free(after);
}

static void test_empty(void) {
  char *before[] = {NULL};
  char **after = cca_pages_environment(before);
  CHECK(after && after[0] && !after[1]);
  free(after);
}

static void test_the_users(void) {
  char home[] = "HOME=/x", theirs[] = "GLIBC_TUNABLES=";
  char *before[] = {home, theirs, NULL};
  CHECK(!cca_pages_environment(before));
}

int main(void) {
  RUN(test_added);
  RUN(test_empty);
  RUN(test_the_users);
  return check_done();
}
