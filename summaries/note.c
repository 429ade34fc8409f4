/* SPDX-License-Identifier: MIT */
/*
 * note.c -- find the classification's note in a linked module; see note.h.
 */
#include "note.h"

#include <string.h>

bool cca_note_at(const struct cca_elf *elf, const unsigned char *p,
                 uint64_t left, struct cca_note *note) {
  enum { OWNER = sizeof CCA_NOTE_OWNER, HEADER = 12 + (OWNER + 3) / 4 * 4 };
  if (HEADER > left || cca_elf_u32(elf, p) != OWNER ||
      memcmp(p + 12, CCA_NOTE_OWNER, OWNER) != 0 ||
      cca_elf_u32(elf, p + 8) != CCA_NOTE_CLASSIFICATION)
    return false;
  note->content = p + HEADER;
  note->len = cca_elf_u32(elf, p + 4);
  note->whole = note->len <= left - HEADER;
  return true;
}

/* Beyond what any linker makes; it keeps the work on hostile files linear. */
enum { MAX_SEGMENTS = 64 };

bool cca_note_next(const struct cca_elf *elf, struct cca_note_cursor *cursor,
                   struct cca_note *note) {
  for (; cursor->segment < elf->segment_count; cursor->segment++) {
    struct cca_elf_segment segment;
    if (!cca_elf_segment_at(elf, cursor->segment, &segment) ||
        segment.type != PT_NOTE)
      continue; /* a file of debug information has only the headers */
    if (cursor->at == 0 && cursor->seen++ == MAX_SEGMENTS)
      break;
    while (cursor->at < segment.size) {
      uint64_t at = cursor->at;
      cursor->at += 4;
      if (cca_note_at(elf, elf->image + segment.offset + at, segment.size - at,
                      note))
        return true;
    }
    cursor->at = 0;
  }
  return false;
}

uint32_t cca_note_first_address(const struct cca_table *t, uint64_t value) {
  uint32_t low = 0, high = cca_address_count(t);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if ((uint64_t)cca_address_at(t, middle).value < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
