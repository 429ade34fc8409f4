#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A clang that sleeps, or writes, for ever is ended when its time is up; one
# that has ended is not waited for, though a child of its own holds the pipe;
# and none of them leaves a process.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
export CC_ALLOCS_CC=$CCA_CC CC_ALLOCS_LOG=$work/log

echo 'int main(void) { return sizeof(int) - 4; }' >a.c
"$CCA_CC" -c a.c -o plain.o
# clang NAME <SCRIPT: stands in clang's place, and notes its process in pids.
clang() {
  { echo '#!/bin/sh'; echo "echo \$\$ >>$work/pids"; cat; } >"$1"
  chmod +x "$1"
}
clang sleeping <<<'sleep 300 & echo $! >>'"$work"'/pids; wait'
clang deaf <<<'trap "" TERM HUP INT; exec >&- 2>&- <&-; while :; do sleep 1; done'
clang writing <<<'while :; do echo noise || :; done'
clang leaving <<<'sleep 300 & echo $! >>'"$work"'/pids; exit 3'
clang slow <<<'sleep 2; exec '"${CCA_CLANG:-clang-19}"' "$@"'

ended() { # all that was started has; nobody may be there to bury it
  local pid
  while read -r pid; do
    for _ in $(seq 600); do
      grep -q '^State:[[:space:]]*[^Z]' "/proc/$pid/status" 2>/dev/null || break
      sleep 0.1
    done
    not grep -q '^State:[[:space:]]*[^Z]' "/proc/$pid/status" 2>/dev/null
  done <pids
  rm pids
}
# build CLANG SECONDS REASON: for so long at most, and the summary says why.
build() {
  local begin=$SECONDS
  rm -f a.o
  : >pids # time may be up before it has noted itself
  CC_ALLOCS_CLANG=$work/$1 cc-allocs -c a.c >said 2>&1
  [ $((SECONDS - begin)) -le "$2" ]
  [ ! -s said ]
  objcopy --remove-section=.cc_allocs a.o back.o
  objcopy plain.o same.o
  cmp back.o same.o
  allocs dump a.o | grep "^unit .*status=failed reason=\"$3\"" >/dev/null
  ended
}
up='clang was ended: its time was up'
for clang in sleeping deaf writing; do
  CC_ALLOCS_SECONDS=1 build $clang 60 "$up"
done
build leaving 60 'clang exited with status 3'

# The same limit for all runs together; and one that is long enough.
CC_ALLOCS_SECONDS=3 build slow 60 "$up"
for seconds in 60 -1; do
  CC_ALLOCS_SECONDS=$seconds CC_ALLOCS_CLANG=$work/slow cc-allocs -c a.c
  allocs dump a.o | grep '^unit .* marks=1 ' >/dev/null
done

# Whoever waits for cc-allocs does not wait in vain: a build, too.
: >pids
CC_ALLOCS_SECONDS=1 CC_ALLOCS_CLANG=$work/sleeping cc-allocs a.c -o a
./a
allocs report --json a | grep "$up" >/dev/null
ended
