#!/usr/bin/env bash
# cc-allocs writes the places of calls into the object's summary: under gcc and
# clang, with and without optimisation, they are where the code has its calls.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >a.c <<'EOF_C'
#include <stdlib.h>
struct foo { int a; struct foo *next; };
static void *xmalloc(size_t n) {
  void *p = malloc(n);
  if (!p)
    abort();
  return p;
}
struct foo *twice(void) {
  struct foo *f = xmalloc(sizeof(struct foo));
  f->next = xmalloc(sizeof(struct foo));
  if (0)
    free(f);
  return f;
}
struct foo *last(void) { return malloc(sizeof(struct foo)); }
EOF_C

# places COMMAND…: compile, then line and flags of each row, in its order.
places() {
  "$@" -c a.c -o a.o
  allocs dump a.o >a.txt
  awk '
    { delete v
      for (i = 3; i <= NF; i++) { split($i, pair, "="); v[pair[1]] = pair[2] } }
    $1 == "call" { line[$2] = v["line"] }
    $1 == "site" { print line[v["call"]], v["flags"] }' a.txt
}

# The places in .text, and what comes after a call or jump there.
offsets() {
  awk '$1 == "site" && /section=".text"/ {
    sub(/.*offset=/, ""); print $1 }' a.txt | sort -nu
}
after_calls() {
  local at
  for at in $(objdump -d -j .text --no-show-raw-insn a.o |
    awk '/^ / && after { sub(":", "", $1); print $1 }
      /^ / { after = /[ \t](call|jmp) / }'); do
    echo $((16#$at))
  done | sort -nu
}

for compiler in "$CCA_CC" ${CCA_CLANG:+"$CCA_CLANG"}; do
  export CC_ALLOCS_CC=$compiler
  for flags in "-O0 -g" "-O0"; do
    # shellcheck disable=SC2086
    places cc-allocs $flags | sort -n >got
    # Two calls of xmalloc(), one behind the other: which is which?
    doubt='ambiguous'
    [ "$flags" = -O0 ] || doubt=''
    expect got <<EOF_ROWS
4 
10 $doubt
11 $doubt
16 
EOF_ROWS
  done

  # The wrapper is inlined twice; what it does on failure is no place of it.
  for version in 4 5; do
    places cc-allocs -O2 -g -gdwarf-$version >got
    expect got <<'EOF_ROWS'
4 
10 inlined
4 
11 inlined
16 tail
EOF_ROWS
  done
  # Every place follows a call or a jump; nothing may follow the last.
  [ -z "$(comm -23 <(offsets | sed -n 1,2p | sort) <(after_calls | sort))" ]
  [ "$(offsets | wc -l)" = 3 ]
done

# The twin: an object that cc-allocs has not seen has no places.
"$CCA_CC" -c a.c -o a.o
not allocs dump a.o >a.txt 2>/dev/null
