#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The initialiser of a local record is seen through clang's template for it,
# whether the record stays in memory or not.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile templates.c <<'EOF'
#include <stdlib.h>
struct ops { const char *name; size_t size; void *(*get)(size_t); };
void take(struct ops *);
void *split(void) {
  struct ops o = {"a", 99, malloc};
  return o.get(o.size);
}
void kept(void) {
  struct ops o = {"b", 77, malloc};
  take(&o);
}
EOF

says templates.o call >said
expect said <<'EOF'
malloc(99)
take(o)
EOF
says templates.o store >said
expect said <<'EOF'
o.size = 77
o.get = malloc
EOF
allocs dump templates.o >dump
not grep -q __const dump
