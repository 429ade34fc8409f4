#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ccache before us keeps the summary with the object, and asks again when we are
# another version; behind us, it keeps the object as the compiler made it, and
# each hit is analysed.  As commands here; masquerade-cache.sh has the folders.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need ccache gcc
export CCACHE_DIR=$work/cache CC_ALLOCS_LOG=$work/log CC_ALLOCS_CC=gcc
touch log

# Another installation, whose cc-allocs can become another version.
mkdir -p ours/bin
cp "$build_dir/bin/cc-allocs" ours/bin
ln -s "$build_dir/lib" ours/lib
PATH=$work/ours/bin:$PATH

cat >a.c <<'SOURCE'
#include <stdlib.h>
struct s { int n; };
void *make(void) { return malloc(sizeof(struct s)); }
SOURCE
gcc -O2 -g -c a.c -o plain.o

# step COMMAND...: hits so far, analyses so far, and what the object says.
step() {
  rm -f a.o
  "$@" -O2 -g -c a.c -o a.o
  echo "$(($(ccache --print-stats |
    sed -n 's/^\(direct\|preprocessed\)_cache_hit\t/+/p'))) hits," \
    "$(grep -c analysed log || :) analyses," \
    "$(allocs dump a.o 2>/dev/null | sed -n 's/^call .*# //p' || :)"
}
{
  step ccache cc-allocs
  step ccache cc-allocs
  touch -d 2001-01-01 ours/bin/cc-allocs # another version
  step ccache cc-allocs
  step ccache cc-allocs
} >before
{
  step cc-allocs ccache gcc
  step cc-allocs ccache gcc
  step ccache gcc # the twin
} >behind
cmp a.o plain.o
expect before <<'OUT'
0 hits, 1 analyses, malloc(sizeof(struct s))
1 hits, 1 analyses, malloc(sizeof(struct s))
1 hits, 2 analyses, malloc(sizeof(struct s))
2 hits, 2 analyses, malloc(sizeof(struct s))
OUT
expect behind <<'OUT'
2 hits, 3 analyses, malloc(sizeof(struct s))
3 hits, 4 analyses, malloc(sizeof(struct s))
4 hits, 4 analyses, 
OUT
