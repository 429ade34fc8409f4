#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Two versions of one function in a library, of which one allocates and the other
# finds, and allocates for itself: a program has the types of the version that it
# is bound to, whichever of the two has the function's name in the source.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

cat >one.map <<'EOF'
V1 { global: foo_alloc; local: *; };
EOF
cat >two.map <<'EOF'
V1 { };
V2 { global: foo_alloc; } V1;
EOF
cat >main.c <<'EOF'
#include <stddef.h>
struct point { long x, y; };
void *foo_alloc(size_t);
void *volatile kept;
int main(void) {
  for (int i = 0; i < 3; i++) kept = foo_alloc(sizeof(struct point));
  return 0;
}
EOF

# The old libfoo.so says nothing and has one version, the new one two: version 1 is
# called foo_old in the source, and version 2 foo_alloc.
mkdir old new
library "$CCA_CC" foo -Wl,-soname,libfoo.so -Wl,--version-script=one.map <<'EOF'
void *foo_alloc(unsigned long n) { return (void *)n; }
EOF
mv libfoo.so old
# versions FUNCTION FUNCTION: what versions 1 and 2 return.
versions() {
  library cc-allocs foo -Wl,-soname,libfoo.so -Wl,--version-script=two.map <<EOF
#include <stdlib.h>
void *volatile made, *volatile mine;
static long held[8];
__asm__(".symver foo_old,foo_alloc@V1");
void *foo_old(size_t n) { mine = malloc(n); return $1; }
void *foo_alloc(size_t n) { made = malloc(n); return $2; }
EOF
  mv libfoo.so new
  mv foo.c both.c
}

versions held made
readelf --dyn-syms -W new/libfoo.so | grep -c ' foo_alloc@' >count
expect count <<<2
for name in old new; do
  cc-allocs -O2 -g main.c -L$name -lfoo -Wl,-rpath,"$PWD/new" -o main_$name
done
types main_new >rows
expect rows <<<'3 48 3 struct point'
types main_old >rows
expect rows </dev/null
awk '{ print $1, $2, $NF }' main_old.rows >rest
expect rest <<<'3 48 wrapper'

# The other way round.
versions mine held
types main_new >rows
expect rows </dev/null
types main_old >rows
expect rows <<<'3 48 3 struct point'

# A table of the other hashes.
library cc-allocs foo -Wl,-soname,libfoo.so -Wl,--version-script=two.map \
  -Wl,--hash-style=sysv <both.c
mv libfoo.so new
types main_new >rows
expect rows </dev/null
types main_old >rows
expect rows <<<'3 48 3 struct point'

# The twin: the same program, with a library of one version, which
# allocates.
library cc-allocs foo -Wl,-soname,libfoo.so -Wl,--version-script=one.map <<'EOF'
#include <stdlib.h>
void *volatile made;
void *foo_alloc(size_t n) { made = malloc(n); return made; }
EOF
mv libfoo.so new
types main_old >rows
expect rows <<<'3 48 3 struct point'
