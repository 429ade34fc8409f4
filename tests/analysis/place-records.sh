#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A place is named by the innermost record around it and by the outermost, also
# where records have no name and where the type comes from a variable alone.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile records.c <<'EOF'
#include <stddef.h>
typedef struct { void *(*get)(size_t); size_t size; } ops_t;
struct outer {
  int kind;
  ops_t ops;
  struct { void *p; size_t n; } one, *two;
  union { struct { void *a, *b; } x; struct { void *c, *d; } y; } u;
};
static struct outer global;
void set(struct outer *o, struct outer *list, int i, void *v) {
  o->ops.size = 1;
  o->one.n = 2;
  o->two->n = 3;
  o->u.x.b = v;
  global.ops.size = 4;
  list[i].one.p = v;
  list[2].u.x.a = v;
}
void plain(size_t *p) { *p = 5; }
EOF

# offset, record.field of the innermost, of the outermost, flags
allocs dump records.o >dump
awk '
  /^type / { split($0, q, "\""); name[$2] = q[2] }
  /^loc / {
    delete f
    for (i = 3; i <= NF; i++) { split($i, kv, "="); f[kv[1]] = kv[2] }
    if (f["size"]) printf "+%d %s.%d %s.%d %s\n", f["offset"],
      name[f["record"]], f["field"], name[f["outer"]], f["outer_field"],
      f["flags"]
  }' dump | sed 's/ $//' >places
expect places <<'EOF'
+40 struct outer.40 struct outer.40
+16 ops_t.8 struct outer.8
+32 struct outer.one.8 struct outer.24
+8 struct outer.one.8 struct outer.one.8
+56 struct outer.u.x.8 struct outer.48
+16 ops_t.8 struct outer.8
+24 struct outer.one.0 struct outer.24 element
+176 struct outer.u.x.0 struct outer.48
+0 .0 .0
EOF
