#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever becomes of the solver, the link gives the bytes that it gives without
# us, prints nothing of ours and leaves nothing.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects
plain main.o libpart.a -o prog
mv prog without

# An installation of our own, whose `allocs` can be broken.
mkdir -p own/bin own/lib/cc-allocs/shim
cp "$build_dir/bin/ld.allocs" own/bin/
cp "$build_dir/lib/cc-allocs/cca-plugin.so" own/lib/cc-allocs/
ln -s ../../../bin/ld.allocs "own/lib/cc-allocs/shim/ld.$linker"
same() {
  COMPILER_PATH=$PWD/own/lib/cc-allocs/shim plain main.o libpart.a -o prog \
    >out 2>&1
  [ ! -s out ]
  cmp without prog
  [ -z "$(ls -A tmp)" ]
}

same # not there at all
for body in 'exit 1' 'echo noise; echo noise >&2; exit 2' 'kill -SEGV $$' \
  'echo garbage >"$3/plan"; exit 3'; do
  printf '#!/bin/sh\n%s\n' "$body" >own/bin/allocs
  chmod +x own/bin/allocs
  same
done
rm own/lib/cc-allocs/cca-plugin.so
same
cp "$build_dir/lib/cc-allocs/cca-plugin.so" own/lib/cc-allocs/
TMPDIR=/nowhere same
