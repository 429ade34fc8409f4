#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever malloc the program has, preloaded as people do, linked or asked for:
# the same objects, and a heap that is sound.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

cat >main.c <<'EOF'
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct small { char x[5]; };
struct middle { char x[500]; };
struct large { char x[300000]; };
static void *volatile kept;
static void *work(void *unused) {
  for (int i = 0; i < 300; i++) {
    struct small *s = malloc(sizeof *s);
    struct middle *m = calloc(1, sizeof *m);
    struct large *l = memalign(256, sizeof *l);
    memset(s, 1, malloc_usable_size(s));
    memset(m, 2, malloc_usable_size(m));
    memset(l, 3, malloc_usable_size(l));
    m = realloc(m, (size_t)(i % 7 + 2) * sizeof *m);
    if (i == 0) kept = s;
    else free(s);
    free(m);
    free(l);
  }
  return unused;
}
int main(void) {
  pthread_t other;
  work(NULL);
  pthread_create(&other, NULL, work, NULL);
  return pthread_join(other, NULL);
}
EOF
cc-allocs -O1 -g -fno-builtin main.c -o main -pthread
tried=0
for below in '' /usr/lib/*/libjemalloc.so.2 \
  /usr/lib/*/libtcmalloc_minimal.so.4 /usr/lib/*/libmimalloc.so.2 \
  /usr/lib/*/libmimalloc.so.2.0 /lib/*/libc_malloc_debug.so.0; do
  [ -z "$below" ] || [ -e "$below" ] || continue
  echo "${below:-glibc}"
  LD_PRELOAD=$below types main | grep 'struct' | sort -k4 >rows
  expect rows <<'EOF'
600 180000000 0 struct large
600 300000 0 struct middle
600 1497000 0 struct middle[]
600 3000 2 struct small
EOF
  tried=$((tried + 1))
done

# Asked for by name.  The program says whose malloc it has.
cat >whose.c <<'EOF'
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[500];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    if (strstr(line, " 00000000 ") && strstr(line, "malloc"))
      fputs(strrchr(line, '/') + 1, stdout);
  return 0;
}
EOF
cc-allocs -O1 -g whose.c -o whose
for name in mimalloc jemalloc tcmalloc; do
  allocs run --allocator=$name -o heap.txt ./whose >out 2>err || {
    grep -qx "allocs run: --allocator: $name is not installed" err
    continue
  }
  grep -q "^lib$name" out
  allocs run --json --allocator=$name -o main.json ./main
  python3 "$source_dir/tests/runtime/heap.py" main.json | grep -c struct >count
  expect count <<<4
  tried=$((tried + 1))
done
allocs run -o heap.txt ./whose >out
expect out </dev/null
for name in nothing-like-it /dev/null 'a:b' ''; do
  status=0
  allocs run --allocator="$name" ./whose >out 2>err || status=$?
  [ $status -eq 125 ]
  expect out </dev/null
  expect err <<EOF
allocs run: --allocator: \`$name' is neither mimalloc, jemalloc or tcmalloc nor a library that can be loaded
EOF
done

[ $tried -gt 1 ] || skip "glibc's malloc is the only one here"
