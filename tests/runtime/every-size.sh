#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Objects of every size up to 600 bytes, some crossing chunks of the index, from
# every function, grown and shrunk from each size to another: each is found from
# all of its bytes and from none besides, with its size, though the program
# writes all that it may; what was freed is found no more.  With every malloc
# that is here.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >main.c <<'EOF'
#include <ccallocs/runtime.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { char x; };
enum { MOST = 600, KEPT = 2000 };
static char *kept[KEPT];
static size_t sizes[KEPT];
static int met, gone;
static void wrong(const char *what, size_t size, size_t at) {
  printf("%s: %zu bytes, at %zu\n", what, size, at);
  exit(1);
}
static void check(char *p, size_t size) {
  struct cca_object o;
  for (size_t at = 0; at < size + !size; at++)
    if (cca_describe(p + at, &o) != CCA_OK || o.start != p || o.size != size ||
        o.offset != at || !o.type || strcmp(o.type, "struct item"))
      wrong("not found", size, at);
  if (cca_describe(p - 1, &o) == CCA_OK && o.start == p)
    wrong("found before it", size, 0);
  if (cca_describe(p + malloc_usable_size(p), &o) == CCA_OK && o.start == p)
    wrong("found behind it", size, malloc_usable_size(p));
  met++;
}
static char *make(size_t n, int how) {
  void *p = NULL;
  switch (how) {
  case 0: return malloc(n * sizeof(struct item));
  case 1: return calloc(n, sizeof(struct item));
  case 2: return realloc(NULL, n * sizeof(struct item));
  case 3: return memalign(64, n * sizeof(struct item));
  case 4: return aligned_alloc(16, n * sizeof(struct item));
  default: return posix_memalign(&p, 32, n * sizeof(struct item)) ? NULL : p;
  }
}
int main(void) {
  struct cca_object o;
  for (size_t i = 0; i < KEPT; i++) {
    sizes[i] = i % MOST;
    kept[i] = make(sizes[i], (int)(i % 6));
    memset(kept[i], 1, malloc_usable_size(kept[i]));
  }
  for (size_t i = 0; i < KEPT; i++) check(kept[i], sizes[i]);
  for (size_t i = 0; i < KEPT; i++) {
    sizes[i] = 1 + i * 7 % MOST;
    kept[i] = realloc(kept[i], sizes[i] * sizeof(struct item));
    memset(kept[i], 2, malloc_usable_size(kept[i]));
  }
  for (size_t i = 0; i < KEPT; i++) check(kept[i], sizes[i]);
  for (size_t i = 0; i < KEPT; i += 2) {
    free(kept[i]);
    for (size_t at = 0; at < sizes[i]; at++)
      if (cca_describe(kept[i] + at, &o) == CCA_OK)
        wrong("freed, but found", sizes[i], at);
    gone++;
  }
  for (size_t i = 1; i < KEPT; i += 2) check(kept[i], sizes[i]);
  int seen = 0;
  char *last = NULL;
  for (char *p = NULL; (p = cca_next_object(p)); last = p) {
    if (p <= last) wrong("out of order", 0, 0);
    for (size_t i = 1; i < KEPT; i += 2) seen += p == kept[i];
  }
  printf("%d met, %d freed, %d seen\n", met, gone, seen);
  return 0;
}
EOF
cc-allocs -O1 -g -fno-builtin -I"$source_dir/include" main.c -o main \
  -L"$build_dir/lib" -lccallocs-runtime -Wl,-rpath,"$build_dir/lib"
./main >out
expect out <<<'5000 met, 1000 freed, 1000 seen'
for name in jemalloc tcmalloc_minimal mimalloc; do
  malloc=$(ldconfig -p | sed -n "s/.*lib$name\.so[^>]*=> //p" | sed -n 1p)
  [ -n "$malloc" ] || continue
  LD_PRELOAD=$build_dir/lib/libccallocs-runtime.so:$malloc ./main >out
  expect out <<<'5000 met, 1000 freed, 1000 seen'
done
