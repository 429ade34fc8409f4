#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One allocation fails, or all from there on, anywhere beside a compiler:
# status, output and object are the compiler's, and nothing is left.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/run/fault.bash
. "$here/fault.bash"

gcc -c -O1 a.c -o plain.o
compiled() {
  [ "$status" = 0 ] && [ ! -s said ] && holds tmp && holds here a.c a.o &&
    is_plain here/a.o plain.o
}
for kind in memory memory+; do
  sweep cc-allocs $kind compiled cc-allocs -O1 -c a.c
  [ "$swept" -gt 5 ]
done
sweep cca-analyze memory compiled cc-allocs -O1 -c a.c
[ "$swept" -gt 100 ]
allocs dump here/a.o | grep '^unit .* marks=1 ' >/dev/null # without a fault
