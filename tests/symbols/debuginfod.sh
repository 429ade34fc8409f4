#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Debug information that only a server of DEBUGINFOD_URLS has is asked for and used,
# in process and by the symbol server; without the variable nobody is asked.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"
need strip objcopy python3
# elfutils loads its client when it is needed, and goes on without.
python3 -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>/dev/null ||
  skip "no libdebuginfod here"

write_inlined
"$CCA_CC" -O1 -g inlined.c -Wl,--build-id=sha1
outer=$(address_of a.out outer)
id=$(readelf -nW a.out | sed -n 's/.*Build ID: //p')
mkdir -p "served/buildid/$id" cache
objcopy --only-keep-debug a.out "served/buildid/$id/debuginfo"
strip a.out
cat >serve.py <<'END'
import functools
import http.server

server = http.server.HTTPServer(("127.0.0.1", 0), functools.partial(
    http.server.SimpleHTTPRequestHandler, directory="served"))
print(server.server_port, flush=True)
server.serve_forever()
END
python3 serve.py >port 2>asked &
trap 'kill %1 || :; clean_up' EXIT
until [ -s port ]; do sleep 0.05; done
export DEBUGINFOD_CACHE_PATH=$work/cache HOME=$work XDG_RUNTIME_DIR=$work
url=http://127.0.0.1:$(<port)/

# The twin first: nobody is asked, and nothing is known.
unset DEBUGINFOD_URLS
printf '%s\n' '??' '??:0' >nothing
allocs symbolize --no-cache -fie a.out "$outer" >got
expect got <nothing
allocs symserver >path &
server=$!
until [ -s path ]; do sleep 0.01; done
allocs symbolize --no-cache --server= --no-start -fie a.out "$outer" >got
expect got <nothing
kill $server
wait $server
expect asked </dev/null

DEBUGINFOD_URLS=$url allocs symbolize --no-cache -fie a.out "$outer" >got
inlined_answer "$work" | expect got
[ "$(grep -c "\"GET /buildid/$id/debuginfo HTTP/[0-9.]*\" 200" asked)" = 1 ]
rm -rf cache/*
rm path
DEBUGINFOD_URLS=$url allocs symserver >path &
server=$!
until [ -s path ]; do sleep 0.01; done
allocs symbolize --no-cache --server= --no-start -fie a.out "$outer" >got
inlined_answer "$work" | expect got
[ "$(grep -c "\"GET /buildid/$id/debuginfo HTTP/[0-9.]*\" 200" asked)" = 2 ]
kill $server
wait $server

# A server that does not have it costs nothing but the lines.
rm -rf cache/* served/buildid
DEBUGINFOD_URLS=$url allocs symbolize --no-cache -fie a.out "$outer" >got
expect got <nothing
grep -q '" 404 ' asked
