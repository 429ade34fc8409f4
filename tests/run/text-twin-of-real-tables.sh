#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The text of a real summary or classification gives back the same bytes, and so
# does that of a reader that knows nothing but the formats' pages: for each of
# our own sources, for a program linked of them, and for tables made by hand that
# have something of everything.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need objcopy python3

# twin FILE: what FILE carries is the bytes in `table`.
twin() {
  allocs dump "$1" >dump
  allocs assemble dump -o again
  cmp table again
  python3 "$here/decode_by_page.py" "$source_dir/docs" table >decoded
  allocs assemble decoded -o again
  cmp table again
}

for source in "$source_dir"/{base,summaries}/*.c; do
  name=$(basename "$source" .c)
  cc-allocs -std=gnu11 -D_GNU_SOURCE -g -O1 -I"$source_dir" -I"$source_dir/include" \
    -c "$source" -o "$name.o"
  objcopy --dump-section .cc_allocs=table "$name.o" copy
  grep -q . table
  twin "$name.o"
done

for made in "$source_dir"/tests/fuzz/corpus/{summary,classification}/*.table; do
  cp "$made" table
  twin "$made"
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
objcopy --dump-section .note.cc-allocs=note prog copy
tail -c +25 note >table
twin prog
grep -q '^alloc @0 ' dump
