#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The text of a real summary or classification gives back the same bytes: for
# each of our own sources, and for a program linked of them.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need objcopy

for source in "$source_dir"/{base,summaries}/*.c; do
  name=$(basename "$source" .c)
  cc-allocs -std=gnu11 -g -O1 -I"$source_dir" -I"$source_dir/include" \
    -c "$source" -o "$name.o"
  objcopy --dump-section ".cc_allocs=$name.table" "$name.o" /dev/null
  [ -s "$name.table" ]
  allocs dump "$name.o" >"$name.txt"
  allocs assemble "$name.txt" -o "$name.again"
  cmp "$name.table" "$name.again"
done

cat >main.c <<'EOT'
#include "base/map.h"
#include "base/text.h"
int main(void) {
  struct cca_text text = {0};
  struct cca_map map = {0};
  cca_text_addf(&text, "%d", 1);
  cca_map_at(&map, text.data, text.len, 0);
  cca_map_release(&map);
  cca_text_release(&text);
  return 0;
}
EOT
cc-allocs -std=gnu11 -g -O1 -I"$source_dir" -c main.c -o main.o
link prog main.o map.o text.o memory.o
# the note's header and name are 24 bytes
objcopy --dump-section .note.cc-allocs=note prog /dev/null
tail -c +25 note >prog.table
allocs dump prog >prog.txt
grep -q '^alloc @0 ' prog.txt
allocs assemble prog.txt -o prog.again
cmp prog.table prog.again
