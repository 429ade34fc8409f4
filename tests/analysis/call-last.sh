#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Calls that are the last that get a parameter are marked, if together they are
# on every way but those on which it, or another pointer that the function is
# given, is null; whoever is called, and with which of the arguments.  Not if a
# way avoids them, if one comes back in a loop, or if there is only one.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile last.c <<'EOF'
#include <stdlib.h>
#include <string.h>
void put(int n, void *p), note(void *p);
extern void (*hook)(void *);
void a1(void *p, int k) { if (k) put(k, p); else free(p); }
void a2(void *p) { if (hook) hook(p); else free(p); }
void a3(void *p, int k) { if (!p) return; note(p); if (k) put(k, p); else free(p); }
void a4(void *p, void *q, int k) { if (q) { if (k) put(k, p); else free(p); } }
void n1(void *p, int k) { if (k == 1) put(k, p); else if (k == 2) free(p); }
void n2(void *p, int k) { if (k) free(p); else while (k++ < 9) put(k, p); }
void n3(void *p) { free(p); }
void n4(void *p, void *q, int k) { if (k) put(k, p); else free(q); }
void n5(void *p, int k) { if (k) note(p); put(k, p); }
void n6(void *p, void *q, int k) { if (!q) { if (k) put(k, p); else free(p); } }
EOF

allocs dump last.o | sed -n 's/^func @\([0-9]*\) symbol="\([^"]*\)".*/\1 \2/p' >funcs
allocs dump last.o | grep '^call ' |
  sed 's/.*func=@\([0-9]*\) .*# \([a-z]*\)(.*/\1 \2 &/
       s/^\([0-9]* [a-z]* \).*flags=\([a-z0-9_,]*\).*/\1\2/
       s/^\([0-9]* [a-z]* \)call.*/\1-/' >calls
awk 'NR == FNR { name[$1] = $2; next } { print name[$1], $2, $3 }' funcs calls >said
expect said <<'EOF'
a1 put last_1
a1 free last_0
a2 hook last_0
a2 free last_0
a3 note always
a3 put last_1
a3 free last_0
a4 put last_1
a4 free last_0
n1 put -
n1 free -
n2 free -
n2 put in_loop
n3 free always
n4 put -
n4 free -
n5 note -
n5 put always
n6 put -
n6 free -
EOF
