/* SPDX-License-Identifier: MIT */
/*
 * lines.c -- DWARF of a relocatable object or a linked module.
 *
 * Input:     the object, places in its code.
 * Output:    line and chain of inlined functions for each place.
 *
 * In an object nothing is where it will be: every section of an object begins
 * at address 0, and the debug information is full of relocations.  So we take a
 * copy, lay the code sections out one after the other at addresses of our own,
 * apply the relocations of the debug sections that are read here, and let libdw
 * decode the rest as if it were a finished program.  libdwfl can do the same,
 * but wants a file, and relocates every section, of which we need half.
 *
 * In a linked module all is in place.  There functions of one name come from
 * several sources, and the code that link-time optimisation has made says of
 * each function from which: its DIE leads, as do those of inlined functions, to
 * one in the unit of the source.
 *
 * Lines and ranges are then merged with the sorted places: the cost is that of
 * reading .debug_line and the tree of .debug_info once.
 */
#include "lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MAX_DEPTH = 256 /* of nested blocks */, MAX_ORIGINS = 8 };

struct cca_lines {
  const struct cca_elf *elf;
  unsigned char *copy;
  uint64_t *base; /* by section; 0: not code */
  Elf *handle;
  Dwarf *dwarf;
  struct cca_arena arena;
  /* While resolving: */
  struct cca_lines_place *places;
  size_t count;
};

/* ----------------------------------------------------------- relocations */

/* What a relocation does to a number of SIZE bytes. */
enum effect { SET, ADD, SUBTRACT };

static const struct kind {
  uint16_t machine;
  uint32_t type;
  unsigned char size;
  unsigned char effect;
} kinds[] = {
    {EM_X86_64, R_X86_64_64, 8, SET},
    {EM_X86_64, R_X86_64_32, 4, SET},
    {EM_X86_64, R_X86_64_32S, 4, SET},
    {EM_386, R_386_32, 4, SET},
    {EM_AARCH64, R_AARCH64_ABS64, 8, SET},
    {EM_AARCH64, R_AARCH64_ABS32, 4, SET},
    {EM_ARM, R_ARM_ABS32, 4, SET},
    {EM_RISCV, R_RISCV_64, 8, SET},
    {EM_RISCV, R_RISCV_32, 4, SET},
    {EM_RISCV, R_RISCV_SET32, 4, SET},
    {EM_RISCV, R_RISCV_SET16, 2, SET},
    {EM_RISCV, R_RISCV_SET8, 1, SET},
    {EM_RISCV, R_RISCV_ADD64, 8, ADD},
    {EM_RISCV, R_RISCV_ADD32, 4, ADD},
    {EM_RISCV, R_RISCV_ADD16, 2, ADD},
    {EM_RISCV, R_RISCV_ADD8, 1, ADD},
    {EM_RISCV, R_RISCV_SUB64, 8, SUBTRACT},
    {EM_RISCV, R_RISCV_SUB32, 4, SUBTRACT},
    {EM_RISCV, R_RISCV_SUB16, 2, SUBTRACT},
    {EM_RISCV, R_RISCV_SUB8, 1, SUBTRACT},
    {EM_PPC64, R_PPC64_ADDR64, 8, SET},
    {EM_PPC64, R_PPC64_ADDR32, 4, SET},
    {EM_S390, R_390_64, 8, SET},
    {EM_S390, R_390_32, 4, SET},
};

static const struct kind *find_kind(const struct cca_elf *elf, uint32_t type) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (kinds[i].machine == elf->machine && kinds[i].type == type)
      return &kinds[i];
  return NULL;
}

static uint64_t get(const struct cca_elf *elf, const unsigned char *p,
                    unsigned size) {
  return size == 8   ? cca_elf_u64(elf, p)
         : size == 4 ? cca_elf_u32(elf, p)
         : size == 2 ? cca_elf_u16(elf, p)
                     : *p;
}

