#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A process is killed before each call of the runtime that touches a file - each
# open, write, fsync, rename - and in turn each of them fails: the folder has no
# cache or a whole one, the program ends as it does, and the next process concludes
# what it would without.  The same for every amount of room on a disk.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
# shellcheck source=tests/runtime/caches.bash
. "$here/caches.bash"

gcc -shared -fPIC -O1 -DCALLS_ALONE "$source_dir/tests/run/fault.c" -o fault.so
concluded without --no-cache

# faulty KIND N: ./main, with the fault at chance N of the runtime; its status.
faulty() {
  rm -rf heap hit
  mkdir heap
  status=0
  { # bash says who was killed
    (LD_PRELOAD="$build_dir/lib/libccallocs-runtime.so $PWD/fault.so" \
      CC_ALLOCS_HEAP=$PWD/heap CC_ALLOCS_CACHE=$caches CCA_FAULT_HIT=$PWD/hit \
      CCA_FAULT="libccallocs-runtime.so $1 $2" exec ./main >out 2>&1) ||
      status=$?
  } 2>/dev/null
  [ ! -s out ] || { cat out && false; } >&2
}

# sound: every cache in the folder is whole.
sound() {
  local left
  left=$(find "$caches" -name '*.cache' 2>/dev/null | wc -l || :)
  [ "$left" -le 1 ] && { [ "$left" = 0 ] || allocs cache verify >/dev/null; }
}

# sweep KIND STATUS: from an empty folder, and over a cache that is there, of which
# half has to be written anew.
sweep() {
  local kind=$1 wanted=$2 n
  for before in nothing another; do
    for ((n = 1; ; n++)); do
      rm -rf "$caches"
      if [ "$before" = another ]; then
        mkdir -m 700 "$caches"
        cp half "$caches/$name"
      fi
      faulty "$kind" "$n"
      [ -e hit ] || break
      [ "$status" = "$wanted" ] || { echo "$before, $kind $n: $status" && false; } >&2
      sound || { echo "$before, $kind $n: a broken cache" && false; } >&2
      swept[n]=$(find "$caches" -type f -printf '%f\n' 2>/dev/null |
        sed 's/.*part/part/; s/.*cache$/cache/' | sort | tr '\n' ' ' || :)
      if [ "$before" = nothing ]; then # what the next one makes of it
        faulty none 0
        if [ "$status" != 0 ] ||
          ! grep -qE '^(used|absent|folder)' heap/*.cache; then
          echo "$kind $n, then $status: $(cat heap/*.cache)" >&2
          false
        fi
      fi
    done
    if [ "$status" != 0 ] || [ "$n" -le 15 ]; then
      echo "$before, $kind: $((n - 1)) chances, $status" >&2
      false
    fi
    # Chances were met with nothing, with a part, and with all of it.
    for state in 'part ' 'cache '; do
      [ "$kind" = fail ] || grep -q "$state" <<<"${swept[*]}" ||
        { echo "$before, $kind: never $state in ${swept[*]}" && false; } >&2
    done
  done
}
declare -a swept=()
faulty none 0
[ "$(cut -f7 heap/*.cache)" = written ]
name=$(basename "$caches"/*.cache)
patch_cache "$caches/$name" 'cc-allocs 0=cc-allocs 9'
cp "$caches/$name" half
sweep kill 137
sweep fail 0

# In the end, what is concluded is what it was.
rm -rf "$caches"
concluded first
concluded second
cmp without.json second.json
cmp without.txt second.txt

# Disks with less and less room.
unshare -rm true 2>/dev/null || skip 'there are no mount namespaces here'
cat >disk.sh <<'EOF'
mount -t tmpfs -o size="$1"k,nr_inodes=0,mode=700 tmpfs "$CC_ALLOCS_CACHE" || exit 77
LD_PRELOAD=$2 ./main || exit 1
[ -z "$(find "$CC_ALLOCS_CACHE" -name '*.part')" ] || exit 2
find "$CC_ALLOCS_CACHE" -name '*.cache' | grep . >/dev/null || { echo none; exit 0; }
allocs cache verify >/dev/null && echo whole
EOF
rm -rf "$caches"
mkdir -m 700 "$caches"
for room in 4 8 12 16 64; do
  CC_ALLOCS_CACHE=$caches unshare -rm \
    bash disk.sh $room "$build_dir/lib/libccallocs-runtime.so" || {
    [ $? = 77 ] && skip 'there are no mounts here'
    false
  }
done | uniq >rooms
expect rooms <<'EOF'
none
whole
EOF
