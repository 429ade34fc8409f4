#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# `allocs symbolize` prints what addr2line prints, whichever options it has.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"
need addr2line

write_inlined
"$CCA_CC" -O1 -g inlined.c
outer=$(address_of a.out outer)
text=$(readelf -SW a.out | sed -nE 's/^.* \.text +PROGBITS +([0-9a-f]+) .*/0x\1/p')
printf -v relative '%#x' $((outer - text))

# like ARGUMENT...: both say the same, of arguments and of standard input.
like() {
  addr2line "$@" >wanted </dev/null
  allocs symbolize "$@" >got </dev/null
  expect got <wanted
  [ -s got ]
}
like "$outer"
like "${outer#0x}" 0 "$outer" 0xffffffffffffffff
for options in -f -i -fi -fip -fis -afi -fap -fips -a -C -fCi --demangle=auto \
  '--functions --inlines' '--pretty-print --addresses' --basenames; do
  # shellcheck disable=SC2086 # a list of words
  like $options -e a.out "$outer" 0x0 "$(address_of a.out main)"
done
like -f -j .text "$relative"
like --section=.text --exe=a.out -fi "$relative"
like -b elf64-x86-64 -r -e a.out "$outer"
echo '-f -i -s' >words
like @words "$outer"

# Standard input: with and without 0x, more than a buffer, no end of line.
for _ in {1..9000}; do echo "$outer"; done >many
printf '%s' "${outer#0x}" >>many
addr2line -fi <many >wanted
allocs symbolize -fi <many >got
cmp got wanted
[ "$(wc -l <got)" = 54006 ]

# Whoever waits for an answer gets it before the next question.
coproc allocs symbolize -f
asker=$COPROC_PID # which bash forgets when it ends
echo "$outer" >&"${COPROC[1]}"
read -r -t 20 name <&"${COPROC[0]}"
[ "$name" = inner ]
end=${COPROC[1]}
exec {end}>&-
wait "$asker"

# The twins: what cannot be asked is said, and nothing is printed.
fails() { # MESSAGE ARGUMENT...
  local status=0
  allocs symbolize "${@:2}" >got 2>said </dev/null || status=$?
  [ $status = 2 ]
  expect got </dev/null
  expect said <<<"allocs symbolize: $1"
}
fails "there: cannot be opened: No such file or directory; give an executable or object with -e" -e there 0
fails 'inlined.c: not an ELF file; give an executable or object with -e' -e inlined.c 0
cp a.out core
printf '\4' | dd of=core bs=1 seek=16 conv=notrunc 2>dd # ET_CORE
fails 'core: no executable, shared or relocatable object; give an executable or object with -e' -e core 0
fails '.: not an ELF file; give an executable or object with -e' -e . 0
fails 'a.out: it has no section .txet' -j .txet 0
fails 'there is no option -Z; allocs symbolize --help lists them' -Z