static void put(const struct cca_elf *elf, unsigned char *p, unsigned size,
                uint64_t value) {
  if (size == 8)
    cca_elf_put64(elf, p, value);
  else if (size == 4)
    cca_elf_put32(elf, p, (uint32_t)value);
  else if (size == 2)
    cca_elf_put16(elf, p, (uint16_t)value);
  else
    *p = (unsigned char)value;
}

/* The address of every symbol; those of nothing in the code are 0. */
static uint64_t *symbol_addresses(const struct cca_lines *lines,
                                  uint64_t *count) {
  const struct cca_elf *elf = lines->elf;
  struct cca_elf_section table, strings, s, large;
  bool has_large = false;
  *count = 0;
  for (uint32_t i = 1; i < elf->section_count; i++)
    if (cca_elf_section_at(elf, i, &s) && s.type == SHT_SYMTAB_SHNDX) {
      large = s;
      has_large = true;
    }
  for (uint32_t i = 1; i < elf->section_count; i++) {
    if (!cca_elf_section_at(elf, i, &table) || table.type != SHT_SYMTAB ||
        !cca_elf_section_at(elf, table.link, &strings))
      continue;
    *count = cca_elf_symbol_count(elf, &table);
    uint64_t *addresses = cca_calloc(*count, sizeof *addresses);
    struct cca_elf_symbol symbol;
    for (uint64_t n = 0; n < *count; n++)
      if (cca_elf_symbol_at(elf, &table, &strings, has_large ? &large : NULL, n,
                            &symbol) &&
          symbol.section < elf->section_count)
        addresses[n] = lines->base[symbol.section] + symbol.value;
    return addresses;
  }
  return NULL;
}

/* Apply the relocations of section FROM to the LEN bytes at TO. */
static void relocate(const struct cca_elf *elf,
                     const struct cca_elf_section *from,
                     const uint64_t *addresses, uint64_t address_count,
                     unsigned char *to, size_t len) {
  uint64_t count = cca_elf_relocation_count(elf, from);
  const struct kind *kind = NULL;
  for (uint64_t i = 0; i < count; i++) {
    struct cca_elf_relocation r = cca_elf_relocation_at(elf, from, i);
    if (!kind || kind->type != r.type)
      kind = find_kind(elf, r.type);
    if (!kind || r.symbol >= address_count || r.offset > len ||
        kind->size > len - r.offset)
      continue;
    unsigned char *p = to + r.offset;
    uint64_t old = get(elf, p, kind->size);
    uint64_t value =
        addresses[r.symbol] + (r.has_addend ? (uint64_t)r.addend : old);
    put(elf, p, kind->size,
        kind->effect == ADD        ? old + value
        : kind->effect == SUBTRACT ? old - value
                                   : value);
  }
}

