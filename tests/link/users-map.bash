#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# If the user asks for a map, theirs serves us, and the placeholder has a stable
# name in it.  A dependency file is what it is without us: make would else wait
# for a file that is gone.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects
plain main.o libpart.a -o prog -Wl,--dependency-file=want.d
through main.o libpart.a -o prog -Wl,-Map=map,--dependency-file=got.d
diff -u want.d got.d >&2
grep -q 'prog\.cc_allocs\.o' map
not grep -q cca-ld map
real_addresses prog >real
[ "$(wc -l <real)" = 3 ]
addresses prog | diff -u real - >&2

# A map on standard output cannot be read by us as well: the addresses are those
# where the calls of each object fit in the output.
through main.o libpart.a -o prog -Wl,--print-map >map
grep -q 'part\.o' map
real_addresses prog >real
[ "$(wc -l <real)" = 3 ]
addresses prog | diff -u real - >&2

# So is a table of cross references, which a map of ours would swallow.
if plain main.o libpart.a -o prog -Wl,--cref >want; then # not mold
  grep '^Symbol\|^Cross Reference Table' want >/dev/null
  through main.o libpart.a -o prog -Wl,--cref >got
  diff -u want got >&2
  real_addresses prog >real
  addresses prog | diff -u real - >&2
fi
nothing_left
