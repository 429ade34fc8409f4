#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An output that is no regular file stays what it is; where the linker tells of
# sections that nobody asked for, ours is none of them.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects
through main.o libpart.a -o /dev/null -Wl,-Map=map
[ -c /dev/null ]
not ls /dev/*cc_allocs* 2>/dev/null
nothing_left

for how in warn error discard; do
  for each in plain through; do
    status=0
    $each main.o libpart.a -o prog -Wl,--orphan-handling=$how >$each.said 2>&1 ||
      status=$?
    echo $status >>$each.said
  done
  diff -u plain.said through.said >&2
done
# The twin: it is one, where it is wanted.
through main.o libpart.a -o prog -Wl,--orphan-handling=place
allocs dump prog | grep '^allocsite' >/dev/null
