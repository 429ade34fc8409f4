#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No clang, a clang that dies, that hangs until it is killed, a full disk: the
# object is the compiler's, without a word, and what is known is recorded.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

echo 'int x; int main(void) { return sizeof(int) - 4; }' >a.c
"$CCA_CC" -c a.c -o plain.o
export CC_ALLOCS_CC=$CCA_CC CC_ALLOCS_LOG=$work/log

build() { # build WANTED-REASON: compiles silently, and the summary says why
  rm -f log a.o
  cc-allocs -c a.c >said 2>&1
  [ ! -s said ]
  objcopy --remove-section=.cc_allocs a.o back.o
  objcopy plain.o same.o
  cmp back.o same.o
  allocs dump a.o | grep "^unit .*status=failed reason=\"$1\"" >/dev/null
}
CC_ALLOCS_CLANG=/nonexistent build 'clang could not be started'
printf '#!/bin/sh\nkill -SEGV $$\n' >crashing
printf '#!/bin/sh\nexit 3\n' >failing
printf '#!/bin/sh\necho "a.c:1:7: error: no such thing" >&2; exit 1\n' >refusing
printf '#!/bin/sh\necho "/usr/include/b.h:9:7: fatal error: none" >&2; exit 1\n' >fatal
chmod +x crashing failing refusing fatal
CC_ALLOCS_CLANG=$work/crashing build \
  'clang was ended by signal 11 (Segmentation fault)'
CC_ALLOCS_CLANG=$work/failing build 'clang exited with status 3'
CC_ALLOCS_CLANG=$work/refusing build 'a.c:1: no such thing'
CC_ALLOCS_CLANG=$work/fatal build 'b.h:9: none'

# An analysis that is killed leaves the object as the compiler made it.
printf '#!/bin/sh\nkill -KILL $PPID; sleep 5\n' >killing
chmod +x killing
CC_ALLOCS_CLANG=$work/killing cc-allocs -c a.c
cmp a.o plain.o
grep -q 'a.c: the analysis ended with signal 9' log

# With clang everything is there again: the checks above can fail.
cc-allocs -c a.c
allocs dump a.o | grep '^unit .*source="a.c".* marks=1 ' >/dev/null
