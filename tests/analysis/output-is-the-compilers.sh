#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever the compiler is asked, output, error output and status are its own.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

echo 'int main(void) { return 0; }' >good.c
echo 'int main(void) { return x; }' >bad.c
echo '#warning here' >warn.c
echo '-DX @inner.rsp' >outer.rsp
echo '-E good.c' >inner.rsp

# same STATUS ARGUMENT...: with and without cc-allocs, and STATUS is wanted.
same() {
  local want=$1 plain=0 ours=0
  shift
  "$compiler" "$@" >plain.out 2>plain.err </dev/null || plain=$?
  CC_ALLOCS_CC=$compiler cc-allocs "$@" >ours.out 2>ours.err </dev/null ||
    ours=$?
  [ "$plain" = "$want" ] || echo "$compiler $*: plain status is $plain"
  [ "$ours" = "$want" ] || echo "$compiler $*: our status is $ours"
  sed -i 's/cc[A-Za-z0-9]\{6\}\./ccXXXXXX./g' plain.err ours.err # temporaries
  cmp plain.out ours.out
  cmp plain.err ours.err
  [ "$plain" = "$want" ] && [ "$ours" = "$want" ]
}

checked=0
for compiler in gcc "${CCA_CLANG:-clang-19}"; do
  command -v "$compiler" >/dev/null || continue
  checked=$((checked + 1))
  same 1
  same 0 -v
  same 0 --version
  same 0 --help
  same 0 -dumpmachine
  same 0 -dumpversion
  same 0 -print-prog-name=ld
  same 0 -print-search-dirs
  same 0 -print-file-name=libc.so
  same 0 -print-libgcc-file-name
  same 0 -print-multi-directory
  same 0 -Wl,--version
  same 0 -E good.c
  same 0 -E -dM -x c /dev/null
  same 0 -M good.c
  same 0 -MM good.c
  same 0 -S good.c -o -
  same 0 -fsyntax-only good.c
  same 1 -fsyntax-only bad.c
  same 0 '-###' -c good.c
  same 0 -c good.c
  same 1 -c bad.c
  same 0 -c warn.c
  same 1 -c -Werror warn.c
  same 1 -c missing.c
  same 1 -c good.c -o no-such-dir/good.o
  same 0 good.c -o good
  same 1 bad.c -o bad
  same 0 good.o -o good
  same 0 -g -w -Wall -DX good.o -o good
  for option in -r -Wl,-r -Wl,-i -Wl,--relocatable; do
    same 0 -nostdlib -no-pie $option good.o -o relocatable.o
    allocs dump relocatable.o | grep '^unit .*source="good.c"' >/dev/null
  done
  same 1 nothing.o -o nothing
  same 0 @outer.rsp
  same 1 -c good.c -fno-such-option-as-this
  same 0 -v -x c -c good.c -o /dev/null
  same 0 -v good.o -o good
  case $compiler in
  gcc) same 0 -dumpfullversion ;;
  *) same 0 -S -emit-llvm good.c -o - ;;
  esac
done
[ "$checked" -gt 0 ]
