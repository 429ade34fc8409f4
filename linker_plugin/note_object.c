/* SPDX-License-Identifier: MIT */
/*
 * note_object.c -- the object file that brings the classification into a link.
 *
 * In:    the classification; class, byte order, machine and ABI of the inputs.
 * Out:   a relocatable object with .note.cc-allocs and what keeps it neutral.
 * Holds: with it, a link has the same sections as without it, but for the note.
 *
 * Three things in an object change a link though nothing refers to them:
 *   - no .note.GNU-stack: the stack becomes executable;
 *   - no .note.gnu.property: the linker takes the features (IBT, SHSTK, BTI,
 *     PAC) that all inputs share, so one input without them takes them from
 *     all.  We have every feature: the intersection stays what it was;
 *   - a relocation or a symbol: keeps what it names alive.  There is none.
 */
#include <elf.h>
#include <string.h>

#include "note_object.h"
#include "summaries/carrier.h"
#include "summaries/elf.h"

/* Property types of the intersected features; elf.h has not all of them. */
enum {
  PROPERTY_TYPE_0 = 5,
  AARCH64_FEATURE_1_AND = 0xc0000000,
  X86_FEATURE_1_AND = 0xc0000002,
};

static const char note_owner[] = CCA_NOTE_OWNER; /* the zero byte counts */

static const char names[] = "\0.note.cc-allocs\0.note.gnu.property\0"
                            ".note.GNU-stack\0.shstrtab\0.symtab\0.strtab";

enum { NOTE = 1, PROPERTY, STACK, NAMES, SYMBOLS, STRINGS, SECTIONS };

bool cca_note_target_of(const void *image, size_t len,
                        struct cca_note_target *target) {
  struct cca_elf elf;
  if (!cca_elf_is(image, len) || cca_elf_open(&elf, image, len) != NULL ||
      elf.type != ET_REL)
    return false;
  const unsigned char *header = image;
  target->is64 = elf.is64;
  target->big = elf.big;
  target->machine = elf.machine;
  target->flags =
      cca_elf_u32(&elf, header + (elf.is64 ? offsetof(Elf64_Ehdr, e_flags)
                                           : offsetof(Elf32_Ehdr, e_flags)));
  return true;
}

/* The writer: an ELF view without an image gives the byte order. */
struct writer {
  struct cca_elf elf;
  struct cca_text *out;
  size_t start;
  struct {
    size_t offset, size;
  } at[SECTIONS];
};

static void put16(struct writer *w, uint16_t v) {
  unsigned char bytes[2];
  cca_elf_put16(&w->elf, bytes, v);
  cca_text_add(w->out, bytes, sizeof bytes);
}

static void put32(struct writer *w, uint32_t v) {
  unsigned char bytes[4];
  cca_elf_put32(&w->elf, bytes, v);
  cca_text_add(w->out, bytes, sizeof bytes);
}

/* An address-sized number. */
static void put_word(struct writer *w, uint64_t v) {
  unsigned char bytes[8];
  if (!w->elf.is64) {
    put32(w, (uint32_t)v);
    return;
  }
  cca_elf_put64(&w->elf, bytes, v);
  cca_text_add(w->out, bytes, sizeof bytes);
}

static void align(struct writer *w, size_t to) {
  static const char zeros[8];
  size_t over = (w->out->len - w->start) % to;
  if (over > 0)
    cca_text_add(w->out, zeros, to - over);
}

static void begin(struct writer *w, int section, size_t alignment) {
  align(w, alignment);
  w->at[section].offset = w->out->len - w->start;
}

static void end(struct writer *w, int section) {
  w->at[section].size = w->out->len - w->start - w->at[section].offset;
}

static void put_note(struct writer *w, const char *owner, size_t owner_len,
                     uint32_t type, const void *desc, size_t len) {
  put32(w, (uint32_t)owner_len);
  put32(w, (uint32_t)len);
  put32(w, type);
  cca_text_add(w->out, owner, owner_len);
  align(w, 4);
  cca_text_add(w->out, desc, len);
  align(w, 4);
}

/* The one property, padded to a word as the ABI asks. */
static void put_property(struct writer *w, uint32_t type) {
  unsigned char property[16] = {0};
  cca_elf_put32(&w->elf, property, type);
  cca_elf_put32(&w->elf, property + 4, 4);
  cca_elf_put32(&w->elf, property + 8, 0xffffffff);
  put_note(w, "GNU", 4, PROPERTY_TYPE_0, property, w->elf.is64 ? 16 : 12);
}

