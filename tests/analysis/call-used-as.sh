#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a result is used as: the variable, member or global that it is stored
# in, before members that are accessed, before the type that is returned; void
# and characters only if there is nothing better.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

compile used.c <<'EOF'
#include <stdlib.h>
struct s { struct s *next; void *any; char *text; int *row[4]; };
struct t { long l; };
struct t *global;
void use(struct s *s, struct s **list, int i) {
  struct s *var = malloc(1);
  var->next = malloc(2);
  var->row[i] = malloc(3);
  list[i] = malloc(4);
  *list = malloc(5);
  global = malloc(6);
  ((struct t *)malloc(7))->l = 0;
  void *any = malloc(8);
  struct t *t = any;
  t->l = 0;
  s->any = malloc(9);
  s->text = malloc(10);
  free(malloc(11));
}
struct t *result(void) { return malloc(12); }
void *nothing(void) { return malloc(13); }
union value { struct s *s; struct t *t; };
long member(void) {
  union value value;
  value.t = malloc(15);
  long n = value.t->l;
  value.s = malloc(16);
  return n + (value.s->next != 0);
}
struct s *first(void) { struct s *p = malloc(14); return p; }
EOF

allocs dump used.o >dump
awk '
  /^type / { split($0, q, "\""); name[$2] = q[2] }
  /^call .*malloc\([0-9]*\)$/ {
    as = "-"
    for (i = 3; i <= NF; i++) if ($i ~ /^used_as=/) as = name[substr($i, 9)]
    print $NF, as
  }' dump >said
expect said <<'EOF'
malloc(1) struct s
malloc(2) struct s
malloc(3) int
malloc(4) struct s
malloc(5) struct s
malloc(6) struct t
malloc(7) struct t
malloc(8) struct t
malloc(9) void
malloc(10) char
malloc(11) -
malloc(12) struct t
malloc(13) void
malloc(15) -
malloc(16) -
malloc(14) struct s
EOF
