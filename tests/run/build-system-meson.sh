#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# meson: it takes us for the compiler that we run, finds out what it finds out
# without us, and each unit has a summary.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc meson ninja
# shellcheck source=tests/run/build-system.bash
. "$here/build-system.bash"
cat >src/meson.build <<'END_OF_FILE'
project('x', 'c')
cc = meson.get_compiler('c')
message('found', cc.get_id(), cc.version(), cc.get_linker_id(),
        cc.has_function('mmap'), cc.has_function('no_such_function'),
        cc.sizeof('long'), cc.has_argument('-Wall'), cc.get_argument_syntax())
x = shared_library('x', 'lib.c')
executable('main', 'main.c', link_with: x)
END_OF_FILE

# build NAME CC...
build() {
  local name=$1
  shift
  (CC=$* meson setup built src && ninja -C built && built/main) >log 2>&1
  grep 'Message: found' log >"$name.found"
  mv built "$name"
}
build plain gcc
build named cc-allocs gcc
PATH=$links:$PATH build hidden gcc
grep -q 'found gcc [0-9.]* ld.bfd true false 8 true gcc$' plain.found
for name in named hidden; do
  diff plain.found $name.found
  [ "$(units $name)" = 'lib.c main.c' ]
  site $name/libx.so
done
[ -z "$(units plain)" ]
