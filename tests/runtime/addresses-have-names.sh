#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Addresses outside of sites have their function, line, and what that was inlined
# into, in every form, as far as the module's file says: of the very file that was
# mapped, and if it is read in time.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need strip go
export TMPDIR=$work/run HOME=$work PPROF_TMPDIR=$work
mkdir run

cat >in.c <<'END'
#include <stdlib.h>
#define INLINE static inline __attribute__((always_inline))
static void *volatile kept[9];
INLINE void inner(size_t n) {
  kept[0] = malloc(n);
}
INLINE void middle(size_t n) {
  inner(n);
}
void in(size_t n) {
  middle(n);
  kept[1] = kept[0];
}
END
# library FLAG...: libin.so
library() { "$CCA_CC" -O2 -shared -fPIC in.c -o libin.so "$@"; }
library -g
cat >main.c <<'END'
#include <stdio.h>
void in(unsigned long n);
int main(int argc, char **argv) {
  in(77);
  return argc > 2 && rename(argv[1], argv[2]); /* while it is mapped */
}
END
"$CCA_CC" main.c -L. -lin -Wl,-rpath,"$work" -o main

# shown OPTION...: how --sites shows what libin.so allocated.
shown() {
  timeout 600 allocs run --sites "$@" >/dev/null 2>all
  grep '^allocs run:' all >said || :
  grep -E '^ +1 +77 +1 +77 ' all | tail -n 1 | sed -E 's/^.* 77 +//; s/0x[0-9a-f]+/0x/'
}

[ "$(shown ./main)" = 'in.c:5  inner, inlined into middle, inlined into in' ]
[ "$(shown --no-symbols ./main)" = 'libin.so+0x' ]
expect said </dev/null

allocs run --format=folded -o folded ./main
grep libin folded >stacks
expect stacks <<'END'
main;libin.so;in (in.c:11);middle (in.c:8);inner (in.c:5);untyped: no caller was built with cc-allocs 77
END
cat >sites.py <<'END'
import json, sys
for row in json.load(sys.stdin)["processes"][0]["untyped"]:
    for site in row["sites"]:
        if site["bytes"] == 77:
            print(*(site[key] for key in ("file", "line", "column", "function")))
            for at in site["inlined_into"]:
                print(" ", *(at[key] for key in ("file", "line", "column", "function")))
END
allocs run --json -o json ./main
python3 sites.py <json >got
expect got <<END
$work/in.c 5 13 inner
  $work/in.c 8 3 middle
  $work/in.c 11 3 in
END
allocs run --json --no-symbols -o json ./main
python3 sites.py <json >got
expect got <<<'None None None None'
allocs run --format=html -o page ./main
sed -n 's/^.* id="heap">\(.*\)<\/script>.*$/\1/p' page | python3 sites.py >got
[ "$(wc -l <got)" = 3 ]
allocs run --format=pprof -o pprof ./main
go tool pprof -raw pprof 2>err | sed -n "/ inner /,\$p" | sed -n 1,3p |
  sed -E 's/^ *[0-9]+: 0x[0-9a-f]+ M=[0-9]+ //; s/^ *//; s/ s=0\(\)$//' >got
expect got <<END
inner $work/in.c:5
middle $work/in.c:8
in $work/in.c:11
END

# Symbols alone, and nothing.
library
[ "$(shown ./main)" = 'libin.so+0x  in' ]
strip libin.so
"$CCA_CC" -O2 -shared -fPIC in.c -Wl,--version-script=/dev/stdin -o libhidden.so <<<'{ global: in; local: *; };'
[ "$(shown ./main)" = 'libin.so+0x  in' ] # it is exported
sed -i 's/^void in/static void own/; $a void in(size_t n) { own(n); kept[2] = kept[1]; }' in.c
library -fno-inline
strip libin.so
[ "$(shown ./main)" = 'libin.so+0x' ]

# symbols: what the JSON says of libin.so
symbols() {
  python3 -c 'import json, sys
for m in json.load(open(sys.argv[1]))["processes"][0]["modules"]:
    if m["path"].endswith("/libin.so"):
        print(m["symbols"])' json
}
# Another file is in its place by the end; the twin has the same bytes.
for id in sha1 none; do
  library -g -Wl,--build-id=$id
  "$CCA_CC" -O2 -shared -fPIC -g -x c - -o other.so <<<'void in(unsigned long n) { (void)n; }'
  cp libin.so same.so
  [ "$(shown ./main other.so libin.so)" = 'libin.so+0x' ]
  expect said <<<"allocs run: $work/libin.so: addresses stay without functions: its file was replaced since"
  cp same.so libin.so
  sleep 0.1 # so that it is older than the run
  [ "$(shown ./main)" = 'in.c:5  inner, inlined into middle, inlined into own, inlined into in' ]
  expect said </dev/null
done
library -g
cp libin.so same.so
[ "$(shown ./main same.so libin.so)" = 'in.c:5  inner, inlined into middle, inlined into own, inlined into in' ]
expect said </dev/null

# No file, one that is none, and one that is not read in time.
allocs run --json -o json ./main libin.so away 2>said
[ "$(symbols)" = no-file ]
expect said <<<"allocs run: $work/libin.so: addresses stay without functions: cannot be opened: No such file or directory"
mv away libin.so
echo 'not ELF' >broken
allocs run --json -o json ./main broken libin.so 2>said
[ "$(symbols)" = unreadable ]
expect said <<<"allocs run: $work/libin.so: addresses stay without functions: not an ELF file"
library -g
allocs run --json --no-cache --symbols-wait 0 -o json ./main 2>said
[ "$(symbols)" = late ]
grep -qxF "allocs run: $work/libin.so: addresses stay without functions: its symbols were not read in time; --symbols-wait gives them more" said
allocs run --json -o json ./main 2>said
[ "$(symbols)" = yes ]
expect said </dev/null

status=0
allocs run --symbols-wait soon true 2>said || status=$?
[ $status = 125 ]
expect said <<<"allocs run: --symbols-wait is a number of seconds, to 86400, not \`soon'"

# Nothing is left of it.
[ -z "$(ls run)" ]
