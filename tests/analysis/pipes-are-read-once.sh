#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What can be read only once is read by the compiler: a source or a header
# that is a pipe.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
export CC_ALLOCS_CC=$CCA_CC CC_ALLOCS_LOG=$work/log

echo 'int main(void) { return sizeof(int) - N; }' >a.c
echo '#define N 4' >n.h
mkfifo fifo

ran() { # ran COMMAND...: fed by fifo, and the program says that all was read
  timeout 600 "$@" &
  timeout 600 cp "$text" fifo
  wait $!
}
check() { # check TEXT INPUT...: the same program from a pipe, whole
  text=$1
  shift
  rm -f prog x.o
  ran cc-allocs -c "$@" -o x.o
  not allocs dump x.o >/dev/null 2>&1
  cc-allocs x.o -o prog
  ./prog
  rm -f prog
  ran cc-allocs "$@" -o prog
  ./prog
}
cat n.h a.c >whole.c
check whole.c -x c fifo
check n.h -include fifo a.c
check n.h -imacros fifo a.c
check n.h -Wp,-include,fifo a.c
cc-allocs -x c -c <(cat whole.c) -o x.o
cc-allocs x.o -o prog
./prog

# So is one that only the source names, however they race.  Where clang is not
# linked into the analyser there is nothing to keep it from reading.
if nm --defined-only "$build_dir/lib/cc-allocs/cca-analyze" |
  grep ' cca_own_clang$' >/dev/null; then
  printf '#include "fifo"\n#include "n2.h"\n' | cat - a.c >inc.c
  echo 'static int n2 = sizeof(int);' >n2.h
  text=n.h
  for _ in 1 2 3 4 5; do
    rm -f prog x.o
    ran cc-allocs -c inc.c -o x.o
    cc-allocs x.o -o prog
    ./prog
    allocs dump x.o | grep '^unit .*status=failed reason="./fifo:1: only the' \
      >/dev/null
  done
  # It is not missed where nobody includes it.
  printf '#if __has_include("none")\n#include "fifo"\n#endif\n' |
    cat - n.h n2.h a.c >other.c
  cc-allocs -c other.c -o x.o
  allocs dump x.o | grep '^unit .* marks=2 ' >/dev/null
fi

# Files are read by both, and so is a device without text.
cc-allocs -include n.h -imacros /dev/null -c a.c -o x.o
allocs dump x.o | grep '^unit .* marks=1 ' >/dev/null
