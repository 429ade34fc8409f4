#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Eight threads that allocate, resize and free across each other: no object is
# lost or counted twice, with more threads than counters too.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

cat >main.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
struct a { long x[2]; };
struct b { long x[5]; };
struct c { char x[100]; };
enum { THREADS = 24, TURNS = 20000, PLACES = 64 };
static void *places[PLACES];
static void *volatile nothing;
static void *churn(void *seed) {
  unsigned r = (unsigned)(size_t)seed;
  for (int i = 0; i < TURNS; i++) {
    r = r * 1103515245 + 12345;
    void *p = i % 2 ? malloc(sizeof(struct a)) : calloc(1, sizeof(struct b));
    free(__atomic_exchange_n(&places[r / 65536 % PLACES], p, __ATOMIC_ACQ_REL));
    struct c *c = realloc(nothing, sizeof *c);
    c = realloc(c, 3 * sizeof *c);
    free(c);
  }
  return NULL;
}
int main(void) {
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, churn, (void *)i);
  for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < PLACES; i++) free(places[i]);
  return 0;
}
EOF
cc-allocs -O2 -g main.c -o main -pthread
types main | sort -k4 >rows
expect rows <<'EOF'
240000 3840000 0 struct a
240000 9600000 0 struct b
480000 48000000 0 struct c
480000 144000000 0 struct c[]
EOF
