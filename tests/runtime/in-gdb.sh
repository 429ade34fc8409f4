#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The heap in gdb, of a process that is stopped and of its core file: what is at
# an address, all types, all objects of one; and what is no object is none.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
need gdb
gdb -nx --batch -ex 'python print(1)' >out 2>&1 || skip "gdb cannot run python"

build main -O0 -fno-builtin <<'EOF'
#include <stdio.h>
#include <stdlib.h>
struct first { long x[3]; };
struct second { long x[20000]; };
void *one, *array, *large, *gone, *bytes, *unlisted;
static void stop(void) { abort(); }
int main(int argc, char **argv) {
  (void)argv;
  one = malloc(sizeof(struct first));
  array = calloc(5, sizeof(struct first));
  gone = malloc(sizeof(struct first));
  free(gone);
  large = malloc(sizeof(struct second)); /* over several chunks */
  char *text = malloc((size_t)argc + 59); /* elsewhere than `gone` */
  bytes = text;
  puts("x"); /* stdio's buffer */
  stop();
}
EOF
cat >commands <<'EOF'
allocs describe one
allocs describe (char *)one + 8
allocs describe (char *)array + 72
allocs describe (char *)large + 150000
print (long)$object == (long)large
allocs describe (char *)large + 170000
allocs describe gone
allocs describe &one
allocs describe 0
allocs describe -1
allocs objects struct first
allocs objects struct first[] all
allocs objects struct first 1
allocs objects struct none
allocs objects untyped: allocated inside libc.so.6
allocs histogram 2
EOF
looked() { # GDB'S ARGUMENTS...
  # A command that fails makes gdb's exit status.
  { gdb -nx --batch -iex 'set auto-load off' -ex 'set width 0' "$@" \
    -ex "source $source_dir/runtime/allocs-gdb.py" -x commands \
    -ex 'allocs describe' -ex 'allocs objects' 2>err || [ $? = 1 ]; } |
    sed -n '/^0x/,$p' | sed -E 's/0x[0-9a-f]+/0x/g' >got
  tail -n 2 err >last
  expect last <<'EOF'
An address is wanted: allocs describe ADDRESS
A type is wanted: allocs objects TYPE [NUMBER | all]
EOF
  expect got <<'EOF'
0x: struct first
  object at 0x, 24 bytes
  allocated at main.c:9, main -> malloc
0x: +8 of struct first
  object at 0x, 24 bytes
  allocated at main.c:9, main -> malloc
0x: +72 of struct first[]
  object at 0x, 120 bytes, 5 elements
  allocated at main.c:10, main -> calloc
0x: +150000 of struct second
  object at 0x, 160,000 bytes
  allocated at main.c:13, main -> malloc
$1 = 1
0x is in no object of the heap
0x is in no object of the heap
0x is in no object of the heap
0x is in no object of the heap
0x is in no object of the heap
0x  24 bytes  struct first  main.c:9, main -> malloc
0x  120 bytes  struct first[]  main.c:10, main -> calloc
0x  120 bytes  struct first[]  main.c:10, main -> calloc
0x  24 bytes  struct first  main.c:9, main -> malloc
1 object more; allocs objects struct first all
no object is of the type struct none
0x  4,096 bytes  untyped: allocated inside libc.so.6  main.c:16, main -> libc.so.6
     objects            bytes  type
           1          160,000  struct second
           1            4,096  untyped: allocated inside libc.so.6
3 more; allocs histogram all
EOF
}

runtime=$build_dir/lib/libccallocs-runtime.so
process=(-ex 'set debuginfod enabled off' -ex "set environment LD_PRELOAD=$runtime"
  -ex 'break stop' -ex 'run >/dev/null')
looked "${process[@]}" ./main

# gdb's core file has more in it than the kernel's, which leaves out what is in
# files; both have to do.
gdb -nx --batch "${process[@]}" -ex 'generate-core-file of-gdb' ./main >out 2>&1
looked ./main of-gdb
if [ "$(cat /proc/sys/kernel/core_pattern)" = core ]; then
  ulimit -c unlimited
  LD_PRELOAD=$runtime ./main >out 2>&1 && exit 1
  core=$(ls core*)
  looked ./main "$core"
fi

# Without the runtime, and without a program.
gdb -nx --batch -ex "source $source_dir/runtime/allocs-gdb.py" -ex 'break stop' \
  -ex 'run >/dev/null' -ex 'allocs describe one' ./main 2>err >out || [ $? = 1 ]
tail -n 1 err >last
expect last <<EOF
The runtime is not in this program: start it with \`allocs run', or link it with the runtime.
EOF

# An address in a module that is there has the functions that gdb knows; when it
# was closed, it is in none, whatever lies there now.
cat >plug.c <<'EOF'
#include <stdlib.h>
static inline __attribute__((always_inline)) void *inner(void) {
  return malloc(77);
}
void *make(void) {
  char *p = inner();
  return p + 1;
}
EOF
for name in plug other; do "$CCA_CC" -O1 -g -shared -fPIC plug.c -o $name.so; done
"$CCA_CC" -g -x c - -o host -ldl <<'EOF'
#include <dlfcn.h>
void *(*made[2])(void);
static void stop(void) {}
int main(void) {
  void *plug = dlopen("./plug.so", RTLD_NOW);
  made[0] = (void *(*)(void))dlsym(plug, "make");
  made[0]();
  stop();
  dlclose(plug);
  made[1] = (void *(*)(void))dlsym(dlopen("./other.so", RTLD_NOW), "make");
  stop();
}
EOF
gdb -nx --batch -iex 'set auto-load off' -ex 'set width 0' \
  -ex "source $source_dir/runtime/allocs-gdb.py" "${process[@]}" \
  -ex 'allocs objects untyped: no caller has a classification all' \
  -ex continue -ex 'allocs objects untyped: no caller has a classification all' \
  -ex 'print made[0] == made[1]' ./host >all 2>err
grep ' 77 bytes ' all | sed -E 's/0x[0-9a-f]+/0x/g' >got
expect got <<'EOF'
0x  77 bytes  untyped: no caller has a classification  plug.c:3, inner, inlined into make
0x  77 bytes  untyped: no caller has a classification  plug.so+0x
EOF
grep -qF '$1 = 1' all || skip "the modules met at no one place"
