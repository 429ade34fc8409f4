# shellcheck shell=bash
# shellcheck disable=SC2154 # common.sh, which comes first, sets them
# SPDX-License-Identifier: MIT
#
# fault.bash -- sourced by the tests that sweep a fault, after common.sh.
#
# In:   a program in here/, all of whose files are the user's.
# Out:  sweep, which lets the fault happen at its Nth chance, for each N.

need gcc
grep -q 'CCA_SANITIZE:STRING=$' "$build_dir/CMakeCache.txt" ||
  skip 'sanitizers have malloc for themselves'
gcc -shared -fPIC -O1 "$source_dir/tests/run/fault.c" -o fault.so
mkdir tmp here
shopt -s nullglob dotglob extglob globstar # a sweep has hundreds of steps: few forks in each
export TMPDIR=$work/tmp CC_ALLOCS_CC=gcc
cat >here/a.c <<'END'
#include <stdlib.h>
struct s { struct s *next; char text[8]; };
static struct s *make(void) { return malloc(sizeof(struct s)); }
int main(void) { free(make()); return 0; }
END
cp here/a.c a.c

# faulty PROGRAM KIND N COMMAND...: status is set to the command's.  Whoever
# outlives it, a compiler or a linker, is waited for: it holds the pipe.
faulty() {
  local fault="$1 $2 $3" states
  shift 3
  (cd here && CCA_FAULT="$fault" CCA_FAULT_HIT="$work/hit" \
    LD_PRELOAD="$work/fault.so" exec timeout 600 "$@" 2>&1) | cat >said && :
  states=("${PIPESTATUS[@]}")
  status=${states[0]}
}

# sweep PROGRAM KIND CHECK COMMAND...: run the command and then CHECK, with the
# fault at chance 1, 2, 3, ..., until there is no such chance; allocations in
# longer and longer steps, for there are thousands.  swept is the last.
sweep() {
  local program=$1 kind=$2 check=$3 n=1
  shift 3
  swept=0
  while :; do
    rm -rf hit here/!(a.c)
    faulty "$program" "$kind" "$n" "$@"
    if ! "$check"; then
      echo "with '$program $kind $n': $*, status $status" >&2
      head -n 3 said >&2
      ls -A here tmp >&2
      return 1
    fi
    [ -e hit ] || break
    # shellcheck disable=SC2034 # for who includes this
    swept=$n
    case $kind in
    memory*) n=$((n + 1 + n / 5)) ;;
    *) n=$((n + 1)) ;;
    esac
  done
}

# holds FOLDER [NAME...]: what is in FOLDER is just this, in order of name.
holds() {
  local found=("$1"/*)
  shift
  [ "${found[*]##*/}" = "$*" ]
}

# ours_are_gone: nothing of ours is in tmp or here/; some of it takes its time.
ours_are_gone() {
  local found
  for ((i = 0; i < 6000; i++)); do
    found=({tmp,here}/**/{cc-allocs.*,cca-*,.cca-*,*cc_allocs*})
    [ ${#found[@]} != 0 ] || return 0
    sleep 0.05
  done
  return 1
}

# is_plain FILE PLAIN: the compiler's object, with our section or without.
is_plain() {
  cmp -s "$1" "$2" || {
    objcopy --remove-section=.cc_allocs "$1" back.o
    [ -e "$2.same" ] || objcopy "$2" "$2.same"
    cmp back.o "$2.same"
  }
}
