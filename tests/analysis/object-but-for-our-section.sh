#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The object is the compiler's, byte for byte, but for the section .cc_allocs;
# and no other file comes to be.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >a.c <<'EOF'
#include <stdlib.h>
struct s { struct s *next; char text[8]; };
struct s *make(void) { return malloc(sizeof(struct s)); }
EOF
for flags in "-O2 -g" "-O0" "-O2 -ffunction-sections -MD -MF a.d" \
  "-g -gsplit-dwarf -fstack-usage -save-temps=obj"; do
  for name in plain ours; do # in one place, since debug information names it
    mkdir tree
    command=("$CCA_CC")
    [ $name = plain ] || command=(env CC_ALLOCS_CC="$CCA_CC" cc-allocs)
    # shellcheck disable=SC2086
    (cd tree && "${command[@]}" $flags -c ../a.c -o a.o)
    rm -rf $name
    mv tree $name
  done
  diff <(cd plain && ls) <(cd ours && ls)
  for file in plain/*; do
    case $file in
    *.o) size=$(stat -c %s "$file")
      # The header differs in where the section headers are and how many.
      cmp -i 64 -n $((size - 64 - 64)) "$file" "ours/${file#*/}" ;;
    esac
  done
  readelf -SW ours/a.o | grep ' \.cc_allocs .* E ' >/dev/null
  not grep -q cc_allocs <(readelf -SW plain/a.o)
  objcopy --remove-section=.cc_allocs ours/a.o back.o
  objcopy plain/a.o same.o
  cmp back.o same.o
done
