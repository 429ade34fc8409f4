# shellcheck shell=bash
# shellcheck disable=SC2154 # common.sh, which comes first, sets them
# SPDX-License-Identifier: MIT
#
# caches.bash -- sourced by the tests of caches, behind common.sh and heap.bash.
#
# Out: a program ./main with a wrapper in libmakes.so, a silent library, one
#      without a build id, a plugin that is opened; and what follows.

library "$CCA_CC" silent <<'EOF'
#include <stdlib.h>
void *volatile hidden;
void *silent(size_t n) { hidden = malloc(n); return hidden; }
EOF
makes() { # makes [FLAG...]: libmakes.so, which can be built anew
  library cc-allocs makes "$@" <<'EOF'
#include <stdlib.h>
void *volatile made;
void *make(size_t n) { made = malloc(n); return made; }
EOF
}
nameless() { # nameless SIZE: libnameless.so, without a build id
  library cc-allocs nameless -Wl,--build-id=none -DSIZE="$1" <<'EOF'
#include <stdlib.h>
struct nameless { char x[SIZE]; };
void *volatile nothing;
void nameless(void) { nothing = malloc(sizeof(struct nameless)); }
EOF
}
makes
nameless 40
library cc-allocs plugin -lmakes -Wl,-rpath,"$PWD" <<'EOF'
#include <stddef.h>
struct plugged { long x[7]; };
void *make(size_t);
void *volatile plugged;
void plug(void) { plugged = make(sizeof(struct plugged)); }
EOF
cat >main.c <<'EOF'
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
struct point { long x, y; };
struct node { struct node *next; long value; int more[3]; };
void *make(size_t), *silent(size_t);
void nameless(void);
void *volatile kept;
int main(int argc, char **argv) {
  kept = make(sizeof(struct point));
  kept = make(3 * sizeof(struct node));
  kept = malloc(sizeof(struct node));
  kept = silent(sizeof(struct point));
  nameless();
  void *plugin = dlopen("./libplugin.so", RTLD_NOW | RTLD_LOCAL);
  void (*plug)(void) = (void (*)(void))dlsym(plugin, "plug");
  plug();
  if (argc > 1 && *argv[1] == 'f') { /* a child */
    if (!fork()) { plug(); return 0; }
    wait(NULL);
  }
  if (argc > 1 && *argv[1] == 'g') /* says that it is there, and waits */
    return write(1, "there\n", 6) != 6 || flock(open("gate", O_RDONLY), LOCK_SH);
  return 0;
}
EOF
cc-allocs -O2 -g main.c -L. -lmakes -lsilent -lnameless -ldl \
  -Wl,-rpath,"$PWD" -o main
caches=$XDG_CACHE_HOME/cc-allocs
mkdir -p "$XDG_CACHE_HOME"

# concluded NAME [OPTION...]: run ./main, and write what was concluded to NAME.json
# and NAME.txt, without what differs from run to run: process and addresses.
concluded() {
  local name=$1
  shift
  allocs run --json --no-symbols "$@" -o out.json ./main
  python3 - out.json >"$name.json" <<'EOF'
import json, sys
def strip(value):
    if isinstance(value, dict):
        return {k: strip(v) for k, v in value.items()
                if k not in ("pid", "parent", "bias")}
    return [strip(v) for v in value] if isinstance(value, list) else value
json.dump(strip(json.load(open(sys.argv[1]))), sys.stdout, indent=1)
EOF
  allocs run --classification "$@" -o out.txt ./main
  sed 's/main ([0-9]*)/main/' out.txt >"$name.txt"
}

# said [OPTION...]: what becomes of the cache in a run of ./main.
said() {
  allocs run --show-cache -o /dev/null "$@" ./main 2>said.err
  sed 's/^allocs run: process [0-9]*: the cache was //' said.err
}

# runtime COMMAND...: with the runtime alone, a folder for its records, and the
# user's caches.
runtime() {
  rm -rf heap
  mkdir heap
  LD_PRELOAD=$build_dir/lib/libccallocs-runtime.so CC_ALLOCS_HEAP=$PWD/heap \
    CC_ALLOCS_CACHE=$caches "$@"
}

# patch FILE OFFSET=BYTES...: change a cache, and make its checksum again.
patch_cache() {
  python3 "$source_dir/tests/runtime/cache-file.py" "$@"
}
