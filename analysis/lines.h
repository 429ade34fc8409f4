/* SPDX-License-Identifier: MIT */
/*
 * lines.h -- which source line, and which inlined functions, a place in the
 * code of an object or a linked module belongs to.
 *
 * Ownership: strings and frames belong to the struct cca_lines.
 * Memory:    base/memory.h.
 */
#ifndef CCA_LINES_H
#define CCA_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "summaries/elf.h"

/* A function whose body stands at a place because it was inlined there. */
struct cca_lines_frame {
  const char *function;          /* symbol */
  const char *unit;              /* as in struct cca_lines_place */
  uint32_t line, column;         /* of the call that was replaced by it */
  struct cca_lines_frame *outer; /* in which that call stands; NULL: in the
                                    function that has the code */
};

struct cca_lines_place {
  uint32_t section;
  uint64_t offset;
  /* Filled by cca_lines_resolve(): */
  uint32_t line, column; /* 0: unknown */
  const char *unit; /* in a linked module: the source of the function that has
                       the code, as its compiler was told; NULL: unknown */
  const struct cca_lines_frame *frame; /* innermost; NULL: nothing inlined */
};

struct cca_lines;

/* Read the debug information of ELF; NULL if there is none that we
 * can read. */
struct cca_lines *cca_lines_open(const struct cca_elf *elf);
void cca_lines_close(struct cca_lines *lines); /* NULL is fine */

/* Fill in COUNT places, which are sorted by section, then offset. */
void cca_lines_resolve(struct cca_lines *lines, struct cca_lines_place *places,
                       size_t count);

#endif
