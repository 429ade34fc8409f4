/* SPDX-License-Identifier: MIT */
/*
 * imports.c -- the functions behind a linked module's GOT and PLT.
 *
 * In:    the dynamic relocations and the PLT of a linked module.
 * Out:   slot of the GOT -> symbol or place; stub of the PLT -> symbol.
 * Holds: nothing outside of the image is read.
 *
 * A stub is found by its jump through the slot, `jmp *SLOT(%rip)`; what stands
 * before that in it (endbr64, bnd, a number for the loader) varies by linker
 * and options.  A stub begins with the jump or what belongs to it, or at a
 * multiple of 16 bytes; a symbol too many does no harm, since nothing calls it.
 */
#include "imports.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { STUB = 16 };

enum kind { OTHER, BY_NAME, IN_MODULE };

static enum kind kind_of(const struct cca_elf *elf, uint32_t type) {
  switch (elf->machine) {
  case EM_X86_64:
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ? BY_NAME
           : type == R_X86_64_RELATIVE                             ? IN_MODULE
                                                                   : OTHER;
  case EM_386:
    return type == R_386_JMP_SLOT || type == R_386_GLOB_DAT ? BY_NAME : OTHER;
  case EM_AARCH64:
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT ? BY_NAME
           : type == R_AARCH64_RELATIVE                              ? IN_MODULE
                                                                     : OTHER;
  default:
    return OTHER;
  }
}

static int compare_slots(const void *pa, const void *pb) {
  const struct cca_import_slot *a = pa, *b = pb;
  return a->address < b->address ? -1 : a->address > b->address;
}

const struct cca_import_slot *
cca_imports_find(const struct cca_imports *imports, uint64_t address) {
  struct cca_import_slot key = {.address = address};
  return imports->slots.count == 0
             ? NULL
             : bsearch(&key, imports->slots.items, imports->slots.count,
                       sizeof key, compare_slots);
}

/* Is ADDRESS in the GOT?  The same relocations fill pointers in the data, and a
 * call through one of those is an indirect call. */
static bool is_in_got(const struct cca_elf *elf, uint64_t address) {
  struct cca_elf_section s;
  for (uint32_t i = 1; i < elf->section_count; i++)
    if (cca_elf_section_at(elf, i, &s) && strncmp(s.name, ".got", 4) == 0 &&
        address >= s.address && address - s.address < s.size)
      return true;
  return false;
}

static void read_slots(struct cca_imports *imports, const struct cca_elf *elf,
                       const struct cca_elf_section *relocations) {
  struct cca_elf_section table, strings;
  struct cca_elf_symbol symbol;
  bool has_symbols = relocations->link < elf->section_count &&
                     cca_elf_section_at(elf, relocations->link, &table) &&
                     table.link < elf->section_count &&
                     cca_elf_section_at(elf, table.link, &strings);
  uint64_t symbols = has_symbols ? cca_elf_symbol_count(elf, &table) : 0;
  uint64_t count = cca_elf_relocation_count(elf, relocations);
  for (uint64_t i = 0; i < count; i++) {
    struct cca_elf_relocation r = cca_elf_relocation_at(elf, relocations, i);
    struct cca_import_slot slot = {r.offset, NULL, (uint64_t)r.addend};
    enum kind kind = kind_of(elf, r.type);
    if (kind == BY_NAME && r.symbol < symbols &&
        cca_elf_symbol_at(elf, &table, &strings, NULL, r.symbol, &symbol))
      slot.name = symbol.name;
    if (kind != OTHER && (slot.name != NULL) == (kind == BY_NAME) &&
        is_in_got(elf, r.offset))
      cca_vec_push(&imports->slots, slot);
  }
}

static void add_stub(struct cca_imports *imports, uint32_t section,
                     uint64_t offset, const char *name) {
  struct cca_import_stub stub = {section, offset, name};
  cca_vec_push(&imports->stubs, stub);
}

static void read_stubs(struct cca_imports *imports, const struct cca_elf *elf,
                       uint32_t number, const struct cca_elf_section *plt) {
  for (uint64_t at = 0; plt->size >= 6 && at <= plt->size - 6; at++) {
    const unsigned char *p = plt->bytes + at;
    if (p[0] != 0xff || p[1] != 0x25)
      continue;
    uint64_t next = plt->address + at + 6;
    const struct cca_import_slot *slot = cca_imports_find(
        imports, next + (uint64_t)(int64_t)(int32_t)cca_elf_u32(elf, p + 2));
    if (!slot || !slot->name)
      continue;
    uint64_t start = at;
    start -= start >= 1 && plt->bytes[start - 1] == 0xf2; /* bnd */
    start -=
        start >= 4 && memcmp(plt->bytes + start - 4, "\xf3\x0f\x1e\xfa", 4) == 0
            ? 4 /* endbr64 */
            : 0;
    add_stub(imports, number, start, slot->name);
    if (start % STUB != 0 && at - at % STUB + STUB >= at + 6)
      add_stub(imports, number, at - at % STUB, slot->name);
  }
}

void cca_imports_read(struct cca_imports *imports, const struct cca_elf *elf) {
  struct cca_elf_section s;
  *imports = (struct cca_imports){{0}, {0}};
  for (uint32_t i = 1; i < elf->section_count; i++)
    if (cca_elf_section_at(elf, i, &s) && (s.flags & SHF_ALLOC) &&
        (s.type == SHT_RELA || s.type == SHT_REL))
      read_slots(imports, elf, &s);
  if (imports->slots.count > 0)
    qsort(imports->slots.items, imports->slots.count,
          sizeof *imports->slots.items, compare_slots);
  for (uint32_t i = 1; i < elf->section_count; i++)
    if (elf->machine == EM_X86_64 && cca_elf_section_at(elf, i, &s) &&
        (s.flags & SHF_EXECINSTR) && s.bytes && strncmp(s.name, ".plt", 4) == 0)
      read_stubs(imports, elf, i, &s);
}

void cca_imports_release(struct cca_imports *imports) {
  cca_vec_release(&imports->slots);
  cca_vec_release(&imports->stubs);
}
