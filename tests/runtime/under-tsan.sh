#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ThreadSanitizer, which puts itself before libc, finds nothing in a program that
# runs with the runtime, and the objects have their types.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
export TSAN_OPTIONS=exitcode=66

cat >main.c <<'EOF'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
struct mine { long x[3]; };
static struct mine *volatile kept[2][100];
static void *volatile alive[50];
static long unguarded;
static void *work(void *name) {
  int which = ((char *)name)[2] == 't';
  for (int i = 0; i < 100; i++) {
    void *module = dlopen(name, RTLD_NOW);
    void *(*make)(void);
    *(void **)&make = dlsym(module, "make");
    free(make());
    dlclose(module);
    kept[which][i] = malloc(sizeof(struct mine));
#ifdef RACE
    unguarded++;
#endif
  }
  return NULL;
}
static void alone(const char *name) {
  void *(*make)(void);
  *(void **)&make = dlsym(dlopen(name, RTLD_NOW), "make");
  for (int i = 0; i < 50; i++)
    alive[i] = make();
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, work, "./one.so");
  pthread_create(&two, NULL, work, "./two.so");
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  alone("./one.so");
  alone("./two.so");
  return (int)unguarded & 0;
}
EOF
modules
cc-allocs -g -O1 -fsanitize=thread main.c -o main -pthread 2>err ||
  skip "no ThreadSanitizer here"
./main >out 2>&1 || skip "ThreadSanitizer does not work here"
types main 2>err | sort -k4 >rows
expect err </dev/null
# Who would have to wait for the link map does without, so that any number of the
# hundred has no type; all have where nobody else opens or closes.
awk '{ print ($2 == $1 * 24), ($1 >= $3 && $1 <= 200), $3, $4, $5 }' rows >read
expect read <<'EOF'
1 1 200 struct mine
1 1 50 struct of_one
1 1 50 struct of_two
EOF

# The twin: it does see what is wrong.
cc-allocs -g -O1 -DRACE -fsanitize=thread main.c -o race -pthread
status=0
allocs run -o heap.txt ./race 2>err || status=$?
[ $status = 66 ]
grep -q 'data race .*work' err
