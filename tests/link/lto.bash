#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gcc's link-time optimisation works as without us: the program is there and
# runs, and a warning that it gives is the one it gave.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

echo 'int part(int); int main(void) { return part(1) - 2; }' >main.c
echo 'int part(int i) { return i + 1; }' >part.c
gcc -O2 -flto -c main.c part.c
gcc-ar rc libpart.a part.o
plain -O2 -flto main.o libpart.a -o prog 2>want
through -O2 -flto main.o libpart.a -o prog 2>got
diff -u want got >&2
./prog
nothing_left
