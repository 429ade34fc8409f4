#!/usr/bin/env bash
# Where a wrapper was inlined, the return address of the allocator inside
# belongs to the wrapper's call too; each copy is a place of its own, and a
# jump in place of a call is marked.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
sites=$build_dir/tests/test-sites

cat >a.c <<'EOF_C'
void *alloc(unsigned long);
void die(void) __attribute__((noreturn)), use(void *);
static inline void *inner(unsigned long n) {
  void *p = alloc(n);
  if (!p) die();
  return p;
}
static inline void *outer(unsigned long n) {
  return inner(n + 8);
}
void f(void) {
  use(outer(1));
  use(outer(2));
}
__attribute__((noinline)) static void *g(unsigned long n) {
  return alloc(n);
}
void *h(int n) {
  use(g(n));
  return g(3);
}
EOF_C
cat >calls <<'EOF_CALLS'
inner 4 13 alloc
outer 9 10 inner
f 12 3 use
f 12 7 outer
f 13 3 use
f 13 7 outer
g 16 10 alloc
h 19 3 use
h 19 7 g
h 20 10 g
EOF_CALLS
wanted='inner:4 alloc .text
outer:9 inner .text inlined
f:12 outer .text inlined
f:12 use .text
inner:4 alloc .text
outer:9 inner .text inlined
f:13 outer .text inlined
g:16 alloc .text tail
h:19 g .text
h:19 use .text
h:20 g .text tail'

check() { # check COMPILER FLAG...
  "$@" -c a.c -o a.o
  # The last use() may be a call or a jump, and die() is nobody's.
  "$sites" a.o <calls | grep -v 'f:13 use' >got
  grep -v ' g\| use\|^g' got >got-f
  diff <(grep -v ' g\| use\|^g' <<<"$wanted") got-f
  diff <(sort <<<"$wanted") <(sort got)
}

check "$CCA_CC" -O2 -g -fcf-protection=full
check "$CCA_CC" -O2 -g -fcf-protection=none -fno-reorder-functions
check "$CCA_CC" -O2 -g -gdwarf-4
[ -z "${CCA_CLANG-}" ] || check "$CCA_CLANG" -O2 -g

# The twin: the inlined call of somebody else's line is not taken.
sed 's/^inner 4/inner 4000/; s/alloc$/balloc/' calls >others
"$sites" a.o <others >got
not grep -q 'inner:' got
