#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The runtime itself is opened, as by a plug-in that was linked with it: modules
# that were opened before it may be closed, and what it knows of them stays.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

modules
cat >main.c <<'EOF'
#include <dlfcn.h>
int main(int argc, char **argv) {
  void *one = dlopen("./one.so", RTLD_NOW), *two = dlopen("./two.so", RTLD_NOW);
  if (!one || !two || !dlopen(argv[argc - 1], RTLD_NOW)) return 1;
  return dlclose(one);
}
EOF
cc-allocs -O1 -g main.c -o main
mkdir heap
CC_ALLOCS_HEAP=$PWD/heap ./main "$build_dir/lib/libccallocs-runtime.so"
python3 - heap/*.0 >rows <<'EOF'
import json, sys
for m in json.load(open(sys.argv[1], encoding="utf-8"))["modules"]:
    if m["path"].startswith("./"):
        print(m["path"], m["classified"], m["sites"], m["functions"])
EOF
expect rows <<'EOF'
./one.so yes 1 1
./two.so yes 1 1
EOF
