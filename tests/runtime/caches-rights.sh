#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Who could have written a cache decides whether it is believed, in the user's folder
# and in the shared one: each owner, mode and link has its reason. A program with other
# rights than its user's reads none and writes none. The cache of this test lies: who
# believes it says so.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need setpriv
[ "$(id -u)" = 0 ] || skip "only root can be another user"
user=65534 other=65533

cat >main.c <<'EOF'
#include <ccallocs/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
struct truth { long x[3]; };
struct lie { long x[3]; };
void *volatile p;
int main(int argc, char **argv) {
  struct cca_object o = {.type = "none"};
  (void)argv;
  p = malloc(sizeof(struct truth));
  if (argc > 1) p = malloc(sizeof(struct lie));
  cca_describe(p, &o);
  printf("%s, secure %lu\n", o.type, getauxval(AT_SECURE));
  return 0;
}
EOF
cp "$build_dir/lib/libccallocs-runtime.so.0" .
cc-allocs -O1 -g -I"$source_dir/include" main.c libccallocs-runtime.so.0 \
  -Wl,-rpath,"$work" -o main
chmod 755 . main libccallocs-runtime.so.0
mkdir -m 777 records

# as USER FOLDER SHARED: main as that user, with these folders; what it says is in
# `out`, what became of the cache in `state`.
as() {
  rm -f records/*
  setpriv --reuid="$1" --regid="$1" --clear-groups env CC_ALLOCS_HEAP="$work/records" \
    CC_ALLOCS_CACHE="$2" CC_ALLOCS_CACHE_SHARED="$3" \
    CC_ALLOCS_CACHE_WRITE="$write" ./main >out
  cut -f1 records/*.cache >state 2>/dev/null || true # none, of other rights
}

write='exit'
# The lie: the first site is the second.
mkdir -m 700 first
as 0 "$work/first" ''
expect state <<<absent
expect out <<<'struct truth, secure 0'
cp first/*.cache lie
name=$(basename first/*.cache)
at=$(python3 - lie <<'EOF'
import struct, sys
data = open(sys.argv[1], "rb").read()
chunks = {i: (s, c, o) for i, s, c, o in struct.iter_unpack(
    "<4I", data[32:32 + 16 * struct.unpack_from("<I", data, 20)[0]])}
size, count, offset = chunks[3]
for row in range(count):
    if struct.unpack_from("<I", data, offset + row * size + 8)[0] == 0:
        print(offset + row * size + 8)
        break
EOF
)
python3 "$source_dir/tests/runtime/cache-file.py" lie "$at=$(printf '\001')"

# place OWNER MODE FILE-OWNER FILE-MODE: a folder with the lie in it.
place() {
  rm -rf place aside
  mkdir -m "$2" place
  chmod "$2" place
  install -m "$4" -o "$3" lie "place/$name"
  chown "$1" place
}
# believed: it is; refused REASON: it is not, and the truth is found out.
believed() {
  expect state <<<used
  expect out <<<'struct lie, secure 0'
}
refused() {
  expect state <<<"$1"
  expect out <<<'struct truth, secure 0'
}
# says STATUS STATE [--shared]: what `allocs cache verify` says to the user.
says() {
  local status=0
  setpriv --reuid=$user --regid=$user --clear-groups allocs cache verify --json \
    --dir "$work/place" "${@:3}" >verified 2>/dev/null || status=$?
  [ $status = "$1" ]
  [ "$1" = 2 ] || grep -q "\"state\": \"$2\"" verified
}
# own|shared STATE: main as the user, with `place` as that folder and no other; and
# what is said of it.
own() {
  as $user "$work/place" ''
  judged "$1"
}
shared() {
  as $user '' "$work/place"
  judged "$1" --shared
}
judged() {
  case $1 in
  used)
    believed
    says 0 "$@"
    ;;
  folder*)
    refused "$1"
    says 2 "$@"
    ;;
  *)
    refused "$1"
    says 1 "$@"
    ;;
  esac
}

write='never'
# Of a folder that is the user's, or the superuser's and shared, as they should be.
for mode in 700 755; do
  place $user "$mode" $user 600
  own used
done
for owner in 0 $user; do
  place "$owner" 755 "$owner" 644
  shared used
done
place 0 755 $user 600
shared used

# The folder: of another user, of modes that let others in, behind a link, none.
for owner in 0 $other; do
  place "$owner" 755 $user 644
  own folder-owner
done
for owner in 0 $other; do
  place $other 755 "$owner" 644
  shared folder-owner
done
for mode in 770 702 1777; do
  place $user "$mode" $user 600
  own folder-mode
done
for mode in 775 757 1777; do
  place 0 "$mode" 0 644
  shared folder-mode
done
for kind in own shared; do
  place $user 755 $user 644
  mv place aside
  ln -s "$work/aside" place
  if [ $kind = own ]; then as $user "$work/place" ''; else as $user '' "$work/place"; fi
  refused folder # `allocs cache --dir` asks of what the link leads to
  rm place
  echo >place
  $kind folder
done

# The file.
place $user 700 0 644
own owner
place $user 755 $other 644
own owner
place 0 755 $other 644
shared owner
for mode in 620 602 666; do
  place $user 700 $user "$mode"
  own mode
done
for mode in 664 646; do
  place 0 755 0 "$mode"
  shared mode
done
for kind in own shared; do
  owner=$([ $kind = own ] && echo $user || echo 0)
  place "$owner" 755 "$owner" 644
  ln "place/$name" aside
  $kind links
  place "$owner" 755 "$owner" 644
  mv "place/$name" aside
  ln -s "$work/aside" "place/$name"
  $kind kind
done

write='exit'
# Nothing is written where others could: the lie is as it was, and nothing is there
# beside it; in a folder that is the user's alone a good one takes its place.
untouched() {
  [ "$(ls -A place)" = "$name" ]
  cmp lie "place/$name"
}
place $user 777 $user 600
own folder-mode
untouched
place 0 755 $user 644
own folder-owner
untouched
place $user 700 $user 620
as $user "$work/place" ''
refused mode
[ "$(ls -A place)" = "$name" ]
as $user "$work/place" ''
expect state <<<used
expect out <<<'struct truth, secure 0'

# Other rights: it is the superuser by its file, and the caches are the superuser's.
# The twin is the superuser himself.
place 0 755 0 644
as 0 "$work/place" "$work/place"
believed
chmod u+s main
as $user "$work/place" "$work/place"
grep -q 'secure 1' out || skip "set-user-ID is ignored here"
expect out <<<'struct truth, secure 1'
[ -z "$(ls -A records)" ]
untouched
rm "place/$name"
as $user "$work/place" ''
expect out <<<'struct truth, secure 1'
[ -z "$(ls -A place)" ]
chmod u-s main
as 0 "$work/place" ''
[ "$(ls -A place)" = "$name" ]
