#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The units that are solved are the members that the linker takes: across
# archives in either direction, by -u, --wrap and --defsym, for a shared
# library, all of one, but not for a weak reference.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

# member NAME [BODY]: NAME.o defines NAME() with one call of malloc.
member() {
  object "$1.o" -fPIC <<EOF
#include <stdlib.h>
extern void *volatile kept;
void $1(void) { kept = malloc(24); ${2-} }
EOF
}
member one 'extern void two(void); two();'
member two 'extern void three(void); three();'
member three
member weak
member forced
member __wrap_wrapped 'extern void __real_wrapped(void); __real_wrapped();'
member wrapped
member target
member for_shared
member whole1
member whole2
member lazy
member unused
ar rc liba.a one.o three.o weak.o unused.o forced.o
ar rc libb.a two.o target.o for_shared.o __wrap_wrapped.o wrapped.o
ar rc libw.a whole1.o whole2.o
echo 'void for_shared(void); void shared(void) { for_shared(); }' |
  gcc -shared -fPIC -x c - -o libs.so

object main.o -fPIC <<'EOF'
#include <stdlib.h>
void *volatile kept;
void one(void), shared(void), wrapped(void), alias(void), lazy(void);
__attribute__((weak)) void weak(void);
int main(void) {
  kept = malloc(24);
  one(), shared(), wrapped(), alias(), lazy();
  if (weak) weak();
  return 0;
}
EOF

libs=(-L. -la -lb)
start=(-Wl,--start-lib lazy.o unused.o -Wl,--end-lib)
# The plugin reports what GNU ld and gold take; they search in one direction.
case $linker in
bfd | gold)
  libs=(-L. -Wl,--start-group -la -lb -Wl,--end-group -u target -u for_shared)
  [ "$linker" = gold ] || start=(lazy.o)
  ;;
esac
through main.o -lc "${libs[@]}" ./libs.so -Wl,--wrap=wrapped "${start[@]}" \
  -Wl,--defsym=alias=target -u forced -Wl,-rpath,. \
  -Wl,--whole-archive -lw -Wl,--no-whole-archive -o prog
./prog

allocs dump prog | sed -n 's/^allocsite.* unit="\([^"]*\)".*/\1/p' | sort >units
expect units <<'EOF'
__wrap_wrapped.c
for_shared.c
forced.c
lazy.c
main.c
one.c
target.c
three.c
two.c
whole1.c
whole2.c
wrapped.c
EOF
# Of mold no map can be had with --defsym.
[ "$linker" = mold ] || [ "$(addresses prog | grep -c 0x)" = 12 ]
