#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `allocs cache` lists, verifies and prunes what `allocs run` left, and says why it
# would not be used; for programs in JSON as docs/cache.schema.json has it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

for name in one two; do
  cat >$name.c <<EOF
#include <stdlib.h>
struct $name { long x[3]; };
void *volatile kept;
int main(void) { kept = malloc(sizeof(struct $name)); return 0; }
EOF
  cc-allocs -g $name.c -o $name
done
caches=$XDG_CACHE_HOME/cc-allocs
status() { "$@" >out 2>err || echo $?; }

# Nothing yet.
[ "$(status allocs cache list)" = 1 ]
expect err <<<"allocs cache: $caches: no cache in it"
mkdir -p "$XDG_CACHE_HOME"
allocs run -o /dev/null ./one
allocs run -o /dev/null ./two
touch -d 2020-02-02T02:02Z "$(grep -l "$PWD/two" "$caches"/*)"

allocs cache list >out
[ "$(sed 1d out | awk '{ print $NF }')" = "$PWD/one"$'\n'"$PWD/two" ]
grep -q '2020-02-02 02:02 .*two$' out
allocs cache list ./two >out
[ "$(sed 1d out | awk '{ print $NF }')" = "$PWD/two" ]
two=$(sed 1d out | awk '{ print $1 }')
allocs cache verify >out
allocs cache why >out
[ "$(grep -c 'its modules are what they were' out)" = 2 ]

# One that is broken, and one whose program is another by now.
printf x | dd of="$caches/$two" bs=1 seek=60 conv=notrunc status=none
[ "$(status allocs cache verify)" = 1 ]
[ "$(grep -c 'bytes of the file were changed' out)" = 1 ]
[ "$(status allocs cache verify ./one)" = '' ]
cc-allocs -g -O2 -DANEW one.c -o one
[ "$(status allocs cache why ./one)" = 1 ]
sed 1d out >said
expect said <<<"  a module was built anew: $PWD/one"
[ "$(status allocs cache why --json ./one)" = 1 ]
python3 - out "$PWD/one" <<'EOF'
import json, sys
(row,) = json.load(open(sys.argv[1]))["caches"]
assert (row["why"], row["about"], row["program"]) == ("rebuilt",) + (sys.argv[2],) * 2
assert row["modules"] > 2 and row["calls"] > 0 and row["areas"] == 1, row
EOF

# Pruned: what is broken, what is too much, all.
allocs cache prune >out
grep -qxE "$two  [0-9]+ bytes, bytes of the file were changed" out
[ "$(wc -l <out)" = 1 ]
[ "$(find "$caches" -type f | wc -l)" = 1 ]
allocs run -o /dev/null ./two
touch -d '2 hours ago' "$caches/$two" "$caches/0123456789abcdef.cache.77.part"
: >"$caches/0123456789abcdef.cache.78.part" # somebody is at it
: >"$caches/notes"                          # and this is none of ours
allocs cache prune --size 0 --json >out
python3 - out <<'EOF'
import json, sys
removed = json.load(open(sys.argv[1]))["removed"]
assert sorted(r["state"] for r in removed) == ["part", "used", "used"], removed
EOF
[ "$(ls "$caches")" = "0123456789abcdef.cache.78.part"$'\n'notes ]

# By themselves commands prune what is too much for all, and nothing before.
for command in 'run -o /dev/null ./two' 'symbolize -e plain 0'; do
  "$CCA_CC" -g two.c -o plain
  rm -f "$caches"/*.cache
  truncate -s 200M "$caches/0123456789abcdef.cache"
  # shellcheck disable=SC2086 # words
  allocs $command >/dev/null
  [ "$(find "$caches" -name '*.cache' | wc -l)" = 2 ]
  truncate -s 257M "$caches/0123456789abcdef.cache"
  rm "$(find "$caches" -name '*.cache' -size -100M)"
  # shellcheck disable=SC2086 # words
  allocs $command >/dev/null
  [ "$(find "$caches" -name '*.cache' -size -100M | wc -l)" = 1 ]
  [ ! -e "$caches/0123456789abcdef.cache" ]
done

# Wrong usage, and a folder that others may write into.
for wrong in '' 'lst' 'list --dir /nowhere' 'prune --size x' 'prune all' '--no'; do
  # shellcheck disable=SC2086 # words
  [ "$(status allocs cache $wrong)" = 2 ]
  grep -q '^allocs cache: ' err
done
chmod g+w "$caches"
[ "$(status allocs cache list)" = 2 ]
expect err <<<"allocs cache: $caches: others may write into the folder"
