#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A relocatable link gives the bytes that it gives without us, and keeps the
# summaries; so does one with a linker script of the user's own, with no note.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects
plain -r main.o part.o -o want.o
through -r main.o part.o -o got.o
cmp want.o got.o
[ "$(allocs dump got.o | grep -c '^unit ')" = 2 ]

nothing_left
[ "$linker" != mold ] || exit 0 # it has no scripts
cat >own.ld <<'EOF'
SECTIONS { . = 0x10000; .all : { *(.text*) *(.rodata*) *(.data*) *(.bss*) } }
EOF
echo 'void _start(void) { for (;;); }' >start.c
gcc -c start.c
plain -nostdlib -static -T own.ld start.o -o want -Wl,--build-id=none
through -nostdlib -static -T own.ld start.o -o got -Wl,--build-id=none
cmp want got
nothing_left
