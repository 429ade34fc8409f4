#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What was met in a module that the program has closed again is kept, also what its
# calls were bound to, once, however often it was opened; of one that was built anew
# nothing is believed.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
# shellcheck source=tests/runtime/caches.bash
. "$here/caches.bash"

plugin() { # plugin FLAG...: libplugin.so, with a call of its own, too
  library cc-allocs plugin -lmakes -Wl,-rpath,"$PWD" "$@" <<'EOF'
#include <stdlib.h>
struct plugged { long x[7]; };
struct own { char x[SIZE]; };
void *make(size_t);
void *volatile plugged;
void plug(void) {
  plugged = make(sizeof(struct plugged));
  plugged = malloc(sizeof(struct own));
}
EOF
}
plugin -DSIZE=40
cat >main.c <<'EOF'
#include <dlfcn.h>
#include <stdlib.h>
struct point { long x, y; };
void *make(size_t);
void *volatile kept;
int main(int argc, char **argv) {
  kept = make(sizeof(struct point));
  for (int turn = 0; argc > 1 && turn < atoi(argv[1]); turn++) {
    void *plugin = dlopen("./libplugin.so", RTLD_NOW);
    ((void (*)(void))dlsym(plugin, "plug"))();
    dlclose(plugin);
  }
  return 0;
}
EOF
cc-allocs -O2 -g main.c -L. -lmakes -ldl -Wl,-rpath,"$PWD" -o main
mkdir -m 700 "$caches"

# times N: what becomes of the cache, if the plugin is opened N times, in `line`,
# and what it made, in `rows`.
times() {
  allocs run --show-cache --sites --no-symbols -o heap ./main "$1" 2>said.err
  sed 's/^allocs run: process [0-9]*: the cache was //' said.err >line
  grep -E 'struct (plugged|own)$|plugin\.c' heap >rows || true
}
# texts: the cache as text.
texts() { allocs dump "$caches"/*.cache >text; }

times 1
expect line <<<'not used: there is none for these modules yet; written'
grep -q 'struct plugged$' rows
grep -q ' 40 .*struct own$' rows
mv rows without
times 1
met=$(sed -n 's/^used: \([0-9]*\) of its .*/\1/p' line)
expect line <<<"used: $met of its $met calls were met, 0 not as they were, 0 others"
expect rows <without
texts
[ "$(grep -c 'cache_module .*libplugin.so" .*flags=late' text)" = 1 ]
[ "$(grep -c 'cache_binding .*answer=allocates' text)" = 2 ] # main's, the plugin's
mv "$caches"/*.cache once

# Opened three times: the same file, byte for byte.
times 3
expect line <<<'not used: there is none for these modules yet; written'
cmp once "$caches"/*.cache
times 3
grep -q '^used: .* 0 not as they were, 0 others$' line

# A program that never opens it leaves what is there of it, for who does.
times 0
grep -q '^used: .* 0 others$' line
cmp once "$caches"/*.cache
times 1
expect line <<<"used: $met of its $met calls were met, 0 not as they were, 0 others"

# Built anew: its calls are found out anew, and rightly; then they are kept, and
# those of the old one are not.
plugin -DSIZE=48
times 1
grep -q '^used: .* 0 not as they were, [1-9][0-9]* others; written anew$' line
grep -q ' 48 .*struct own$' rows
times 1
grep -q '^used: .* 0 not as they were, 0 others$' line
texts
[ "$(grep -c 'cache_module .*libplugin.so"' text)" = 1 ]
