#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# C89 to C23, K&R, GNU extensions, and what gcc is lenient about: the unit is
# analysed, and every mark kept.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
export CC_ALLOCS_CC=gcc

check() { # check MARKS FLAG... <SOURCE
  local marks=$1
  shift
  cat >a.c
  cc-allocs -w -c "$@" a.c
  allocs dump a.o | sed -n 's/^unit @0 //p' >unit
  grep -q " marks=$marks " unit || { cat unit; false; }
  not grep -Eq 'status=|dropped=' unit
}
check 1 -std=c89 <<'EOF'
char *f(n, p) int n; struct s *p; { return (char *)g(n * sizeof(p)); }
EOF
check 2 -std=gnu89 <<'EOF'
h() { return sizeof(int); }
inline int k(x) { static n; return n + sizeof n + x; }
EOF
check 2 -std=gnu11 <<'EOF'
int f(int n) {
  int v[n];
  __auto_type p = &v[0];
  return ({ int m = sizeof v; m; }) + _Generic(n, int: sizeof *p, default: 0);
}
EOF
check 3 -std=gnu2x <<'EOF'
[[nodiscard]] static unsigned long f(void) { return sizeof(typeof(1u)); }
struct s { _Bool b; };
static const unsigned long n = sizeof(struct s);
unsigned long g(void) { static_assert(sizeof(int) == 4); return f() + n + sizeof(_Bool); }
EOF
check 2 -fms-extensions -funsigned-char -fshort-enums <<'EOF'
struct a { int x; };
struct b { struct a; int y; };
int f(struct b *p) { return p->x + sizeof p->x + sizeof *p; }
EOF
check 3 -std=gnu11 <<'EOF'
#include <stddef.h>
struct s { long n; struct s *v[]; };
void *alloc(unsigned long);
struct s *f(int n) { return alloc(offsetof(struct s, v[n])); }
struct s *g(int n) { return alloc(offsetof(struct s, v) + n * sizeof(void *)); }
EOF
check 2 -std=gnu11 <<'EOF'
typedef unsigned long (*fn)(void);
unsigned long f(void) { return 1; }
static const struct { unsigned long n; fn f; } table[] = {
  [1] = { .n = sizeof(long double), .f = f }, };
unsigned long g(int i) {
  static struct { unsigned long n; } local = { sizeof(int) };
  return table[i].n + local.n;
}
EOF
