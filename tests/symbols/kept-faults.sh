#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# While a symbol table is kept or asked, `allocs symbolize` is killed before each call that
# touches a file - each open, read, write, fsync, rename - and in turn each of them fails,
# and each allocation: the answer is right or there is none, the cache is none, the one
# that was there or the whole new one, and the next one who asks has the right answer.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/run/fault.bash
. "$source_dir/tests/run/fault.bash"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"
# shellcheck source=tests/symbols/kept.bash
. "$here/kept.bash"

write_inlined
"$CCA_CC" -O1 -g inlined.c
outer=$(address_of a.out outer)
inlined_answer "$work" >wanted
mkdir -m 700 good
allocs symbolize --cache good -fi "$outer" >said
cmp said wanted
make_folders "$(basename good/*.cache)"

# from BEFORE [OPTION...]: the command, with a folder of that content.
from() {
  echo "cp -r $work/$1 caches; exec allocs symbolize --cache caches ${*:2} -fie $work/a.out $outer"
}

# sound STATUS...: the command ended so, or rightly.
sound() {
  ended "$@" || return
  if [ "$status" = 0 ]; then
    cmp -s said wanted
  elif [ -s said ]; then # what is wrong, in one line; or it was killed behind the answer
    cmp -s said wanted || [[ $(<said) =~ ^('allocs symbolize'|'cc-allocs')': '[^$'\n']*$ ]]
  fi || return
  is_kept_or_not || return
  allocs symbolize --cache here/caches -fi "$outer" >said 2>&1
  cmp -s said wanted
}
killed() { sound 137; }
failed() { sound 0 2; }
starved() { sound 0 2 71; }

for before in nothing another; do
  sweep allocs kill killed bash -c "$(from $before)"
  [ "$swept" -ge 12 ]
  met new part
  sweep allocs fail failed bash -c "$(from $before)"
  [ "$swept" -ge 12 ]
  met new
done
sweep allocs break failed bash -c "$(from nothing)"
met new none
# A good one is there: it is asked, and never touched.
sweep allocs kill killed bash -c "$(from good)"
sweep allocs fail failed bash -c "$(from good)"
[ "$swept" -ge 3 ]

# Memory: elfutils goes on without, so that a server makes the table, which has its own.
mkdir -m 700 run
XDG_RUNTIME_DIR=$work/run allocs symserver >path &
trap 'kill $!; clean_up' EXIT
until [ -s path ]; do sleep 0.05; done
for kind in memory memory+; do
  sweep allocs $kind starved bash -c "$(from nothing "--server=$(<path) --no-start")"
  [ "$swept" -ge 10 ]
  met new none
  sweep allocs $kind starved bash -c "$(from good)"
done
