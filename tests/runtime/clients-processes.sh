#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A client in a process that forks, ends in a hurry, opens and closes modules,
# gets signals, has threads.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
# shellcheck source=tests/runtime/clients.bash
. "$here/clients.bash"
client trace

# A child has its parent's clients, and an end of its own; one of vfork() has
# neither.
cat >fork.c <<'EOF'
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
struct first { long x; };
struct second { long x[2]; };
void *volatile kept[8];
int main(void) {
  kept[0] = malloc(sizeof(struct first));
  raise(SIGUSR1);
  pid_t child = fork();
  if (child == 0) {
    kept[1] = malloc(sizeof(struct second));
    free(kept[0]);
    raise(SIGUSR1);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  child = vfork();
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
  free(kept[0]);
  return 7;
}
EOF
cc-allocs -O1 -g fork.c -o fork
status=0
rm -f log
allocs run --json -o heap --signal=USR1 --client="./trace.so:1,$PWD/log" \
  ./fork || status=$?
[ $status = 7 ]
sed -i '/ loaded /d' log
expect log <<'EOF'
1 begin
1 allocated #1: struct first, 8 bytes
1 snapshot
1 forked
1 allocated #2: struct second, 16 bytes
1 freed #1: struct first, 8 bytes
1 snapshot
1 end
1 freed #1: struct first, 8 bytes
1 end
EOF
# The recorder is a client as well, and missed nothing.
python3 - <<'EOF'
import json
processes = json.load(open("heap"))["processes"]
moments = [(p["pid"] == processes[0]["pid"], p["moment"]) for p in processes]
assert moments == [(True, "signal"), (True, "exit"), (False, "signal"),
                   (False, "exit")], moments
EOF

# Modules: one comes before its first object, and has gone when its place is
# another's.
modules
cat >open.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  void *made = NULL;
  for (int i = 1; i < argc; i++) {
    void *module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (i > 2) { dlclose(module); continue; }
    void *(*make)(void) = (void *(*)(void))dlsym(module, "make");
    made = make();
    dlclose(module);
    free(made);
  }
  return 0;
}
EOF
cc-allocs -O1 -g open.c -o open -ldl
trace ./open ./one.so ./two.so ./one.so
expect log <<'EOF'
1 begin
1 loaded open, 0 sites
1 loaded trace.so, 0 sites
1 loaded one.so, 1 sites
1 allocated #1: struct of_one, 24 bytes
1 unloaded one.so, 1 sites, closed
1 freed #1: struct of_one, 24 bytes
1 loaded two.so, 1 sites
1 allocated #2: struct of_two, 24 bytes
1 unloaded two.so, 1 sites, closed
1 freed #2: struct of_two, 24 bytes
1 loaded one.so, 1 sites
1 unloaded one.so, 1 sites, closed
1 end
EOF

# A client in a module that the program closes stays, and its module with it.
"$CCA_CC" -O1 -g -shared -fPIC -I"$source_dir/include" -x c -o stays.so - \
  -L"$build_dir/lib" -lccallocs-runtime <<'EOF'
#include <ccallocs/client.h>
#include <unistd.h>
static void allocated(void *data, const struct cca_client_object *object) {
  (void)data;
  if (object->size == 4711 && write(1, "told\n", 5) != 5) _exit(9);
}
const struct cca_client cca_client = {CCA_CLIENT_INTERFACE, .id = "test.stays",
                                      .version = "1", .allocated = allocated};
int add(void) { return cca_client_register(&cca_client, NULL, NULL); }
EOF
cat >stays.c <<'EOF'
#include <dlfcn.h>
#include <stdlib.h>
void *volatile kept;
int main(void) {
  void *module = dlopen("./stays.so", RTLD_NOW | RTLD_LOCAL);
  int (*add)(void) = (int (*)(void))dlsym(module, "add");
  kept = malloc(4711);
  if (add()) return 1;
  dlclose(module);
  kept = malloc(4711);
  return 0;
}
EOF
"$CCA_CC" -g stays.c -o stays -ldl
LD_LIBRARY_PATH=$build_dir/lib allocs run -o heap ./stays >out
expect out <<<'told'

