#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The table of a module depends on the file's content alone, can be given in the
# module's place, is read and written as text, and by the page that specifies it;
# one that is broken is refused.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"

write_inlined
"$CCA_CC" -O1 -g inlined.c
mkdir other
cp a.out other/name
allocs symbolize -o table
allocs symbolize -o again -e other/name
cmp table again
"$CCA_CC" -O1 -g -DOTHER inlined.c -Wl,--build-id=none -o without
allocs symbolize -o unlike -e without
not cmp -s table unlike # the twin

allocs symbolize -fie table "$(address_of a.out outer)" >got
inlined_answer "$work" | expect got

allocs dump table >text
grep -qx 'symbols 1.0' text
id=$(readelf -nW a.out | sed -n 's/.*Build ID: //p')
grep -qE "^image @0 producer=\"cc-allocs [0-9.]+\" build_id=\"$id\" size=$(stat -c %s a.out) .*parts=symbols,debug$" text
allocs dump unlike | grep -E '^image @0 .* digest=0x[0-9a-f]+ size=' >/dev/null
allocs assemble -o again text
cmp table again
python3 "$source_dir/tests/run/decode_by_page.py" "$source_dir/docs" table >decoded
allocs assemble -o again decoded
cmp table again

head -c 200 table >short
status=0
allocs symbolize -e short 0 >got 2>said || status=$?
[ $status = 2 ]
grep -q '^allocs symbolize: short: a broken table, at byte 16: [0-9]* bytes long, but only 200 are there; ' said
status=0
allocs dump short 2>said || status=$?
[ $status = 2 ]
grep -q '^allocs dump: short: corrupt table at byte 16: ' said

# Sections are in the table as well.
text=$(readelf -SW a.out | sed -nE 's/^.* \.text +PROGBITS +([0-9a-f]+) .*/\1/p')
printf -v relative '%#x' $((0x$(nm a.out | sed -n 's/ T outer$//p') - 0x$text))
allocs symbolize -fie table -j .text "$relative" >got
inlined_answer "$work" | expect got
