/* SPDX-License-Identifier: MIT */
/*
 * code.h -- the calls in the machine code of an object or a linked module.
 *
 * Ownership: strings are borrowed from the object's image.
 * Memory:    base/memory.h.
 */
#ifndef CCA_CODE_H
#define CCA_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "summaries/elf.h"

struct cca_code_call {
  uint32_t section;     /* number of the section of code */
  uint64_t offset;      /* of the return address: the next instruction */
  const char *function; /* symbol of the function it is in; "" if unknown */
  /* Symbols of the target, aliases included: names[first .. first + count).
   * None: an indirect call. */
  uint32_t first, count;
  bool tail; /* a jump */
};

struct cca_code {
  struct cca_vec(struct cca_code_call) calls; /* by section, then offset */
  struct cca_vec(const char *) names;
};

/*
 * Find all calls in the executable sections of ELF: direct ones, on
 * x86 and AArch64 also indirect ones, and jumps out of a function or through
 * a pointer, which may be tail calls.  Of a machine that we do not know there
 * are none.  In a linked module calls through the PLT are known on x86-64.
 */
void cca_code_read(struct cca_code *code, const struct cca_elf *elf);

void cca_code_release(struct cca_code *code);

#endif
