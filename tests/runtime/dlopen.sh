#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Modules that come and go: what one allocated keeps its type when it is gone,
# and one that comes to lie at its place is not taken for it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

modules
"$CCA_CC" -shared -fPIC -O2 -x c -o three.so - <<'EOF'
#include <stdlib.h>
void *make(void) { long *p = malloc(24); *p = 1; return p; }
EOF
cat >main.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  for (int turn = 0; turn < 4; turn++)
    for (int i = 1; i < argc; i++) {
      void *module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
      void *(*make)(void) = (void *(*)(void))dlsym(module, "make");
      if (turn == 0) fprintf(stderr, "%p\n", (void *)make);
      make();
      dlclose(module);
    }
  return 0;
}
EOF
cc-allocs -O1 -g main.c -o main -ldl
types main ./one.so ./two.so ./three.so 2>addresses | sort -k4 >rows
expect rows <<'EOF'
4 96 4 struct of_one
4 96 4 struct of_two
EOF
allocs run --sites -o heap ./main ./one.so ./two.so ./three.so 2>addresses
[ "$(grep -cE '^ +4 +96 +4 +96 +main\.c:9  main -> three.so$' heap)" = 1 ] # what three.so made

# All three lay at the same place, or the test shows nothing.
[ "$(sort -u addresses | wc -l)" = 1 ] || skip "the modules met at no one place"
