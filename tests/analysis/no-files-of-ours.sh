#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# However the user asks for dependencies, they are the compiler's alone; and no
# file of ours is left, in the working folder or in TMPDIR, be it full or gone.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

mkdir tmp
echo '#define N 1' >a.h
printf '#include "a.h"\nint main(void) { return sizeof(int) - 3 - N; }\n' >a.c
export TMPDIR=$work/tmp CC_ALLOCS_LOG=$work/tmp.log

check() { # check ARGUMENT...: the same files as without us, *.d alike
  local name
  for name in plain ours; do
    mkdir tree
    command=("$CCA_CC")
    [ $name = plain ] || command=(env CC_ALLOCS_CC="$CCA_CC" cc-allocs)
    (cd tree && cp ../a.c ../a.h . && "${command[@]}" "$@")
    rm -rf $name
    mv tree $name
  done
  diff <(ls plain) <(ls ours)
  for name in plain/*.d; do
    [ ! -e "$name" ] || cmp "$name" "ours/${name#*/}"
  done
  [ -z "$(ls tmp)" ]
}
check -c a.c -MD
check -c a.c -MMD -MF b.d -MT c.o -MP
check -c a.c -MD -MFb.d
check -c a.c -Wp,-MD,b.d
check -c a.c -Wp,-MMD,b.d -Wp,-MT,x
DEPENDENCIES_OUTPUT="e.d x.o" check -c a.c
SUNPRO_DEPENDENCIES="s.d x.o" check -c a.c
check a.c -o a
[ -e ours/a ]

# A command that fails, and one without a place for its folder.
not env CC_ALLOCS_CC="$CCA_CC" cc-allocs a.c -o no-such-dir/a 2>/dev/null
[ -z "$(ls tmp)" ]
TMPDIR=$work/nowhere CC_ALLOCS_CC="$CCA_CC" cc-allocs -c a.c
allocs dump a.o | grep '^unit .*source="a.c"' >/dev/null
