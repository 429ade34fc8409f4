/* libs: cca_link */
/* SPDX-License-Identifier: MIT */
/*
 * test-note-object.c -- the placeholder is an object of the inputs' own kind,
 * in each class and byte order, and holds the classification in a note.
 */
#include <elf.h>
#include <stdlib.h>

#include "check.h"
#include "linker_plugin/note_object.h"
#include "summaries/carrier.h"
#include "summaries/elf.h"

static const char payload[] = "a classification"; /* 17 bytes: to be padded */

/* The section NAME of ELF; fails if it is not there. */
static struct cca_elf_section find(const struct cca_elf *elf,
                                   const char *name) {
  struct cca_elf_section section = {0};
  for (uint32_t i = 1; i < elf->section_count; i++)
    if (cca_elf_section_at(elf, i, &section) && strcmp(section.name, name) == 0)
      return section;
  CHECK_STR(NULL, name);
  return (struct cca_elf_section){0};
}

/* Of the properties of a target, the type of the one that is intersected. */
static void check_object(const struct cca_note_target *target,
                         uint32_t property) {
  struct cca_text object = {0};
  struct cca_note_target back = {0};
  struct cca_elf elf;
  cca_note_object_write(&object, target, payload, sizeof payload);
  CHECK_STR(cca_elf_open(&elf, object.data, object.len), NULL);
  CHECK(cca_note_target_of(object.data, object.len, &back));
  CHECK(back.is64 == target->is64 && back.big == target->big);
  CHECK_U(back.machine, target->machine);
  CHECK_U(back.flags, target->flags);

  struct cca_elf_section note = find(&elf, ".note.cc-allocs");
  CHECK_U(note.type, SHT_NOTE);
  CHECK_U(note.flags, SHF_ALLOC);
  CHECK_U(note.align, 4);
  CHECK_U(note.size, 12 + 12 + 20);
  if (note.size == 44) {
    CHECK_U(cca_elf_u32(&elf, note.bytes), sizeof CCA_NOTE_OWNER);
    CHECK_U(cca_elf_u32(&elf, note.bytes + 4), sizeof payload);
    CHECK_U(cca_elf_u32(&elf, note.bytes + 8), CCA_NOTE_CLASSIFICATION);
    CHECK_STR((const char *)note.bytes + 12, CCA_NOTE_OWNER);
    CHECK_STR((const char *)note.bytes + 24, payload);
  }
  CHECK_U(find(&elf, ".note.GNU-stack").flags, 0);

  struct cca_elf_section features = find(&elf, ".note.gnu.property");
  if (property == 0) {
    CHECK_U(features.size, 0);
  } else {
    CHECK_U(features.size, target->is64 ? 32 : 28);
    CHECK_U(cca_elf_u32(&elf, features.bytes + 16), property);
    CHECK_U(cca_elf_u32(&elf, features.bytes + 24), 0xffffffff);
  }

  /* Nothing that could hold on to anything. */
  for (uint32_t i = 1; i < elf.section_count; i++) {
    struct cca_elf_section section;
    CHECK(cca_elf_section_at(&elf, i, &section));
    CHECK(section.type != SHT_REL && section.type != SHT_RELA);
    if (section.type == SHT_SYMTAB)
      CHECK_U(cca_elf_symbol_count(&elf, &section), 1);
  }
  cca_text_release(&object);
}

static void test_targets(void) {
  check_object(&(struct cca_note_target){true, false, EM_X86_64, 0},
               0xc0000002);
  check_object(&(struct cca_note_target){false, false, EM_X86_64, 0},
               0xc0000002);
  check_object(&(struct cca_note_target){false, false, EM_386, 0}, 0xc0000002);
  check_object(&(struct cca_note_target){true, false, EM_AARCH64, 0},
               0xc0000000);
  check_object(&(struct cca_note_target){true, false, EM_RISCV, 5}, 0);
  check_object(&(struct cca_note_target){true, true, EM_S390, 0}, 0);
  check_object(&(struct cca_note_target){false, true, EM_MIPS, 0x70001007}, 0);
}

/* Only relocatable objects tell what a link is for. */
static void test_other_files(void) {
  struct cca_note_target target = {true, false, EM_X86_64, 0}, back;
  struct cca_text object = {0};
  cca_note_object_write(&object, &target, payload, sizeof payload);
  object.data[16] = ET_DYN;
  CHECK(!cca_note_target_of(object.data, object.len, &back));
  object.data[16] = ET_REL;
  CHECK(!cca_note_target_of(object.data, 40, &back));
  CHECK(!cca_note_target_of("BC\xc0\xde", 4, &back));
  CHECK(!cca_note_target_of("", 0, &back));
  cca_text_release(&object);
}

int main(void) {
  RUN(test_targets);
  RUN(test_other_files);
  return check_done();
}
