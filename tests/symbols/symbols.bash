# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# symbols.bash -- sourced by the tests of symbol tables, behind common.sh.

# A function into which another one is inlined, which has one inlined; and the
# address of the load within the innermost.
write_inlined() {
  cat >inlined.c <<'END'
volatile int counter;
static inline __attribute__((always_inline)) int inner(void) {
  return counter;
}
static inline __attribute__((always_inline)) int middle(void) {
  return inner() + 1;
}
__attribute__((noinline)) int outer(void) {
  return middle() + 2;
}
int main(void) { return outer(); }
END
}
inlined_answer() { # FOLDER in which it was compiled
  cat <<END
inner
$1/inlined.c:3
middle
$1/inlined.c:6
outer
$1/inlined.c:9
END
}

# A program, ./main, of whose 77 bytes only symbols say where they come from.
build_middle() {
  cat >main.c <<'END'
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) static void middle(void) { kept = malloc(77); }
int main(void) { middle(); return 0; }
END
  "$CCA_CC" -g main.c -o main
}

# address_of FILE SYMBOL: in hexadecimal.
address_of() { nm "$1" | awk -v name="$2" '$3 == name { print "0x" $1 }'; }
