#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No name that a file holds gets out of the comment, line or string that it is
# in: what is exported may be included and sourced.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >clas <<'EOF'
classification 2.0
file @0 name="*/ int x; /*\n$(touch found)"
module @0 producer="test" units=1
alloc @0 name="*/ int y; /*\n\"$(touch found)`touch found`" unit="u" file=@0 line=1 size="p0" args=@0+1
alloc @1 name="x\"$(touch found)" kind=free via=none unit="u"
index @0
EOF
allocs assemble -o table clas
for format in header liballocs list; do
  allocs export --format=$format table >$format
  grep -q '_/ int y; /_?"' $format
done
# The header declares nothing.
echo 'struct { int x, y; } z;' >unit.c
"$CCA_CC" -Wall -include ./header -E -P unit.c | sed '/^#pragma/d; /^ *$/d' >code
expect code <unit.c
(
  # shellcheck source=/dev/null
  . ./liballocs
  echo "<$LIBALLOCS_ALLOC_FNS$LIBALLOCS_SUBALLOC_FNS$LIBALLOCS_FREE_FNS>"
) >words
echo '<>' | expect words
[ ! -e found ]
[ "$(wc -l <list)" = 3 ]
