#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Code that the link makes, without debug information: what has an address and
# no doubt has the address that debug information gives it.  What has none is the
# functions of one name in two units, and what may as well be the inner call of
# a wrapper that was inlined; the report says so.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc clang-19 ld.lld python3

cat >all.h <<'END'
#include <stdlib.h>
struct s { int x[6]; };
struct t { char c[40]; };
struct u { long v[3]; };
struct v { int q[9]; };
extern void *volatile kept;
void *xmalloc(size_t n), *make_a(int n), *make_b(int n);
#define NOINLINE __attribute__((noinline))
END
cat >a.c <<'END'
#include "all.h"
static NOINLINE void *init(int n) { return kept = xmalloc(n * sizeof(struct s)); }
static NOINLINE void *only_a(int n) { return kept = calloc(n, sizeof(struct u)); }
NOINLINE void *make_a(int n) { kept = init(n); return kept = only_a(n); }
END
cat >b.c <<'END'
#include "all.h"
static NOINLINE void *init(int n) { return kept = xmalloc(n * sizeof(struct t)); }
NOINLINE void *make_b(int n) { kept = init(n); return kept = malloc(sizeof(struct v)); }
END
cat >main.c <<'END'
#include "all.h"
void *volatile kept;
NOINLINE void *xmalloc(size_t n) { void *p = malloc(n); return p ? p : (abort(), p); }
int main(int argc, char **argv) {
  (void)argv;
  kept = make_a(argc);
  kept = make_b(argc);
  kept = xmalloc(sizeof(struct u));
  return 0;
}
END

# found FILE: "ADDRESS FUNCTION CALLEE TYPE" of what there is no doubt about.
found() {
  allocs report --json "$1" | python3 -c 'import json, sys
for site in json.load(sys.stdin)["allocation_sites"]:
    for a in site["addresses"]:
        if not a.get("ambiguous"):
            print(a["address"], site["function"], site["callee"], site["type"])' | sort
}
check() { # check COMPILER...: the same but for what is in `missing`
  local g
  for g in -g -g0; do
    CC_ALLOCS_CC="$*" cc-allocs -w -O2 $g -c a.c b.c main.c
    CC_ALLOCS_CC="$*" cc-allocs -w -O2 $g a.o b.o main.o -o prog$g
    ./prog$g
    found prog$g >found$g
  done
  [ -z "$(comm -13 found-g found-g0)" ]
  comm -23 found-g found-g0 | cut -d ' ' -f 2-3 | sort >got
  expect got <missing
  # With debug information all are found.
  allocs report prog-g0 | grep '^  addresses  7, to which 7 of these sites return$' >/dev/null
  allocs report prog-g | grep '^  addresses  11, to which these sites return$' >/dev/null
  allocs report --why prog-g0 | grep -B 1 '^      not found in the code$' |
    sed -n 's/^ *\([0-9]*\):.. *\([a-z_]*\) *\([a-z]*\) .*/\1 \2 \3/p' | sort >got
  expect got <not-found
  allocs report --why prog-g >all
  not grep 'not found' all
}
cat >missing <<'END'
init xmalloc
init xmalloc
make_a init
make_b init
make_b malloc
END
cat >not-found <<'END'
2 init xmalloc
2 init xmalloc
3 make_b init
4 make_a init
END
check gcc -flto
check clang-19 -flto -fuse-ld=lld
check clang-19 -flto=thin -fuse-ld=lld
