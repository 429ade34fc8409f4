#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Relocatable objects, byte by byte, as addr2line answers: with -j of one section,
# without of the first with code in which something is known.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"
need addr2line

cat >x.c <<'END'
int table[40] = {1};
static inline __attribute__((always_inline)) int inner(int x) {
  return table[x & 31];
}
int first(int x) {
  return inner(x) + 1;
}
__attribute__((cold)) int chilly(int x) {
  return inner(x) * 3;
}
__attribute__((section(".text.other"))) int other(int x) {
  for (int i = 0; i < x; i++) table[i] += inner(i) * x;
  return inner(x) + 2;
}
int last(int x) { return first(x) + chilly(x); }
END
# like OPTION...: both say the same of the first 256 addresses, but for
# discriminators.
for ((i = 0; i < 256; i++)); do printf '%#x\n' $i; done >addresses
like() {
  addr2line "$@" <addresses | sed 's/ (discriminator [0-9]*)//' >wanted
  allocs symbolize "$@" <addresses >got
  expect got <wanted
}
# sections FILE: those with code.
sections() { readelf -SW "$1" | sed -nE 's/^.* (\.text[^ ]*) +PROGBITS +[0-9a-f]+ [0-9a-f]+ 0*[1-9a-f][0-9a-f]* .*/\1/p'; }

for flags in '-O1' '-O2 -g' '-O2 -g -ffunction-sections' '-O0 -gdwarf-4' '-O2 -gdwarf-2' '-O2 -g -gz=zlib'; do
  # shellcheck disable=SC2086 # a list of words
  "$CCA_CC" $flags -c x.c -o x.o
  [ "$(sections x.o | wc -l)" -ge 2 ]
  for section in $(sections x.o); do
    # Where there are no lines addr2line has the file of the symbol table.
    if [ "$flags" = -O1 ]; then
      addr2line -fj "$section" -e x.o <addresses | grep -v : >wanted
      allocs symbolize -fj "$section" -e x.o <addresses | grep -v : >got
      expect got <wanted
    else
      like -fij "$section" -e x.o
      like -fiapj "$section" -e x.o
    fi
    [ "$(sort -u wanted | wc -l)" -gt 1 ]
  done
done
# What clang makes, addr2line does not see the inlined functions of before it is
# linked.
"$CCA_CLANG" -O2 -g -fPIC -falign-functions=1 -c x.c -o x.o
"$CCA_CLANG" -O2 -g x.o -shared -o linked.so
allocs symbolize -fij .text.other -e x.o <addresses >got
size=$((0x$(readelf -SW x.o | sed -nE 's/^.* \.text\.other +PROGBITS +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) .*/\1/p')))
start=$((0x$(nm linked.so | sed -n 's/ T other$//p')))
for ((i = 0; i < 256; i++)); do
  if [ $i -lt $size ]; then printf '%#x\n' $((start + i)); else echo 0xffffffffff; fi
done | allocs symbolize -fie linked.so >wanted
expect got <wanted
grep -qx inner got

"$CCA_CC" -O2 -g -fPIC -falign-functions=1 -c x.c -o x.o
like -fie x.o
grep -qx inner got && grep -qx other got && grep -qx '??' got
"$CCA_CC" -O2 -g -ffunction-sections -c -x c - -o y.o <<<'int y(int x) { return x * 7; }'
ld -r y.o x.o -o joined.o
like -fij .text.other -e joined.o
like -fij .text.y -e joined.o

# From a table, and by a server.
allocs symbolize -e x.o -o table
allocs symbolize -fie table <addresses >got
addr2line -fie x.o <addresses | sed 's/ (discriminator [0-9]*)//' >wanted
expect got <wanted
XDG_RUNTIME_DIR=$work allocs symserver >path &
until [ -s path ]; do sleep 0.01; done
XDG_RUNTIME_DIR=$work allocs symbolize --server= --no-start -fie x.o <addresses >got
expect got <wanted
kill $!
wait $!

# The twin: linked, the same addresses are none of the program's, and its sections
# have addresses of their own.
"$CCA_CC" -O2 -g x.o -shared -o linked.so
allocs symbolize -fie linked.so <addresses >got
[ "$(sort -u got)" = "$(printf '%s\n' '??' '??:0')" ]
address=$(address_of linked.so first)
allocs symbolize -fie linked.so "$address" | grep -x first >/dev/null
