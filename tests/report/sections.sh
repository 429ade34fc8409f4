#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --functions and --sites choose the sections, in text and in JSON; sections
# without rows are left out.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

allocs assemble -o lua "$here/lua.txt"
sections() { sed -n 's/^\([A-Z -]*[A-Z]\) (.*/\1/p'; }

allocs report --functions lua | sections >functions
expect functions <<'END'
ALLOCATION FUNCTIONS
FACTORIES
LOOK-ALIKES
DEALLOCATION FUNCTIONS
END
allocs report --sites lua | sections >sites
expect sites <<<"ALLOCATION SITES"

keys() { python3 -c 'import json, sys; print(*json.load(sys.stdin))'; }
allocs report --json --functions lua | keys >keys
expect keys <<<"version name producer digest only_type totals allocation_functions deallocation_functions"
allocs report --json --sites lua | keys >keys
expect keys <<<"version name producer digest only_type totals allocation_sites"

allocs assemble -o empty - <<'END'
classification 2.0
module producer="hand" units=2
END
allocs report empty >text
expect text <<'END'
empty

  units      2
  functions  0 allocation functions
  sites      0
END
