# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# build-system.bash -- sourced after common.sh: a library and a program that uses
# it, for a build system to build.
#
# In:   nothing.
# Out:  src/ with lib.h, lib.c, main.c; the compiler is gcc, alone or behind us.

mkdir src
echo 'void *make(int n);' >src/lib.h
cat >src/lib.c <<'SOURCE'
#include <stdlib.h>
#include "lib.h"
struct s { int n; char text[12]; };
void *make(int n) { return malloc(sizeof(struct s) + n); }
SOURCE
cat >src/main.c <<'SOURCE'
#include "lib.h"
int main(void) { return !make(1); }
SOURCE
export CC_ALLOCS_CC=gcc
# shellcheck disable=SC2034,SC2154 # for the scripts; set by common.sh
links=$build_dir/lib/cc-allocs/bin

# units FOLDER: the sources of the summaries in the objects below it; twice where
# libtool compiles twice.  What a build system tried is no unit.
units() {
  find "$1" -name '*.o' ! -path '*/CMakeTmp/*' ! -path '*/CMakeScratch/*' \
    ! -path '*/meson-private/*' -exec allocs dump {} \; 2>/dev/null |
    sed -n '/status=/d;s/^unit .*source="\([^"]*\)".*/\1/p' |
    sed 's,.*/,,' | sort | xargs
}

# site MODULE: the one allocation site of the library, in a linked file.
site() {
  allocs report "$1" | grep 'make *malloc *struct s + tail ' >/dev/null
}
