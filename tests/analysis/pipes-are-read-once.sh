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
  timeout 20 "$@" &
  timeout 20 cp "$text" fifo
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

# Files are read by both, and so is a device without text.
cc-allocs -include n.h -imacros /dev/null -c a.c -o x.o
allocs dump x.o | grep -q '^unit .* marks=1 '