static bool is_read_here(const char *name) {
  static const char *const names[] = {
      ".debug_info",     ".debug_line", ".debug_ranges",
      ".debug_rnglists", ".debug_addr", ".debug_str_offsets",
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

static void relocate_all(struct cca_lines *lines) {
  const struct cca_elf *elf = lines->elf;
  struct cca_elf_section from, to;
  uint64_t count;
  uint64_t *addresses = symbol_addresses(lines, &count);
  for (uint32_t i = 1; i < elf->section_count; i++) {
    if (!cca_elf_section_at(elf, i, &from) ||
        (from.type != SHT_RELA && from.type != SHT_REL) ||
        !cca_elf_section_at(elf, from.info, &to) || !is_read_here(to.name))
      continue;
    Elf_Scn *section = elf_getscn(lines->handle, from.info);
    if (section && (to.flags & SHF_COMPRESSED))
      elf_compress(section, 0, 0);
    Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
    if (data && data->d_buf)
      relocate(elf, &from, addresses, count, data->d_buf, data->d_size);
  }
  free(addresses);
}

/* --------------------------------------------------------- open and close */

/* Lay out the code; returns whether there is debug information. */
static bool place_sections(struct cca_lines *lines) {
  const struct cca_elf *elf = lines->elf;
  struct cca_elf_section s;
  uint64_t next = 0x10000; /* 0 means "discarded" in places */
  bool has_lines = false;
  lines->base = cca_calloc(elf->section_count, sizeof *lines->base);
  for (uint32_t i = 1; i < elf->section_count; i++) {
    if (!cca_elf_section_at(elf, i, &s))
      return false;
    has_lines |= strcmp(s.name, ".debug_line") == 0 && s.size;
    if (!(s.flags & SHF_ALLOC) || !(s.flags & SHF_EXECINSTR))
      continue;
    lines->base[i] = elf->type == ET_REL ? next : s.address;
    next += (s.size + 0xffff) & ~(uint64_t)0xffff;
    if (elf->is64 ? next > UINT64_MAX / 2 : next > UINT32_MAX / 2)
      return false;
  }
  return has_lines;
}

struct cca_lines *cca_lines_open(const struct cca_elf *elf) {
  struct cca_lines *lines = cca_calloc(1, sizeof *lines);
  lines->elf = elf;
  if (elf_version(EV_CURRENT) != EV_NONE && place_sections(lines)) {
    lines->copy = cca_malloc(elf->len);
    memcpy(lines->copy, elf->image, elf->len);
    lines->handle = elf_memory((char *)lines->copy, elf->len);
    if (lines->handle) {
      if (elf->type == ET_REL)
        relocate_all(lines);
      lines->dwarf = dwarf_begin_elf(lines->handle, DWARF_C_READ, NULL);
    }
  }
  if (!lines->dwarf) {
    cca_lines_close(lines);
    return NULL;
  }
  return lines;
}

void cca_lines_close(struct cca_lines *lines) {
  if (!lines)
    return;
  if (lines->dwarf)
    dwarf_end(lines->dwarf);
  if (lines->handle)
    elf_end(lines->handle);
  free(lines->copy);
  free(lines->base);
  cca_arena_release(&lines->arena);
  free(lines);
}

/* ---------------------------------------------------------------- resolve */

static uint64_t address_of(const struct cca_lines *lines, size_t place) {
  const struct cca_lines_place *p = &lines->places[place];
  return lines->base[p->section] + p->offset;
}

/* The first place at or after ADDRESS. */
static size_t find_place(const struct cca_lines *lines, uint64_t address) {
  size_t low = 0, high = lines->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (address_of(lines, middle) < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Each row of the line table holds until the next one. */
static void resolve_lines(struct cca_lines *lines, Dwarf_Die *unit) {
  Dwarf_Lines *table;
  size_t rows, place = 0;
  if (dwarf_getsrclines(unit, &table, &rows) != 0)
    return;
  for (size_t i = 0; i + 1 < rows && place < lines->count; i++) {
    Dwarf_Line *row = dwarf_onesrcline(table, i);
    Dwarf_Addr start, end;
    bool over = true;
    int line = 0, column = 0;
    if (dwarf_lineaddr(row, &start) ||
        dwarf_lineaddr(dwarf_onesrcline(table, i + 1), &end) || end <= start ||
        dwarf_lineendsequence(row, &over) || over || dwarf_lineno(row, &line))
      continue;
    dwarf_linecol(row, &column);
    if (address_of(lines, place) < start)
      place = find_place(lines, start);
    for (; place < lines->count && address_of(lines, place) < end; place++) {
      lines->places[place].line = line > 0 ? (uint32_t)line : 0;
      lines->places[place].column = column > 0 ? (uint32_t)column : 0;
    }
  }
}

static uint32_t number_attribute(Dwarf_Die *die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  if (!dwarf_attr(die, name, &attribute) ||
      dwarf_formudata(&attribute, &value) || value > UINT32_MAX)
    return 0;
  return (uint32_t)value;
}

/* The symbol, or else the name, of a function or of what was inlined. */
static const char *function_name(struct cca_lines *lines, Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  const char *name = NULL;
  if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
    name = dwarf_formstring(&attribute);
  if (!name)
    name = dwarf_diename(die);
  return name ? cca_arena_strdup(&lines->arena, name) : NULL;
}

/* The source of the function that DIE is, or is a copy of; NULL: unknown, or
 * an object, which has but one. */
static const char *unit_name(struct cca_lines *lines, Dwarf_Die *die) {
  Dwarf_Die origin = *die, unit;
  Dwarf_Attribute attribute;
  if (lines->elf->type == ET_REL)
    return NULL;
  for (unsigned i = 0; i < MAX_ORIGINS; i++) {
    if (!dwarf_attr(&origin, DW_AT_abstract_origin, &attribute) &&
        !dwarf_attr(&origin, DW_AT_specification, &attribute))
      break;
    Dwarf_Die next;
    if (!dwarf_formref_die(&attribute, &next))
      return NULL;
    origin = next;
  }
  const char *name =
      dwarf_diecu(&origin, &unit, NULL, NULL) ? dwarf_diename(&unit) : NULL;
  return name ? cca_arena_strdup(&lines->arena, name) : NULL;
}

/* Note in the places of the function DIE which source it is from. */
static void enter_unit(struct cca_lines *lines, Dwarf_Die *die) {
  const char *unit = unit_name(lines, die);
  Dwarf_Addr base, start, end;
  for (ptrdiff_t at = 0;
       unit && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
    for (size_t p = find_place(lines, start);
         p < lines->count && address_of(lines, p) < end; p++)
      lines->places[p].unit = unit;
}

/* Enter the frames below DIE, which is code of FRAME (NULL: not inlined). */
static void resolve_frames(struct cca_lines *lines, Dwarf_Die *die,
                           struct cca_lines_frame *frame, unsigned depth) {
  Dwarf_Die child;
  if (depth == MAX_DEPTH || dwarf_child(die, &child) != 0)
    return;
  do {
    struct cca_lines_frame *inside = frame;
    switch (dwarf_tag(&child)) {
    case DW_TAG_subprogram:
      if (!dwarf_hasattr(&child, DW_AT_low_pc) &&
          !dwarf_hasattr(&child, DW_AT_ranges))
        continue; /* a declaration, or the pattern that copies refer to */
      enter_unit(lines, &child);
      inside = NULL;
      break;
    case DW_TAG_lexical_block:
      break;
    case DW_TAG_inlined_subroutine: {
      const char *name = function_name(lines, &child);
      if (!name)
        continue;
      inside = cca_arena_zalloc(&lines->arena, 1, sizeof *inside);
      inside->function = name;
      inside->unit = unit_name(lines, &child);
      inside->line = number_attribute(&child, DW_AT_call_line);
      inside->column = number_attribute(&child, DW_AT_call_column);
      inside->outer = frame;
      /* Outer ranges were entered before, so the innermost frame stays. */
      Dwarf_Addr base, start, end;
      for (ptrdiff_t at = 0;
           (at = dwarf_ranges(&child, at, &base, &start, &end)) > 0;)
        for (size_t p = find_place(lines, start);
             p < lines->count && address_of(lines, p) < end; p++)
          lines->places[p].frame = inside;
      break;
    }
    default:
      continue;
    }
    resolve_frames(lines, &child, inside, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

void cca_lines_resolve(struct cca_lines *lines, struct cca_lines_place *places,
                       size_t count) {
  lines->places = places;
  lines->count = count;
  Dwarf_CU *unit = NULL;
  Dwarf_Die die, split;
  uint8_t type;
  while (dwarf_get_units(lines->dwarf, unit, &unit, NULL, &type, &die,
                         &split) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton &&
        type != DW_UT_partial)
      continue;
    resolve_lines(lines, &die);
    if (type != DW_UT_skeleton)
      resolve_frames(lines, &die, NULL, 0);
    else if (split.addr) /* the .dwo file was found */
      resolve_frames(lines, &split, NULL, 0);
  }
}
