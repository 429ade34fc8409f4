#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every compiler driver comes to the shim through COMPILER_PATH alone, for each
# linker that it can be told to use.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"
driver=${0##*drivers-}
driver=${driver%.sh}
need "$driver"
export COMPILER_PATH=$build_dir/lib/cc-allocs/shim

objects
check() {
  "$driver" main.o libpart.a -o prog "$@"
  [ "$(addresses prog | grep -c 0x)" = 3 ]
}
check
for name in bfd gold lld mold; do
  ! command -v "ld.$name" >/dev/null || check "-fuse-ld=$name"
done
case $driver in clang*) check -fuse-ld=allocs ;; esac
unset COMPILER_PATH
case $driver in gcc*) check -B "$build_dir/lib/cc-allocs/shim" ;; esac
nothing_left
