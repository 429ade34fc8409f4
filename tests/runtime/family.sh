#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole family of malloc does what it did without us: alignment, zeros,
# contents kept, overflow and errno, size 0, usable sizes that can be used.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >main.c <<'EOF'
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CHECK(x) ((x) ? (void)0 : (printf("line %d: %s\n", __LINE__, #x), bad = 1))
static int bad;
static volatile size_t huge = SIZE_MAX - 4, half = SIZE_MAX / 2;
static void use(void *p) { /* all that we are told we may */
  memset(p, 0xab, malloc_usable_size(p));
}
int main(void) {
  static const size_t aligns[] = {8, 16, 64, 4096, 1 << 20};
  for (size_t i = 0; i < 5; i++)
    for (size_t size = 0; size < 300000; size = size * 3 + 1) {
      void *p = NULL;
      CHECK(posix_memalign(&p, aligns[i], size) == 0);
      CHECK((uintptr_t)p % aligns[i] == 0 && malloc_usable_size(p) >= size);
      use(p); free(p);
      p = memalign(aligns[i], size);
      CHECK((uintptr_t)p % aligns[i] == 0); use(p); free(p);
      p = aligned_alloc(aligns[i], size);
      CHECK((uintptr_t)p % aligns[i] == 0); use(p); free(p);
      unsigned char *z = calloc(size, 1);
      for (size_t j = 0; j < malloc_usable_size(z); j++) bad |= z[j];
      CHECK(!bad); use(z); free(z);
      z = malloc(size); memset(z, 7, size);
      for (size_t more = size; more < size + 50000; more = more * 2 + 1) {
        z = realloc(z, more);
        for (size_t j = 0; j < size; j++) bad |= z[j] != 7;
      }
      CHECK(!bad);
      use(z); z = realloc(z, size / 2 + 1); CHECK(z[size / 4] == 0xab);
      free(z);
    }
  CHECK(((uintptr_t)valloc(5) | (uintptr_t)pvalloc(5)) % 4096 == 0);
  CHECK(malloc_usable_size(pvalloc(5000)) >= 8192);
  char *p = malloc(0), *q = malloc(0);
  CHECK(p && q && p != q);
  CHECK(realloc(p, 0) == NULL);
  free(q); free(NULL);
  CHECK(malloc_usable_size(NULL) == 0);
  errno = 0; CHECK(!malloc(huge) && errno == ENOMEM);
  errno = 0; CHECK(!malloc(half) && errno == ENOMEM);
  errno = 0; CHECK(!calloc(half, 4) && errno == ENOMEM);
  errno = 0; CHECK(!calloc(half, 1) && errno == ENOMEM);
  p = strcpy(malloc(9), "kept");
  errno = 0; CHECK(!realloc(p, huge) && errno == ENOMEM && !strcmp(p, "kept"));
  errno = 0; CHECK(!realloc(p, half) && errno == ENOMEM && !strcmp(p, "kept"));
  errno = 0; CHECK(!reallocarray(p, half, 3) && errno == ENOMEM);
  p = reallocarray(p, 3, 1000); CHECK(!strcmp(p, "kept")); free(p);
  errno = 0; CHECK(!memalign(64, huge) && errno == ENOMEM);
  errno = 0; CHECK(!aligned_alloc(64, half) && errno == ENOMEM);
  void *same = &bad;
  CHECK(posix_memalign(&same, 64, huge) == ENOMEM);
  CHECK(posix_memalign(&same, 3, 8) == EINVAL && same == (void *)&bad);
  errno = 77; free(malloc(100000)); free(malloc(1 << 28)); CHECK(errno == 77);
  return bad;
}
EOF
"$CCA_CC" -O1 -g -fno-builtin -w main.c -o main
./main
allocs run -o heap ./main
grep -q 'at exit' heap
