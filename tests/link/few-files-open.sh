#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Where few files may be open at once (ulimit -n), a link with us does what it does
# without, down to where it fails; where there are enough, it has a
# classification.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc ld.bfd
export CC_ALLOCS_CC=gcc

cat >a.c <<'END'
#include <stdlib.h>
int main(void) { free(malloc(sizeof(long))); return 0; }
END
cc-allocs -c a.c
linked() { # linked OUTPUT COMPILER: its status and what it says
  local status=0
  rm -f "$1"
  "$2" -fuse-ld=bfd a.o -o "$1" >"$1.said" 2>&1 || status=$?
  sed 's/cc[A-Za-z0-9]\{6\}\./ccXXXXXX./g' "$1.said"
  echo $status
}
for files in 7 8 9 10 11 12 13 14 16 20; do
  (ulimit -n $files && linked plain gcc) >want
  (ulimit -n $files && linked with cc-allocs) >got
  diff -u want got >&2
  tail -n 1 want
done | sort -u >met # some links do, some do not
expect met <<'END'
0
1
END
(ulimit -n 64 && linked with cc-allocs) >got
expect got <<<0
allocs report with | grep '1 typed' >/dev/null
