#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Functions: linkage, generalised type, what people wrote about them, whether
# their address is taken; and an alias is a function that calls.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile funcs.c <<'EOF'
#include <stddef.h>
struct big { long a[9]; };
void *hinted(size_t) __attribute__((malloc, alloc_size(1)));
void unused(void);
static void *local(void *p, int i, short s, char c, double d) {
  return i + s + c + d > 0 ? p : NULL;
}
__attribute__((weak)) void *soft(size_t n, ...) { return hinted(n); }
__attribute__((visibility("hidden"))) void *(*get(void))(size_t) {
  return hinted;
}
void *second(size_t n, ...) __attribute__((alias("soft")));
__attribute__((noreturn)) void stop(struct big b) {
  local(NULL, 0, 0, 0, (double)b.a[0]);
  for (;;) {}
}
EOF

allocs dump funcs.o | grep '^func ' |
  sed 's/^func @[0-9]* symbol=//; s/ \(file\|line\|params\|calls\|stores\|returns\|result\|signature\)=[^ ]*//g' >said
expect said <<'EOF'
"soft" linkage=weak shape="pl." flags=variadic
"hinted" shape="pl" flags=address_taken,hint_malloc,hint_alloc_size
"get" linkage=external shape="p" flags=hidden
"stop" linkage=external shape="vp" flags=noreturn
"local" linkage=internal shape="ppiscx"
"second" linkage=external shape="pl." flags=variadic
EOF
allocs dump funcs.o | sed -n '/^call .*soft(/s/.*# //p' >said
expect said <<<"soft(p0)"
