#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Objects from a cache or another machine may have summaries of another format.
# They link, without a word; report and program name each of their units, with
# what to do; and those beside them are read, also where `ld -r` has joined all.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need objcopy python3

for name in old new now; do
  compile $name.c <<END
#include <stdlib.h>
struct $name { int x[4]; };
void *make_$name(void) { return malloc(sizeof(struct $name)); }
END
done
echo 'int main(void) { return 0; }' | compile main.c
# as_version MAJOR FILE.o: its summary says that it has that version.
as_version() {
  objcopy --dump-section .cc_allocs=summary "$2"
  printf %b "\\$1" | dd of=summary bs=1 seek=12 conv=notrunc status=none
  objcopy --update-section .cc_allocs=summary \
    --set-section-flags .cc_allocs=exclude,readonly "$2"
}
says_old='compiled by an older cc-allocs (summary version 1.0, we read 2); compile it again'
says_new=': summary version 3.0, we read 2'
report() { # what a report of FILE says of units and sites
  allocs report --json "$1" | python3 -c 'import json, re, sys
report = json.load(sys.stdin)
for site in report["allocation_sites"]:
    print(site["type"])
for missing in report["missing"]:
    print(missing["unit"], re.sub(".*byte [0-9]*:", ":", missing["reason"]))'
}
# linked ARGUMENT...: a program; silently.
linked() {
  cc-allocs "$@" -o prog >said 2>&1
  [ ! -s said ]
  ./prog
  report prog
}
all=$'struct new\nstruct now\nstruct old'
[ "$(linked main.o old.o new.o now.o)" = "$all" ] # the twin
as_version 1 old.o
as_version 3 new.o
[ "$(linked main.o old.o new.o now.o)" = "struct now
new.o $says_new
old.o $says_old" ]

# Joined, in the worst order.
cc-allocs -nostdlib -r old.o new.o now.o -o r.o
[ "$(linked main.o r.o)" = "struct now
r.o $says_old
r.o $says_new" ]

# A report of the object itself.
not allocs report old.o 2>said
expect said <<END
allocs report: old.o: $says_old
END
