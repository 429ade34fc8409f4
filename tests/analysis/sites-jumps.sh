#!/usr/bin/env bash
# A jump through a table or to a cold part is no call, a call through a pointer is none of a
# function that happened to be in the register before, and what the compiler
# cloned is still the source's function.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
sites=$build_dir/tests/test-sites
[ "$(uname -m)" = x86_64 ] || skip "the flags are those of x86"

cat >switch.c <<'EOF_C'
int many(int n, int (*hook)(int)) {
  int r = 0;
  switch (n) {
  case 0: r = hook(1); break;
  case 1: r = 17; break;
  case 2: r = 4; break;
  case 3: r = 93; break;
  case 4: __asm__(""); r = 12; break;
  case 5: __asm__("nop"); break;
  }
  return r + 1;
}
EOF_C
"$CCA_CC" -O1 -g -c switch.c -o a.o
objdump -d a.o | grep 'jmp  *\*' >/dev/null || skip "the compiler made no table"
"$sites" a.o <<<'many 4 15 *' >got
expect got <<<'many:4 * .text'

cat >register.c <<'EOF_C'
typedef void *(*getter)(long);
getter get(void);
void *alloc(long);
void take(long, getter);
void first(void) { take(0, alloc); }
long second(long n, getter p) { return (long)p(n) + 1; }
long third(void) { return (long)get()(2) + 1; }
EOF_C
cat >calls <<'EOF_CALLS'
first 5 20 take
second 6 46 alloc
second 6 46 *
third 7 33 get
third 7 33 *
EOF_CALLS
for g in -g0 -g; do
  "$CCA_CC" -O1 -fno-pic -mcmodel=large -foptimize-sibling-calls \
    -fcf-protection=none $g -c register.c -o a.o
  "$sites" a.o <calls | sort >got
  expect got <<'EOF_ROWS'
first:5 take .text tail
second:6 * .text
third:7 * .text
third:7 get .text
EOF_ROWS
done

cat >cold.c <<'EOF_C'
void *alloc(long);
void die(void) __attribute__((noreturn, cold));
static inline void *wrap(long n) {
  void *p = alloc(n);
  if (!p)
    die();
  return p;
}
__attribute__((noinline)) void *f(long n) {
  char *p = wrap(n);
  *p = 1;
  return p;
}
void *g(void) { return (char *)f(1) + 1; }
EOF_C
"$CCA_CC" -O2 -g -c cold.c -o a.o
nm a.o | grep 'f\.cold' >/dev/null || skip "the compiler split no function"
"$sites" a.o <<'EOF_CALLS' | sort >got
wrap 4 13 alloc
f 10 13 wrap
g 14 32 f
EOF_CALLS
expect got <<'EOF_ROWS'
f:10 wrap .text inlined
g:14 f .text
wrap:4 alloc .text
EOF_ROWS

cat >clone.c <<'EOF_C'
void *alloc(long);
__attribute__((noinline)) static void *make(long n, long m) {
  void *p = alloc(n * m);
  *(long *)p = m;
  return p;
}
void *f(long n) { return (char *)make(n, 3) + 1; }
EOF_C
"$CCA_CC" -O2 -g -c clone.c -o a.o
nm a.o | grep 'make\.' >/dev/null || skip "the compiler made no clone"
for g in -g -g0; do
  "$CCA_CC" -O2 $g -c clone.c -o a.o
  "$sites" a.o <<'EOF_CALLS' | sort >got
make 3 13 alloc
f 7 34 make
EOF_CALLS
  expect got <<'EOF_ROWS'
f:7 make .text
make:3 alloc .text
EOF_ROWS
done
