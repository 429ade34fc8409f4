#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Debug information that dwz has made smaller: what two programs have in common
# is in a third file.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"
need dwz

write_inlined
{ echo '#include <stdlib.h>'; echo '#include <stdio.h>'; } >more.c
echo 'int more(void) { return puts(getenv("HOME")); }' >>more.c
"$CCA_CC" -O1 -g inlined.c more.c -o one
"$CCA_CC" -O1 -g -DTWO inlined.c more.c -o two
dwz -m common.debug one two
readelf -SW one | grep ' \.gnu_debugaltlink ' >/dev/null
allocs symbolize --no-cache -fie one "$(address_of one outer)" >got
inlined_answer "$work" | expect got
allocs symbolize --no-cache -fse two "$(address_of two more)" >got
expect got <<'END'
more
more.c:3
END
parts() { # what the table of FILE says that it was made of
  allocs symbolize -e "$1" -o "$1.symbols"
  allocs dump "$1.symbols" | sed -n 's/^image .*parts=//p'
}
[ "$(parts one)" = symbols,debug ]

# The twin: without that file the names in it are not known, and the table says so.
mv common.debug away
[ "$(parts one)" = symbols,debug,partial ]
allocs symbolize --no-cache -fie one "$(address_of one outer)" >got
inlined_answer "$work" >wanted
not cmp -s got wanted
