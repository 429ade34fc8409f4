#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A return address that no row has is the address of no site, however near a
# row is; what is allocated inside a call that is no site is not of the type of
# a site further out; and a size that contradicts the type of its site is believed rather than that.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

# The unit without a summary calls from right behind the sites of the other.
"$CCA_CC" -c -O1 -x c -o hidden.o - <<'EOF'
#include <stdlib.h>
#include <stdio.h>
void *volatile kept;
void *hidden(size_t n) { void *p = malloc(n); kept = p; return p; }
void logged(void) { kept = malloc(24); }
EOF
compile main.c -O1 -fno-inline <<'EOF'
#include <stdlib.h>
void *hidden(size_t), logged(void);
struct seen { long a, b, c; };
struct asked { long a; };
struct seen *make(void) { logged(); return malloc(sizeof(struct seen)); }
struct asked *ask(void) { return hidden(sizeof(struct asked)); }
int main(void) { return !make() + !make() + !make() + !ask(); }
EOF
link main main.o hidden.o
types main >rows
expect rows <<'EOF'
3 72 3 struct seen
EOF
grep -q '^4 80 4 80 2 untyped unlisted$' main.rows

# A site that lies about its size: its row is made to mean another type.
allocs dump main | sed 's/name="struct seen" kind=struct size=24/&0/' >lie.txt
grep -q 'size=240' lie.txt
allocs assemble -o lie.table lie.txt
objcopy --dump-section .note.cc-allocs=note main
{ head -c 24 note; cat lie.table; } >lie.note
[ "$(wc -c <note)" = "$(wc -c <lie.note)" ]
cp main lie
objcopy --update-section .note.cc-allocs=lie.note lie
types lie >rows
expect rows </dev/null
grep -q '^3 72 3 72 1 untyped size$' lie.rows
