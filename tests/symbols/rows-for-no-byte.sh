#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A row of a line table from where its sequence ends is for no byte, and what is
# behind it belongs to somebody else.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"

cat >one.c <<'END'
__attribute__((noinline, section(".text.startup"))) int start(void) {
  return 1;
}
__asm__(".section .text.startup\n.loc 1 98\n.loc 1 99\n.text");
__attribute__((noinline)) int last(void) { return 3; }
int main(void) { return start() + last(); }
END
cat >two.c <<'END'
int between(void) {
  return 2;
}
END
gcc -g -O1 -fno-toplevel-reorder two.c one.c -o prog
objdump --dwarf=decodedline prog | grep -E '^one.c +98 ' >/dev/null # there is one

start=$(address_of prog start)
allocs symbolize -fse prog "$start" "$(address_of prog between)" \
  "$(address_of prog last)" >got
expect got <<'END'
start
one.c:3
between
two.c:3
last
one.c:5
END
# Behind start() is nothing that has a line.
size=$(nm -S prog | sed -nE 's/^[0-9a-f]+ ([0-9a-f]+) T start$/0x\1/p')
printf -v behind '%#x' $((start + size))
allocs symbolize -se prog "$behind" >got
not grep one.c got
