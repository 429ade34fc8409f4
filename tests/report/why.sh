#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --why gives each step of the evidence a line, all types, and the addresses
# that sites return to; without it a long chain is cut in its middle.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

allocs assemble -o lua "$here/lua.txt"
allocs report --why lua >text
sed -n '/^  luaM_malloc_/,/^  l_alloc/p' text >function
expect function <<'END'
  luaM_malloc_           malloc   p1                lmem.c:187          8  TString (12), TValue (2), Proto, +1 more
    proved
      -> calls global_State.frealloc (lmem.c:191)
      -> which holds l_alloc (lauxlib.c:1024)
      -> calls realloc (lauxlib.c:1026)
    called with TString (12), TValue (2), Proto, Table
  l_alloc                realloc  p3                lauxlib.c:1019      1
END
sed -n '/^     619:5/,/^  lparser.c/p' text >site
expect site <<'END'
     619:5  luaH_new          luaM_malloc_   Table                sizeof(Table), in 2 units
      returns to 0x4012a0, 0x4015f4 (inlined)
  lparser.c
END
# The others, of which there is no call in the code, or several may be it.
grep -A 1 '^     520:9' text >site
expect site <<'END'
     520:9  buffinit          l_alloc        bytes                p1 * 2
      not found in the code
END

allocs report lua >text
grep -A 1 '^  luaM_malloc_' text | tail -n 1 >whole
expect whole <<'END'
    proved: calls global_State.frealloc (lmem.c:191) -> which holds l_alloc -> realloc
END
not grep -q 'returns to' text
COLUMNS=75 allocs report lua | grep -A 1 '^  luaM_malloc_' | tail -n 1 >cut
expect cut <<'END'
    proved: calls global_State.frealloc (lmem.c:191) -> ... -> realloc
END
