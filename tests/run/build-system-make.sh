#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make and its own rules: objects, an archive, a program compiled and linked in
# one step, in parallel; CC=cc-allocs is all that is said.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc make ar
# shellcheck source=tests/run/build-system.bash
. "$here/build-system.bash"
cat >src/Makefile <<'END_OF_FILE'
CFLAGS = -O2 -g -MMD
ARFLAGS = rvU
main: main.o libx.a(lib.o)
once: once.c lib.o
-include lib.d main.d
END_OF_FILE
cp src/main.c src/once.c

# build NAME ARGUMENT...: all of it, twice; the second time nothing is to do.
build() {
  local name=$1
  shift
  cp -r src built
  make -C built -j4 "$@" main once >log 2>&1
  not grep -i warning log
  make -C built -q "$@" main once
  built/main && built/once
  mv built "$name"
}
build plain CC=gcc
build named CC=cc-allocs
PATH=$links:$PATH build hidden CC=gcc
for name in named hidden; do
  [ "$(units $name)" = 'lib.c main.c' ]
  site $name/main
  site $name/once
  diff plain/lib.d $name/lib.d
  diff <(cd plain && find . | sort) <(cd $name && find . | sort)
done
allocs report --json named/once | grep '"units": 2,' >/dev/null
[ -z "$(units plain)" ]
