#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A Debian source package is built by its own rules behind our links; a build that
# stopped goes on, a finished one is left alone or only linked again, and all of
# its linked outputs are evaluated as one.  A package that cannot be built is named,
# and keeps no other from being evaluated.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need python3 dpkg-checkbuilddeps make flock

# The scripts with a build folder of their own, and in it what fetch would fetch.
cp -r "$source_dir/scripts" scripts
mkdir -p build/sources/toy/debian
export CCA_BUILD=$build_dir
cd build/sources/toy
cat >debian/control <<'END'
Source: toy
Maintainer: nobody <nobody@localhost>

Package: toy
Architecture: any
Description: toy
END
cat >debian/rules <<'END'
#!/usr/bin/make -f
build-arch: prog libtoy.so plain
	echo "$(DEB_BUILD_OPTIONS)" >options
%.o: %.c
	cc -g -O2 -fPIC -c $<
prog: main.o a.o
	cc -o $@ $^
libtoy.so: a.o only.o
	gcc -shared -o $@ $^
plain:
	cp /bin/true plain
END
chmod +x debian/rules
cat >a.c <<'END'
#include <stdlib.h>
void *wrap(size_t n) { return malloc(n); }
END
cat >only.c <<'END'
void *wrap(unsigned long n);
void *twice(unsigned long n) { return wrap(2 * n); }
END
echo 'void *wrap(unsigned long); int main(void) { return !wrap(sizeof(long)); }' \
  >main.c.later
cd "$work"

# It stops where main.c is missing.
not scripts/build-package toy -j1 2>said
grep -q "main.o" said
grep -q 'toy failed to build$' said
grep -q "that was the end of $work/build/packages/toy.log$" said
mv build/packages/toy/main.c.later build/packages/toy/main.c
[ ! -e build/packages/toy.built ]
scripts/build-package toy -j1 >folder
expect folder <<END
$work/build/packages/toy
END
grep -q '^nocheck nodoc parallel=1$' build/packages/toy/options
compilations() { grep -lzx -e -c build/packages/toy.commands/* | wc -l; }
[ "$(compilations)" = 3 ]

evaluate() {
  scripts/evaluate --truth truth.tsv \
    --verdicts "$source_dir/tests/corpus/verdicts.tsv" --allocs "$build_dir/bin/allocs" \
    --no-peers "$@" toy
}
cat >truth.tsv <<'END'
project	function	kind	size_args	via	evidence	annotation	notes
toy	wrap	malloc	0	direct	toy-1/a.c:2	none	
toy	twice	malloc	0	direct	toy-1/only.c:2	none	
END
evaluate --json >score.json
python3 - <<'END'
import json
counts = json.load(open("score.json"))[0]["counts"]
assert counts["modules"] == 2 and counts["rows_found"] == 2, counts
assert counts["units"] == 3 and counts["sites"] == 3, counts
END

# Nothing is compiled again; with --relink, what links is.
times() { (cd build/packages/toy && stat -c %y options main.o prog ../toy.built); }
times >before
evaluate >/dev/null
times | diff before -
evaluate --relink >/dev/null
times | { diff before - || :; } | grep -c '^>' >changed
expect changed <<<1
allocs report build/packages/toy/prog | grep wrap >/dev/null
[ "$(compilations)" = 3 ]

# The first of two cannot be built.
mkdir -p build/sources/broken/debian
sed 's/toy/broken/' build/sources/toy/debian/control \
  >build/sources/broken/debian/control
printf '#!/bin/sh\necho no rule for it; exit 2\n' >build/sources/broken/debian/rules
chmod +x build/sources/broken/debian/rules
both() {
  scripts/evaluate --truth truth.tsv \
    --verdicts "$source_dir/tests/corpus/verdicts.tsv" --allocs "$build_dir/bin/allocs" \
    --no-peers broken toy "$@"
}
status=0
both >got 2>said || status=$?
[ $status = 1 ]
grep '^no rule for it$' said >/dev/null
sed 's/  */ /g; /^$/q' got >rows
expect rows <<'END'
 rows recall arguments kind precision frees recall precision unread
broken not built
toy 2 100.0% 100.0% 100.0% 100.0% - - 0
total 2 100.0% 100.0% 100.0% 100.0% - - 0

END
grep -c '^broken' got >lines # and what it says below
expect lines <<<2
grep "^  not built *$work/build/packages/broken.log$" got >/dev/null
both --json >got.json 2>/dev/null || status=$?
python3 - <<'END'
import json
broken, toy, total = json.load(open("got.json"))
assert [broken["built"], toy["built"], total["built"]] == [False, True, True]
assert broken["counts"] == {} and toy["counts"] == total["counts"]
END
