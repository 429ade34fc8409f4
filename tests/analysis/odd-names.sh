#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# File names with spaces, quotes, newlines, bytes of no character set, leading
# dashes, and of great length, on the command line and in response files.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/analysis/same-tree.bash
. "$here/same-tree.bash"
compiler=gcc

# source NAME: is there, with a header of an odd name.
source_named() {
  rm -rf src
  mkdir src
  echo '#define N 4' >'src/a b.h'
  printf '#include <stdlib.h>\nvoid *f(void) { return malloc(sizeof(int) + N); }\n' >"src/$1"
}
long=$(printf 'x%.0s' $(seq 240))
for name in 'a b.c' "it's.c" 'q"uote.c' 'a$HOME.c' 'star*.c' 'back\slash.c' \
  '-dash.c' '@at.c' 'semi;colon.c' $'new\nline.c' $'caf\xc3\xa9.c' \
  $'latin\xe9.c' '%s%n.c' "$long.c" '.c' 'no.dot.c' '#hash.c' 'a=b,c.c'; do
  source_named "$name"
  same_tree 0 -c -include 'a b.h' -o out.o "./$name"
  allocs dump ours/out.o | grep '^unit .* marks=1 ' >/dev/null
done
source_named 'a b.c'
same_tree 0 -c -include 'a b.h' 'a b.c'
[ -s 'ours/a b.o' ]
allocs dump 'ours/a b.o' | grep '^unit .* marks=1 ' >/dev/null

# Quoted, nested, missing: GNU's rules; the compiler is given the file.
cat >src/outer.rsp <<'END'
-c "@inner.rsp"
'a b.c' -DA="x y"	-DB=\"q\"
END
echo '-include "a b.h" -o o\ ut.o' >src/inner.rsp
same_tree 0 @outer.rsp
allocs dump 'ours/o ut.o' | grep '^unit .* marks=1 ' >/dev/null
same_tree 1 -c @missing.rsp 'a b.c'
