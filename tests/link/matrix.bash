#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# matrix.bash LINKER OUTPUT LTO OBJECTS: one program, the same classification
# under all linkers, whatever is linked and however it is optimised; each address
# follows the call that it is said to, and each call has one; what is linked
# differs from a build without us by our note alone.
#   LINKER  bfd gold lld mold
#   OUTPUT  pie no-pie static static-pie shared relocatable
#   LTO     none gcc-slim gcc-fat clang thin
#   OBJECTS what matrix-objects.bash made for OUTPUT and LTO
# What cannot be linked without us (GIMPLE by lld, static-pie by gold, LTO with -r
# by mold) fails with us as it does without: same status, same words.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
linker=$1 output=$2 lto=$3 objects=$4
need "ld.$linker" clang-19 llvm-ar-19 gcc-ar objdump python3
[ -n "$(ls /usr/lib/llvm-19/lib/LLVMgold.so 2>/dev/null)" ] ||
  skip "no LLVMgold.so here"

mapfile -t compiler <"$objects/compiler"

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
# build NAME COMMAND...: link the objects in the folder NAME; the status is the
# link's, whose messages are in NAME/messages.
build() {
  local name=$1 status=0
  shift
  cp -r "$objects/$name" tree
  cd tree
  link_all "$@" "-fuse-ld=$linker" 2>messages || status=$?
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
