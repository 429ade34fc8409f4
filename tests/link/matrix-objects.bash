#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# matrix-objects.bash OUTPUT LTO OBJECTS: what matrix.bash links with each linker,
# compiled once: OBJECTS/plain and OBJECTS/ours, which were made at one path, and
# in OBJECTS/compiler the compiler's words, a line each.
#   OUTPUT  pie no-pie static static-pie shared relocatable
#   LTO     none gcc-slim gcc-fat clang thin
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
output=$1 lto=$2 objects=$3
need clang-19 llvm-ar-19 gcc-ar

compiler=(gcc) archiver=gcc-ar
case $lto in
gcc-slim) compiler=(gcc -flto) ;;
gcc-fat) compiler=(gcc -flto -ffat-lto-objects) ;;
clang) compiler=(clang-19 -flto) archiver=llvm-ar-19 ;;
thin) compiler=(clang-19 -flto=thin) archiver=llvm-ar-19 ;;
esac
compiler+=(-O2 -g -w)
case $output in
pie) compiler+=(-fPIE -pie) ;;
no-pie) compiler+=(-fno-pie -no-pie) ;;
static) compiler+=(-static) ;;
static-pie) compiler+=(-fPIE -static-pie) ;;
shared) compiler+=(-fPIC) ;;
esac

rm -rf "$objects"
mkdir -p "$objects" sources
printf '%s\n' "${compiler[@]}" >"$objects/compiler"
cat >sources/all.h <<'EOF'
#include <stdlib.h>
struct s { int x[6]; };
struct t { char c[40]; };
struct u { long v[3]; };
void *xmalloc(size_t n), *make_a(int n), *make_b(int n);
extern void *volatile kept;
#define NOINLINE __attribute__((noinline))
EOF
cat >sources/wrap.c <<'EOF'
#include "all.h"
void *volatile kept;
NOINLINE void *xmalloc(size_t n) {
  void *p = malloc(n);
  if (!p) abort();
  return p;
}
EOF
cat >sources/a.c <<'EOF'
#include "all.h"
static NOINLINE void *init(int n) {
  kept = xmalloc(n * sizeof(struct s));
  return kept;
}
NOINLINE void *make_a(int n) {
  kept = init(n);
  kept = calloc(n, sizeof(struct u));
  return kept;
}
EOF
cat >sources/b.c <<'EOF'
#include "all.h"
static NOINLINE void *init(int n) {
  kept = xmalloc(n * sizeof(struct t));
  return kept;
}
NOINLINE void *make_b(int n) {
  kept = init(n);
  return kept;
}
EOF
cat >sources/main.c <<'EOF'
#include "all.h"
int main(int argc, char **argv) {
  (void)argv;
  kept = make_a(argc);
  kept = make_b(argc);
  kept = xmalloc(sizeof(struct u));
  return 3;
}
EOF
echo '{ global: make_a; make_b; xmalloc; kept; local: *; };' >sources/exports

# build NAME COMMAND...: objects, in the folder OBJECTS/NAME.  No linker makes a
# difference here: each is named for one of them.
build() {
  local name=$1 source
  shift
  cp -r sources tree
  cd tree
  for source in main:bfd a:gold b:lld wrap:mold; do
    # The seed: else GIMPLE's sections vary.
    "$@" "-fuse-ld=${source#*:}" "-frandom-seed=${source%:*}" -c "${source%:*}.c"
  done
  "$archiver" rcD libm.a a.o b.o wrap.o
  cd ..
  mv tree "$objects/$name"
}
build plain "${compiler[@]}"
build ours cc-allocs "${compiler[@]}"
