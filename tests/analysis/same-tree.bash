# shellcheck shell=bash
# shellcheck disable=SC2154 # common.sh, which comes first, sets them
# SPDX-License-Identifier: MIT
#
# same-tree.bash -- sourced after common.sh: a command does, file by file, what
# it does without cc-allocs.
#
# In:   src/, the files that the command finds; compiler, its compiler.
# Out:  plain/ and ours/, the folders that it has left.

need objcopy cmp
mkdir src
compiler=$CCA_CC

# is_same PLAIN OURS: byte for byte; objects but for our section, bitcode but
# for our block, which is behind it; linked files are for others to compare.
is_same() {
  cmp -s "$1" "$2" && return
  case $(file -b "$1") in
  *relocatable*)
    objcopy --remove-section=.cc_allocs "$2" back.tmp
    objcopy "$1" same.tmp
    cmp back.tmp same.tmp
    ;;
  *bitcode*) cmp -n "$(stat -c %s "$1")" "$1" "$2" ;;
  *executable* | *"shared object"*) ;;
  *) cmp "$1" "$2" ;;
  esac
}

# same_tree STATUS ARGUMENT...: in a copy of src/, with and without.
same_tree() {
  local want=$1 name status file command
  shift
  for name in plain ours; do # in one place, since debug information names it
    rm -rf tree $name
    cp -a src tree
    command=("$compiler")
    [ $name = plain ] || command=(env CC_ALLOCS_CC="$compiler" cc-allocs)
    status=0
    (cd tree && "${command[@]}" "$@" >../$name.out 2>../$name.err </dev/null) ||
      status=$?
    mv tree $name
    [ "$status" = "$want" ] || {
      echo "$name: $compiler $*: status $status, not $want" >&2
      cat $name.err >&2
      return 1
    }
    # Names of temporary files, and times, are not the command's doing.
    sed -i 's,/cc[A-Za-z0-9]\{6\}\.,/ccXXXXXX.,g' $name.out $name.err
  done
  cmp plain.out ours.out
  cmp plain.err ours.err
  diff <(cd plain && find . -printf '%p %y %m %n\n' | sort) \
    <(cd ours && find . -printf '%p %y %m %n\n' | sort) >&2
  while IFS= read -r -d "" file; do
    is_same "plain/$file" "ours/$file" || {
      echo "$compiler $*: $file differs" >&2
      return 1
    }
  done < <(cd plain && find . -type f -print0)
}

# summaries FILE...: "FILE SOURCE" for each unit with a summary, of those in
# ours/; a file that cannot even be looked at has a line that says so.
summaries() {
  local file status
  for file; do
    status=0
    allocs dump "ours/$file" >dumped 2>/dev/null || status=$?
    [ "$status" -le 1 ] || echo "$file: allocs dump, status $status"
    sed -n "/status=failed/d;s,^unit .*source=\"\([^\"]*\)\".*,$file \1,p" dumped
  done
}
