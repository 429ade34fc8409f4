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
allocs symbolize -fie one "$(address_of one outer)" >got
inlined_answer "$work" | expect got
allocs symbolize -fse two "$(address_of two more)" >got
expect got <<'END'
more
more.c:3
END

# The twin: without that file the names in it are not known.
mv common.debug away
allocs symbolize -fie one "$(address_of one outer)" >got
inlined_answer "$work" >wanted
not cmp -s got wanted
