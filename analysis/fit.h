/* SPDX-License-Identifier: MIT */
/*
 * fit.h -- find the code of an object again in what it was linked into.
 *
 * Memory: base/memory.h.
 */
#ifndef CCA_FIT_H
#define CCA_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code.h"

/* A call that the object's code is known to have. */
struct cca_fit_call {
  uint32_t object;      /* any number of the caller's */
  uint32_t section;     /* its number in the object */
  uint32_t offset;      /* of the return address in it */
  const char *function; /* in which it stands in the source */
  const char *callee;   /* symbol; NULL: indirect */
  bool tail;
  uint64_t address; /* answer: of the return address; 0: not found */
};

/*
 * Find the COUNT calls, sorted by object, section and offset, in CODE, which is
 * of the linked module ELF.
 */
void cca_fit(const struct cca_code *code, const struct cca_elf *elf,
             struct cca_fit_call *calls, size_t count);

#endif
