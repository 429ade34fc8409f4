#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# With any amount of address space in which the program runs alone, it runs with
# the runtime too: where there is no room for tables, nothing is recorded.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

cat >main.c <<'EOF'
#include <stdlib.h>
#include <string.h>
struct block { char x[1000]; };
int main(void) {
  struct block *blocks[100];
  for (int i = 0; i < 100; i++) {
    if (!(blocks[i] = malloc(sizeof *blocks[i]))) return 1;
    memset(blocks[i], i, sizeof *blocks[i]);
  }
  for (int i = 0; i < 100; i++) {
    if (blocks[i]->x[999] != i) return 2;
    free(blocks[i]);
  }
  return 0;
}
EOF
cc-allocs -O1 -g main.c -o main
mkdir folder
ran=0 recorded=0
for ((room = 2000; room < 40000; room += 1000)); do
  if (ulimit -v $room; ./main) 2>/dev/null; then
    ran=$((ran + 1))
    # The loader may find no room for the libraries, and says so.
    (
      ulimit -v $room
      LD_PRELOAD=$build_dir/lib/libccallocs-runtime.so \
        CC_ALLOCS_HEAP=$work/folder ./main
    ) 2>err || grep -q 'error while loading shared libraries' err ||
      { echo "with $room KiB" && cat err && false; } >&2
  fi
done
recorded=$(find folder -name '*.0' | wc -l)
echo "$ran ran, $recorded recorded"
[ "$recorded" -gt 0 ] && [ "$recorded" -lt "$ran" ] # both were met
python3 -c 'import json, sys
for path in sys.argv[1:]:
    json.load(open(path))' folder/*.0
