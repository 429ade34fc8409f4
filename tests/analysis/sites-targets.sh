#!/usr/bin/env bash
# A direct call is found however the compiler spells it: through the PLT, the
# GOT, a register, within one section, across sections, on other machines.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
sites=$build_dir/tests/test-sites

cat >a.c <<'EOF_C'
void *alloc(unsigned long);
__attribute__((noinline)) static void *mine(unsigned long n) {
  void *p = alloc(n);
  *(char *)p = 1;
  return p;
}
int f(int n) {
  char *a = alloc(1), *b = mine(2);
  while (n--)
    a[n] = *(char *)alloc(3);
  b[1] = *(char *)mine(4);
  return a[1] + b[1];
}
EOF_C
cat >calls <<'EOF_CALLS'
mine 3 13 alloc
f 8 13 alloc
f 8 28 mine
f 10 22 alloc
f 11 19 mine
EOF_CALLS
wanted='f:10 alloc
f:11 mine
f:8 alloc
f:8 mine
mine:3 alloc'

check() { # check COMPILER FLAG...
  "$@" -c a.c -o a.o
  "$sites" a.o <calls | sed 's/ \.text.*//' | sort >got
  diff - got <<<"$wanted" || { echo "with $*" >&2; false; }
}

for g in -g -g0; do
  check "$CCA_CC" -O1 $g
  check "$CCA_CC" -O2 $g -fPIC -fno-plt
  check "$CCA_CC" -O2 $g -ffunction-sections
  if [ "$(uname -m)" = x86_64 ]; then
    check "$CCA_CC" -O1 $g -mcmodel=large
  fi
  [ -n "${CCA_CLANG-}" ] || continue
  for target in x86_64-linux-gnu i386-linux-gnu aarch64-linux-gnu; do
    check "$CCA_CLANG" -O1 $g -target $target
  done
  for target in x86_64-linux-gnu i386-linux-gnu; do
    check "$CCA_CLANG" -O1 $g -target $target -fPIC -fno-plt
  done
done

# Machines of which only relocations are known: static functions may be missing.
if [ -n "${CCA_CLANG-}" ]; then
  for target in riscv64-linux-gnu powerpc64le-linux-gnu s390x-linux-gnu \
    armv7-linux-gnueabihf; do
    "$CCA_CLANG" -O1 -g -target $target -c a.c -o a.o
    "$sites" a.o <calls | sed 's/ \.text.*//' | grep alloc | sort >got
    diff <(grep alloc <<<"$wanted") got || { echo "for $target" >&2; false; }
  done
fi

# The twin: the same names in other functions are other calls.
sed 's/^f/ff/; s/^mine/yours/' calls >others
"$CCA_CC" -O1 -c a.c -o a.o
[ -z "$("$sites" a.o <others)" ]
