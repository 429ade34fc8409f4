#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A call of another module's function is what that function is in this process:
# a plugin's call of the program's allocator, which no link saw; a library that
# another one was put before; functions of one name in two local scopes.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

say_nothing=$CCA_CC

# ---- A plugin: the program allocates, or finds, and allocates beside it ----
library cc-allocs plugin <<'EOF'
#include <stddef.h>
struct item { long x[3]; };
struct found { long x[6]; };
void *program_alloc(size_t, int), *program_find(size_t);
void *volatile item, *volatile found;
void plugin(void) {
  item = program_alloc(sizeof(struct item), 7);
  found = program_find(sizeof(struct found));
}
EOF
cat >program.c <<'EOF'
#include <dlfcn.h>
#include <stdlib.h>
static long held[8];
void *volatile kept;
void *program_alloc(size_t n, int tag) { kept = malloc(n); return tag ? kept : 0; }
void *program_find(size_t n) { kept = malloc(n); return held; }
int main(void) {
  void *module = dlopen("./libplugin.so", RTLD_NOW | RTLD_LOCAL);
  void (*plugin)(void) = (void (*)(void))dlsym(module, "plugin");
  for (int i = 0; i < 5; i++) plugin();
  return 0;
}
EOF
cc-allocs -O2 -g -rdynamic program.c -o program
types program >rows
expect rows <<<'5 120 5 struct item'
grep -q '^5 240 5 240 1 untyped wrapper$' program.rows
# The twin: a program that says nothing.
"$say_nothing" -O2 -g -rdynamic program.c -o silent
types silent >rows
expect rows </dev/null

# ---- Put before: the same function of another library ----
library cc-allocs foo <<'EOF'
#include <stdlib.h>
void *volatile made;
void *foo_alloc(size_t n) { made = malloc(n); return made; }
EOF
cat >main.c <<'EOF'
#include <stddef.h>
struct point { long x, y; };
void *foo_alloc(size_t);
void *volatile kept;
static void *wrap(size_t n) { kept = foo_alloc(n); return kept; }
int main(void) {
  for (int i = 0; i < 3; i++) wrap(sizeof(struct point));
  return 0;
}
EOF
cc-allocs -O2 -g main.c -L. -lfoo -Wl,-rpath,"$PWD" -o main
types main >rows
expect rows <<<'3 48 3 struct point'
library cc-allocs other <foo.c
LD_PRELOAD=$PWD/libother.so types main >rows
expect rows <<<'3 48 3 struct point'
library cc-allocs finder <<'EOF'
#include <stdlib.h>
static long held[8];
void *volatile made;
void *foo_alloc(size_t n) { made = malloc(n); return held; }
EOF
LD_PRELOAD=$PWD/libfinder.so types main >rows
expect rows </dev/null
library "$say_nothing" quiet <finder.c
LD_PRELOAD=$PWD/libquiet.so types main >rows
expect rows </dev/null

# ---- Two scopes: the first has an allocator, the second something else ----
library cc-allocs local_one <foo.c
library cc-allocs local_two <<'EOF'
#include <stdlib.h>
void *volatile made;
static long held[8];
void *foo_alloc(size_t n) { made = malloc(n); return held; }
EOF
for name in one two; do
  library cc-allocs user_$name -llocal_$name -Wl,-rpath,"$PWD" <<EOF
#include <stddef.h>
struct of_$name { long x[4]; };
void *foo_alloc(size_t);
void *volatile kept;
void make(void) { kept = foo_alloc(sizeof(struct of_$name)); }
EOF
done
cat >scopes.c <<'EOF'
#include <dlfcn.h>
int main(void) {
  for (int i = 0; i < 4; i++) {
    void *module = dlopen(i % 2 ? "./libuser_two.so" : "./libuser_one.so",
                          RTLD_LAZY | RTLD_LOCAL);
    ((void (*)(void))dlsym(module, "make"))();
  }
  return 0;
}
EOF
cc-allocs -O2 -g scopes.c -o scopes
types scopes >rows
expect rows <<<'2 64 2 struct of_one'
