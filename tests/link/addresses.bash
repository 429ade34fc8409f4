#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The addresses in the classification are the return addresses in the code, of
# objects and of members of archives; what is not linked is not there.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

mkdir 'a folder'
objects
through main.o libpart.a -o prog
real_addresses prog >real
[ "$(wc -l <real)" = 3 ]
addresses prog | diff -u real - >&2

objects -ffunction-sections
ar rcT thin.a part.o spare.o
cp libpart.a 'a folder/lib odd.a'
for archive in libpart.a thin.a 'a folder/lib odd.a'; do
  through main.o "$archive" -o prog -no-pie -Wl,--gc-sections
  real_addresses prog >real
  [ "$(wc -l <real)" = 3 ]
  addresses prog | diff -u real - >&2
done

# Rows are sorted by address, though main() is moved in front of the others.
objects -O2
through part.o main.o -o prog
real_addresses prog >real
[ "$(wc -l <real)" = 3 ]
addresses prog | diff -u real - >&2

# All of an archive.
through -Wl,--whole-archive libpart.a -Wl,--no-whole-archive main.o -o prog
[ "$(addresses prog | grep -c 0x)" = 4 ]
nothing_left
