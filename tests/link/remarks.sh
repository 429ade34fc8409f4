#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A unit of which something is not known, or that another version of cc-allocs
# has analysed, is used; the report names it, and no other.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc objcopy python3
export CC_ALLOCS_CC=gcc

for name in a b c; do
  compile $name.c <<END
#include <stdlib.h>
struct $name { int x[4]; };
void *make_$name(void) { return malloc(sizeof(struct $name)); }
END
done
cc-allocs -c -O2 -g -mabi=ms c.c -o abi.o
cat >main.c <<'END'
void *alloc(unsigned long);
void *refused(void *p) {
  __builtin___clear_cache(p, p);
  return __builtin_alloca_with_align(16, 8 *
        sizeof(long));
}
int main(void) { return 0; }
END
cc-allocs -c main.c

# As it was when we were another version: the summary of FILE.o.
by_version() {
  allocs dump "$2" | sed "s/producer=\"[^\"]*\"/producer=\"cc-allocs $1\"/" >text
  allocs assemble text -o summary
  objcopy --update-section .cc_allocs=summary \
    --set-section-flags .cc_allocs=exclude,readonly "$2"
}
own=$(allocs dump a.o | sed -n 's/^unit .*producer="\([^"]*\)".*/\1/p')
report() { # report FILE...: its sites' types, units missing, and remarks
  allocs report --json "$@" | python3 -c 'import json, sys
report = json.load(sys.stdin)
print(*sorted(site["type"] for site in report["allocation_sites"]))
print(len(report["missing"]), "missing")
for remark in report["remarks"]:
    print(remark["unit"], remark["remark"], sep=": ")'
}
linked() {
  cc-allocs "$@" -o prog >said 2>&1
  [ ! -s said ]
  ./prog
  report prog
}
echo 'int main(void) { return 0; }' | compile plain.c
linked plain.o a.o b.o >got # the twin
expect got <<'END'
struct a struct b
0 missing
END
by_version 0.0.9 b.o
linked main.o a.o b.o abi.o >got
expect got <<END
struct a struct b struct c
0 missing
b.c: summary by cc-allocs 0.0.9, linked by $own
c.c: clang does not know -mabi=ms: types may have other sizes
main.c: 1 of 1 marks were refused by clang
END
# The same of objects, before any link.
report a.o b.o >got
expect got <<END
struct a struct b
0 missing
b.c: summary by cc-allocs 0.0.9, linked by $own
END
