#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A pointer that was just found to be null is 0 where it is returned; one that
# was tested for something else, or is not null there, is what it was.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile null.c <<'EOF'
#include <stdlib.h>
void log_it(size_t n);
void *f0(size_t n) {
  long *p = malloc(n + 8);
  if (p) {
    p[0] = 1;
    p++;
  } else {
    log_it(n);
  }
  return p;
}
void *f1(size_t n) { char *p = malloc(n); return p ? p + 8 : p; }
void *f2(size_t n, int k) { char *p = malloc(n); return k ? p + 8 : p; }
void *f3(size_t n) { char *p = malloc(n); return p ? p : NULL; }
EOF

says null.o return >said
expect said <<'EOF'
either(&*(malloc(...) + 8), 0)
either(&*(malloc(...) + 8), 0)
either(&*(malloc(...) + 8), malloc(...))
either(malloc(...), 0)
EOF
