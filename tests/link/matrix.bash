#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# matrix.bash LINKER OUTPUT LTO: one program, the same classification under all
# linkers, whatever is linked and however it is optimised; each address follows
# the call that it is said to, and each call has one; what is linked differs
# from a build without us by our note alone.
#   LINKER  bfd gold lld mold
#   OUTPUT  pie no-pie static static-pie shared relocatable
#   LTO     none gcc-slim gcc-fat clang thin
# What cannot be linked without us (GIMPLE by lld, static-pie by gold, LTO with -r
# by mold) fails with us as it does without: same status, same words.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
linker=$1 output=$2 lto=$3
need "ld.$linker" clang-19 llvm-ar-19 gcc-ar objdump python3
[ -n "$(ls /usr/lib/llvm-19/lib/LLVMgold.so 2>/dev/null)" ] ||
  skip "no LLVMgold.so here"

compiler=(gcc) archiver=gcc-ar
case $lto in
gcc-slim) compiler=(gcc -flto) ;;
gcc-fat) compiler=(gcc -flto -ffat-lto-objects) ;;
clang) compiler=(clang-19 -flto) archiver=llvm-ar-19 ;;
thin) compiler=(clang-19 -flto=thin) archiver=llvm-ar-19 ;;
esac
compiler+=(-O2 -g "-fuse-ld=$linker" -w)
case $output in
pie) compiler+=(-fPIE -pie) ;;
no-pie) compiler+=(-fno-pie -no-pie) ;;
static) compiler+=(-static) ;;
static-pie) compiler+=(-fPIE -static-pie) ;;
shared) compiler+=(-fPIC) ;;
esac

mkdir sources
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

# build NAME COMMAND...: objects and what they are linked to, in the folder NAME;
# its status is the link's, whose messages are in NAME/messages.
link_all() {
  case $output in
  shared)
    "$@" -shared a.o b.o wrap.o -Wl,--version-script=exports -o libm.so &&
      "$@" main.o ./libm.so -Wl,-rpath,. -o prog
    ;;
  relocatable)
    "$@" -frandom-seed=r -nostdlib -r a.o b.o wrap.o -o r.o && "$@" main.o r.o -o prog
    ;;
  *) "$@" main.o libm.a -o prog ;;
  esac
}
build() {
  local name=$1 status=0
  shift
  cp -r sources tree
  cd tree
  local source
  for source in main a b wrap; do # the seed: else GIMPLE's sections vary
    "$@" -frandom-seed=$source -c $source.c
  done
  "$archiver" rcD libm.a a.o b.o wrap.o
  link_all "$@" 2>messages || status=$?
  sed -i 's/cc[A-Za-z0-9]\{6\}\./ccXXXXXX./g; s/-[0-9a-f]\{6\}\.o/-XXXXXX.o/g' messages
  cd ..
  mv tree "$name"
  return $status
}
plain=0 ours=0
build plain "${compiler[@]}" || plain=$?
build ours cc-allocs "${compiler[@]}" || ours=$?
[ $plain = $ours ]
diff -u plain/messages ours/messages >&2
if [ $plain != 0 ]; then
  case $linker-$output-$lto in
  lld-*-gcc-slim | gold-static-pie-* | mold-relocatable-*) exit 0 ;;
  *) cat ours/messages; exit 1 ;;
  esac
fi
for tree in plain ours; do
  status=0
  (cd $tree && ./prog) || status=$?
  echo $status >$tree.status
done
cmp plain.status ours.status
"$source_dir/scripts/compare-trees" plain ours >got || { cat got; exit 1; }
not allocs report plain/prog 2>/dev/null

# The classification, and its addresses, checked against the disassembly.
modules=(ours/prog)
[ "$output" != shared ] || modules+=(ours/libm.so)
python3 "$here/check-matrix.py" "${modules[@]}"
