#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Links at the same time in one folder do not disturb each other, also when all
# of them show their inputs.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects
for i in 1 2 3 4 5 6 7 8; do
  through main.o libpart.a -o "prog$i" "-Wl,-Map=map$i" &
done
wait
for i in 1 2 3 4 5 6 7 8; do
  [ "$(addresses "prog$i" | grep -c 0x)" = 3 ]
  cmp prog1 "prog$i"
done
nothing_left
