#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# dump writes each table behind its name; assemble reads one back, to the same
# bytes; a wrong text is refused with its line, and leaves the output alone.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

allocs assemble -o lua "$here/lua.txt"
allocs assemble "$here/lua.txt" >piped
cmp lua piped
allocs assemble - <"$here/lua.txt" | cmp lua -
allocs dump lua >lua.dump
head -n 2 lua.dump >head
expect head <<'END'
# lua
classification 2.0
END
allocs assemble -o back lua.dump
cmp lua back
allocs dump lua lua >twice
cat lua.dump lua.dump | cmp - twice

echo 'classification 2.0
alloc nome="x"' >wrong
cp lua kept
status=0
allocs assemble -o kept wrong 2>error || status=$?
[ "$status" = 2 ]
grep -q '^allocs assemble: wrong:2: ' error
cmp lua kept
[ "$(echo kept*)" = kept ] # no temporary file is left

# Nor when the disk is full, for which a limit on the size of files stands in.
status=0
(trap '' XFSZ && ulimit -f 1 && allocs assemble -o kept "$here/lua.txt") 2>error || status=$?
[ "$status" = 2 ]
expect error <<<"allocs assemble: kept: cannot write it: File too large"
cmp lua kept
[ "$(echo kept*)" = kept ]

not allocs assemble -o none/out "$here/lua.txt" 2>error
expect error <<<"allocs assemble: none/out: cannot write it: No such file or directory"
not allocs assemble 2>error
expect error <<<"allocs assemble: give one FILE, or - for standard input"
not allocs dump none 2>error
expect error <<<"allocs dump: none: cannot read it: No such file or directory"
not allocs dump 2>error
expect error <<<"allocs dump: no FILE is given; allocs dump --help says which"
chmod 640 kept
allocs assemble -o kept "$here/lua.txt"
[ "$(stat -c %a kept)" = 640 ]
