#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is concluded with a cache, at other addresses, is what is concluded without
# one; from the second run on all calls come from it, also those of a module that
# the program opens; and a forked child leaves it to its parent.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
# shellcheck source=tests/runtime/caches.bash
. "$here/caches.bash"

concluded without --no-cache
[ ! -e "$caches" ] # nothing was kept
grep -q 'struct point' without.json
grep -q 'struct plugged' without.json
grep -q 'make *libmakes.so *allocates' without.txt
concluded first
[ "$(find "$caches" -name '*.cache' | wc -l)" = 1 ]
[ "$(stat -c %a "$caches" "$caches"/*.cache)" = 700$'\n'600 ]
concluded second
for run in first second; do
  cmp without.json $run.json
  cmp without.txt $run.txt
done

# All that was met is kept, and none of it found out anew.
said >line
calls=$(sed -n 's/^used: \([0-9]*\) of its .*/\1/p' line)
[ "$calls" -ge 8 ]
expect line <<<"used: $calls of its $calls calls were met, 0 not as they were, 0 others"
patch_cache "$caches"/*.cache # its checksum, by the page
allocs dump "$caches"/*.cache >text
grep -q 'cache_module .*libnameless.so" digest=0x' text # without a build id
grep -q 'cache_module .*libplugin.so" build_id=.* flags=late' text
[ "$(grep -c 'cache_binding .*answer=allocates' text)" -ge 3 ]
grep -q 'cache_binding .*answer=silent' text

# It is asked, not only looked at: what it says is what is concluded.
cp "$caches"/*.cache good
at=$(python3 - good <<'EOF'
import struct, sys
data = open(sys.argv[1], "rb").read()
chunks = {i: (s, c, o) for i, s, c, o in struct.iter_unpack(
    "<4I", data[32:32 + 16 * struct.unpack_from("<I", data, 20)[0]])}
size, count, offset = chunks[3]
for row in range(count):  # the program's first call that is a site
    if struct.unpack_from("<I", data, offset + row * size + 8)[0] == 0:
        print(offset + row * size + 8)
        break
EOF
)
patch_cache "$caches"/*.cache "$at=$(printf '\001')"
concluded changed
not cmp -s without.json changed.json
cp good "$(echo "$caches"/*.cache)"

# A child uses what its parent has, and writes nothing.
rm "$caches"/*
runtime ./main f
[ "$(cat heap/*.cache | cut -f1 | sort | uniq -c | tr -s ' ')" = ' 2 absent' ]
[ "$(cat heap/*.cache | grep -c 'written$')" = 1 ]
[ "$(find "$caches" -type f | wc -l)" = 1 ]

# Where it may not be written, and when.
rm "$caches"/*
said --cache-write never >line
expect line <<<'not used: there is none for these modules yet'
[ -z "$(ls "$caches")" ]
said --cache "$PWD/elsewhere" >line
expect line <<<'not used: there is none for these modules yet; written'
[ "$(find elsewhere -name '*.cache' | wc -l)" = 1 ]
[ -z "$(ls "$caches")" ]

# Another folder is asked where the first has none, and stays as it is.
cp elsewhere/*.cache kept
CC_ALLOCS_CACHE_SHARED=$PWD/elsewhere said >line
grep -q '^used: ' line
[ -z "$(ls "$caches")" ]
cmp kept elsewhere/*.cache
