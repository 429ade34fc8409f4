#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A linker script in the place of a library: the files that it names, in another
# folder, in groups, or for want of them alone, and a script that it names, are
# in the link and have their sites; what is in a comment is not.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects
object lone.o -fPIC <<'EOF'
#include <stdlib.h>
extern void *volatile kept;
void lone(void) { kept = malloc(24); }
EOF
mkdir libs
mv libpart.a lone.o libs
cat >libs/libmine.so <<EOF
/* GNU ld script: INPUT ( spare.o ) */
GROUP ( $PWD/libs/libother.so AS_NEEDED ( $PWD/libs/libpart.a ) )
EOF
echo "INPUT($PWD/libs/lone.o)" >libs/libother.so

status=0
plain main.o -Llibs -lmine -o prog || status=$?
[ $status = 0 ]
through main.o -Llibs -lmine -o prog
real_addresses prog >real
[ "$(wc -l <real)" = 4 ]
addresses prog | grep 0x | sort | diff -u real - >&2
allocs dump prog | sed -n 's/^allocsite.* unit="\([^"]*\)".*/\1/p' | sort -u >units
expect units <<'EOF'
lone.c
main.c
part.c
EOF
nothing_left
