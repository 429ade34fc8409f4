# shellcheck shell=bash
# shellcheck disable=SC2154 # common.sh and who includes this set them
# SPDX-License-Identifier: MIT
#
# kept.bash -- sourced by the sweeps of faults while a symbol table is kept, behind
# common.sh and fault.bash.
#
# In:   good/, a folder with the cache of a table in which `middle' is a function.
# Out:  name, its file's; another/, with one of another version in its place, which is
#       not believed, and lies; nothing/; is_kept_or_not and met.

# make_folders NAME
make_folders() {
  name=$1
  mkdir -m 700 another nothing
  cp "good/$name" another
  python3 "$source_dir/tests/runtime/cache-file.py" "another/$name" \
    "$(first_place 'cc-allocs 0')=cc-allocs 9" "$(first_place middle)=muddle"
}
first_place() { grep -abo "$1" "good/$name" >places && head -n 1 places | cut -d: -f1; }

# is_kept_or_not: what is in here/caches is the cache that was there, or all of the new
# one; what a writer left is none, and goes when it is old. Notes in which state it was.
declare -A states=()
is_kept_or_not() {
  local file=here/caches/$name parts
  if [ ! -e "$file" ]; then
    states[none]=1
  elif cmp -s "$file" "good/$name"; then
    states[new]=1
  else
    cmp -s "$file" "another/$name" || return
  fi
  parts=("$file".*.part)
  [ ${#parts[@]} -gt 0 ] || return 0
  states[part]=1
  touch -d '2 hours ago' "${parts[@]}"
  allocs cache prune --dir "$work/here/caches" >/dev/null || return
  parts=("$file".*.part)
  [ ${#parts[@]} = 0 ]
}

# met STATE...: all these states were, since it was last asked.
met() {
  local state
  for state; do
    [ "${states[$state]:-}" = 1 ] || { echo "never $state" && false; } >&2
  done
  states=()
}

# ended STATUS...: the status is one of these, or 0 where nothing went wrong.
ended() {
  case " $* " in *" $status "*) ;; *) [ "$status" = 0 ] && [ ! -e hit ] ;; esac
}
