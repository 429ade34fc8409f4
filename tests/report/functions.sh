#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every way to hand out memory, in text and JSON; a site of a static function
# counts for the function of its own unit.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

allocs assemble -o f - <<'END'
classification 2.0
module producer="hand" units=2
alloc name="get" unit="a.o" line=7 kind=pool size="round(p1)" args=@a+1 via=field via_param=2 offset=-8 flags=exported,may_fail certainty=carved
alloc name="get" unit="b.o" kind=memalign size="p10" args=@b+2 via=out_parameter
index @a value=1
index @b value=1
index value=10
allocsite unit="a.o" line=3 function="f" callee="get" class=bytes
allocsite unit="b.o" line=4 function="f" callee="get" class=bytes
allocsite unit="b.o" line=5 function="f" callee="get" class=bytes
allocsite unit="c.o" line=6 function="f" callee="get" class=bytes
allocsite unit="c.o" line=7 function="f" callee="malloc" class=bytes
END
allocs report --functions f >text
expect text <<'END'
f

  units      2
  functions  2 allocation functions (1 memalign, 1 pool)
  sites      5: 5 bytes

ALLOCATION FUNCTIONS (2)   p0 is the first argument
  function  kind      size           defined at  sites  called with
  get       pool      round(p1)      a.o             2
    carved, result in a field of p2, result at -8
  get       memalign  p10 (from p1)  b.o             2
    proved, result in *p0
END
allocs report --json --functions f | sed -n '/"allocation_functions": \[/,/^    },/p' >json
expect json <<'END'
  "allocation_functions": [
    {
      "name": "get",
      "unit": "a.o",
      "file": null,
      "line": 7,
      "kind": "pool",
      "size_args": [
        1
      ],
      "size": "round(p1)",
      "result": {
        "via": "field",
        "parameter": 2,
        "offset": -8
      },
      "zeroed": false,
      "may_fail": true,
      "exported": true,
      "pointer": false,
      "certainty": "carved",
      "chain": [],
      "sites": 2,
      "called_with": [],
      "freed_by": []
    },
END

# What a factory makes that nobody calls is what is asked for inside; but not
# what it asks for beside that.
compile made.c <<'END'
#include <stdlib.h>
struct own { int a[9]; };
struct beside { int a[5]; };
void *kept;
void *make(void) { return malloc(sizeof(struct own)); }
void *make_two(void) {
  kept = malloc(sizeof(struct beside));
  return malloc(sizeof(struct own));
}
END
allocs report --functions made.o | sed -n 's/^  \(make[a-z_]* .*\)/\1/p' >made
expect made <<'END'
make      made.c:5        0  struct own  sizeof(struct own)
make_two  made.c:6        0  struct own  sizeof(struct own)
END
# The twin: no site inside asks for as much.
allocs solve -o solved made.o
allocs dump solved | sed '/^alloc /s/size="sizeof(struct own)"/size="1"/' |
  sed 1d | allocs assemble -o changed -
allocs report --functions changed | sed -n 's/^  \(make[a-z_]* .*\)/\1/p' >made
expect made <<'END'
make      made.c:5        0         1
make_two  made.c:6        0         1
END
