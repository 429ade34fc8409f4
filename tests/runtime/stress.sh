#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Threads that allocate, modules that come and go, children that fork, signals
# that ask for snapshots, and a client that asks about every event, all at once, for
# STRESS seconds (5): nothing crashes or hangs, no object has another type than its
# own, every record can be read.
# STRESS_UNDER: `tsan`, with the program built for ThreadSanitizer, or `valgrind`:
# neither has anything to say.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

modules
cp "$here/witness.h" .
cat >main.c <<'EOF'
#include "witness.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
struct mine { long x[2]; };
struct more { long x[6]; };
static int over;
static long checked, typed;
static long read_of(long *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static int is_over(void) { return __atomic_load_n(&over, __ATOMIC_RELAXED); }
static int (*describe)(const void *, struct cca_object *);
static void check(void *p, const char *want) {
  struct cca_object o;
  if (!p || describe(p, &o) != CCA_OK || o.start != p) abort();
  if (o.type && strcmp(o.type, want)) abort();
  __atomic_fetch_add(&checked, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&typed, o.type != NULL, __ATOMIC_RELAXED);
}
static void *churn(void *unused) {
  while (!is_over())
    for (int i = 0; i < 1000; i++) {
      struct mine *m = malloc(sizeof *m);
      check(m, "struct mine");
      struct more *o = realloc(m, sizeof *o);
      check(o, "struct more");
      free(o);
    }
  return unused;
}
static void *modules(void *name) {
  char path[32], want[32];
  snprintf(path, sizeof path, "./%s.so", (char *)name);
  snprintf(want, sizeof want, "struct of_%s", (char *)name);
  while (!is_over()) {
    void *module = dlopen(path, RTLD_NOW);
    void *(*make)(void);
    *(void **)&make = dlsym(module, "make");
    void *p = make();
    check(p, want);
    free(p);
    dlclose(module);
  }
  return NULL;
}
int main(int argc, char **argv) {
  pthread_t threads[6];
  *(void **)&describe = dlsym(RTLD_DEFAULT, "cca_describe");
  time_t end = time(NULL) + atoi(argv[argc - 1]);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, churn, NULL);
  pthread_create(&threads[4], NULL, modules, (void *)"one");
  pthread_create(&threads[5], NULL, modules, (void *)"two");
  /* Longer where that was not enough to have seen anything. */
  for (int turns = 0; time(NULL) < end || turns < 15 || read_of(&checked) < 10000; turns++) {
    struct timespec pause = {0, 20000000};
    pid_t child = fork();
    if (child == 0) {
      struct mine *m = malloc(sizeof *m);
      check(m, "struct mine");
      _exit(turns % 2);
    }
    waitpid(child, NULL, 0);
    if (turns < 20) raise(SIGUSR2);
    nanosleep(&pause, NULL);
  }
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 6; i++) pthread_join(threads[i], NULL);
  printf("%d %% typed\n", (int)(100.0 * (double)typed / (double)checked));
  return 0;
}
EOF
seconds=${STRESS:-5} flags=() under=() many=10 status=0
cat >asks.c <<'EOF'
#include <ccallocs/client.h>
#include <stdlib.h>
static uint64_t sum;
static void add(uint64_t more) {
  __atomic_fetch_add(&sum, more, __ATOMIC_RELAXED);
}
static void object(void *data, const struct cca_client_object *object) {
  struct cca_client_site site;
  struct cca_client_type type;
  struct cca_client_module module;
  (void)data;
  if (cca_client_site(object->site, &site) == CCA_OK &&
      cca_client_site_type(object->site, 0, &type) == CCA_OK &&
      cca_client_module(site.module, &module) == CCA_OK)
    add(type.size + (uint64_t)*module.path);
  if (object->size == 16) free(malloc(3));
}
static void resized(void *data, const struct cca_client_object *before,
                    const struct cca_client_object *after) {
  (void)before;
  object(data, after);
}
static void module(void *data, uint32_t number) {
  struct cca_client_module m;
  (void)data;
  if (cca_client_module(number, &m) == CCA_OK) add(m.sites);
}
const struct cca_client cca_client = {
    CCA_CLIENT_INTERFACE, .id = "test.asks", .version = "1", .allocated = object,
    .freed = object, .resizing = object, .resized = resized,
    .module_loaded = module, .module_unloaded = module};
EOF
"$CCA_CC" -O2 -g -shared -fPIC -I"$source_dir/include" asks.c -o asks.so
case ${STRESS_UNDER:-} in
'') ;;
tsan)
  flags=(-fsanitize=thread)
  # Children of a program with threads go on.
  export TSAN_OPTIONS=die_after_fork=0:exitcode=66
  ;;
valgrind)
  need valgrind
  many=1 # it is fifty times as slow
  under=(valgrind -q --error-exitcode=9 --fair-sched=yes
    --soname-synonyms=somalloc=nouserintercepts)
  ;;
*) false ;;
esac
cc-allocs -g -O1 "${flags[@]}" -I"$source_dir/include" main.c -o main -pthread -ldl
timeout $((seconds * 2 + 200)) allocs run --signal USR2 --json -o heap \
  --client=./asks.so "${under[@]}" ./main "$seconds" >out 2>err || status=$?
expect err </dev/null
[ "$status" = 0 ]
[ "$(sed 's/ .*//' out)" -ge 95 ]
python3 - heap $many <<'EOF'
import json, sys
processes = json.load(open(sys.argv[1]))["processes"]
own = [p for p in processes if p["pid"] == processes[0]["pid"]]
many = int(sys.argv[2])
assert len(own) > many and len(processes) > len(own) + many, len(processes)
known = {"struct mine", "struct more", "struct of_one", "struct of_two"}
for process in processes:
    types = {row["type"] for row in process["types"]}
    assert types <= known, types
last = {row["type"]: row for row in own[-1]["types"]}
assert own[-1]["moment"] == "exit" and set(last) == known
assert all(row["live_objects"] == 0 for row in last.values()), last
EOF
