#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever happens to clang, in the analyser or as a program of its own, happens
# to a process that is not the analyser's: the object is the compiler's, without
# a word, the summary has the reason, and neither files nor processes are left.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc
mkdir tmp
export TMPDIR=$work/tmp CC_ALLOCS_CC=gcc CC_ALLOCS_LOG=$work/log
linked=no
! nm --defined-only "$build_dir/lib/cc-allocs/cca-analyze" |
  grep ' cca_own_clang$' >/dev/null || linked=yes

# Clang alone does what it does for its own tests, in either of its runs.
bad() { # bad NAME: a source at which it goes wrong
  printf '%s\n' '#ifdef __clang__' "#pragma clang __debug $1" '#endif' \
    'int x = sizeof(int);' >a.c
  gcc -c a.c -o plain.o
}
# build REASON: compiles silently, and the summary says why.
build() {
  rm -f a.o
  cc-allocs -c a.c >said 2>&1
  [ ! -s said ] && [ -z "$(ls tmp)" ]
  objcopy --remove-section=.cc_allocs a.o back.o
  objcopy plain.o same.o
  cmp back.o same.o
  allocs dump a.o | grep "^unit .*status=failed reason=\"$1" >/dev/null || {
    allocs dump a.o | grep ^unit >&2
    return 1
  }
}
signal='clang was ended by signal'

# start: a compilation whose clang does not end; its process, and clang's. The
# compiler has ended, so that no file of its own is left when we are killed.
start() {
  rm -f a.o
  CC_ALLOCS_SECONDS=60 cc-allocs -c a.c &
  wrapper=$!
  for _ in $(seq 600); do
    analyst=$(pgrep -P $wrapper cca-analyze) && clang=$(pgrep -P "$analyst") &&
      [ "$(pgrep -P $wrapper)" = "$analyst" ] && return
    sleep 0.05
  done
  return 1
}
ended() { # ended PROCESS: soon, though nobody may bury it
  for _ in $(seq 200); do
    grep -q '^State:[[:space:]]*[^Z]' "/proc/$1/status" 2>/dev/null || return 0
    sleep 0.05
  done
  return 1
}
if [ $linked = yes ]; then
  bad crash && build "$signal [45] (.*)\"$"
  bad parser_crash && build "$signal [45] (.*)\" digest="
  bad llvm_fatal_error && build "$signal 6 (Aborted)\"$"
  bad overflow_stack
  CC_ALLOCS_SECONDS=1 build 'clang was ended: its time was up"$'
  start
  kill -KILL "$clang"
  wait $wrapper
  allocs dump a.o | grep "reason=\"$signal 9 (Killed)\"$" >/dev/null
  start
  kill -KILL $wrapper
  ended "$clang"
fi
# The installed clang tells of its crash itself.
for name in crash parser_crash; do
  bad $name
  CC_ALLOCS_CLANG=${CCA_CLANG:-clang-19} build \
    'clang: clang frontend command failed'
done

# Too little memory for clang, and enough for gcc.
if [ $linked = yes ]; then
  {
    echo '#ifdef __clang__'
    for i in $(seq 20000); do
      echo "int f$i(int a) { return a ? $i : sizeof(a); }"
    done
    echo '#endif'
    echo 'int x = sizeof(int);'
  } >a.c
  gcc -c a.c -o plain.o
  (ulimit -v 120000 && build "$signal 6 (Aborted)\" digest=")
fi

# Nothing of all this is said of a source at which nothing goes wrong.
bad nothing
not build failed 2>err
grep '^unit .* marks=1 ' err >/dev/null
