# shellcheck shell=bash
# shellcheck disable=SC2154 # common.sh, which comes first, sets them
# SPDX-License-Identifier: MIT
#
# clients.bash -- sourced by the tests of clients, behind common.sh.

# client NAME [FLAG...]: NAME.so from trace-client.c.
client() {
  local name=$1
  shift
  "$CCA_CC" -O2 -g -shared -fPIC -Wall -Wextra -Werror -I"$source_dir/include" \
    "$@" "$here/trace-client.c" -o "$name.so"
}

# trace PROGRAM [ARGUMENT...]: what a client is told of PROGRAM, in `log`.
trace() {
  rm -f log
  allocs run -o heap --client="./trace.so:1,$PWD/log" "$@"
}

# keeper [FLAG...]: keeper.so from keeper-client.c.
keeper() {
  "$CCA_CC" -O1 -shared -fPIC -Wl,--build-id -I"$source_dir/include" \
    "$here/keeper-client.c" -o keeper.so "$@"
}

# keeps: main, which allocates a struct one and without arguments a struct two, and
# the folders records and cache; for `go`.
keeps() {
  mkdir -m 700 records cache
  cat >main.c <<'EOF'
#include <signal.h>
#include <stdlib.h>
struct one { long x; };
struct two { long x[2]; };
void *volatile kept[2];
int main(int argc, char **argv) {
  (void)argv;
  kept[0] = malloc(sizeof(struct one));
  if (argc == 1) kept[1] = malloc(sizeof(struct two));
  if (argc > 2) raise(SIGUSR1);
  return 0;
}
EOF
  cc-allocs -O1 -g main.c -o main
}

# go [WORDS [ARGUMENT...]]: main with the keeper; `got` is what it says, `state` the
# reason for or against the cache, `written` whether there is a new one.
go() {
  rm -f records/*
  LD_PRELOAD=$build_dir/lib/libccallocs-runtime.so CC_ALLOCS_HEAP=$work/records \
    CC_ALLOCS_CACHE=$work/cache CC_ALLOCS_CLIENTS=$work/keeper.so KEEPER=${1:-} ./main "${@:2}" >got
  not grep -F '?' got
  cut -f1 records/*.cache >state
  cut -f7 records/*.cache >written
}

# is STATE WRITTEN <WANTED: so it went.
is() {
  expect state <<<"$1"
  expect written <<<"$2"
  expect got
}
