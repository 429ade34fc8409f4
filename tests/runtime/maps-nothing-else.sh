#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A process whose addresses are given functions and lines maps the runtime and nothing
# else for it: no debug information, no table of symbols; and its own cache, if there is
# one.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need objcopy strip

cat >main.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *volatile kept;
int main(void) {
  char line[5000];
  kept = malloc(77);
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    if (strchr(line, '/')) fputs(strchr(line, '/'), stdout);
  return 0;
}
EOF
"$CCA_CC" -g main.c -o main
objcopy --only-keep-debug main main.debug
strip main
objcopy --add-gnu-debuglink=main.debug main

# more OPTION...: what is mapped that is not without `allocs run`.
more() {
  allocs run --sites "$@" ./main 2>err | sort -u >with
  grep -qE ' main\.c:7  main$' err
  comm -13 without with
}
./main | sort -u >without
realpath "$build_dir/lib/libccallocs-runtime.so" >runtime
more --no-cache >maps
expect maps <runtime
more >maps # leaves a table and a cache
more >maps
grep -v '\.cache$' maps >others
expect others <runtime
allocs cache list >caches
grep -q ' symbols .*/main$' caches
awk '$6 == "symbols" { print $1 }' caches >tables
[ -s tables ]
not grep -F -f tables maps
grep -c '\.cache$' maps >count
expect count <<<1
