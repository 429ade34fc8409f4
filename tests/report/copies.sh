#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A call in a header that many units saw alike is one row of the text; where
# they saw it differently, where one unit has it twice, and on another line it
# is not.  JSON has them all.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

allocs assemble -o copies - <<'END'
classification 2.0
file @h name="list.h"
type @s name="struct s" kind=struct size=8 identity=1
module producer="hand" units=3
allocsite unit="a.o" file=@h line=3 column=5 function="new" callee="malloc" of=@s shape=one size="8"
allocsite unit="b.o" file=@h line=3 column=5 function="new" callee="malloc" of=@s shape=one size="8"
allocsite unit="c.o" file=@h line=3 column=5 function="new" callee="malloc" of=@s shape=one size="8"
allocsite unit="a.o" file=@h line=4 column=5 function="new" callee="malloc" of=@s shape=one size="8"
allocsite unit="b.o" file=@h line=5 column=5 function="new" callee="malloc" of=@s shape=one size="8"
allocsite unit="a.o" file=@h line=6 column=5 function="macro" callee="malloc" of=@s shape=one size="8"
allocsite unit="a.o" file=@h line=6 column=5 function="macro" callee="malloc" of=@s shape=one size="8"
allocsite unit="a.o" file=@h line=7 column=5 function="size" callee="malloc" of=@s shape=one size="8"
allocsite unit="b.o" file=@h line=7 column=5 function="size" callee="malloc" class=bytes of=@s shape=one size="8"
END
allocs report --sites copies | sed '1,/^ALLOC/d' >text
expect text <<'END'
  list.h
    3:5  new    malloc  struct s  8, in 3 units
    4:5  new    malloc  struct s  8
    5:5  new    malloc  struct s  8
    6:5  macro  malloc  struct s  8
    6:5  macro  malloc  struct s  8
    7:5  size   malloc  struct s  8
    7:5  size   malloc  bytes     8
END
[ "$(allocs report --json copies | grep -c '"callee"')" = 9 ]
