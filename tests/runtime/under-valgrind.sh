#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# valgrind has nothing to say of the runtime, which works under it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need valgrind

# Its own malloc is put below ours and not in its place.
try() {
  LD_PRELOAD=$build_dir/lib/libccallocs-runtime.so CC_ALLOCS_HEAP=$work/folder \
    valgrind -q --leak-check=full --error-exitcode=9 \
    --soname-synonyms=somalloc=nouserintercepts "$@"
}
mkdir folder
cc-allocs -g -O1 -I"$source_dir/include" "$here/witness-of-wrappers.c" -o prog
try ./prog >out
expect out <<<'60 of 60 typed, 0 wrong'

cat >threads.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
struct a { long x[3]; };
static struct a *volatile place[4];
static void *work(void *unused) {
  for (int i = 0; i < 500; i++) {
    struct a *a = malloc(sizeof *a);
    a = realloc(a, (size_t)(i % 5 + 1) * sizeof *a);
    free(__atomic_exchange_n(&place[i % 4], a, __ATOMIC_SEQ_CST));
  }
  return unused;
}
int main(void) {
  pthread_t threads[20];
  for (int i = 0; i < 20; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 20; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; i++) free(place[i]);
  return 0;
}
EOF
cc-allocs -g -O1 threads.c -o threads -pthread
try ./threads

# The twin: it does see what is wrong.
cat >wrong.c <<'EOF'
#include <stdlib.h>
int main(void) { volatile char *p = malloc(40); free((void *)p); return p[3]; }
EOF
cc-allocs -g -O0 wrong.c -o wrong
status=0
try ./wrong 2>err || status=$?
[ $status = 9 ]
grep -q 'Invalid read of size 1' err
