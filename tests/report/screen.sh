#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Colours and cuts are for terminals alone, and for those that want them; the
# width is the terminal's; a pipe gets whole lines.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

need script
allocs assemble -o lua "$here/lua.txt"

# on_terminal WIDTH COMMAND: what it writes to a terminal of WIDTH columns.
on_terminal() {
  TERM=xterm script -qec "stty cols $1; $2" /dev/null </dev/null | tr -d '\r'
}
escape=$'\033'
colored() { grep "$escape\\[" >/dev/null; }

on_terminal 100 'allocs report lua' >terminal
colored <terminal
grep -qx "${escape}\[1mALLOCATION FUNCTIONS (6)${escape}\[0m   ${escape}\[2mp0 is the first argument${escape}\[0m" terminal
on_terminal 100 'NO_COLOR=1 allocs report lua' | not colored
on_terminal 100 'NO_COLOR= allocs report lua' | colored
on_terminal 100 'TERM=dumb allocs report lua' | not colored
on_terminal 100 'allocs report --color=never lua' | not colored
on_terminal 100 'allocs report lua | cat' | not colored
allocs report lua | not colored
allocs report --color=always lua | colored
allocs report --color lua | colored
NO_COLOR=1 allocs report --color=always lua | colored
allocs report --color=always lua | sed "s/$escape\\[[0-9]*m//g" >piped
expect piped <"$here/lua.report"

# Nothing is wider than the terminal, but for names that are never cut.
on_terminal 80 'allocs report --color=never lua' >narrow
not grep -qE '^.{81}' narrow
grep -E '^  luaM_malloc_ ' narrow >row
expect row <<'END'
  luaM_malloc_   malloc   p1            lmem.c:187          8  TString (12), ...
END
# What contradicts a type is not cut: a terminal has it on a line of its own.
grep -A 1 registerlocalvar narrow >row
expect row <<'END'
    193:12  registerlocalvar  luaM_growaux_  TValue[]        n * sizeof(TValue)
      used as Proto
END
on_terminal 70 'allocs report --color=never lua' >narrower
grep -A 1 'registerlocalvar .* n \* sizeof(\.\.\.$' narrower | tail -n 1 >row
expect row <<<"      used as Proto"
on_terminal 80 'allocs report --color=never --why lua' >narrow
not grep -qE '^.{81}' narrow
COLUMNS=80 allocs report lua | grep '^  luaM_malloc_ .*TString (12), TValue (2), Proto, +1 more$' >/dev/null

# Signs instead of ASCII where the locale has them.
if locale -a | grep -ix c.utf8 >/dev/null; then
  LC_ALL=C.UTF-8 allocs report lua | grep ' → which holds l_alloc → realloc' >/dev/null
fi
allocs report lua >ascii
not grep -q '[^ -~]' ascii
