#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A limit on the size of files (ulimit -f) that our own files reach - the log,
# the object with its summary - ends nothing of the build and leaves nothing.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
export CC_ALLOCS_CC=$CCA_CC CC_ALLOCS_LOG=$work/log

mkdir tmp here
export TMPDIR=$work/tmp
echo 'int main(void) { return sizeof(int) - 4; }' >here/a.c
head -c 4096 /dev/zero | tr '\0' '\n' >log # ulimit counts KiB
cd here
"$CCA_CC" -c a.c -o plain.o
size=$(stat -c %s plain.o)

# Room for the compiler's object, not for ours.
(ulimit -f $(((size + 1023) / 1024)) && cc-allocs -c a.c)
cmp a.o plain.o
(ulimit -f 4 && cc-allocs -c a.c && cc-allocs -E a.c >/dev/null)
[ "$(stat -c %s ../log)" = 4096 ]
[ "$(ls -A . ../tmp)" = ".:
a.c
a.o
plain.o

../tmp:" ]

# Nor does a log that is a pipe without a reader stop it.
mkfifo pipe
CC_ALLOCS_LOG=pipe timeout 600 cc-allocs -c a.c
allocs dump a.o | grep '^unit .* marks=1 ' >/dev/null
