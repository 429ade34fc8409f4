/* SPDX-License-Identifier: MIT */
/*
 * tiny-elf.h -- small ELF files for tests, of any class and byte order.
 *
 * Layout: header, program header (if a note is asked for), contents in order,
 * each aligned to 8, section headers.  Section 0 and the name table, which is
 * the last section, are added.
 */
#ifndef TINY_ELF_H
#define TINY_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "summaries/elf.h"

struct tiny_section {
  const char *name;
  uint32_t type;
  uint64_t flags;
  const void *bytes;
  size_t size;
  uint32_t link, info;
};

struct tiny_elf {
  bool is64, big;
  uint16_t type;
  const struct tiny_section *sections;
  unsigned count;
  unsigned note; /* this section, from 1, is a PT_NOTE segment; 0: none */
};

#define TINY_PUT(elf, p, kind, member, value)                                  \
  ((elf)->is64 ? tiny_put((elf), (p) + offsetof(Elf64_##kind, member),         \
                          sizeof(((Elf64_##kind *)0)->member), (value))        \
               : tiny_put((elf), (p) + offsetof(Elf32_##kind, member),         \
                          sizeof(((Elf32_##kind *)0)->member), (value)))

static inline void tiny_put(const struct tiny_elf *elf, unsigned char *p,
                            size_t size, uint64_t value) {
  struct cca_elf order = {.big = elf->big};
  if (size == 2)
    cca_elf_put16(&order, p, (uint16_t)value);
  else if (size == 4)
    cca_elf_put32(&order, p, (uint32_t)value);
  else
    cca_elf_put64(&order, p, value);
}

static inline void tiny_pad(struct cca_text *out) {
  cca_text_add(out, "\0\0\0\0\0\0\0", (8 - out->len % 8) % 8);
}

/* Add the file to OUT, which is empty. */
static inline void tiny_elf_make(const struct tiny_elf *elf,
                                 struct cca_text *out) {
  unsigned char header[sizeof(Elf64_Ehdr)] = {0}, zeros[64] = {0};
  size_t ehdr = elf->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
  size_t phdr = elf->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
  size_t shdr = elf->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  unsigned total = elf->count + 2;
  size_t *at = calloc(total, sizeof *at), *name_at = calloc(total, sizeof *at);
  struct cca_text names = {0};

  cca_text_add(out, header, ehdr);
  if (elf->note)
    cca_text_add(out, zeros, phdr);
  cca_text_add(&names, "", 1);
  for (unsigned i = 1; i <= elf->count; i++) {
    const struct tiny_section *s = &elf->sections[i - 1];
    tiny_pad(out);
    at[i] = out->len;
    if (s->type != SHT_NOBITS)
      cca_text_add(out, s->bytes, s->size);
    name_at[i] = names.len;
    cca_text_add(&names, s->name, strlen(s->name) + 1);
  }
  name_at[total - 1] = names.len;
  cca_text_add(&names, ".shstrtab", 10);
  tiny_pad(out);
  at[total - 1] = out->len;
  cca_text_add(out, names.data, names.len);
  tiny_pad(out);

  size_t table = out->len;
  for (unsigned i = 0; i < total; i++)
    cca_text_add(out, zeros, shdr);
  unsigned char *p = (unsigned char *)out->data;
  for (unsigned i = 1; i < total; i++) {
    static const struct tiny_section last = {.type = SHT_STRTAB};
    const struct tiny_section *s =
        i < total - 1 ? &elf->sections[i - 1] : &last;
    unsigned char *h = p + table + i * shdr;
    TINY_PUT(elf, h, Shdr, sh_name, name_at[i]);
    TINY_PUT(elf, h, Shdr, sh_type, s->type);
    TINY_PUT(elf, h, Shdr, sh_flags, s->flags);
    TINY_PUT(elf, h, Shdr, sh_offset, at[i]);
    TINY_PUT(elf, h, Shdr, sh_size, i < total - 1 ? s->size : names.len);
    TINY_PUT(elf, h, Shdr, sh_link, s->link);
    TINY_PUT(elf, h, Shdr, sh_info, s->info);
    TINY_PUT(elf, h, Shdr, sh_addralign, 8);
  }
  if (elf->note) {
    TINY_PUT(elf, p + ehdr, Phdr, p_type, PT_NOTE);
    TINY_PUT(elf, p + ehdr, Phdr, p_offset, at[elf->note]);
    TINY_PUT(elf, p + ehdr, Phdr, p_filesz, elf->sections[elf->note - 1].size);
    TINY_PUT(elf, p + ehdr, Phdr, p_align, 4);
    TINY_PUT(elf, p, Ehdr, e_phoff, ehdr);
    TINY_PUT(elf, p, Ehdr, e_phentsize, phdr);
    TINY_PUT(elf, p, Ehdr, e_phnum, 1);
  }
  memcpy(p, ELFMAG, SELFMAG);
  p[EI_CLASS] = elf->is64 ? ELFCLASS64 : ELFCLASS32;
  p[EI_DATA] = elf->big ? ELFDATA2MSB : ELFDATA2LSB;
  p[EI_VERSION] = EV_CURRENT;
  TINY_PUT(elf, p, Ehdr, e_type, elf->type);
  TINY_PUT(elf, p, Ehdr, e_machine, EM_X86_64);
  TINY_PUT(elf, p, Ehdr, e_version, EV_CURRENT);
  TINY_PUT(elf, p, Ehdr, e_ehsize, ehdr);
  TINY_PUT(elf, p, Ehdr, e_shoff, table);
  TINY_PUT(elf, p, Ehdr, e_shentsize, shdr);
  TINY_PUT(elf, p, Ehdr, e_shnum, total);
  TINY_PUT(elf, p, Ehdr, e_shstrndx, total - 1);
  cca_text_release(&names);
  free(at);
  free(name_at);
}

#endif
