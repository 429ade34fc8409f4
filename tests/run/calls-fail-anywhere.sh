#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Any call of ours that needs room - on a disk, for a process, for a pipe -
# fails: status, output, object and program are the compiler's.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/run/fault.bash
. "$here/fault.bash"

gcc -c -O1 a.c -o plain.o
cc-allocs -c -O1 a.c -o with.o
good() { [ "$status" = 0 ] && [ ! -s said ] && holds tmp; }
compiled() { good && holds here a.c a.o && is_plain here/a.o plain.o; }
linked() { good && holds here a a.c && here/a; }

sweep cc-allocs fail compiled cc-allocs -O1 -c a.c
[ "$swept" -ge 2 ]
sweep cca-analyze fail compiled cc-allocs -O1 -c a.c
[ "$swept" -gt 10 ]
sweep cc-allocs fail linked cc-allocs -O1 a.c -o a
[ "$swept" -ge 5 ]
sweep ld.allocs fail linked cc-allocs ../with.o -o a
[ "$swept" -ge 5 ]
sweep ld.allocs fail linked cc-allocs -fuse-ld=lld ../with.o -o a
[ "$swept" -ge 5 ]
sweep allocs fail linked cc-allocs ../with.o -o a
[ "$swept" -ge 5 ]
sweep cca-plugin.so fail linked cc-allocs ../with.o -o a
[ "$swept" -ge 3 ]
allocs report here/a | grep '2 typed' >/dev/null # without a fault
