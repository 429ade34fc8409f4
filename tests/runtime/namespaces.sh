#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A module that dlmopen puts into a namespace of its own has a libc and a malloc
# there that are not ours: what it allocates is not seen, what the program
# allocates beside it is, and a block may be given back where it came from.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

modules
build main -D_GNU_SOURCE -fno-builtin <<'EOF'
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
struct mine { long x[2]; };
static void *volatile kept;
int main(int argc, char **argv) {
  for (int i = 0; i < 3; i++) {
    void *module = strcmp(argv[argc - 1], "apart")
                       ? dlopen("./one.so", RTLD_NOW)
                       : dlmopen(LM_ID_NEWLM, "./one.so", RTLD_NOW);
    void *(*make)(void);
    if (!module) return 1;
    *(void **)&make = dlsym(module, "make");
    for (int k = 0; k < 5; k++) kept = make();
    kept = malloc(sizeof(struct mine));
    dlclose(module);
  }
  return kept == NULL;
}
EOF
types main apart >rows
expect rows <<<'3 48 3 struct mine'
allocs run --classification -o out ./main apart
not grep -q 'one\.so' out

# The twin: in the program's own namespace.
types main beside | sort >rows
expect rows <<'EOF'
15 360 15 struct of_one
3 48 3 struct mine
EOF
allocs run --classification -o out ./main beside
grep -q 'one\.so' out
