#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SIGINT, SIGTERM or SIGKILL comes before any call of ours that touches a file or
# a process: the user's files are the compiler's, and nothing of ours is left.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/run/fault.bash
. "$here/fault.bash"

gcc -c -O1 a.c -o plain.o
cc-allocs -c -O1 a.c -o with.o

# gcc has no time to note a file that it is stopped in the moment of making;
# such a one is gcc's own, with us or without, and so is what it then says.
tmp_is_empty() { [ -z "$(find tmp -mindepth 1 ! -name 'cc??????.*')" ]; }

# The wrapper itself dies of it, or it has ended before.
stopped() {
  { [ "$status" = $((128 + signal)) ] || { [ ! -e hit ] && [ "$status" = 0 ]; }; } &&
    ours_are_gone && tmp_is_empty && not grep -q 'cc-allocs' said &&
    { [ ! -e here/a.o ] || is_plain here/a.o plain.o; }
}
# Somebody below it does, and the wrapper ends as the compiler did.
compiled() {
  [ "$status" = 0 ] && ours_are_gone && tmp_is_empty && [ ! -s said ] &&
    is_plain here/a.o plain.o
}
linked() { # or not: collect2 says so, and may leave its own map files
  { [ "$status" = 1 ] || { [ "$status" = 0 ] && here/a; }; } && ours_are_gone
}
for signal in 9 15; do
  sweep cc-allocs $signal stopped cc-allocs -O1 -c a.c
  [ "$swept" -gt 5 ]
  sweep cc-allocs $signal stopped cc-allocs -O1 a.c -o a
  [ "$swept" -gt 10 ]
  sweep cca-analyze $signal compiled cc-allocs -O1 -c a.c
  [ "$swept" -gt 20 ]
  sweep ld.allocs $signal linked cc-allocs ../with.o -o a -Wl,-Map=a.map
  [ "$swept" -gt 5 ]
done
allocs report here/a | grep '2 typed' >/dev/null # without a fault
signal=2
sweep cc-allocs $signal stopped cc-allocs -O1 a.c -o a
