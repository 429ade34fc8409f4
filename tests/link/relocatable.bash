#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `ld -r` makes of objects with summaries is what it makes of them without,
# but for our section and a build id, under gcc and clang (which asks for one);
# and the result has all the summaries.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"
need cc-allocs clang-19 python3

cat >a.c <<'EOF'
#include <stdlib.h>
struct a { int x[5]; };
void *b(void);
void *a(int n) { return n ? malloc(sizeof(struct a) * n) : b(); }
EOF
cat >b.c <<'EOF'
#include <stdlib.h>
struct b { int x[7]; };
static void *volatile kept;
void *b(void) { return kept = calloc(3, sizeof(struct b)); }
EOF

# make_tree NAME COMPILER FLAG...: NAME/{a,b,r}.o, all built at one path.
make_tree() {
  local name=$1
  shift
  mkdir tree
  cp a.c b.c tree
  (cd tree
    "$@" -O2 -g -c a.c b.c
    "$@" "-fuse-ld=$linker" -nostdlib -r a.o b.o -o r.o)
  rm -rf "$name"
  mv tree "$name"
}
compare() {
  "$source_dir/scripts/compare-trees" plain "$1" >got
}
for compiler in gcc clang-19; do
  make_tree plain $compiler -w
  make_tree ours cc-allocs $compiler -w
  compare ours
  expect got <<'EOF'
3 objects, 3 with a summary; 0 archives of 0 members; 0 linked files, 0 with a note; 0 differ beyond that
EOF
  [ "$(allocs dump ours/r.o | grep -c '^unit ')" = 2 ]

  # Twins: one byte of code, and a symbol more.
  mkdir twin
  cp ours/* twin
  text=$(readelf -SW twin/r.o |
    sed -n 's/.* \.text *PROGBITS *[0-9a-f]* *\([0-9a-f]*\) .*/\1/p')
  printf '\xcc' | dd of=twin/r.o bs=1 seek=$((0x$text)) conv=notrunc status=none
  not compare twin
  grep -q '^r\.o: without \.cc_allocs, byte [0-9]* differs$' got
  objcopy --add-symbol more=.text:0 ours/r.o twin/r.o
  not compare twin
  grep -q '^r\.o: without \.cc_allocs, [0-9]* bytes became' got
  rm -r twin
done
# It is the build id of clang's that differs: without one, nothing does.
make_tree plain clang-19 -w -Wl,--build-id=none
make_tree ours cc-allocs clang-19 -w -Wl,--build-id=none
for tree in plain ours; do
  objcopy -R .cc_allocs $tree/r.o $tree.o
done
cmp plain.o ours.o
nothing_left
