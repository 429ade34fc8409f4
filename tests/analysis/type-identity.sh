#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A type has one identity in all units, whatever else they declare, and records
# that share a tag but not their members have two.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >shared.h <<'EOF'
#include <stdlib.h>
struct node { struct node *next; union { long l; void *p; } u; };
typedef struct { int x; } plain_t;
EOF
compile one.c <<'EOF'
#include "shared.h"
struct tag { int a; };
struct same_size { int a; };
void *f(struct node *n) { return n->u.p = malloc(sizeof(struct tag)); }
void *g(void) { return malloc(sizeof(plain_t) + sizeof(struct same_size)); }
EOF
compile two.c <<'EOF'
struct other { struct { int z; } w; };
#include "shared.h"
struct tag { long a; };
struct same_size { float a; };
typedef plain_t second_t;
void *f(struct node *n, struct other *o) {
  n->u.p = malloc(sizeof(struct tag) + o->w.z);
  return malloc(sizeof(second_t) + sizeof(struct same_size));
}
EOF

identity() { # OBJECT NAME
  allocs dump "$1" | sed -n "s/^type .*name=\"$2\" .*identity=\([^ ]*\).*/\1/p"
}
for type in 'struct node' 'union node.u' plain_t int 'struct node \*'; do
  [ -n "$(identity one.o "$type")" ]
  [ "$(identity one.o "$type")" = "$(identity two.o "$type")" ]
done
for type in 'struct tag' 'struct same_size'; do
  [ -n "$(identity one.o "$type")" ]
  [ "$(identity one.o "$type")" != "$(identity two.o "$type")" ]
done
allocs dump two.o >dump
not grep -q second_t dump