# Threads: nothing is lost, and each object is freed after it was allocated.
cat >count.c <<'EOF'
#include <ccallocs/client.h>
#include <stdio.h>
#include <string.h>
enum { SLOTS = 1 << 20 };
static struct { void *start; int live; } slots[SLOTS];
static long allocated_, freed_, wrong;
static int is_mine(const struct cca_client_object *object) {
  struct cca_client_type type;
  return cca_client_site_type(object->site, 0, &type) == CCA_OK &&
         !strcmp(type.name, "struct item");
}
/* At one address there is one object at a time: what comes before another
 * thread has said that the last is gone would be seen. */
static int *live(void *start) {
  size_t i = (size_t)start / 16 % SLOTS;
  for (;; i = (i + 1) % SLOTS) {
    void *none = NULL;
    if (__atomic_compare_exchange_n(&slots[i].start, &none, start, 0,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
        none == start)
      return &slots[i].live;
  }
}
static void comes(void *start) {
  if (__atomic_exchange_n(live(start), 1, __ATOMIC_SEQ_CST))
    __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}
static void goes(void *start) {
  if (!__atomic_exchange_n(live(start), 0, __ATOMIC_SEQ_CST))
    __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}
static void allocated(void *data, const struct cca_client_object *object) {
  (void)data;
  if (!is_mine(object)) return;
  __atomic_fetch_add(&allocated_, 1, __ATOMIC_RELAXED);
  comes(object->start);
}
static void freed(void *data, const struct cca_client_object *object) {
  (void)data;
  if (!is_mine(object)) return;
  __atomic_fetch_add(&freed_, 1, __ATOMIC_RELAXED);
  goes(object->start);
}
static void resizing(void *data, const struct cca_client_object *object) {
  (void)data;
  if (is_mine(object)) goes(object->start);
}
static void resized(void *data, const struct cca_client_object *before,
                    const struct cca_client_object *after) {
  (void)data, (void)before;
  if (is_mine(after)) comes(after->start);
}
static void end(void *data) {
  (void)data;
  printf("%ld %ld, %ld wrong\n", allocated_, freed_, wrong);
}
const struct cca_client cca_client = {
    CCA_CLIENT_INTERFACE, .id = "test.count", .version = "1", .end = end,
    .allocated = allocated, .freed = freed, .resizing = resizing,
    .resized = resized};
EOF
"$CCA_CC" -O2 -g -shared -fPIC -I"$source_dir/include" count.c -o count.so
cat >threads.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
struct item { long x[4]; };
enum { THREADS = 24, TIMES = 5000 };
static void *work(void *seed) {
  unsigned random = (unsigned)(size_t)seed;
  for (int i = 0; i < TIMES; i++) {
    struct item *item = malloc(sizeof *item);
    if (!item) abort();
    item->x[0] = i;
    random = random * 1103515245 + 12345;
    size_t n = (random >> 16) % 64 | 1;
    item = realloc(item, n * sizeof *item);
    if (!item) abort();
    item[n - 1].x[3] = i;
    free(item);
  }
  return NULL;
}
int main(void) {
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, (void *)i)) return 1;
  for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return 0;
}
EOF
cc-allocs -O2 -g threads.c -o threads -lpthread
allocs run -o heap --client=./count.so ./threads >out
expect out <<<'120000 120000, 0 wrong'
# The twin: who is not told that an object is about to move is wrong.
sed 's/ \.resizing = resizing,//; s/static void resizing/__attribute__((unused)) &/' \
  count.c >deaf.c
"$CCA_CC" -O2 -g -shared -fPIC -I"$source_dir/include" deaf.c -o deaf.so
allocs run -o heap --client=./deaf.so ./threads >out
grep -qE '^120000 120000, [1-9][0-9]* wrong$' out
