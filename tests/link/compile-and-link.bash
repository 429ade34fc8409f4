#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A command that compiles and links: every source has its summary and its
# addresses, also with objects between the sources; names do not vary.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"
need cc-allocs

object middle.o <<'EOF'
#include <stdlib.h>
extern void *volatile kept;
void middle(void) { kept = malloc(24); }
EOF
cat >first.c <<'EOF'
#include <stdlib.h>
struct first { int x[10]; };
extern void *volatile kept;
void middle(void);
void last(void);
int main(void) {
  kept = malloc(sizeof(struct first));
  middle();
  last();
  return 0;
}
EOF
cat >last.c <<'EOF'
#include <stdlib.h>
struct last { int x[3]; };
void *volatile kept;
void last(void) { kept = calloc(4, sizeof(struct last)); }
EOF
echo '.globl in_assembly; in_assembly: ret' >bare.s
echo '.section .note.GNU-stack,"",@progbits' >>bare.s

for run in 1 2; do
  CC_ALLOCS_CC=gcc cc-allocs "-fuse-ld=$linker" -O1 -g first.c bare.s middle.o \
    last.c -o prog
  allocs dump prog >"dump$run"
done
diff -u dump1 dump2 >&2
[ "$(grep -c '^allocsite' dump1)" = 3 ]
grep '^missing' dump1 | grep 'unit="temporary object"' >/dev/null
[ "$(grep -c '^missing' dump1)" = 1 ]
[ "$(addresses prog | grep -c 0x)" = 3 ]
[ -z "$(ls -A "$TMPDIR")" ]
