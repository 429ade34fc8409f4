#!/usr/bin/env bash
# Without debug information an inlined wrapper is found by the order of calls,
# and where several fit, that is said, as where one stretch of calls is followed
# by another with the same callees.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
sites=$build_dir/tests/test-sites

cat >a.c <<'EOF_C'
void *alloc(unsigned long);
void use(void *), put(void *);
static inline void *wrap(unsigned long n) { return alloc(n + 8); }
void f(void) {
  use(alloc(1));
  put(wrap(2));
}
void g(int n) {
  use(alloc(n ? 3 : 4));
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++)
    use(alloc(5));
}
void h(void) {
  use(alloc(6));
  use(wrap(7));
}
EOF_C
cat >calls <<'EOF_CALLS'
wrap 3 52 alloc
f 5 7 alloc
f 5 3 use
f 6 7 wrap
f 6 3 put
g 9 7 alloc
g 9 3 use
g 12 9 alloc
g 12 5 use
h 15 7 alloc
h 15 3 use
h 16 7 wrap
h 16 3 use
EOF_CALLS

"$CCA_CC" -O2 -c a.c -o a.o
"$sites" a.o <calls | grep alloc >got
"$sites" a.o <calls | grep '^[wf]' | grep -v 'use\|put\|ambiguous' >f
expect f <<'EOF_ROWS'
f:5 alloc .text
wrap:3 alloc .text
f:6 wrap .text inlined
EOF_ROWS

"$sites" a.o <calls | sed -n '/^h/,$p' | sed 's/ tail//' >h
expect h <<'EOF_ROWS'
h:15 alloc .text ambiguous
h:15 use .text ambiguous
wrap:3 alloc .text ambiguous
h:16 wrap .text inlined ambiguous
h:16 use .text ambiguous
EOF_ROWS

# The loop was unrolled: three calls in the code for two in the source.
grep '^g' got | sed 's/ tail//' >g
expect g <<'EOF_ROWS'
g:9 alloc .text ambiguous
g:12 alloc .text ambiguous
g:12 alloc .text ambiguous
EOF_ROWS

# The twin: with lines nothing is ambiguous.
"$CCA_CC" -O2 -g -c a.c -o a.o
"$sites" a.o <calls >got
not grep -q ambiguous got
[ "$(grep -c 'g:12 alloc' got)" = 2 ]
