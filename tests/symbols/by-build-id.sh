#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Debug information is found where distributions install it, in /usr/lib/debug, under the
# module's build id; that of another build id is not taken for it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"
need objcopy strip
unshare -rm mount -t tmpfs none /usr/lib/debug 2>/dev/null ||
  skip 'nothing can be mounted on /usr/lib/debug here'

write_inlined
"$CCA_CC" -O1 -g -Wl,--build-id=sha1 inlined.c
outer=$(address_of a.out outer)
objcopy --only-keep-debug a.out debug
strip a.out
id=$(readelf -n a.out | sed -n 's/.*Build ID: //p')
[ "${#id}" = 40 ]

# installed FILE ID: what is answered with FILE there as that of ID.
installed() {
  unshare -rm bash -c 'mount -t tmpfs none /usr/lib/debug
    mkdir -p "/usr/lib/debug/.build-id/${2:0:2}"
    cp "$1" "/usr/lib/debug/.build-id/${2:0:2}/${2:2}.debug"
    exec allocs symbolize --no-cache -fie a.out "$3"' - "$1" "$2" "$outer"
}
installed debug "$id" >got
inlined_answer "$work" | expect got
printf '%s\n' '??' '??:0' >nothing
installed debug "${id:0:38}00" >got
expect got <nothing
"$CCA_CC" -g -Wl,--build-id=sha1 inlined.c -o other
objcopy --only-keep-debug other other.debug
installed other.debug "$id" >got
expect got <nothing
