#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The clang that is linked into the analyser and the installed one make the same
# summaries, and give the same reasons where they make none.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
real=${CCA_CLANG:?is the clang that cc-allocs was configured with}
nm --defined-only "$build_dir/lib/cc-allocs/cca-analyze" |
  grep ' cca_own_clang$' >/dev/null ||
  skip "clang is not linked into the analyser here"
unset CC_ALLOCS_CLANG
export CC_ALLOCS_CC=gcc

cat >a.c <<'END'
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { size_t n; union { int i; float f; } u; struct item *next; double d[]; };
static _Thread_local struct item *last;
static int (*const compare)(const char *, const char *) = strcmp;
struct item *make(size_t n) {
  struct item *item = malloc(offsetof(struct item, d) + n * sizeof *item->d);
  if (item)
    *item = (struct item){.n = n, .u.f = sqrtf(n), .next = last};
  return last = item;
}
int main(int argc, char **argv) {
  _Atomic int count = argc;
  int numbers[argc];
  memset(numbers, 0, sizeof numbers);
  __asm__("" : "+m"(numbers[0]));
  switch (compare(argv[0], "x") ? argc : 0) {
  case 1 ... 3: return !make(count);
  default: return printf("%zu\n", ({ size_t n = _Alignof(double); n; })) < 0;
  }
}
END
echo 'int f(int a) { int g(void) { return a; } return g(); }' >nested.c
echo 'int x = sizeof(int);' >x.c

# agree SOURCE OPTION...: the same objects; own.o stays.
agree() {
  cc-allocs -c "$@" -o own.o
  CC_ALLOCS_CLANG=$real cc-allocs -c "$@" -o real.o
  cmp own.o real.o
}
agree a.c -O2 -g
allocs dump own.o | grep 'sizeof(double)' >/dev/null
allocs dump own.o | grep '^unit .*source="a.c".* marks=3 ' >/dev/null
gcc -E a.c -o a.i
agree a.i
allocs dump own.o | grep '^unit .* marks=3 ' >/dev/null
for option in -fshort-enums -fpack-struct -std=c99 -std=gnu89; do
  agree x.c $option
  allocs dump own.o | grep '^unit .* marks=1 ' >/dev/null
done

# refused REASON SOURCE OPTION...
refused() {
  agree "${@:2}"
  allocs dump own.o | grep "^unit .*status=failed reason=\"$1\"" >/dev/null
}
refused 'nested.c:1: function definition is not allowed here' nested.c
# What the front end refuses before it reads, and what the driver does: both are
# asked again without it.
agree x.c -march=eden-x2
allocs dump own.o | grep '^unit .* producer="[^"]*" marks=1 ' >/dev/null
agree x.c -mabi=ms
allocs dump own.o | grep '^unit .*status=partial .* marks=1 ' >/dev/null
