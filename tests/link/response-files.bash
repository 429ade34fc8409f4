#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A command line in a response file, nested and quoted, is read as the linker
# reads it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects
mkdir 'a folder'
cp main.o 'a folder/main one.o'
echo "'a folder/main one.o' @inner" >outer
echo "-L. -lpart" >inner
through @outer -o prog
real_addresses prog >real
[ "$(wc -l <real)" = 3 ]
addresses prog | diff -u real - >&2

# As the linker's own.
through -Wl,@outer -o prog
[ "$(addresses prog | grep -c 0x)" = 3 ]
nothing_left
