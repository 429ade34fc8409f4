#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SIGINT, SIGTERM or SIGKILL comes at any system call of ours that can be seen
# from outside, of which there are some tens in each program, and none is left
# out: the user's files are the compiler's, and nothing of ours is left.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/run/fault.bash
. "$here/fault.bash"
gcc -O1 "$source_dir/tests/run/at-call.c" -o at-call
./at-call true 9 1000 hit true || skip 'no process may be traced here'

gcc -c -O1 a.c -o plain.o
cc-allocs -c -O1 a.c -o with.o
gcc a.c -o plain
gcc -v with.o -o a 2>&1 | sed -n 's/^ [^ ]*collect2 //p' >words
read -ra words <words
for i in "${!words[@]}"; do # where ld.allocs is run, the object is above
  [ "${words[i]}" != with.o ] || words[i]=../with.o
done

# A compiler that has no other process and makes no file but its output, which
# it takes away, as they do, when it is stopped: $MADE, in two steps.
cat >compiler.c <<'END'
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static const char *output;
static void stop(int number) {
  unlink(output);
  signal(number, SIG_DFL);
  raise(number);
}
int main(int argc, char **argv) {
  static char bytes[1 << 20];
  output = argv[argc - 1];
  signal(SIGTERM, stop);
  signal(SIGINT, stop);
  int from = open(getenv("MADE"), O_RDONLY);
  ssize_t size = read(from, bytes, sizeof bytes), half = size / 2;
  unlink(output);
  int to = open(output, O_CREAT | O_WRONLY, 0777);
  return write(to, bytes, half) < 0 || usleep(20000) < 0 ||
         write(to, bytes + half, size - half) < 0 || close(to) != 0;
}
END
gcc -O1 compiler.c -o compiler

# See fault.bash, which sweeps this over N.
faulty() { # faulty PROGRAM SIGNAL N COMMAND...
  local at=("$work/at-call" "$1" "$2" "$3" "$work/hit") states
  shift 3
  (cd here && exec timeout 600 "${at[@]}" "$@" 2>&1) | cat >said && :
  states=("${PIPESTATUS[@]}")
  status=${states[0]}
}

# is_start FILE OF: it ends somewhere, as what a stopped compiler was writing.
is_start() { cmp -s -n "$(stat -c %s "$1")" "$1" "$2"; }
# The program itself dies of it.  It may be too late, where the compiler has done
# its work, which says when that was; of those points that came before, the
# compiler may reach its end in a moment that another program takes to tell it.
died() {
  [ "$status" != $((128 + signal)) ] || return 0
  [ "$status" = 0 ] && whole || return 1
  [ ! "here/$output" -nt hit ] || [ ! -e hit ] || too_late=$((too_late + 1))
  [ "$too_late" -le 3 ]
}
whole() { # the output is
  case $output in
  a.o) is_plain here/a.o plain.o ;;
  a) here/a ;;
  esac
}
stopped() {
  died && ours_are_gone && holds tmp && [ ! -s said ] &&
    { [ ! -e here/a.o ] || is_start here/a.o plain.o || is_plain here/a.o plain.o; } &&
    { [ ! -e here/a ] || is_start here/a plain; }
}
# Somebody below it does, and the wrapper ends as the compiler did, or the
# linker.
compiled() {
  [ "$status" = 0 ] && ours_are_gone && holds tmp && [ ! -s said ] &&
    is_plain here/a.o plain.o
}
linked() {
  [ "$status" = 0 ] && ours_are_gone && holds tmp && [ ! -s said ] && here/a
}
not_linked() { died && ours_are_gone && holds tmp && [ ! -s said ]; }

# more_than N: so many calls there were; else the sweep has seen nothing.
more_than() { [ "$swept" -gt "$1" ]; }
shim=$build_dir/lib/cc-allocs/shim/ld
export CC_ALLOCS_CC=$work/compiler CC_ALLOCS_CLANG=/bin/false # it is not about that
for signal in 9 15; do
  too_late=0 output=a.o
  MADE=$work/plain.o sweep cc-allocs $signal stopped cc-allocs -c a.c -o a.o
  more_than 10
  too_late=0 output=a
  sweep ld.allocs $signal not_linked "$shim" "${words[@]}"
  more_than 10
done
for signal in 9 15 2; do
  too_late=0 output=a
  MADE=$work/plain sweep cc-allocs $signal stopped cc-allocs a.c -o a
  more_than 10
done
export MADE=$work/plain.o
sweep cca-analyze 15 compiled cc-allocs -c a.c -o a.o
more_than 20
unset CC_ALLOCS_CLANG
sweep cca-analyze 9 compiled cc-allocs -c a.c -o a.o
more_than 20
allocs dump here/a.o | grep '^unit .* marks=1 ' >/dev/null # without a fault
sweep allocs 9 linked "$shim" "${words[@]}"
more_than 20
allocs report here/a | grep '2 typed' >/dev/null # without a fault

# A real compiler is told, and cleans up.  It has no time to note a file that it
# is stopped in the moment of making: such a one is its own, with us or without,
# and so is what it then says.
stopped_by_gcc() {
  died && ours_are_gone && [ -z "$(find tmp -mindepth 1 ! -name 'cc??????.*')" ] &&
    not grep -q 'cc-allocs' said &&
    { [ ! -e here/a.o ] || is_plain here/a.o plain.o; }
}
export CC_ALLOCS_CC=gcc
signal=15 too_late=0 output=a
sweep cc-allocs $signal stopped_by_gcc cc-allocs -O1 a.c -o a
more_than 10
