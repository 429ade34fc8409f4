#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Objects, bytes, what is live, types and shapes, to the last one; the same
# program without a classification has no type at all.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

cat >main.c <<'EOF'
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
struct one { long a, b, c; };
struct many { int x; };
struct tail { int n; char text[]; };
struct grown { double d[3]; };
void *volatile keep[64];
int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 10; i++) keep[i] = malloc(sizeof(struct one));
  for (int i = 0; i < 7; i++) free(keep[i]);
  keep[10] = calloc((size_t)argc * 5, sizeof(struct many));
  keep[11] = malloc(sizeof(struct tail) + strlen(argv[0]) + 1);
  struct grown *g = NULL;
  for (int i = 1; i <= 4; i++) g = realloc(g, (size_t)i * sizeof *g);
  keep[12] = g;
  keep[13] = strdup("twelve bytes");
  posix_memalign((void **)&keep[14], 64, sizeof(struct many));
  keep[15] = aligned_alloc(32, 2 * sizeof(struct one));
  return malloc_usable_size(keep[14]) < sizeof(struct many);
}
EOF
cc-allocs -O1 -g -fno-builtin main.c -o main
types main | sort -k4 >rows
expect rows <<'EOF'
1 13 1 bytes
1 96 1 struct grown[]
1 4 1 struct many
1 20 1 struct many[]
10 240 3 struct one
1 48 1 struct one[]
1 11 1 struct tail + tail
EOF

"$CCA_CC" -O1 -g -fno-builtin main.c -o twin
types twin >rows
expect rows </dev/null
grep -q '^16 432 9 .* untyped no-site$' twin.rows
