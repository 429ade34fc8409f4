#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Folded stacks: a line for each site, bytes allocated or live, of the last
# snapshot of each process; names cannot end a frame.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >'a;b.c' <<'EOF'
#include <signal.h>
#include <stdlib.h>
struct first { long x; };
struct second { long x[2]; };
static void *volatile kept[9];
static void *here(void) { return malloc(sizeof(struct first)); }
int main(void) {
  for (int i = 0; i < 3; i++) kept[i] = here();
  raise(SIGUSR2);
  for (int i = 0; i < 2; i++) free(kept[i]);
  kept[3] = malloc(sizeof(struct second));
  kept[4] = calloc(2, sizeof(struct second));
  free(kept[4]);
  return 0;
}
EOF
cc-allocs -O2 -g -fno-builtin 'a;b.c' -o 'p;q'
stacks() { # OPTION...
  allocs run --format=folded --signal USR2 "$@" -o - './p;q' >all
  # A flame graph needs the number behind the last blank, and no empty frame.
  not grep -vE '^[^;]+(;[^;]+)+ [1-9][0-9]*$' all
  grep -v untyped all >stacks
}
stacks
expect stacks <<'EOF'
p:q;p:q;main (a:b.c:12);calloc;struct second[] 32
p:q;p:q;here (a:b.c:6);malloc;struct first 24
p:q;p:q;main (a:b.c:11);malloc;struct second 16
EOF
stacks --live
expect stacks <<'EOF'
p:q;p:q;here (a:b.c:6);malloc;struct first 8
p:q;p:q;main (a:b.c:11);malloc;struct second 16
EOF
# Since the snapshot before; what is less than nothing has no place.
stacks --diff
expect stacks <<'EOF'
p:q;p:q;main (a:b.c:12);calloc;struct second[] 32
p:q;p:q;main (a:b.c:11);malloc;struct second 16
EOF
stacks --diff --live
expect stacks <<'EOF'
p:q;p:q;main (a:b.c:11);malloc;struct second 16
EOF

# Of each process its own.
allocs run --format=folded --signal USR2 -o - sh -c './p\;q; :' >all
cut -d ';' -f 1 all | uniq >programs
expect programs <<'EOF'
dash
p:q
EOF
