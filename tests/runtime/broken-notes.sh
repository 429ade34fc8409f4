#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A note that breaks a rule of its format is not used, and its program runs as
# ever; a note in a module that was stripped is.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

build main -fno-builtin <<'EOF'
#include <stdlib.h>
struct one { long x; };
static void *volatile kept;
int main(void) { kept = malloc(sizeof(struct one)); return 0; }
EOF
strip -o stripped main
types stripped >rows
expect rows <<<'1 8 1 struct one'

objcopy --dump-section .note.cc-allocs=note main
size=$(wc -c <note)
for ((at = 24; at < size; at += 61)); do
  cp note bad
  printf '\377\376\375\374' | dd of=bad bs=1 seek="$at" conv=notrunc status=none
  cp main broken
  objcopy --update-section .note.cc-allocs=bad broken
  types broken >rows
  # Some bytes say nothing that is needed; then the type is still right.
  [ ! -s rows ] || grep -q '^1 8 1 ' rows
  python3 -c 'import json; print(json.load(open("broken.json"))
    ["processes"][0]["modules"][0]["classified"])' >>verdicts
done
grep -q broken verdicts
