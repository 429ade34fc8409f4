/* SPDX-License-Identifier: MIT */
/*
 * elf.c -- ELF headers, sections, segments, symbols and relocations, read
 * byte by byte.
 *
 * Fields are read at `offsetof` in <elf.h>'s structs, so the layouts stay in
 * one place that is not ours, and no struct is laid over foreign bytes.  Every
 * bound has the form "need > have - used" with `used <= have` known.
 */
#include "elf.h"

#include <string.h>

uint16_t cca_elf_u16(const struct cca_elf *elf, const unsigned char *p) {
  return elf->big ? (uint16_t)(p[0] << 8 | p[1]) : (uint16_t)(p[1] << 8 | p[0]);
}

uint32_t cca_elf_u32(const struct cca_elf *elf, const unsigned char *p) {
  uint32_t first = cca_elf_u16(elf, p), second = cca_elf_u16(elf, p + 2);
  return elf->big ? first << 16 | second : second << 16 | first;
}

uint64_t cca_elf_u64(const struct cca_elf *elf, const unsigned char *p) {
  uint64_t first = cca_elf_u32(elf, p), second = cca_elf_u32(elf, p + 4);
  return elf->big ? first << 32 | second : second << 32 | first;
}

static void put(const struct cca_elf *elf, unsigned char *p, uint64_t v,
                unsigned size) {
  for (unsigned i = 0; i < size; i++)
    p[i] = (unsigned char)(v >> 8 * (elf->big ? size - 1 - i : i));
}

void cca_elf_put16(const struct cca_elf *elf, unsigned char *p, uint16_t v) {
  put(elf, p, v, 2);
}

void cca_elf_put32(const struct cca_elf *elf, unsigned char *p, uint32_t v) {
  put(elf, p, v, 4);
}

void cca_elf_put64(const struct cca_elf *elf, unsigned char *p, uint64_t v) {
  put(elf, p, v, 8);
}

/* A field of a header at P, whose width is that of its member in <elf.h>. */
static uint64_t field(const struct cca_elf *elf, const unsigned char *p,
                      size_t offset, size_t size) {
  p += offset;
  return size == 1   ? *p
         : size == 2 ? cca_elf_u16(elf, p)
         : size == 4 ? cca_elf_u32(elf, p)
                     : cca_elf_u64(elf, p);
}

