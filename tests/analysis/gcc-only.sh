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
