#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cc-allocs in PATH under the compiler's name finds the next compiler of that
# name; one that cannot stop calling itself is stopped, and says what to do.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

mkdir bin loop
ln -s "$build_dir/bin/cc-allocs" bin/gcc
ln -s "$build_dir/bin/cc-allocs" bin/x86_64-linux-gnu-cc-allocs
echo 'int x;' >a.c
export CC_ALLOCS_LOG=$work/log
PATH=$work/bin:$PATH gcc -c a.c
allocs dump a.o | grep '^unit .*source="a.c"' >/dev/null
rm a.o
PATH=$work/bin:$PATH cc-allocs gcc -c a.c -o b.o
[ -s b.o ]
if command -v x86_64-linux-gnu-gcc >/dev/null; then
  bin/x86_64-linux-gnu-cc-allocs -c a.c
  allocs dump a.o | grep '^unit .*source="a.c"' >/dev/null
fi

# A script that calls us, which call it.
printf '#!/bin/sh\nexec cc-allocs "$@"\n' >loop/mycc
chmod +x loop/mycc
status=0
CC_ALLOCS_CC=$work/loop/mycc timeout 600 cc-allocs -c a.c 2>said || status=$?
[ "$status" = 127 ]
expect said <<'EOF'
cc-allocs: the compiler calls cc-allocs again and again
Name the real one in CC_ALLOCS_CC.
EOF

# Named itself.
status=0
CC_ALLOCS_CC=$build_dir/bin/cc-allocs cc-allocs -c a.c 2>said || status=$?
[ "$status" = 127 ]
grep -q 'names cc-allocs itself' said
