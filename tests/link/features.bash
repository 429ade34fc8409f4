#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Control-flow features that all inputs have stay in the output, and one input
# without them takes them from all, just as without us.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects -fcf-protection=full
echo 'void bare(void) {}' | gcc -c -fPIC -fcf-protection=none -x c - -o bare.o
features() {
  readelf -nW "$1" | grep -o 'x86 feature: .*' || echo none
}
same() {
  plain -shared -nostdlib -o prog "$@"
  features prog >"$1.want"
  through -shared -nostdlib -o prog "$@"
  features prog >"$1.got"
  allocs dump prog >/dev/null
  diff -u "$1.want" "$1.got" >&2
}
same main.o part.o
same bare.o main.o part.o
grep -q IBT main.o.want || skip "$linker keeps no features"
grep -q none bare.o.want
