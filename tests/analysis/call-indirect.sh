#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An indirect call says what location its pointer came from, and its C type has
# the identity of the functions that fit, in another unit too; a direct call has
# neither.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile def.c <<'EOF'
#include <stddef.h>
void *fits(void *ud, size_t n) { return n ? ud : NULL; }
void *other(size_t n, void *ud) { return n ? ud : NULL; }
EOF
compile use.c <<'EOF'
#include <stddef.h>
struct ops { void *ud; void *(*get)(void *, size_t); };
struct heap { struct ops *ops; };
static void *(*hook)(void *, size_t);
void set(void *(*f)(void *, size_t)) { hook = f; }
void *field(struct heap *h, size_t n) { return h->ops->get(h->ops->ud, n); }
void *param(void *(*f)(void *, size_t), size_t n) { return f(NULL, n); }
void *global(size_t n) { return hook(NULL, n); }
void *direct(size_t n) { return global(n); }
EOF

says use.o call >said
expect said <<'EOF'
p0->ops->get(p0->ops->ud, p1)
p0(0, p1)
hook(0, p0)
global(p0)
EOF
signature() { # OBJECT PATTERN
  allocs dump "$1" | sed -n "/$2/s/.*signature=\([^ ]*\).*/\1/p" | sort -u
}
[ "$(signature use.o '^call .*target=')" = "$(signature def.o 'symbol="fits"')" ]
[ "$(signature use.o '^call .*target=')" != "$(signature def.o 'symbol="other"')" ]
allocs dump use.o >dump
not grep -q '^call .*callee=.*signature' dump
[ "$(grep -c '^call .*target=.* shape="ppl"' dump)" = 3 ]
