#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Equal functions that the linker folds into one share their address: a site
# has an address that its code has, or none, and no address has two rows.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

for name in first second third; do
  object $name.o -fPIC -ffunction-sections <<EOF
#include <stdlib.h>
extern void *volatile kept;
void $name(void) { kept = malloc(24); }
EOF
done
object main.o -fPIC <<'EOF'
#include <stdlib.h>
void *volatile kept;
void first(void), second(void), third(void);
int main(void) {
  kept = malloc(24);
  first(), second(), third();
  return 0;
}
EOF
status=0
plain first.o second.o third.o main.o -Wl,--icf=all -o prog 2>want || status=$?
got=0
through first.o second.o third.o main.o -Wl,--icf=all -o prog 2>messages || got=$?
[ $status = $got ]
diff -u want messages >&2
if [ $status != 0 ]; then # GNU ld has no such option
  [ "$linker" = bfd ]
  nothing_left
  exit 0
fi
real_addresses prog >real
[ "$(wc -l <real)" = 2 ] # main's, and the one that is left of the three
addresses prog | grep 0x | sort >got
[ -z "$(uniq -d got)" ]
diff -u real got >&2

# The twin: nothing is folded, and each has its own.
through first.o second.o third.o main.o -o prog
[ "$(real_addresses prog | wc -l)" = 4 ]
addresses prog | sort | diff -u <(real_addresses prog) - >&2
