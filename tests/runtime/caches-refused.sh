#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever is not as it was is refused for its own reason, and the conclusions are
# those without a cache: modules and clients that were built anew, other options,
# another runtime, files and folders that others could have written.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
# shellcheck source=tests/runtime/clients.bash
. "$here/clients.bash"
# shellcheck source=tests/runtime/caches.bash
. "$here/caches.bash"
need objcopy

# renew: a cache that is good, which is FILE.
renew() {
  rm -rf "$caches"
  allocs run -o /dev/null "$@" ./main
  file=$(echo "$caches"/*.cache)
  said --cache-write never "$@" >line
  grep -q '^used: ' line
}
# refused REASON [OPTION...]: it is not used, and what is concluded of these modules
# is what was concluded without one.
refused() {
  local reason=$1
  shift
  said --cache-write never "$@" >line
  expect line <<<"not used: $reason"
  concluded now --cache-write never
  cmp without.json now.json
}

# Modules.
renew
makes -DANEW -g3
concluded without --no-cache
refused "a module was built anew: $PWD/libmakes.so"
renew
nameless 48
said --cache-write never >line
expect line <<<"not used: a module was built anew: $PWD/libnameless.so"
nameless 40
renew
cp libmakes.so good.so
objcopy --dump-section .note.cc-allocs=note libmakes.so /dev/null
printf '\001' | dd of=note bs=1 seek=36 conv=notrunc status=none
objcopy --update-section .note.cc-allocs=note libmakes.so
said --cache-write never >line
expect line <<<"not used: a module has its build id, but other bytes: $PWD/libmakes.so"
mv good.so libmakes.so
concluded without --no-cache
refused_not() { said --cache-write never >line && grep -q '^used: ' line; }
refused_not

# Options, and the runtime's version.
GLIBC_TUNABLES=glibc.malloc.arena_max=2 refused 'other options, or another machine'
patch_cache "$file" 'cc-allocs 0=cc-allocs 9'
refused 'another version of the runtime wrote it'

# Clients.
client trace
client other -DUNUSED -g3
renew --client="$PWD/trace.so:1,$PWD/log"
mv trace.so old.so
cp other.so trace.so
said --cache-write never --client="$PWD/trace.so:1,$PWD/log" >line
grep -q "^not used: a client's library was built anew: " line
mv old.so trace.so
id=$(allocs dump "$file" | sed -n 's/^cache_client @0 id="\([^"]*\)".*/\1/p')
[ -n "$id" ]
patch_cache "$file" "$id=${id/?/?}"
said --cache-write never --client="$PWD/trace.so:1,$PWD/log" >line
expect line <<<"not used: other clients are there: $id"

# The format: by each check there is.
renew
cp "$file" good
patch_cache "$file" "12=$(printf '\003')"
refused 'another version of the format'
cp good "$file"
truncate -s -32 "$file"
refused 'the file has no end'
truncate -s 100 "$file"
refused 'no cache has such a size'
cp good "$file"
printf x | dd of="$file" bs=1 seek=5000 conv=notrunc status=none
refused 'bytes of the file were changed'
cp good "$file" # of labels, one that is not the site's
patch_cache "$file" "$(($(stat -c %s good) / 4096 * 4096 - 4096 + 246))=x"
refused 'the file breaks a rule of its format'

# Who could have written it.
cp good "$file"
chmod g+w "$file"
refused 'others may write to the file'
chmod 600 "$file"
ln "$file" second
refused 'the file has a second name'
rm second
mv "$file" elsewhere
ln -s "$PWD/elsewhere" "$file"
refused 'a symbolic link, or no regular file'
[ -L "$file" ]
allocs run -o /dev/null ./main # replaced, and what it led to is as it was
[ ! -L "$file" ]
cmp good elsewhere
chmod 777 "$caches"
refused 'others may write into the folder'
rm "$file"
allocs run -o /dev/null ./main # and nothing is put there
[ -z "$(ls -A "$caches")" ]
chmod 700 "$caches"
mv "$caches" real
ln -s "$PWD/real" "$caches"
refused 'there is no such folder, or it is a symbolic link'
rm "$caches"
mv real "$caches"
cp good "$file"
refused_not

[ "$(id -u)" = 0 ] || skip 'only root can give files away'
chown 65534 "$file"
refused 'the file belongs to another user'
chown 0 "$file"
chown 65534 "$caches"
refused 'the folder belongs to another user'
chown 0 "$caches"
refused_not
