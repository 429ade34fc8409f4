#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The symbol table of a module with debug information is made once: the next run finds
# it in the cache, for the same bytes of the module's file and no others, and says the
# same. A table that lies shows who believes it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
need objcopy strip
caches=$XDG_CACHE_HOME/cc-allocs
mkdir -p "$XDG_CACHE_HOME"

in_c() { # in_c FUNCTION [FLAG...]: libin.so, built without cc-allocs
  library "$CCA_CC" in "${@:2}" <<EOF
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) void $1(size_t n) { kept = malloc(n); }
void in(size_t n) { $1(n); kept = kept; }
EOF
}
in_c honest -g
cat >main.c <<'EOF'
void in(unsigned long n);
int main(void) { in(77); return 0; }
EOF
"$CCA_CC" main.c -L. -lin -Wl,-rpath,"$work" -o main # without debug information

# shown OPTION...: how --sites shows the 77 bytes; what is said of the cache is in
# `said`.
shown() {
  allocs run --sites --show-cache "$@" ./main >/dev/null 2>all
  sed -n "s,^allocs run: symbols of $work/,,p" all >said
  grep -E '^ +1 +77 +1 +77 ' all | tail -n 1 | sed -E 's/^.* 77 +//; s/0x[0-9a-f]+/0x/'
}
# tables: the caches of symbols, by their modules.
tables() {
  allocs cache list --json | python3 -c 'import json, sys
for c in json.load(sys.stdin)["caches"]:
    if c["symbols"]:
        print(c["name"], c["program"].split("/")[-1], c["calls"], c["state"])' | sort -k 2
}
table() { tables | sed -n "s/^\([^ ]*\) $1 .*/\1/p"; }

[ "$(shown)" = 'in.c:3  honest' ]
expect said <<<'libin.so: the cache was not used: there is none for these modules yet'
tables >list
[ "$(cut -d' ' -f2- list)" = 'libin.so 0 used' ]
file=$caches/$(table libin.so)
[ "$(stat -c %a "$file")" = 600 ]
allocs run --json -o first.json ./main
[ "$(shown)" = 'in.c:3  honest' ]
expect said <<<'libin.so: the cache was used'
allocs run --json --no-cache -o without.json ./main
for run in first without; do
  python3 - $run.json >$run.symbols <<'EOF'
import json, sys
process, = json.load(open(sys.argv[1]))["processes"]
for module in process["modules"]:
    print(module["path"], module["symbols"])
for row in process["untyped"]:
    for site in row["sites"]:
        print(site["module"], site["address"], site["file"], site["line"],
              site["column"], site["function"], site["inlined_into"])
EOF
done
cmp first.symbols without.symbols
grep -q "libin.so .*in.c 3 .* honest " without.symbols

# It is asked: a table that lies is believed, by nothing but its checksum.
cp "$file" good
# patch WORD BYTES: put BYTES where WORD is first, and make the checksum again.
patch() {
  grep -abo "$1" "$file" >places
  python3 "$source_dir/tests/runtime/cache-file.py" "$file" \
    "$(head -n 1 places | cut -d: -f1)=$2"
}
lie() {
  cp good "$file"
  patch honest hoaxed # in the same place among the names
}
lie
[ "$(shown)" = 'in.c:3  hoaxed' ]
cp "$file" lie
[ "$(shown --no-cache)" = 'in.c:3  honest' ]
[ "$(shown --cache-write never)" = 'in.c:3  hoaxed' ]
cmp lie "$file"

# refused REASON [OPTION...]: it is not believed, for that reason, and is there anew.
refused() {
  [ "$(shown --cache-write never "${@:2}")" = "$wanted" ]
  expect said <<<"libin.so: the cache was not used: $1"
  [ "$(shown "${@:2}")" = "$wanted" ]
  [ "$(shown "${@:2}")" = "$wanted" ]
  expect said <<<'libin.so: the cache was used'
}
# The file: changed, cut, of another mode, a link; broken where its checksum is right.
wanted='in.c:3  honest'
printf x | dd of="$file" bs=1 seek=5000 conv=notrunc status=none
allocs cache verify --json >verified && exit 1
grep -q '"state": "checksum"' verified
refused 'bytes of the file were changed'
truncate -s -32 "$file"
refused 'the file has no end'
lie
chmod g+w "$file"
refused 'others may write to the file'
lie
ln "$file" second
refused 'the file has a second name'
rm second
lie
mv "$file" aside
ln -s "$PWD/aside" "$file"
refused 'a symbolic link, or no regular file'
cmp lie aside
cp good "$file"
python3 "$source_dir/tests/runtime/cache-file.py" "$file" "$((4096 + 16))=~~"
allocs cache verify --json >verified && exit 1
grep -q '"state": "broken"' verified
refused 'the file breaks a rule of its format'
cp good "$file"
patch 'cc-allocs 0' 'cc-allocs 9'
refused 'another version of the runtime wrote it'

# The module: other bytes of the same build id, built anew; the twin is touched.
lie
touch libin.so
[ "$(shown)" = 'in.c:3  hoaxed' ]
cp libin.so whole.so
objcopy --redefine-sym honest=stolen libin.so
allocs cache why "$(table libin.so)" >why && exit 1
grep -q "its build id, but other bytes: $work/libin.so" why
refused 'a module has its build id, but other bytes'
lie
in_c anew -g
wanted='in.c:3  anew'
allocs cache why "$(table libin.so)" >why && exit 1
grep -q "a module was built anew: $work/libin.so" why
refused 'a module was built anew'
allocs cache why "$(table libin.so)" >why
grep -q 'its file is what it was' why
in_c nameless -g -Wl,--build-id=none
wanted='in.c:3  nameless'
refused 'a module was built anew'

# Without debug information there is nothing to keep: it may come yet.
cp whole.so libin.so
rm "$caches"/*
strip libin.so
[ "$(shown)" = 'libin.so+0x  honest' ]
[ -z "$(tables)" ]
cp whole.so libin.so
objcopy --only-keep-debug libin.so libin.debug
strip libin.so
objcopy --add-gnu-debuglink=libin.debug libin.so
[ "$(shown)" = 'in.c:3  honest' ]
rm libin.debug
[ "$(shown)" = 'in.c:3  honest' ]
expect said <<<'libin.so: the cache was used'

# One that is shared is asked where the user's has none, and not written.
mkdir -m 755 shared
mv "$caches"/* shared
ls -l shared >before
[ "$(CC_ALLOCS_CACHE_SHARED=$work/shared shown --cache-write never)" = 'in.c:3  honest' ]
expect said <<<'libin.so: the cache was used'
[ "$(shown --cache-write never)" = 'libin.so+0x  honest' ] # the twin
ls -l shared >after
cmp before after

# It is pruned as others are.
cp shared/* "$caches"
[ -n "$(tables)" ]
allocs cache prune --all >/dev/null
[ -z "$(ls "$caches")" ]