#define SIZEOF_FIELD(type, member) sizeof(((type *)0)->member)
#define FIELD(elf, p, name, member)                                            \
  ((elf)->is64 ? field(elf, p, offsetof(Elf64_##name, member),                 \
                       SIZEOF_FIELD(Elf64_##name, member))                     \
               : field(elf, p, offsetof(Elf32_##name, member),                 \
                       SIZEOF_FIELD(Elf32_##name, member)))
#define HEADER_SIZE(elf, name)                                                 \
  ((elf)->is64 ? sizeof(Elf64_##name) : sizeof(Elf32_##name))

/* Are COUNT entries of SIZE bytes at OFFSET inside the image? */
static bool inside(const struct cca_elf *elf, uint64_t offset, uint64_t count,
                   uint64_t size) {
  return offset <= elf->len && (!size || count <= (elf->len - offset) / size);
}

bool cca_elf_is(const void *image, size_t len) {
  return len >= SELFMAG && memcmp(image, ELFMAG, SELFMAG) == 0;
}

size_t cca_elf_section_header_size(const struct cca_elf *elf) {
  return HEADER_SIZE(elf, Shdr);
}

const char *cca_elf_open(struct cca_elf *elf, const void *image, size_t len) {
  const unsigned char *p = image;
  *elf = (struct cca_elf){.image = p, .len = len};
  if (!cca_elf_is(image, len) || len < EI_NIDENT)
    return "not an ELF file";
  elf->is64 = p[EI_CLASS] == ELFCLASS64;
  elf->big = p[EI_DATA] == ELFDATA2MSB;
  if (!elf->is64 && p[EI_CLASS] != ELFCLASS32)
    return "ELF header: unknown class";
  if (!elf->big && p[EI_DATA] != ELFDATA2LSB)
    return "ELF header: unknown byte order";
  if (len < HEADER_SIZE(elf, Ehdr))
    return "ELF header: cut off";

  elf->type = (uint16_t)FIELD(elf, p, Ehdr, e_type);
  elf->machine = (uint16_t)FIELD(elf, p, Ehdr, e_machine);
  elf->section_table = FIELD(elf, p, Ehdr, e_shoff);
  elf->segment_table = FIELD(elf, p, Ehdr, e_phoff);
  uint64_t sections = FIELD(elf, p, Ehdr, e_shnum);
  uint64_t segments = FIELD(elf, p, Ehdr, e_phnum);
  uint64_t names = FIELD(elf, p, Ehdr, e_shstrndx);

  if (elf->section_table) {
    if (FIELD(elf, p, Ehdr, e_shentsize) != HEADER_SIZE(elf, Shdr))
      return "ELF header: bad size of section headers";
    if (!inside(elf, elf->section_table, 1, HEADER_SIZE(elf, Shdr)))
      return "section header table: outside the file";
    /* Counts that do not fit the header are in section 0. */
    const unsigned char *zero = p + elf->section_table;
    if (!sections)
      sections = FIELD(elf, zero, Shdr, sh_size);
    if (names == SHN_XINDEX)
      names = FIELD(elf, zero, Shdr, sh_link);
    if (segments == PN_XNUM)
      segments = FIELD(elf, zero, Shdr, sh_info);
    if (sections > UINT32_MAX ||
        !inside(elf, elf->section_table, sections, HEADER_SIZE(elf, Shdr)))
      return "section header table: outside the file";
    elf->section_count = (uint32_t)sections;
    elf->name_section = (uint32_t)names;
  }
  if (elf->segment_table && segments) {
    if (FIELD(elf, p, Ehdr, e_phentsize) != HEADER_SIZE(elf, Phdr))
      return "ELF header: bad size of program headers";
    if (!inside(elf, elf->segment_table, segments, HEADER_SIZE(elf, Phdr)))
      return "program header table: outside the file";
    elf->segment_count = (uint32_t)segments;
  }
  return NULL;
}

/* Section I without its name. */
static bool unnamed_section(const struct cca_elf *elf, uint32_t i,
                            struct cca_elf_section *out, uint32_t *name) {
  if (i >= elf->section_count)
    return false;
  const unsigned char *p =
      elf->image + elf->section_table + (uint64_t)i * HEADER_SIZE(elf, Shdr);
  *name = (uint32_t)FIELD(elf, p, Shdr, sh_name);
  *out = (struct cca_elf_section){
      .name = "",
      .type = (uint32_t)FIELD(elf, p, Shdr, sh_type),
      .link = (uint32_t)FIELD(elf, p, Shdr, sh_link),
      .info = (uint32_t)FIELD(elf, p, Shdr, sh_info),
      .flags = FIELD(elf, p, Shdr, sh_flags),
      .address = FIELD(elf, p, Shdr, sh_addr),
      .offset = FIELD(elf, p, Shdr, sh_offset),
      .size = FIELD(elf, p, Shdr, sh_size),
      .align = FIELD(elf, p, Shdr, sh_addralign),
      .entry_size = FIELD(elf, p, Shdr, sh_entsize),
  };
  if (out->type == SHT_NOBITS || out->type == SHT_NULL)
    return true;
  if (!inside(elf, out->offset, out->size, 1))
    return false;
  out->bytes = elf->image + out->offset;
  return true;
}

/* The string at OFFSET of STRINGS, or NULL if it does not end there. */
static const char *string_at(const struct cca_elf_section *strings,
                             uint64_t offset) {
  if (!strings->bytes || offset >= strings->size ||
      !memchr(strings->bytes + offset, 0, strings->size - offset))
    return NULL;
  return (const char *)strings->bytes + offset;
}

bool cca_elf_section_at(const struct cca_elf *elf, uint32_t i,
                        struct cca_elf_section *out) {
  struct cca_elf_section names;
  uint32_t name, ignored;
  if (!unnamed_section(elf, i, out, &name))
    return false;
  if (elf->name_section == SHN_UNDEF)
    return true;
  if (!unnamed_section(elf, elf->name_section, &names, &ignored))
    return false;
  out->name = string_at(&names, name);
  return out->name;
}

bool cca_elf_segment_at(const struct cca_elf *elf, uint32_t i,
                        struct cca_elf_segment *out) {
  if (i >= elf->segment_count)
    return false;
  const unsigned char *p =
      elf->image + elf->segment_table + (uint64_t)i * HEADER_SIZE(elf, Phdr);
  *out = (struct cca_elf_segment){
      .type = (uint32_t)FIELD(elf, p, Phdr, p_type),
      .offset = FIELD(elf, p, Phdr, p_offset),
      .size = FIELD(elf, p, Phdr, p_filesz),
      .align = FIELD(elf, p, Phdr, p_align),
  };
  return inside(elf, out->offset, out->size, 1);
}

uint64_t cca_elf_symbol_count(const struct cca_elf *elf,
                              const struct cca_elf_section *table) {
  return table->bytes ? table->size / HEADER_SIZE(elf, Sym) : 0;
}

bool cca_elf_symbol_at(const struct cca_elf *elf,
                       const struct cca_elf_section *table,
                       const struct cca_elf_section *strings,
                       const struct cca_elf_section *large, uint64_t i,
                       struct cca_elf_symbol *out) {
  const unsigned char *p = table->bytes + i * HEADER_SIZE(elf, Sym);
  unsigned char info = (unsigned char)FIELD(elf, p, Sym, st_info);
  *out = (struct cca_elf_symbol){
      .name = string_at(strings, FIELD(elf, p, Sym, st_name)),
      .type = ELF64_ST_TYPE(info),
      .binding = ELF64_ST_BIND(info),
      .section = (uint32_t)FIELD(elf, p, Sym, st_shndx),
      .value = FIELD(elf, p, Sym, st_value),
      .size = FIELD(elf, p, Sym, st_size),
  };
  if (out->section == SHN_XINDEX) {
    if (!large || !large->bytes || i >= large->size / 4)
      return false;
    out->section = cca_elf_u32(elf, large->bytes + i * 4);
  }
  return out->name;
}

uint64_t cca_elf_relocation_count(const struct cca_elf *elf,
                                  const struct cca_elf_section *section) {
  if (!section->bytes)
    return 0;
  if (section->type == SHT_RELA)
    return section->size / HEADER_SIZE(elf, Rela);
  return section->type == SHT_REL ? section->size / HEADER_SIZE(elf, Rel) : 0;
}

struct cca_elf_relocation
cca_elf_relocation_at(const struct cca_elf *elf,
                      const struct cca_elf_section *section, uint64_t i) {
  bool rela = section->type == SHT_RELA;
  const unsigned char *p = section->bytes + i * (rela ? HEADER_SIZE(elf, Rela)
                                                      : HEADER_SIZE(elf, Rel));
  uint64_t info = FIELD(elf, p, Rel, r_info);
  struct cca_elf_relocation r = {
      .offset = FIELD(elf, p, Rel, r_offset),
      .type = (uint32_t)(elf->is64 ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info)),
      .symbol = (uint32_t)(elf->is64 ? ELF64_R_SYM(info) : ELF32_R_SYM(info)),
      .has_addend = rela,
  };
  if (rela)
    r.addend = elf->is64 ? (int64_t)FIELD(elf, p, Rela, r_addend)
                         : (int32_t)FIELD(elf, p, Rela, r_addend);
  return r;
}
