#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang -flto writes bitcode, which has no sections: the summary is a block
# behind it, which LLVM's tools step over, and survives an archive.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need clang-19 llvm-ar-19 llvm-bcanalyzer-19 llvm-dis-19 llvm-nm-19 python3

cat >a.c <<'EOF'
#include <stdlib.h>
struct a { int x[5]; };
void *a(int n) { return malloc(sizeof(struct a) * n); }
EOF
for flag in -flto -flto=thin; do
  rm -rf plain ours twin
  for tree in plain ours; do
    cc=(clang-19)
    [ $tree = plain ] || cc=(cc-allocs clang-19)
    mkdir $tree
    "${cc[@]}" -O2 -g $flag -c a.c -o a.o
    llvm-ar-19 rcsD libs.a a.o
    mv a.o libs.a $tree
  done
  "$source_dir/scripts/compare-trees" plain ours >got
  expect got <<'EOF'
1 objects, 1 with a summary; 1 archives of 1 members; 0 linked files, 0 with a note; 0 differ beyond that
EOF
  for file in ours/a.o ours/libs.a; do
    allocs dump $file >got
    grep -q '^unit .*source="a\.c"' got
    llvm-nm-19 $file >got
    grep -q ' T a$' got
  done
  for tree in plain ours; do
    (cd $tree && llvm-dis-19 a.o -o a.ll)
  done
  cmp plain/a.ll ours/a.ll
  llvm-bcanalyzer-19 ours/a.o >got
  grep -q 'Block ID #99' got

  # Twins: bitcode of other code; bitcode that nobody has added to.
  cp -r ours twin
  printf x | dd of=twin/a.o bs=1 seek=200 conv=notrunc status=none
  not "$source_dir/scripts/compare-trees" plain twin >got
  grep -qx 'a.o: bitcode differs beyond a block at its end' got
  not allocs dump plain/a.o 2>got
  grep -q 'bitcode object without a summary; compile it with CC=cc-allocs' got
done
