/* SPDX-License-Identifier: MIT */
/*
 * note.h -- find the classification's note in a linked module, and in it an
 * address.
 *
 * Note segments are looked at every fourth byte instead of walked: mold packs
 * notes of different alignment into one segment, and gold makes two that
 * overlap.  The same note may therefore come more than once.
 *
 * Memory: allocates nothing.
 */
#ifndef CCA_NOTE_H
#define CCA_NOTE_H

#include "elf.h"
#include "table.h"

#define CCA_NOTE_OWNER "cc-allocs"
enum { CCA_NOTE_CLASSIFICATION = 1 }; /* its type */

struct cca_note {
  const unsigned char *content; /* borrowed from the image */
  uint64_t len;                 /* as the note says */
  bool whole;                   /* that many are inside the segment */
};

/* The note at P, with LEFT bytes from there to the end of its segment, if it is
 * one of ours.  Of ELF only the byte order matters: a loaded module has no
 * image of its file. */
bool cca_note_at(const struct cca_elf *elf, const unsigned char *p,
                 uint64_t left, struct cca_note *note);

/* Where the search goes on; begin with zeros. */
struct cca_note_cursor {
  uint32_t segment, seen;
  uint64_t at;
};

/* The next of our notes in ELF; false if there is none. */
bool cca_note_next(const struct cca_elf *elf, struct cca_note_cursor *cursor,
                   struct cca_note *note);

/* The first row of ADDRESS of CLASSIFICATION, a checked one, that is not below
 * VALUE, relative to where the module is loaded; their count: there is none. */
uint32_t cca_note_first_address(const struct cca_table *classification,
                                uint64_t value);

#endif
