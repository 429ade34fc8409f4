#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# scripts/rebuild builds a package without and with cc-allocs, finds both the
# same, and names each thing that is not: a build that breaks, a file, a mode, a
# section, an object, a unit without summary; and what differs by itself.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need python3 make dpkg-deb dpkg-parsechangelog dpkg-checkbuilddeps objcopy readelf
[ "$(id -u)" -eq 0 ] || need fakeroot

# The scripts with a build folder of their own, and in it what fetch would fetch.
cp -r "$source_dir/scripts" scripts
export CCA_BUILD=$build_dir

# package NAME: a source package; standard input is what its build does before
# it packs, with cc-allocs in PATH if `ours` is not empty.
package() {
  local top=build/sources/$1
  mkdir -p "$top/debian"
  cat >"$top/debian/more"
  cat >"$top/debian/control" <<END
Source: $1
Maintainer: nobody <nobody@localhost>

Package: $1
Architecture: any
Description: toy
END
  cat >"$top/debian/changelog" <<END
$1 (1.0) unstable; urgency=low

  * None.

 -- nobody <nobody@localhost>  Thu, 01 Jan 2026 00:00:00 +0000
END
  cat >"$top/debian/rules" <<'END'
#!/usr/bin/make -f
export ours := $(if $(findstring /cc-allocs/bin:,$(PATH)),yes)
export root := debian/$(shell sed -n 's/^Source: //p' debian/control)
build-arch: prog
prog: main.o part.o
	gcc $^ -o $@
%.o: %.c
	gcc -O2 -g -c $<
binary-arch: build-arch
	mkdir -p $(root)/DEBIAN $(root)/usr/bin
	sh -eu debian/more
	install prog $(root)/usr/bin/prog
	sed '/^Source/d;/^$$/d;s/any/amd64/;$$aVersion: 1' debian/control >$(root)/DEBIAN/control
	dpkg-deb --root-owner-group -Znone -b $(root) .. >/dev/null
END
  chmod +x "$top/debian/rules"
  cat >"$top/main.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
void *part(size_t n);
static const char *names[] = {"one", "two"};
int main(int argc, char **argv) {
  (void)argv;
  puts(names[argc & 1]);
  return !part(sizeof(long));
}
END
  cat >"$top/part.c" <<'END'
#include <stdlib.h>
void *part(size_t n) { return malloc(n); }
END
}

# The status of a package, the script's own, the package's differences and its
# units without summary.
status() {
  local status=0
  scripts/rebuild --json "$1" 2>said >results || status=$?
  python3 -c '
import json, sys
result = json.load(open("results"))[0]
print(result["package"], result["status"] + ", status " + sys.argv[1], sep=": ")
for kind in "differences", "by_itself", "missing":
    for name, text in result.get(kind, []):
        print(f"  {kind}: {name}: {text}")
' $status || cat said >&2
}

package same </dev/null
scripts/rebuild same >table 2>said
grep -qx 'same: same, 2 of 2 units with a summary, cost [0-9.]*, in all [0-9.]*' said
grep -q '^same *1\.0 *make *same *2 *0 *2 *6 *0 *2 *2 ' table
grep -qx '1 packages, 1 same' table
[ ! -e build/rebuild/same/plain ]
# Done is done.
scripts/rebuild same 2>said | diff table -
[ ! -s said ]
[ "$(wc -l <build/rebuild/results.jsonl)" = 1 ]

# What each build does before it packs; the shell that does it expands it.
# shellcheck disable=SC2016
{
  package broken <<<'[ -z "$ours" ]'
  package never <<<false
  package file <<<'echo "$ours" >$root/usr/bin/note'
  package extra <<<'[ -z "$ours" ] || touch $root/usr/bin/extra'
  package mode <<<'touch $root/a; [ -z "$ours" ] || chmod 700 $root/a'
  package object <<<'[ -z "$ours" ] || objcopy -R .comment part.o'
  # Functions in another order; one call of another place; a letter.
  package order <<<'[ -z "$ours" ] || gcc part.o main.o -o prog'
  package call <<<'[ -z "$ours" ] || python3 debian/poke prog'
  package data <<<'[ -z "$ours" ] || sed -i s/two/too/ prog'
  package section <<<'[ -z "$ours" ] || objcopy --add-section .more=main.c prog'
  package itself <<<'date +%N >$root/usr/bin/when'
  package bare <<<'[ -z "$ours" ] || /usr/bin/gcc -O2 -g -c part.c'
  package nested <<<'
    echo "int f(int a) { int g(void) { return a; } return g(); }" >nested.c
    gcc -O2 -g -c nested.c'
}
# The distance in the last call of .text is one more.
cat >build/sources/call/debian/poke <<'END'
import subprocess, sys
said = subprocess.run(["objdump", "-d", "--section=.text", sys.argv[1]],
                      capture_output=True, text=True).stdout.splitlines()
call = [line for line in said if "\te8 " in line][-1]
section = [line.split() for line in subprocess.run(
    ["readelf", "-SW", sys.argv[1]], capture_output=True,
    text=True).stdout.replace("[ ", "[").splitlines() if " .text " in line][0]
data = bytearray(open(sys.argv[1], "rb").read())
at = int(call.split(":")[0], 16) - int(section[3], 16) + int(section[4], 16) + 1
data[at] ^= 1
open(sys.argv[1], "wb").write(data)
END

for name in broken never file extra mode object order call data section itself \
  bare nested; do
  status $name
done | sed 's/byte 0x[0-9a-f]* differs/byte N differs/;s/size [0-9]* became.*/size N/
  s/[0-9]* bytes became [0-9]*/N bytes became M/;s/nested.c:1:.*/nested.c:1/' >got
expect got <<'END'
broken: broken, status 1
never: not built, status 1
file: differs, status 1
  differences: installed/file/usr/bin/note: has another content
extra: differs, status 1
  differences: installed/extra/usr/bin/extra: is installed only with cc-allocs
mode: differs, status 1
  differences: installed/mode/a: has another type, mode or owner
object: differs, status 1
  differences: tree/part.o: without .cc_allocs, N bytes became M
order: differs, status 1
  differences: installed/order/usr/bin/prog: section .eh_frame: size N
  differences: tree/prog: section .eh_frame: size N
call: differs, status 1
  differences: installed/call/usr/bin/prog: section .text: byte N differs, and is no address
  differences: tree/prog: section .text: byte N differs, and is no address
data: differs, status 1
  differences: installed/data/usr/bin/prog: section .rodata: byte N differs, and is no address
  differences: tree/prog: section .rodata: byte N differs, and is no address
section: differs, status 1
  differences: installed/section/usr/bin/prog: sections: ['.more'] came, [] went
  differences: tree/prog: sections: ['.more'] came, [] went
itself: by itself, status 0
  by_itself: installed/itself/usr/bin/when: has another content
bare: same, status 0
  missing: part.o: object without a summary
nested: same, status 0
  missing: nested.c: nested.c:1
END

# What cannot be fetched is said, the next one is done, and it is tried again.
printf '#!/bin/sh\necho "no $1" >&2\nexit 1\n' >scripts/fetch
for _ in 1 2; do
  not scripts/rebuild absent same >table 2>said
  expect said <<<'absent: not fetched; no absent'
done
grep -qx '2 packages, 1 same' table
