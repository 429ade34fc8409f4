#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# `allocs symserver` and `allocs symbolize --server`: the same answers as without,
# also from debug information beside the module, which the server itself does not
# look at; its socket is found by the environment; what cannot be is said.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"
need objcopy strip pgrep

write_inlined
"$CCA_CC" -O1 -g inlined.c
outer=$(address_of a.out outer)
objcopy --only-keep-debug a.out beside.debug
cp a.out beside
strip beside
objcopy --add-gnu-debuglink=beside.debug beside

unset CC_ALLOCS_SYMBOLS
export XDG_RUNTIME_DIR=$work/run
mkdir -m 0700 run
allocs symserver >path &
server=$!
until [ -s path ]; do sleep 0.05; done
expect path <<<"$work/run/cc-allocs/symbols"

inlined_answer "$work" >wanted
for file in a.out beside; do
  allocs symbolize --no-cache --server= -fie $file "$outer" >got
  expect got <wanted
done
CC_ALLOCS_SYMBOLS=$work/run/cc-allocs/symbols XDG_RUNTIME_DIR=/nonexistent \
  allocs symbolize --no-cache --server= -fie a.out "$outer" >got
expect got <wanted
not grep -q '/a.out$' /proc/$server/maps # it has not mapped the module

# said STATUS MESSAGE ARGUMENT...
said() {
  local status=0
  allocs "${@:3}" >got 2>told </dev/null || status=$?
  [ $status = "$1" ]
  expect told <<<"allocs $2"
}
said 2 'symserver: another one is running' symserver
said 2 "symserver: --memory is a number from 1 to 1048576, not \`none'" \
  symserver --memory none
said 2 "symserver: --idle is a number from 0 to 1073741824, not \`-1'" \
  symserver --idle -1
said 2 'symbolize: inlined.c: not an ELF file; give an executable or object with -e' \
  symbolize --server= -e inlined.c 0

# One that is stopped is not waited for without end.
kill -STOP $server
cp a.out unasked
said 2 'symbolize: unasked: no table after 100 ms; --wait gives it more time' \
  symbolize --no-cache --server= --wait 0.1 -e unasked 0
said 2 "symbolize: --wait is a number of seconds, to 86400, not \`soon'" \
  symbolize --wait soon -e unasked 0
kill -CONT $server
allocs symbolize --no-cache --server= -fie unasked "$outer" >got
expect got <wanted

kill $server
wait $server # its exit status is 0
said 2 'symbolize: a.out: no symbol server: No such file or directory; start one by allocs symserver' \
  symbolize --no-cache --server= --no-start 0

# Without that one is started, which other commands then find; and which ends when
# its socket is cleaned away.
allocs symbolize --no-cache --server= -fie a.out "$outer" >got
expect got <wanted
allocs symbolize --no-cache --server= --no-start -fie a.out "$outer" >got
expect got <wanted
started=$(pgrep -f "symserver --socket $work/run/cc-allocs/symbols --idle 300")
"$CCA_CC" -shared -fPIC -g -x c - -o libplain.so <<'END'
#include <stdlib.h>
void *plain(void) { return malloc(77); }
END
"$CCA_CC" -x c - -L. -lplain -Wl,-rpath,"$work" -o use <<<'void *plain(void); int main(void) { return !plain(); }'
allocs run --sites --no-cache --server= --no-start ./use 2>got
grep -qE ' <stdin>:2  plain$' got
kill "$started"
while kill -0 "$started" 2>/dev/null; do sleep 0.05; done
allocs run --sites --no-cache --server= --no-start ./use 2>got
grep -qxF "allocs run: $work/libplain.so: addresses stay without functions: no symbol server: No such file or directory" got
grep -qE ' libplain.so\+0x[0-9a-f]+$' got
allocs run --sites --no-cache --server= ./use 2>got
grep -qE ' <stdin>:2  plain$' got
started=$(pgrep -f "symserver --socket $work/run/cc-allocs/symbols --idle 300")
rm run/cc-allocs/symbols
while kill -0 "$started" 2>/dev/null; do sleep 0.05; done
chmod 0755 run/cc-allocs
said 2 "symserver: the socket's folder is not a folder of the user's alone (mode 0700)" \
  symserver
