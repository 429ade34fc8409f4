#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Room for one member of a union, used as the union, is no contradiction, and
# neither is a union that is used as any of its members; a record that is none of
# them is one.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile nodes.c <<'EOF'
#include <stdlib.h>
struct narg { int type; char *text; };
struct nif { int type; union node *test, *body; };
struct stranger { int type; char *text; };
union node { int type; struct narg narg; struct nif nif; };
union node *a, *b, *c;
struct nif *d;
struct stranger *e;
void use(void) {
  a = malloc(sizeof(struct narg));
  b = malloc(sizeof(struct nif));
  c = malloc(sizeof(struct stranger));
  d = malloc(sizeof(union node));
  e = malloc(sizeof(union node));
}
EOF
COLUMNS=500 allocs report --sites nodes.o | sed -n 's/^ *\([0-9]*\):7 .* malloc */\1 /p' >got
expect got <<'EOF'
10 struct narg      sizeof(struct narg)
11 struct nif       sizeof(struct nif)
12 struct stranger  sizeof(struct stranger), used as union node
13 union node       sizeof(union node)
14 union node       sizeof(union node), used as struct stranger
EOF
allocs report nodes.o | grep -x '  agreement  3 of 5 results are used as the type that the size names' >/dev/null
