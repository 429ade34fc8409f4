#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --type keeps what allocates one type, by its name with or without `struct`;
# a type that is only the used-as type of a site is not allocated there.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

allocs assemble -o lua "$here/lua.txt"
allocs report --type Proto lua >text
expect text <<'END'
lua  only what allocates Proto

  units      33, and 2 without a summary
  functions  1 allocation function (malloc)
  sites      1: 1 typed

ALLOCATION FUNCTIONS (1)   p0 is the first argument
  function      kind    size  defined at  sites  called with
  luaM_malloc_  malloc  p1    lmem.c:187      1  TString (12), TValue (2), Proto, +1 more
    proved: calls global_State.frealloc (lmem.c:191) -> which holds l_alloc -> realloc

TYPES (1)   allocated at most sites first
  type   bytes  sites  defined at
  Proto    128      1  lobject.h:535

ALLOCATION SITES (1)   line:column, calling function, callee, type, size
  lparser.c
    700  both  luaM_malloc_  Table | Proto  sizeof(Table) or sizeof(Proto)

UNITS WITHOUT A SUMMARY (2)   what they allocate is not in this report
  lcxx.o         C++ has no summary
  vendor/fast.o  object without a summary

UNITS WITH A RESERVATION (1)   what is said of them may not be all, or not right
  lgc.o  1 of 2 marks were refused by clang
END
allocs report --json --type Proto lua | grep only_type >json
expect json <<<'  "only_type": "Proto",'

status=0
allocs report --type Udata lua >text 2>error || status=$?
[ "$status" = 1 ]
expect text </dev/null
expect error <<'END'
allocs report: lua: nothing in it allocates Udata; without --type the report lists the types
END

allocs assemble -o tagged - <<'END'
classification 2.0
type @s name="struct s" kind=struct size=8 identity=1
type @t name="s" kind=base size=4 identity=2
module producer="hand" units=1
allocsite unit="a.o" function="f" callee="malloc" of=@s shape=one size="8"
allocsite unit="a.o" function="g" callee="malloc" of=@t shape=one size="4"
allocsite unit="a.o" function="h" callee="malloc" class=bytes of=@s size="p0"
END
[ "$(allocs report --sites --type s tagged | grep -c malloc)" = 2 ]
[ "$(allocs report --sites --type 'struct s' tagged | grep -c malloc)" = 1 ]
not allocs report --type 'union s' tagged 2>error
