#!/usr/bin/env bash
# Compilers make malloc(n) of realloc(NULL, n): that machine call is the
# realloc()'s place if line and column say so, and never that of another
# malloc() in the function.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >a.c <<'EOF_C'
#include <stdlib.h>
struct a { long x[2]; };
struct b { long x[3]; };
struct c { long x[5]; };
void use(void *, long);
void f(int n) {
  use(malloc(sizeof(struct a)), 1);
  use(malloc(sizeof(struct b)), 2);
  use(realloc(NULL, sizeof(struct c)), 3);
  if (n)
    use(0, 4);
}
void g(int n) {
  void *p = malloc(sizeof(struct a)), *q = realloc(NULL, sizeof(struct c));
  use(p, 5);
  use(q, 6);
  if (0)
    use(malloc(sizeof(struct b)), 7);
}
void h(void) {
  void *p = realloc(NULL, sizeof(struct c));
  use(p, 8);
}
EOF_C
# The twin: nothing to rewrite.
sed 's/realloc(NULL, /malloc(/' a.c >twin.c

# gcc gives both calls of the last line one column, and evaluates from right to
# left: which is which cannot be told.
cat >both.c <<'EOF_C'
#include <stdlib.h>
void two(void *, void *);
void f(void) {
  two(malloc(16), realloc(NULL, 40));
}
EOF_C

# The allocators' calls in the code: the return address, and which of the
# source it is, in the order of the code.
after_calls() {
  objdump -dr --no-show-raw-insn "$1" | awk '
    wait && /^ *[0-9a-f]+:\t[a-z]/ { sub(":", "", $1); print $1; wait = 0 }
    /R_X86_64_P(LT|C)32\t(m|c|re)alloc/ { wait = 1 }' |
    while read -r at; do echo $((16#$at)); done
}
# Rows of the summary for these: address, line, column, flags.
rows() {
  allocs dump "$1" | awk '
    { delete v
      for (i = 3; i <= NF; i++) { split($i, pair, "="); v[pair[1]] = pair[2] } }
    $1 == "call" && / # (m|re)alloc\(/ {
      place[$2] = v["line"] ":" v["column"] }
    $1 == "site" && v["call"] in place {
      print v["offset"], place[v["call"]], v["flags"] }' | sort -n |
    sed 's/ $//'
}
# places FILE.o LINE:COLUMN...: the rows are these places, one for each call of
# an allocator in the code, in its order.
places() {
  local object=$1
  shift
  paste -d' ' <(after_calls "$object") <(printf '%s\n' "$@") >wanted
  rows "$object" >got
  expect got <wanted
}

[ "$(uname -m)" = x86_64 ] || skip "the addresses are read for x86-64 only"
for compiler in "$CCA_CC" ${CCA_CLANG:+"$CCA_CLANG"}; do
  export CC_ALLOCS_CC=$compiler
  for level in -O0 -O2; do
    cc-allocs -c $level -g a.c
    places a.o 7:7 8:7 9:7 14:13 14:44 21:13
    cc-allocs -c $level -g twin.c
    places twin.o 7:7 8:7 9:7 14:13 14:44 21:13

    cc-allocs -c $level -g both.c
    if "$compiler" --version | grep clang >/dev/null; then
      places both.o 4:7 4:19
    else
      [ -z "$(rows both.o)" ]
      [ "$(after_calls both.o | wc -l)" = 2 ]
    fi

    # Without lines only order tells: what is at a wrong place says that it is
    # a guess, and all are where the code calls malloc() more often than the
    # source.
    cc-allocs -c $level a.c
    after_calls a.o |
      paste -d' ' - <(printf '%s\n' 7:7 8:7 9:7 14:13 14:44 21:13) >all
    rows a.o >got
    [ -z "$(comm -13 <(sort all) <(grep -v ambiguous got | sort))" ]
    if not grep -q realloc <(objdump -dr a.o); then
      [ "$(grep -c ' [789]:7 ambiguous$' got)" = 3 ]
      not grep -q ' [789]:7$' got
    fi
    cc-allocs -c $level twin.c
    after_calls twin.o |
      paste -d' ' - <(printf '%s\n' 7:7 8:7 9:7 14:13 14:44 21:13) >wanted
    rows twin.o | sed 's/ ambiguous$//' >got
    expect got <wanted
  done
done
