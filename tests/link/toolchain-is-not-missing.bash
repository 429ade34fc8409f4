#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Start files and the compiler's own library are not listed as missing; an
# object of the program is, and in a static link the C library, once.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects
echo 'void *f(void *p) { return p; }' >bare.c
gcc -c bare.c
missing() {
  allocs dump prog | sed -n 's/^missing.* unit="\([^"]*\)".*/\1/p'
}
through main.o libpart.a -o prog
[ -z "$(missing)" ]
through main.o libpart.a bare.o -o prog
[ "$(missing)" = bare.o ]
through main.o libpart.a bare.o -static -o prog
[ "$(missing | grep -c '^libc\.a$')" = 1 ]
missing | not grep crt >/dev/null
