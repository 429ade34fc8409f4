#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Units join by symbol as a linker joins them: a strong definition wins over a
# weak one whatever the order, and a static function is its unit's own.
# Summaries written by hand: no compiler takes part.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

# assemble NAME <ROWS: write NAME.tab.
assemble() {
  { echo 'summary 2.0'; echo "unit source=\"$1.c\" producer=\"by hand\""; cat; } |
    allocs assemble -o "$1.tab" -
}

# grab(n), which hands out malloc(n), with the linkage $2.
allocates() {
  assemble "$1" <<END
func @grab symbol="grab" linkage=$2 line=2 shape="pl" params=@n+1
func @malloc symbol="malloc" shape="pl" params=@m+1
param @n name="n" kind=integer
param @m kind=integer
node @p param 0
call @c func=@grab line=2 callee=@malloc args=[@p]
node @block call @c
return @r func=@grab value=@block line=2
END
}

# grab(n), which returns null, with the linkage $2.
refuses() {
  assemble "$1" <<END
func @grab symbol="grab" linkage=$2 line=1 shape="pl" params=@n+1
param @n name="n" kind=integer
node @null constant 0
return @r func=@grab value=@null line=1
END
}

functions() {
  allocs report --json "$@" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["allocation_functions"]:
    print(f["name"], f["kind"], f["unit"], f["size_args"])'
}

assemble user <<'END'
type @item name="struct item" kind=struct size=24 identity=0x11
func @make symbol="make" linkage=external line=3 shape="p" result=@item
func @grab symbol="grab" shape="pl" params=@m+1
param @m kind=integer
node @size sizeof @item 24
call @c func=@make line=3 callee=@grab args=[@size]
node @block call @c
return @r func=@make value=@block line=3
END

refuses weak weak
allocates strong external
functions user.tab weak.tab strong.tab >said
expect said <<'END'
grab malloc strong.c [0]
make factory user.c []
END
functions user.tab strong.tab weak.tab | diff - said

# The twin: the strong one refuses, and nothing allocates.
allocates weak weak
refuses strong external
functions user.tab weak.tab strong.tab >said
expect said </dev/null

# A static function of the same name is nobody else's.
allocates own internal
functions user.tab own.tab strong.tab >said
expect said <<'END'
grab malloc own.c [0]
END
