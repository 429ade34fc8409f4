#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What only gcc understands: options that clang does not know are no reason to
# have no summary; C that it does not know is one, and is said.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc
export CC_ALLOCS_CC=gcc

echo 'int main(void) { return sizeof(int) - 4; }' >a.c
cc-allocs -c a.c -fipa-pta -fconserve-stack -Wduplicated-cond -fno-tree-vrp \
  --param=max-inline-insns-single=9 -mpreferred-stack-boundary=4
allocs dump a.o | grep '^unit .* marks=1 ' >/dev/null

# Options that the analysis has to pass on, and that clang refuses: it is asked
# again without them.  A processor changes no type, and an ABI may.
cat >cpu.c <<'END'
#include <stdlib.h>
struct s { long n; char *text; };
struct s *make(void) { return malloc(sizeof(struct s)); }
END
# unit OPTION...: what the summary says of the unit; cpu.o is gcc's own.
unit() {
  cc-allocs -c cpu.c "$@" -o cpu.o >said 2>&1
  [ ! -s said ]
  objcopy --remove-section=.cc_allocs cpu.o back.o
  gcc -c cpu.c "$@" -o plain.o
  objcopy plain.o same.o
  cmp back.o same.o
  allocs dump cpu.o | sed -n 's/^unit .*producer="[^"]*" \(.*\) digest=.*/\1/p'
  says cpu.o call
}
good=$'marks=1\nmalloc(sizeof(struct s))'
[ "$(unit -O2)" = "$good" ]
for option in -march=eden-x2 -march=nano-x4 -march=x86-64-v2 -mtune=intel; do
  [ "$(unit $option)" = "$good" ]
done
echo '*cc1: + -fno-ident' >none.specs
[ "$(unit -specs="$PWD/none.specs" -march=eden-x2 -O2)" = "$good" ]
reason='clang does not know -mabi=ms: types may have other sizes'
[ "$(unit -mabi=ms -march=nano-x4)" = "status=partial reason=\"$reason\" $good" ]
# An error in the source stays one, and what clang was not told is said.
echo 'int f(int a) { int g(void) { return a; } return g(); }' >>cpu.c
reason='cpu.c:4: function definition is not allowed here'
reason+=' (without -march=eden-x2, which clang refuses)'
[ "$(unit -march=eden-x2)" = "status=failed reason=\"$reason\"" ]

cat >n.c <<'END'
int main(void) {
  int inner(int x) { return x - (int)sizeof(int); }
  return inner(4);
}
END
cc-allocs n.c -o n >said 2>&1
[ ! -s said ]
./n
cc-allocs -c n.c
allocs dump n.o | grep '^unit .*status=failed reason="n.c:2: ' >/dev/null
allocs report --json n >json
python3 - <<'END'
import json
missing = json.load(open("json"))["missing"]
assert [m["unit"] for m in missing] == ["n.c"], missing
assert missing[0]["reason"].startswith("n.c:2: "), missing
END
