#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Three thousand objects, named in a response file of more than 64 KB, with few
# file descriptors: the link that is possible without us is with us, and every
# object has its site and its address.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"
need python3

object make_0000.o -fPIC <<'EOF'
#include <stdlib.h>
extern void *volatile kept;
void make_0000(void) { kept = malloc(24); }
EOF
echo 'void *volatile kept; int main(void) { return 0; }' |
  gcc -c -fPIC -x c - -o main.o
# One object, under 3000 names of one length, which are in no checksum.
python3 - "$work/objects_of_a_large_program" <<'EOF'
import os, sys
template = open("make_0000.o", "rb").read()
os.mkdir(sys.argv[1])
with open("objects.rsp", "w") as names:
    for i in range(3000):
        path = f"{sys.argv[1]}/make_{i:04}.o"
        with open(path, "wb") as file:
            file.write(template.replace(b"make_0000", b"make_%04d" % i))
        print(path, file=names)
EOF
[ "$(stat -c %s objects.rsp)" -gt 65536 ]

ulimit -n 200
status=0
plain main.o @objects.rsp -o prog 2>want || status=$?
got=0
through main.o @objects.rsp -o prog 2>messages || got=$?
[ $status = $got ]
diff -u want messages >&2
[ $status = 0 ]
./prog
allocs dump prog >dump
[ "$(grep -c '^allocsite' dump)" = 3000 ]
[ "$(sed -n 's/^allocsite .*unit="\([^"]*\)".*/\1/p' dump | sort -u | wc -l)" = 3000 ]
real_addresses prog >real
[ "$(wc -l <real)" = 3000 ]
addresses prog | sort | diff -u real - >&2
not grep -q '^missing .*make_' dump
nothing_left
