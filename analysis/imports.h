/* SPDX-License-Identifier: MIT */
/*
 * imports.h -- the functions behind a linked module's GOT and PLT.
 *
 * Ownership: names are borrowed from the module's image.
 * Memory:    base/memory.h.
 */
#ifndef CCA_IMPORTS_H
#define CCA_IMPORTS_H

#include <stdint.h>

#include "base/vec.h"
#include "summaries/elf.h"

/* A slot of the GOT: what the dynamic linker writes there. */
struct cca_import_slot {
  uint64_t address; /* of the slot */
  const char *name; /* symbol; NULL: a place in the module itself */
  uint64_t target;  /* its address, without name */
};

/* A stub of the PLT, which jumps to what is in a slot. */
struct cca_import_stub {
  uint32_t section;
  uint64_t offset;
  const char *name;
};

struct cca_imports {
  struct cca_vec(struct cca_import_slot) slots; /* by address */
  struct cca_vec(struct cca_import_stub) stubs;
};

/* Read ELF, ET_EXEC or ET_DYN.  Slots are known for x86 and AArch64, stubs for
 * x86-64; of other machines there are none. */
void cca_imports_read(struct cca_imports *imports, const struct cca_elf *elf);

/* The slot at ADDRESS, or NULL. */
const struct cca_import_slot *
cca_imports_find(const struct cca_imports *imports, uint64_t address);

void cca_imports_release(struct cca_imports *imports);

#endif
