#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# distcc with a daemon on the loopback: the compiler runs there, on text that is
# preprocessed here; whichever side cc-allocs stands on, the summary arrives.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc distcc distccd
daemon=$(command -v distccd)

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct s { int n; char text[12]; };
void *make(void) { printf("x\n"); return malloc(sizeof(struct s)); }
END
export DISTCC_DIR=$work/state DISTCC_FALLBACK=0 CC_ALLOCS_LOG=$work/log
mkdir state tmp
chmod 755 "$work" # as root, the daemon becomes somebody else
chmod 1777 tmp
trap 'kill $served 2>/dev/null || :; wait; clean_up' EXIT
# serve: start the daemon at a port that nobody has, not one of those that are
# given to whoever connects; it says so when it listens, and ends if it cannot.
serve() {
  local port=$((20000 + RANDOM % 12000))
  export DISTCC_HOSTS=127.0.0.1:$port
  TMPDIR=$work/tmp "$daemon" --no-detach --daemon --listen 127.0.0.1 \
    --port "$port" --allow 127.0.0.0/8 --enable-tcp-insecure --jobs 2 \
    --log-stderr --log-level info 2>daemon.log &
  served=$!
  for _ in $(seq 600); do
    ! grep -q 'listening on' daemon.log || return 0
    kill -0 $served 2>/dev/null || break
    sleep 0.05
  done
  return 1
}
touch daemon.log
for _ in $(seq 20); do ! serve || break; done

# there N: so many were compiled by the daemon, which notes it after the answer.
there() {
  for _ in $(seq 600); do
    [ "$(grep -c 'COMPILE_OK' daemon.log)" -lt "$1" ] || break
    sleep 0.05
  done
  [ "$(grep -c 'COMPILE_OK' daemon.log)" = "$1" ]
}
# In front of distcc: preprocessed and compiled there, analysed here.
cc-allocs distcc gcc -c a.c -o here.o
there 1
allocs dump here.o | grep '^unit .*source="a.c".* marks=1 ' >/dev/null
# Behind it: there, the text from here is analysed.
distcc cc-allocs -c a.c -o there.o
there 2
allocs dump there.o | grep '^unit .* marks=1 ' >/dev/null
allocs dump there.o | grep 'malloc(sizeof(struct s))' >/dev/null
# The twin.
distcc gcc -c a.c -o none.o
there 3
not allocs dump none.o 2>/dev/null
