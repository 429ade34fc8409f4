#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sixteen processes that have found no cache write it at once while sixteen more begin,
# and thirty-two that have found one that is old: in the end there is one file, a whole
# one, and nothing else; all of them concluded the same.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
# shellcheck source=tests/runtime/caches.bash
. "$here/caches.bash"
need flock

# counts FOLDER: of each process's record, objects and types, one line each.
counts() {
  python3 - "$1"/*.0 <<'EOF'
import json, sys
for path in sys.argv[1:]:
    heap = json.load(open(path))
    print(sorted((label["objects"], label.get("types", [{}])[:1] != [] and
                  label.get("types", [{}])[0].get("name"))
                 for label in heap["labels"] if "site" in label))
EOF
}
runtime ./main
counts heap >one
rm -rf "$caches"
exec {gate}>gate
for round in 1 2 3; do
  rm -rf heap
  : >there
  mkdir heap
  flock $gate # held until all are there
  for i in $(seq 32); do
    (
      waits=gate
      [ $((i % 2)) = 0 ] || [ $round = 3 ] || { echo there; flock -s gate true; waits=; }
      LD_PRELOAD=$build_dir/lib/libccallocs-runtime.so CC_ALLOCS_HEAP=$PWD/heap \
        CC_ALLOCS_CACHE=$caches exec ./main $waits
    ) >>there &
  done
  until [ "$(wc -l <there)" = 32 ]; do sleep 0.05; done
  flock -u $gate
  wait
  [ "$(find heap -name '*.0' | wc -l)" = 32 ]
  counts heap | sort -u >all
  cmp one all
  [ "$(find "$caches" -type f | wc -l)" = 1 ]
  allocs cache verify >/dev/null
  cat heap/*.cache | cut -f1 | sort -u >states
  case $round in
  1) [ "$(cat heap/*.cache | grep -c 'written$')" -ge 16 ] ;; # really several
  2)
    expect states <<<used
    patch_cache "$caches"/*.cache 'cc-allocs 0=cc-allocs 9' # all write again
    ;;
  3)
    expect states <<<runtime
    [ "$(cat heap/*.cache | grep -c 'written$')" = 32 ]
    ;;
  esac
done
runtime ./main
[ "$(cut -f1 heap/*.cache)" = used ]

# By a signal, and when the program asks.
cat >asks.c <<'EOF'
#include <ccallocs/runtime.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
struct asked { long x[3]; };
void *volatile kept;
int main(int argc, char **argv) {
  kept = malloc(sizeof(struct asked));
  if (argc > 1 && *argv[1] == 's') raise(SIGUSR1);
  if (argc > 1 && *argv[1] == 'a') return cca_cache_save() != 0;
  kill(getpid(), SIGKILL); /* there is no end */
}
EOF
cc-allocs -O2 -g asks.c -I"$source_dir/include" -L"$build_dir/lib" \
  -Wl,-rpath,"$build_dir/lib" -lccallocs-runtime -o asks
for how in nothing signal ask; do
  rm -rf "$caches"
  allocs run -o /dev/null --cache-write asked --cache-signal USR1 ./asks $how \
    2>err || :
  mkdir -p "$caches"
  find "$caches" -name '*.cache' | wc -l
done >found
expect found <<'EOF'
0
1
1
EOF
allocs cache verify >/dev/null
