#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The allocation functions of a shared library are known to what is linked with
# it, and those of a second library to the first; only the first definition of a
# name counts, and what a library keeps to itself, or says nothing about, gives
# no site.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"
need cc-allocs
export CC_ALLOCS_CC=gcc

# library NAME [ARGUMENT...] <SOURCE: libNAME.so, through cc-allocs, or $cc.
library() {
  local name=$1
  shift
  cat >"$name.c"
  "${cc:-cc-allocs}" "-fuse-ld=$linker" -O2 -g -shared -fPIC "$name.c" "$@" \
    -o "lib$name.so"
}
# sites FILE: line, callee, class unless typed, shape, type.
sites() {
  allocs dump "$1" | python3 -c '
import re, sys
types = {}
for line in sys.stdin:
    word = dict(re.findall(r"(\w+)=(\"[^\"]*\"|\S+)", line))
    if line.startswith("type "):
        types[line.split()[1]] = word["name"].strip("\"")
    if line.startswith("allocsite "):
        print(word["line"], word["callee"].strip("\""),
              word.get("class", "typed"), word.get("shape", "-"),
              types.get(word.get("of"), "-"))'
}
functions() {
  allocs dump "$1" |
    sed -n 's/^alloc .*name="\([^"]*\)".* kind=\([a-z]*\).*/\1 \2/p;t
      s/^alloc .*name="\([^"]*\)".*/\1 malloc/p' | sort
}

library bar <<'EOF'
#include <stdlib.h>
void *bar_alloc(int tag, size_t n) { (void)tag; return malloc(n); }
void *bar_zero(size_t n, size_t m) { return calloc(n, m); }
void *bar_resize(size_t n, size_t m, void *p) { return realloc(p, n * m); }
int bar_out(void **out, size_t n) { return !(*out = malloc(n)); }
void bar_free(int tag, void *p) { (void)tag; free(p); }
EOF
library foo -L. -lbar <<'EOF'
#include <stddef.h>
void *bar_alloc(int tag, size_t n);
void *foo_alloc(size_t n) { return bar_alloc(7, n + 16); }
EOF
cat >main.c <<'EOF'
#include <stdlib.h>
struct point { long x, y; };
struct line { struct point a, b; };
void *foo_alloc(size_t), *bar_zero(size_t, size_t);
void *bar_resize(size_t, size_t, void *);
int bar_out(void **, size_t);
void bar_free(int, void *);
static void *wrap(size_t n) { return foo_alloc(n); }
void *rewrap(void *p, size_t n) { return bar_resize(n, 2, p); }
void unwrap(void *p) { if (p) bar_free(3, p); }
int main(int argc, char **argv) {
  void *out;
  struct point *p = foo_alloc(sizeof *p);
  struct line *l = wrap(sizeof *l);
  struct line *k = bar_zero(argc, sizeof *k);
  struct point *q = rewrap(NULL, sizeof *q);
  bar_out(&out, sizeof(struct line));
  unwrap(p);
  return !argv + !l + !k + !q + !out;
}
EOF
cc-allocs "-fuse-ld=$linker" -O1 -g main.c -L. -lfoo -lbar -o main
sites main | sort -n >got
expect got <<'EOF'
8 foo_alloc pass_through - -
9 bar_resize pass_through - -
13 foo_alloc typed one struct point
14 wrap typed one struct line
15 bar_zero typed array struct line
16 rewrap typed array struct point
17 bar_out typed one struct line
EOF
functions main >got
expect got <<'EOF'
rewrap realloc
unwrap free
wrap malloc
EOF
[ "$(addresses main | grep -c 0x)" -ge 5 ]
allocs dump main >once
cc-allocs "-fuse-ld=$linker" -O1 -g main.c -L. -lfoo -lbar -o main
allocs dump main | diff once - >&2

# The twins, where it is left open what the call does: a library that says
# nothing; one that comes first, and whose function of that name does not
# allocate; one that does not export its own; and a program that has its own.
cat >use.c <<'EOF'
#include <stddef.h>
struct point { long x, y; };
void *foo_alloc(size_t);
static void *wrap(size_t n) { return foo_alloc(n); }
int main(void) { return !foo_alloc(sizeof(struct point)) + !wrap(8); }
EOF
uses() { cc-allocs "-fuse-ld=$linker" -O1 -g use.c "$@" -o use; sites use | sort -n; }
[ "$(uses -L. -lfoo -lbar)" = '4 foo_alloc pass_through - -
5 foo_alloc typed one struct point
5 wrap bytes - -' ]

cc=gcc library plain <foo.c -Wl,--unresolved-symbols=ignore-all
library look <<'EOF'
#include <stddef.h>
static char held[4096];
void *foo_alloc(size_t n) { return held + n; }
void *look(void) { return held; }
EOF
echo '{ global: nothing; local: *; };' >version
library hidden -Wl,--version-script=version -L. -lbar <foo.c
open='5 foo_alloc open one struct point'
[ "$(uses -L. -lplain -lbar)" = "$open" ]
[ "$(uses -L. -llook -lfoo -lbar)" = "$open" ]
[ "$(uses -L. -lhidden -lplain -lbar)" = "$open" ]
compile own.c <<'EOF'
#include <stddef.h>
static char held[4096];
void *foo_alloc(size_t n) { return held + n; }
EOF
[ -z "$(uses own.o -L. -lfoo -lbar)" ]
[ -z "$(ls -A "$TMPDIR")" ]
