#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A link that fails says the same and ends the same with us, and nothing of
# ours stays.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects

same_failure() {
  local want=0 got=0
  plain -o prog "$@" 2>want.err || want=$?
  through -o prog "$@" 2>got.err || got=$?
  [ "$want" -ne 0 ] && [ "$got" = "$want" ]
  diff -u want.err got.err >&2
  [ ! -e prog ]
  nothing_left
}

same_failure main.o
same_failure main.o nowhere.o
same_failure main.o libpart.a -Wl,--no-such-option
same_failure main.o libpart.a -lno-such-library
same_failure main.o main.o libpart.a
