#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cc-allocs COMPILER ARGUMENT..., with a cache or another launcher in between,
# and compilers of several words.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

mkdir bin
printf '#!/bin/sh\necho launched >>launched; exec "$@"\n' >bin/launcher
chmod +x bin/launcher
PATH=$work/bin:$PATH
echo 'int x;' >a.c

has_summary() {
  allocs dump "$1" | grep '^unit .*source="a.c"' >/dev/null
  rm "$1"
}
cc-allocs "$CCA_CC" -c a.c
has_summary a.o
cc-allocs launcher gcc -c a.c
has_summary a.o
CC_ALLOCS_CC="launcher gcc" cc-allocs -c a.c -o b.o
has_summary b.o
[ "$(wc -l <launched)" = 2 ]

# A folder of the compiler's name, as in gcc's own sources, is no input.
mkdir folder && cp a.c folder
(cd folder && mkdir gcc launcher && cc-allocs launcher gcc -c a.c -o ../b.o)
has_summary b.o
[ "$(cat launched folder/launched | wc -l)" = 3 ]

# The first argument is an input where it is one.
"$CCA_CC" -c a.c -o gcc
cc-allocs gcc -r -o c.o
readelf -sW c.o | grep ' x$' >/dev/null
