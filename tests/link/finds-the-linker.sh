#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The shim runs the linker that would have run without it: not itself, not its
# like in another folder, and for clang the one beside clang.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
shim=$build_dir/lib/cc-allocs/shim

ld --version >want
PATH=$shim:$shim:$PATH COMPILER_PATH=$shim:$shim ld --version >got
diff -u want got >&2

mkdir other copies
cp "$build_dir/bin/ld.allocs" copies/
ln -s ../copies/ld.allocs other/ld
PATH=$PWD/other:$PATH COMPILER_PATH=$shim "$shim/ld" --version >got
diff -u want got >&2
ld.allocs --version >got
diff -u want got >&2
CC_ALLOCS_LD=ld ld.allocs --version >got
diff -u want got >&2

status=0
env -u COMPILER_PATH PATH=/nowhere "$shim/ld" a.o 2>got || status=$?
[ "$status" = 127 ]
expect got <<'EOF'
ld.allocs: there is no other ld in COMPILER_PATH or PATH
Install the linker, or name it in CC_ALLOCS_LD.
EOF

need clang-19 ld.lld
clang-19 -fuse-ld=lld -Wl,--version >want
COMPILER_PATH=$shim clang-19 -fuse-ld=lld -Wl,--version >got
diff -u want got >&2
