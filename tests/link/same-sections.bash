#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A linked file has the sections, sizes and properties that it has without us,
# and one note, whatever kind of file it is.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects -ffunction-sections

same() {
  plain main.o libpart.a -o prog "$@" # gold writes its name into it
  mv prog without
  through main.o libpart.a -o prog "$@"
  sections without >wanted
  sections prog | diff -u wanted - >&2
  readelf -SW prog | grep '\.note\.cc-allocs *NOTE .* A  *0  *0  *4$' >/dev/null
  allocs report prog >/dev/null
}

same
same -no-pie
same -static
same -shared
same -Wl,--gc-sections -s
same -Wl,-O1,--as-needed,-z,now,-z,relro
[ "$linker" = gold ] || same -static-pie
./prog
nothing_left
