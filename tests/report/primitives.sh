#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# CC_ALLOCS_PRIMITIVES names allocation functions that cannot be seen; a
# missing or wrong file is an error that says where.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile v.c <<'END'
#include <stddef.h>
void *vendor_alloc(size_t kilobytes, size_t n);
void *get(size_t n) { return vendor_alloc(0, n); }
long *one(void) { return get(sizeof(long)); }
END
allocs report --functions v.o >without
not grep -q '^ALLOCATION FUNCTIONS' without

echo 'vendor_alloc  malloc size=1' >vendor.txt
CC_ALLOCS_PRIMITIVES=vendor.txt allocs report --functions v.o | sed '1,/^ALLOC/d' >with
expect with <<'END'
  function  kind    size  defined at  sites  called with
  get       malloc  p0    v.c:3           1  long
    proved: calls vendor_alloc (v.c:3)

FACTORIES (1)   the type is fixed inside
  function  defined at  sites  makes  size
  one       v.c:4           0  long   sizeof(long)
END

status=0
CC_ALLOCS_PRIMITIVES=none allocs report v.o >out 2>error || status=$?
[ "$status" = 2 ]
expect error <<'END'
allocs report: cannot read none, which CC_ALLOCS_PRIMITIVES names: No such file or directory
END
echo 'vendor_alloc  maloc' >wrong
status=0
CC_ALLOCS_PRIMITIVES=wrong allocs report v.o >out 2>error || status=$?
[ "$status" = 2 ]
expect error <<<"allocs report: wrong:1: vendor_alloc: unknown property 'maloc'"

# In a link nothing is said, and the log has the reason.
echo 'int main(void) { return 0; }' | compile main.c
for file in none wrong; do
  CC_ALLOCS_LOG=log CC_ALLOCS_PRIMITIVES=$file link linked.$file main.o v.o -Wl,--unresolved-symbols=ignore-all >said 2>&1
  expect said </dev/null
  not allocs report linked.$file 2>error
  expect error <<<"allocs report: linked.$file: module without a classification; link it with CC=cc-allocs"
done
grep 'allocs solve: [cw]' log >why
expect why <<'END'
allocs solve: cannot read none, which CC_ALLOCS_PRIMITIVES names: No such file or directory
allocs solve: wrong:1: vendor_alloc: unknown property 'maloc'
END
CC_ALLOCS_PRIMITIVES=vendor.txt link linked main.o v.o -Wl,--unresolved-symbols=ignore-all
allocs report linked | grep '^  get  *malloc' >/dev/null

# The example in the documentation is a good one.
sed -n 's/^    //p' "$source_dir/docs/primitives.md" >example
[ "$(grep -c '^vendor' example)" = 3 ]
CC_ALLOCS_PRIMITIVES=example allocs report v.o >out
