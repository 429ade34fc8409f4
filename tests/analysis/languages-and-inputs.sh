#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Which object gets a summary: C by name or by -x, preprocessed C, the object
# that this run made; and which does not.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
export CC_ALLOCS_CC=$CCA_CC

echo 'int f(void) { return sizeof(int); }' | tee a.c a.inc >b.c
summary() { allocs dump "$1" 2>/dev/null | grep '^unit .* marks=1 ' >/dev/null; }

cc-allocs -c a.c b.c
summary a.o && summary b.o
rm ./*.o
cc-allocs -c -x c a.inc
summary a.o
rm a.o
"$CCA_CC" -E a.c -o p.i
cc-allocs -c p.i
summary p.o
"$CCA_CC" -E a.c | cc-allocs -c -x c - -o stdin.o
not summary stdin.o
cc-allocs -S a.c
cc-allocs -c a.s -o s.o
not summary s.o

# An object from before stays what it was.
"$CCA_CC" -c a.c -o old.o
cp old.o kept.o
cc-allocs -fsyntax-only -c a.c -o old.o
cmp old.o kept.o

# Nowhere to put it.
cc-allocs -c a.c -o /dev/null
[ -c /dev/null ]
mkdir ro
cc-allocs -c a.c -o ro/a.o
summary ro/a.o

# The object's mode is the compiler's.
(umask 077 && cc-allocs -c a.c -o private.o)
[ "$(stat -c %a private.o)" = 600 ]
[ "$(ls ro)" = a.o ]
