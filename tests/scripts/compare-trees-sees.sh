#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# scripts/compare-trees accepts our appendix and our note, and sees any other
# change: a byte of code, a section more, an object without its twin.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need python3 ar objcopy

cat >a.c <<'END'
#include <stdlib.h>
void *get(size_t n) { return malloc(n); }
int main(void) { return get(sizeof(int)) == 0; }
END
mkdir plain ours
for tree in plain ours; do
  cc=$CCA_CC
  [ $tree = plain ] || cc=cc-allocs
  "$cc" -O2 -g -c a.c -o a.o
  "$cc" a.o -o a
  ar rcD lib.a a.o
  mv a a.o lib.a $tree
done
compare() { "$source_dir/scripts/compare-trees" plain "$1"; }

compare ours >got
expect got <<'END'
1 objects, 1 with a summary; 1 archives of 1 members; 1 linked files, 1 with a note; 0 differ beyond that
END

# The twins: each is one change, and is named.
text=$(readelf -SW plain/a.o |
  sed -n 's/.* \.text\.startup *PROGBITS *[0-9a-f]* *\([0-9a-f]*\) .*/\1/p')
cp -r ours code
printf '\xcc' | dd of=code/a.o bs=1 seek=$((0x$text)) conv=notrunc status=none
not compare code >got
grep -qx "a.o: byte $((0x$text)) differs" got

cp -r ours section
objcopy --add-section .more=a.c ours/a section/a
not compare section >got
grep -qx "a: sections: \['.more'\] came, \[\] went" got

text=$(readelf -SW ours/a |
  sed -n 's/.* \.text *PROGBITS *[0-9a-f]* *\([0-9a-f]*\) .*/\1/p')
cp -r ours contents
printf '\xcc' | dd of=contents/a bs=1 seek=$((0x$text)) conv=notrunc status=none
not compare contents >got
grep -qx 'a: section .text: byte 0x0 differs, and is no address' got

cp -r ours lost
rm lost/lib.a
not compare lost >got
grep -qx 'lib.a: is missing' got
