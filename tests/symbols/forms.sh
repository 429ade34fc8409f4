#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Functions, inlined functions and lines are found whatever form the debug
# information has and wherever it is.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"
need objcopy strip xz

write_inlined
inlined_answer "$work" >wanted

# found FILE [SYMBOLS]: the first load of outer() is inner()'s; SYMBOLS says
# where outer is, if FILE does not.
found() {
  allocs symbolize --no-cache -fie "$1" "$(address_of "${2:-$1}" outer)" >got
  expect got <wanted
}

for version in 2 3 4 5; do
  "$CCA_CC" -O1 -gdwarf-$version inlined.c -o gcc-$version
  found gcc-$version
  "$CCA_CLANG" -O1 -gdwarf-$version inlined.c -o clang-$version
  found clang-$version
done

"$CCA_CC" -O1 -g -no-pie inlined.c -o no-pie
found no-pie
"$CCA_CC" -O1 -g -ffunction-sections -Wl,--gc-sections inlined.c -o sections
found sections

"$CCA_CC" -O1 -g -gz=zlib inlined.c -o compressed
readelf -SW compressed | grep ' C .*' >/dev/null # the twin: it is compressed
found compressed

"$CCA_CC" -O1 -g -gsplit-dwarf inlined.c -o split
[ -e split-inlined.dwo ]
found split
mv split-inlined.dwo away
allocs symbolize --no-cache -fie split "$(address_of split outer)" >got
expect got <<END
outer
$work/inlined.c:3
END

# Beside the program, found by .gnu_debuglink; without it, by nothing.
"$CCA_CC" -O1 -g inlined.c -o linked
objcopy --only-keep-debug linked linked.debug
cp linked whole
strip linked
found whole
objcopy --add-gnu-debuglink=linked.debug linked
found linked whole
mv linked.debug elsewhere
allocs symbolize --no-cache -fie linked "$(address_of whole outer)" >got
expect got <<'END'
??
??:0
END

# .gnu_debugdata: a symbol table, compressed, and no lines.
objcopy --only-keep-debug --remove-section='.debug*' elsewhere mini
xz mini
objcopy --remove-section=.gnu_debuglink --add-section .gnu_debugdata=mini.xz linked
allocs symbolize --no-cache -fie linked "$(address_of whole outer)" >got
expect got <<'END'
outer
??:?
END
