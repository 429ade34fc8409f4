#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Names are whatever somebody wrote into a file: no control character of theirs
# reaches the terminal, broken UTF-8 no JSON, and good UTF-8 stays.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

allocs assemble -o evil - <<'END'
classification 2.0
file @f name="red\x1b[31m.c"
type @t name="struct \xff\xc3\xa9\n" kind=struct size=8 identity=1
module producer="hand" units=1
alloc name="bell\x07" unit="u.o" file=@f line=3 size="p0\x7f" chain=@s+1
step @s text="c1 \xc2\x9b, surrogate \xed\xa0\x80, overlong \xe0\x80\x80, cut \xf0\x9f"
allocsite unit="u.o" file=@f line=9 function="\xf0\x9f\x98\x80" callee="bell\x07" of=@t shape=one size="8"
END
allocs report --functions evil >text
expect text <<'END'
evil

  units      1
  functions  1 allocation function (malloc)
  sites      1: 1 typed

ALLOCATION FUNCTIONS (1)   p0 is the first argument
  function  kind    size  defined at    sites  called with
  bell?     malloc  p0?   red?[31m.c:3      1
    proved: c1 ??, surrogate ???, overlong ???, cut ??
END
allocs report --json evil >json
python3 - <<'END'
import json
report = json.load(open("json"))
assert report["allocation_functions"][0]["name"] == "bell\a"
assert report["allocation_functions"][0]["chain"][0]["text"] == (
    "c1 ??, surrogate ???, overlong ???, cut ??")
assert report["types"][0]["name"] == "struct ?é?"
assert report["allocation_sites"][0]["function"] == "😀"
END
