#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One allocation fails, or all from there on, anywhere beside a linker, or
# beside a compiler that links: the program is there, no word, and nothing left.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/run/fault.bash
. "$here/fault.bash"

cc-allocs -c -O1 a.c
linked() {
  [ "$status" = 0 ] && [ ! -s said ] && holds tmp && holds here a a.c && here/a
}
has_note() {
  allocs report here/a | grep '2 typed' >/dev/null
}
sweep cc-allocs memory linked cc-allocs a.c -o a
[ "$swept" -gt 10 ]
has_note
for kind in memory memory+; do
  sweep ld.allocs $kind linked cc-allocs ../a.o -o a
  [ "$swept" -gt 5 ]
  has_note
done
sweep cca-plugin.so memory linked cc-allocs ../a.o -o a
[ "$swept" -gt 2 ]
has_note
sweep ld.allocs memory linked cc-allocs -fuse-ld=lld ../a.o -o a
[ "$swept" -gt 5 ]
has_note
sweep allocs memory linked cc-allocs ../a.o -o a
[ "$swept" -gt 20 ]
has_note
