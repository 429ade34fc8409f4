#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Threads open and close plugins, which come to lie where others lay, and call
# the program's allocator and what is none: no object has another plugin's type.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

for n in 3 5; do
  compile plugin$n.c -fPIC -DN=$n -DSTRUCT="struct of_$n" <<'EOF'
#include <stddef.h>
STRUCT { long x[N]; };
void *program_alloc(size_t), *program_find(size_t), *program_free(void *);
void make(void) {
  STRUCT *p = program_alloc(sizeof *p);
  p->x[0] = 1;
  program_find(sizeof(STRUCT));
  program_free(p);
}
EOF
  link plugin$n.so -shared plugin$n.o
done
cat >main.c <<'EOF'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
static long held[8];
static __thread void *volatile memory;
void *program_alloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
void *program_find(size_t n) { free(memory = malloc(n)); return held; }
void program_free(void *p) { free(p); }
static void *churn(void *name) {
  for (int i = 0; i < 400; i++) {
    void *module = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!module) abort();
    for (int k = 0; k < 4; k++) ((void (*)(void))dlsym(module, "make"))();
    dlclose(module);
  }
  return NULL;
}
int main(int argc, char **argv) {
  pthread_t threads[8];
  for (int i = 1; i < argc; i++)
    pthread_create(&threads[i], NULL, churn, argv[i]);
  for (int i = 1; i < argc; i++) pthread_join(threads[i], NULL);
  return 0;
}
EOF
cc-allocs -O1 -g -rdynamic main.c -o main -ldl -pthread
types main ./plugin3.so ./plugin5.so ./plugin3.so ./plugin5.so >rows
grep -q 'struct of_3$' rows
grep -q 'struct of_5$' rows
awk '{ split($5, name, "_"); if ($2 != $1 * 8 * name[2] || $1 > 3200) exit 1 }' rows
[ "$(wc -l <rows)" = 2 ]
