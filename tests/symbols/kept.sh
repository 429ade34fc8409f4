#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `allocs symbolize` leaves the table of a module for the next one who asks, `allocs run`
# as well, and uses what that left; for the same bytes of the module only. It says nothing
# of it, and answers the same where there is no cache or none can be.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"
need objcopy strip

write_inlined
"$CCA_CC" -O1 -g inlined.c
outer=$(address_of a.out outer)
inlined_answer "$work" >honest
sed 's/middle/muddle/' honest >lying
caches=$XDG_CACHE_HOME/cc-allocs

# says WANTED ARGUMENT...: what is answered, and that nothing else is said.
says() {
  allocs symbolize "${@:2}" >got 2>err </dev/null
  expect got <"$1"
  expect err </dev/null
}
# lie FILE: the table that is in it has another name, and the right checksum.
lie() {
  grep -abo middle "$1" >places
  python3 "$source_dir/tests/runtime/cache-file.py" "$1" \
    "$(head -n 1 places | cut -d: -f1)=muddle"
}
kept() { find "$1" -type f | wc -l; } # how many files are in a folder

# It is left, and asked from then on; in the folder that was named.
says honest --no-cache -fi "$outer"
[ ! -e "$XDG_CACHE_HOME" ]
says honest -fi "$outer"
[ "$(stat -c %a "$caches" "$caches"/*.cache)" = $'700\n600' ]
cp "$caches"/*.cache good
lie "$caches"/*.cache
says lying -fi "$outer"
says honest --no-cache -fi "$outer"
says honest --cache=own -fi "$outer"
cmp own/*.cache good # the same bytes again
lie own/*.cache
says lying --cache own -fi "$outer"
CC_ALLOCS_CACHE=$work/own says lying -fi "$outer"
CC_ALLOCS_CACHE=$work/none CC_ALLOCS_CACHE_SHARED=$work/own says lying -fi "$outer"
[ ! -e none ]
(cd / && allocs symbolize -e "$work/a.out" -fi "$outer") >got
expect got <lying
echo "$outer" | allocs symbolize -fi >got
expect got <lying

# Who has a table needs no server; who has none leaves what that made.
XDG_RUNTIME_DIR=$work says lying --server= --no-start -fi "$outer"
mkdir -m 700 run
XDG_RUNTIME_DIR=$work/run allocs symserver >path &
server=$!
until [ -s path ]; do sleep 0.05; done
XDG_RUNTIME_DIR=$work/run says honest --server= --no-start --cache served -fi "$outer"
cmp served/*.cache good
kill $server
wait $server

# Other bytes, whatever their name and build id: anew. Touched: not.
touch a.out
says lying -fi "$outer"
cp a.out whole
objcopy --redefine-sym main=niam a.out
says honest -fi "$outer"
[ "$(kept "$caches")" = 1 ]
lie "$caches"/*.cache
says lying -fi "$outer"
cp whole a.out
says honest -fi "$outer"
cmp "$caches"/*.cache good

# A folder that cannot be used is not, and nothing is put there.
unusable() {
  lie "$caches"/*.cache
  "$@"
  says honest -fi "$outer"
  "${@/777/700}"
  says lying -fi "$outer"
  cp good "$caches"/*.cache
}
unusable chmod 777 "$caches"
mv "$caches" real
ln -s "$work/real" "$caches"
lie real/*.cache
says honest -fi "$outer"
rm "$caches"
: >"$caches" # a file
says honest -fi "$outer"
rm "$caches"
HOME='' XDG_CACHE_HOME='' says honest -fi "$outer"
status=0
allocs symbolize --cache /dev/null/no "$outer" >got 2>err || status=$?
[ $status = 2 ]
expect got </dev/null
expect err <<<'allocs symbolize: --cache: /dev/null/no: Not a directory'

# Nothing is kept without debug information, which may yet come; nor where a part of it
# is missing; nor where memory may be refused. The twins are.
left() { # left COUNT COMMAND...
  rm -rf "$caches"
  "${@:2}" >/dev/null
  [ "$(find "$caches" -type f 2>/dev/null | wc -l)" = "$1" ]
}
cp a.out stripped
strip stripped
left 0 allocs symbolize -e stripped "$outer"
left 1 allocs symbolize -e a.out "$outer"
"$CCA_CC" -O1 -g -gsplit-dwarf inlined.c -o split
left 1 allocs symbolize -e split "$outer"
mv split-inlined.dwo away
left 0 allocs symbolize -e split "$outer"
allocs symbolize -e split -o split.symbols
allocs dump split.symbols >dump
grep -q '^image .*parts=symbols,debug,partial' dump
left 0 bash -c "ulimit -v 4000000; allocs symbolize $outer"
left 0 bash -c "ulimit -d 4000000; allocs symbolize $outer"
left 1 bash -c "ulimit -f 4000000; allocs symbolize $outer"
left 0 allocs symbolize -e split.symbols "$outer" # a table is there already

# Of an object that is not linked, too; `allocs cache why` knows what became of it.
"$CCA_CC" -O1 -g -c inlined.c
left 1 allocs symbolize -e inlined.o 0
allocs cache why "$work/inlined.o" >why
grep -q 'its file is what it was' why
"$CCA_CC" -O2 -DX -g -c inlined.c
allocs cache why "$work/inlined.o" >why && exit 1
grep -q "a module was built anew: $work/inlined.o" why

# `allocs run` and it use each other's tables.
build_middle
shown() { allocs run --sites "$@" ./main 2>&1 | sed -nE 's/^ +1 +77 .* (m[a-z]+)$/\1/p'; }
rm -rf "$caches"
middle=$(address_of main middle)
printf '%s\n' middle main.c:3 >honest
printf '%s\n' muddle main.c:3 >lying
allocs symbolize -e main "$middle" >/dev/null
lie "$caches"/*.cache
[ "$(shown)" = muddle ]
[ "$(shown --no-cache)" = middle ]
rm -rf "$caches"
[ "$(shown)" = middle ]
lie "$caches/$(allocs cache list ./main | awk '$6 == "symbols" { print $1 }')"
says lying -fse main "$middle"
says honest -fse main "$middle" --no-cache
