#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SIGINT, SIGTERM or SIGKILL comes to the linker, to ld.allocs, or to all of them
# as from a terminal, early and late in a link, and in the midst of the solver: they
# end as the linker alone does, which is swept too, with what it has written, and
# no file or process of ours is left.
#
# A test that is to run with each linker is this file, to which
# stopped-linker-bfd.sh, ... are links.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/run/fault.bash
. "$here/fault.bash"
linker=${0##*-} linker=${linker%.sh}
need "ld.$linker" flock
[ -e /proc/$$/task/$$/children ] || skip "no children in /proc here"
gcc -O1 "$source_dir/tests/run/at-call.c" -o at-call
./at-call true 9 1000 hit true || skip 'no process may be traced here'

cc-allocs -c -O1 a.c
gcc -v "-fuse-ld=$linker" a.o -o a 2>&1 | sed -n 's/^ [^ ]*collect2 //p' |
  sed 's/ -fuse-ld=[a-z]*//' >words # that is collect2's own
read -ra words <words
for i in "${!words[@]}"; do # the object is above
  [ "${words[i]}" != a.o ] || words[i]=../a.o
done
plain=$(command -v "ld.$linker") ours=$build_dir/lib/cc-allocs/shim/ld.$linker
program=$(readlink -f "$plain") program=${program##*/}
meant=$program
[ "$linker" != mold ] || meant=+$program # it works in a child

# stopped SIGNAL N COMMAND...: at call N of the linker.
stopped() {
  local signal=$1 n=$2
  shift 2
  rm -rf hit here/!(a.c)
  (cd here && exec timeout 600 ../at-call "$meant" "$signal" "$n" ../hit \
    "$@" "${words[@]}" >../said 2>&1) || status=$?
}
# as_alone: the status is the linker's own.  mold catches what it can, as soon as
# it has begun.
as_alone() {
  if [ "$linker" = mold ] && [ "${signal#-}" != 9 ] && [ "$status" = 1 ]; then
    catches=yes
  else
    [ "$status" = $((128 + ${signal#-})) ] && [ $catches = no ]
  fi
}

# Each point is twice as far as the one before, since most of what differs is
# early, and for the linker alone, which knows nothing of us, four times.  What
# SIGINT and SIGTERM do is the same code's work, so that they take turns.
for signals in '2 15' 9 '-2 -15' -9; do
  for command in "$plain" "$ours"; do
    [ "$command" = "$plain" ] && factor=4 least=2 || factor=2 least=4
    read -r signal next <<<"$signals $signals"
    catches=no
    for ((n = 1, met = 0; ; n = n * factor + factor - 1, met++)); do
      status=0
      stopped "$signal" $n "$command" 2>/dev/null
      [ -e hit ] || break
      # lld's threads may complain that its file has gone.
      if ! as_alone || [[ $(<said) = *allocs* ]] ||
        { [ -x here/a ] && ! here/a; } || ! ours_are_gone || ! holds tmp; then
        echo "$command, signal $signal at call $n: status $status" >&2
        head -n 3 said >&2
        ls -A here tmp >&2
        exit 1
      fi
      read -r signal next <<<"$next $signal"
    done
    [ "$met" -ge "$least" ]
    [ "$linker" != mold ] || [[ $signals = *9 ]] || [ $catches = yes ]
    [ "$status" = 0 ] && here/a # the last one, which was not stopped
  done
done
allocs report here/a | grep '2 typed' >/dev/null

# The solver waits for analyses that do not end, as it does where the same command
# compiles and links.
mkdir units
exec {lock}>units/lock
flock $lock
# child PROCESS FILE: the child of it that runs FILE; it fails if PROCESS ends
# without one.
child() {
  local pid pids
  while kill -0 "$1"; do
    read -ra pids <"/proc/$1/task/$1/children" || :
    for pid in "${pids[@]}"; do
      [[ ! /proc/$pid/exe -ef $2 ]] || { echo "$pid" && return; }
    done
    sleep 0.02
  done
  return 1
}
# gone PROCESS: there is no such process any more, or it has only to be waited
# for.
gone() {
  local state
  for _ in $(seq 6000); do
    state=$(sed -n 's/^State:.\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null) || :
    [[ $state = [!ZX] ]] || return 0
    sleep 0.05
  done
  return 1
}
who=(linker shim all)
[[ $linker = @(bfd|gold) ]] || who=(shim all) # it solves before it links
for signal in INT TERM KILL; do
  for whom in "${who[@]}"; do
    rm -rf here/!(a.c)
    # The group is its own, and of those signals none is ignored in it.
    (cd here && CC_ALLOCS_UNITS=$work/units exec \
      env --default-signal=INT setsid "$ours" "${words[@]}") &
    shim=$!
    process=$shim
    [ ${#who[@]} = 2 ] || process=$(child $shim "$plain")
    solver=$(child "$process" "$build_dir/bin/allocs")
    case $whom in
    linker) kill -s $signal "$process" ;;
    shim) kill -s $signal $shim ;;
    all) kill -s $signal -- -$shim ;;
    esac
    status=0
    wait $shim 2>/dev/null || status=$?
    [ "$status" = $((128 + $(kill -l $signal))) ]
    gone "$solver"
    ours_are_gone && holds tmp
    holds here a.c || [ ! -x here/a ]
  done
done