static void put_header(struct writer *w, const struct cca_note_target *target) {
  const unsigned char ident[EI_NIDENT] = {
      ELFMAG0,
      ELFMAG1,
      ELFMAG2,
      ELFMAG3,
      target->is64 ? ELFCLASS64 : ELFCLASS32,
      target->big ? ELFDATA2MSB : ELFDATA2LSB,
      EV_CURRENT,
  };
  cca_text_add(w->out, ident, sizeof ident);
  put16(w, ET_REL);
  put16(w, target->machine);
  put32(w, EV_CURRENT);
  put_word(w, 0); /* entry */
  put_word(w, 0); /* segments */
  put_word(w, 0); /* sections: filled in at the end */
  put32(w, target->flags);
  put16(w, (uint16_t)(target->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)));
  put16(w, 0);
  put16(w, 0);
  put16(w, (uint16_t)(target->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)));
  put16(w, SECTIONS);
  put16(w, NAMES);
}

static void put_section(struct writer *w, int section, uint32_t type,
                        uint64_t flags, uint64_t alignment, uint32_t link,
                        uint32_t info, uint64_t entry_size) {
  const char *name = names + 1; /* names stand in the order of sections */
  for (int i = 1; i < section; i++)
    name += strlen(name) + 1;
  put32(w, section == 0 ? 0 : (uint32_t)(name - names));
  put32(w, type);
  put_word(w, flags);
  put_word(w, 0);
  put_word(w, w->at[section].offset);
  put_word(w, w->at[section].size);
  put32(w, link);
  put32(w, info);
  put_word(w, alignment);
  put_word(w, entry_size);
}

void cca_note_object_write(struct cca_text *out,
                           const struct cca_note_target *target,
                           const void *classification, size_t len) {
  struct writer writer = {
      .elf = {.is64 = target->is64, .big = target->big},
      .out = out,
      .start = out->len,
  };
  struct writer *w = &writer;
  const size_t word = target->is64 ? 8 : 4;
  const size_t symbol = target->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  static const char zeros[sizeof(Elf64_Sym)];
  uint32_t property = 0;
  if (target->machine == EM_X86_64 || target->machine == EM_386)
    property = X86_FEATURE_1_AND;
  else if (target->machine == EM_AARCH64)
    property = AARCH64_FEATURE_1_AND;

  put_header(w, target);
  begin(w, NOTE, 4);
  put_note(w, note_owner, sizeof note_owner, CCA_NOTE_CLASSIFICATION,
           classification, len);
  end(w, NOTE);
  begin(w, PROPERTY, word);
  if (property != 0)
    put_property(w, property);
  end(w, PROPERTY);
  begin(w, STACK, 1);
  end(w, STACK);
  begin(w, NAMES, 1);
  cca_text_add(out, names, sizeof names);
  end(w, NAMES);
  begin(w, SYMBOLS, word);
  cca_text_add(out, zeros, symbol);
  end(w, SYMBOLS);
  begin(w, STRINGS, 1);
  cca_text_add(out, zeros, 1);
  end(w, STRINGS);

  align(w, word);
  uint64_t table = out->len - w->start;
  put_section(w, 0, SHT_NULL, 0, 0, 0, 0, 0);
  put_section(w, NOTE, SHT_NOTE, SHF_ALLOC, 4, 0, 0, 0);
  put_section(w, PROPERTY, property != 0 ? SHT_NOTE : SHT_PROGBITS,
              property != 0 ? SHF_ALLOC : 0, word, 0, 0, 0);
  put_section(w, STACK, SHT_PROGBITS, 0, 1, 0, 0, 0);
  put_section(w, NAMES, SHT_STRTAB, 0, 1, 0, 0, 0);
  put_section(w, SYMBOLS, SHT_SYMTAB, 0, word, STRINGS, 1, symbol);
  put_section(w, STRINGS, SHT_STRTAB, 0, 1, 0, 0, 0);

  unsigned char *header = (unsigned char *)out->data + w->start;
  if (target->is64)
    cca_elf_put64(&w->elf, header + offsetof(Elf64_Ehdr, e_shoff), table);
  else
    cca_elf_put32(&w->elf, header + offsetof(Elf32_Ehdr, e_shoff),
                  (uint32_t)table);
}
