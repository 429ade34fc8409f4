#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# -o names a link, a hard link, a file without write permission, a fifo, a
# device: what is there afterwards is what the compiler makes of it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/analysis/same-tree.bash
. "$here/same-tree.bash"

echo 'int f(void) { return sizeof(int); }' >src/a.c
mkdir src/sub
echo old | tee src/old.o src/read-only.o >src/sub/target.o
chmod 444 src/read-only.o
ln src/old.o src/hard.o
ln -s sub/target.o src/link.o
ln -s nowhere.o src/dangling.o
mkfifo src/fifo

for compiler in gcc "${CCA_CLANG:-clang-19}"; do
  same_tree 0 -c a.c -o hard.o
  [ "$(summaries hard.o)" = 'hard.o a.c' ]
  [ "$(cat ours/old.o)" = "$(cat plain/old.o)" ] # the other name
  same_tree 0 -c a.c -o read-only.o
  [ "$(summaries read-only.o)" = 'read-only.o a.c' ]
  same_tree 0 -c a.c -o link.o
  [ "$(summaries link.o)" = 'link.o a.c' ]
  same_tree 0 -c a.c -o dangling.o
  [ "$(summaries dangling.o)" = 'dangling.o a.c' ]
  same_tree 0 -c a.c -o /dev/null
  [ -c /dev/null ]
  same_tree 0 -c a.c -o /dev/null -MD -MF /dev/null
  same_tree 1 -c a.c -o sub
  same_tree 1 -c a.c -o none/a.o
done

# A fifo gets the compiler's bytes, and the end of them, or none of it.
fifo_from() { # fifo_from COMMAND...: what is read from it
  timeout 600 cat src/fifo &
  (cd src && timeout 600 "$@" -S a.c -o fifo)
  wait
}
fifo_from gcc >got.1
fifo_from cc-allocs gcc >got.2
[ -s got.1 ]
cmp got.1 got.2
[ -p src/fifo ]

# The same object from two sources, the same source twice, an object of another
# run, and one that is gone before we come to it.
CC_ALLOCS_CC=gcc cc-allocs -c src/a.c src/a.c
[ "$(allocs dump a.o | grep -c '^unit ')" = 1 ]
printf '#!/bin/sh\ngcc "$@" && rm -f a.o\n' >vanish
chmod +x vanish
CC_ALLOCS_CC=$work/vanish cc-allocs -c src/a.c
[ ! -e a.o ]
gcc -c src/a.c -o one.o
gcc -r one.o -o two.o
CC_ALLOCS_CC=gcc cc-allocs -r one.o two.o -o final.o -Wl,-z,muldefs
not allocs dump final.o >/dev/null 2>&1
