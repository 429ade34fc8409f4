#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A module with a classification in another version's format is used as if it
# had none; `allocs run` says so, and what to do. The same module in our format
# has its types.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

build main -fno-builtin <<'SOURCE'
#include <stdlib.h>
struct one { long x; };
static void *volatile kept;
int main(void) { kept = malloc(sizeof(struct one)); return 0; }
SOURCE
objcopy --dump-section .note.cc-allocs=note main

# version MAJOR NAME: NAME is main with a classification of that version.
version() {
  cp note changed
  printf %b "\\$1" | dd of=changed bs=1 seek=36 conv=notrunc status=none
  cp main "$2"
  objcopy --update-section .note.cc-allocs=changed "$2"
  types "$2" >rows
  allocs run --classification -o out "./$2"
  grep -E "^ .* $2( |$)" out | tr -s ' ' | sed 's/^ //; s/ $//' >said
}

version 2 same
expect rows <<<'1 8 1 struct one'
expect said <<<'0 1 same'
version 1 old
expect rows </dev/null
expect said <<<'- - old linked by an older cc-allocs; link it again'
version 3 new
expect rows </dev/null
expect said <<<'- - new linked by a newer cc-allocs, whose allocs reads it'
for name in same old new; do
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))
    ["processes"][0]["modules"][0]["classified"])' $name.json
done >words
expect words <<'WORDS'
yes
older
newer
WORDS
