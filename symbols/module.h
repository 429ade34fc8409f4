/* SPDX-License-Identifier: MIT */
/*
 * module.h -- an ELF file and what belongs to it, opened by elfutils.
 */
#ifndef CCA_MODULE_H
#define CCA_MODULE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ccallocs/error.h"

struct cca_elf_module {
  Dwfl *dwfl;
  Dwfl_Module *module;
  Elf *elf;       /* the file itself */
  GElf_Addr bias; /* of libdwfl's addresses over the file's own */
  Dwarf *dwarf;   /* NULL: there is none */
  GElf_Addr dwarf_bias;

  uint64_t base;      /* the lowest offset that is loaded */
  uint32_t span;      /* bytes to the end of what is loaded */
  uint64_t code;      /* where the first section with code begins */
  bool relocatable;   /* an object: its sections are laid out one by one */
  char build_id[129]; /* in hexadecimal; empty: none */
  uint64_t digest;    /* without a build id: a hash of the file; else 0 */
  uint64_t size;      /* of the file */
};

/*
 * Open the executable, shared or relocatable object FILE, which is closed in any case, and
 * its debug information: within it, or where elfutils looks for that of a
 * module at PATH (build id, debug link; debuginfod, if DEBUGINFOD_URLS says
 * which).  Returns CCA_OK or CCA_ERR_NOT_ELF, with *ERR filled.  Release it in
 * any case.
 *
 * Memory: elfutils' own, and base/memory.h: without memory the process ends.
 */
int cca_elf_module_open(struct cca_elf_module *module, int file,
                        const char *path, struct cca_error *err);
void cca_elf_module_release(struct cca_elf_module *module);

/* Have the system take back the pages of ELF's sections that were read, unless
 * it is a relocatable object, which elfutils changes in place.  They are read
 * again where they are needed again. */
void cca_elf_module_let_go(Elf *elf);

/* Without memory for DWARF, end as base/memory.h says: libdw would write to
 * standard error.  For handles that were opened elsewhere. */
void cca_elf_module_watch(Dwarf *dwarf);

/* ADDRESS of the module as a start, or false: it is not loaded, or 4 GiB or
 * more behind the base. */
static inline bool cca_elf_module_start(const struct cca_elf_module *module,
                                        uint64_t address, uint32_t *start) {
  *start = (uint32_t)(address - module->base);
  return address >= module->base && address - module->base < module->span;
}

/* The part of FROM .. TO that is code, as starts; false if there is none.  What
 * the linker dropped has DWARF at 0, where no code is. */
static inline bool cca_elf_module_clip(const struct cca_elf_module *module,
                                       uint64_t from, uint64_t to,
                                       uint32_t *start, uint32_t *end) {
  if (to <= from || from < module->code ||
      !cca_elf_module_start(module, from, start))
    return false;
  *end = to - module->base < module->span ? (uint32_t)(to - module->base)
                                          : module->span;
  return true;
}

#endif
