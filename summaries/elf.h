/* SPDX-License-Identifier: MIT */
/*
 * elf.h -- a checked view of an ELF image in memory, either class, either
 * byte order.
 *
 * Carriers of summaries come from anywhere, so whoever looks into one does it
 * through this view: every accessor checks what it is about to read against
 * the image's length, and says so when something lies outside.  libelf was
 * tried first; it trusts some headers (string tables without terminator, ar
 * names) and cannot promise to leave bytes alone when it writes.
 *
 * Ownership: the view borrows the image; all results point into it.
 * Memory:    allocates nothing.
 */
#ifndef CCA_ELF_H
#define CCA_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cca_elf {
  const unsigned char *image;
  size_t len;
  bool is64, big; /* class ELFCLASS64; byte order most significant first */
  uint16_t type, machine;
  uint64_t section_table; /* file offset; 0: none */
  uint32_t section_count; /* with the escape for many sections undone */
  uint32_t name_section;
  uint64_t segment_table;
  uint32_t segment_count;
};

struct cca_elf_section {
  const char *name; /* NUL-terminated inside the image */
  uint32_t type, link, info;
  uint64_t flags, address, offset, size, align, entry_size;
  const unsigned char *bytes; /* SIZE of them; NULL for SHT_NOBITS */
};

struct cca_elf_segment {
  uint32_t type;
  uint64_t offset, size; /* in the file; all of it is inside the image */
  uint64_t align;
};

struct cca_elf_symbol {
  const char *name;
  unsigned char type, binding;
  uint32_t section; /* SHN_XINDEX undone; SHN_ABS, SHN_COMMON as they are */
  uint64_t value, size;
};

struct cca_elf_relocation {
  uint64_t offset;
  uint32_t type, symbol;
  int64_t addend;
  bool has_addend; /* SHT_RELA; otherwise the addend is in the section */
};

/* Does the image begin like an ELF file? */
bool cca_elf_is(const void *image, size_t len);

/*
 * Check the headers of IMAGE: the section and segment tables, where there are
 * any, are inside it.  Returns NULL, or what is wrong (a static string).
 */
const char *cca_elf_open(struct cca_elf *elf, const void *image, size_t len);

/* Section or segment I, I less than the count; false if its header, name or
 * content is not inside the image. */
bool cca_elf_section_at(const struct cca_elf *elf, uint32_t i,
                        struct cca_elf_section *out);
bool cca_elf_segment_at(const struct cca_elf *elf, uint32_t i,
                        struct cca_elf_segment *out);

/* The number of entries of a symbol table or relocation section. */
uint64_t cca_elf_symbol_count(const struct cca_elf *elf,
                              const struct cca_elf_section *table);
uint64_t cca_elf_relocation_count(const struct cca_elf *elf,
                                  const struct cca_elf_section *section);

/*
 * Entry I, less than the count, of symbol table TABLE, whose names are in
 * section STRINGS and whose large section numbers are in section LARGE
 * (SHT_SYMTAB_SHNDX; may be NULL).  False if something lies outside.
 */
bool cca_elf_symbol_at(const struct cca_elf *elf,
                       const struct cca_elf_section *table,
                       const struct cca_elf_section *strings,
                       const struct cca_elf_section *large, uint64_t i,
                       struct cca_elf_symbol *out);

/* Entry I, less than the count, of SECTION (SHT_REL or SHT_RELA). */
struct cca_elf_relocation
cca_elf_relocation_at(const struct cca_elf *elf,
                      const struct cca_elf_section *section, uint64_t i);

/* Numbers at P in the image's byte order. */
uint16_t cca_elf_u16(const struct cca_elf *elf, const unsigned char *p);
uint32_t cca_elf_u32(const struct cca_elf *elf, const unsigned char *p);
uint64_t cca_elf_u64(const struct cca_elf *elf, const unsigned char *p);

/* The same, written. */
void cca_elf_put16(const struct cca_elf *elf, unsigned char *p, uint16_t v);
void cca_elf_put32(const struct cca_elf *elf, unsigned char *p, uint32_t v);
void cca_elf_put64(const struct cca_elf *elf, unsigned char *p, uint64_t v);

/* Size of a section header in this class. */
size_t cca_elf_section_header_size(const struct cca_elf *elf);

#endif
