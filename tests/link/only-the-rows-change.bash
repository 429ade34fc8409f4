#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Filling in the addresses changes the rows of ADDRESS in the file and not one
# byte else, and keeps the file itself.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

# The same installation, but for the last step.
mkdir -p own/bin own/lib/cc-allocs/shim
cp "$build_dir/bin/ld.allocs" own/bin/
cp "$build_dir/lib/cc-allocs/cca-plugin.so" own/lib/cc-allocs/
ln -s ../../../bin/ld.allocs "own/lib/cc-allocs/shim/ld.$linker"
printf '#!/bin/sh\n[ "$2" = --patch ] && exit\nexec %s "$@"\n' \
  "$build_dir/bin/allocs" >own/bin/allocs
chmod +x own/bin/allocs

objects
COMPILER_PATH=$PWD/own/lib/cc-allocs/shim plain main.o libpart.a -o prog
[ "$(addresses prog)" = $'0\n0\n0' ]
allocs dump prog | grep '^address' | not grep -v dead >/dev/null
mv prog unfilled
through main.o libpart.a -o prog
[ "$(addresses prog | grep -c 0x)" = 3 ]

# A row is address (8), site (4), flags (4): three rows in a row.
{ cmp -l unfilled prog || true; } | awk '
  NR == 1 { first = $1 } { last = $1; n++ }
  END { exit !(n > 0 && last - first < 3 * 16) }'
[ "$(stat -c %s unfilled)" = "$(stat -c %s prog)" ]
