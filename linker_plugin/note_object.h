/* SPDX-License-Identifier: MIT */
/*
 * note_object.h -- the object file that brings the classification into a link.
 *
 * Memory: base/memory.h.
 */
#ifndef CCA_NOTE_OBJECT_H
#define CCA_NOTE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* What the other inputs are, as far as an object must agree with them. */
struct cca_note_target {
  bool is64, big;
  uint16_t machine;
  uint32_t flags; /* e_flags: the ABI, on some machines */
};

/* The target of the relocatable ELF object in IMAGE; false if it is none. */
bool cca_note_target_of(const void *image, size_t len,
                        struct cca_note_target *target);

/* Append to OUT an object that holds the LEN bytes of CLASSIFICATION. */
void cca_note_object_write(struct cca_text *out,
                           const struct cca_note_target *target,
                           const void *classification, size_t len);

#endif
