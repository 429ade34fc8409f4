#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An output that is no regular file stays what it is.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects
through main.o libpart.a -o /dev/null -Wl,-Map=map
[ -c /dev/null ]
not ls /dev/*cc_allocs* 2>/dev/null
nothing_left
