/* libs: cca_link */
/* SPDX-License-Identifier: MIT */
/*
 * test-plan.c -- a plan reads back as it was written, and with a map it gives
 * each row the address of its own section or none.
 */
#include <stdlib.h>

#include "check.h"
#include "linker_plugin/patch.h"
#include "linker_plugin/plan.h"

static void test_reads_back(void) {
  struct cca_plan plan = {0}, back;
  struct cca_text text = {0}, again = {0};
  cca_plan_section(&plan, "a b.o", ".text x", 0x1122334455667788, 1, 2, 1);
  cca_plan_row(&plan, 7, 12);
  cca_plan_row(&plan, 0, 4294967295u);
  cca_plan_section(&plan, "a b.o", "", 0, 0, 1, 1);
  cca_plan_section(&plan, "c.o", ".text", 1, 0, 1, 1);
  cca_plan_row(&plan, 1, 1);
  cca_plan_write(&plan, &text);
  CHECK(cca_plan_read(&back, text.data, text.len) == 0);
  CHECK_U(back.sections.count, 3);
  CHECK_STR(back.sections.items[0].object, "a b.o");
  CHECK_STR(back.sections.items[0].name, ".text x");
  CHECK_U(back.sections.items[0].size, 0x1122334455667788);
  CHECK_U(back.sections.items[0].row_count, 2);
  CHECK_U(back.rows.items[1].offset, 4294967295u);
  CHECK_STR(back.sections.items[2].object, "c.o");
  cca_plan_write(&back, &again);
  CHECK_U(again.len, text.len);
  CHECK(memcmp(again.data, text.data, text.len) == 0);
  cca_plan_release(&plan);
  cca_plan_release(&back);
  cca_text_release(&text);
  cca_text_release(&again);
}

static void test_broken_plans(void) {
  static const struct {
    const char *text;
    size_t len;
  } broken[] = {
      {"R1 2", 5},
      {"S1 0 1 1 x", 11},
      {"Oa\0R1 2", 8},
      {"Oa", 2},
      {"Oa\0S1 0 1 1 x", 13},
      {"X", 2},
      {"Oa\0S1 0", 8},
      {"Oa\0Sx 0 1 1 y", 14},
      {"Oa\0S1 -1 1 1 y", 15},
      {"Oa\0S1 0 1 1 x\0R4294967296 1", 28},
  };
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    struct cca_plan plan;
    char *copy = malloc(broken[i].len);
    memcpy(copy, broken[i].text, broken[i].len);
    CHECK(cca_plan_read(&plan, copy, broken[i].len) == -1);
    cca_plan_release(&plan);
    free(copy);
  }
}

/* Row i of the plan is in section i at offset 4. */
static void check_addresses(const struct cca_plan_section *sections,
                            size_t count, const char *map,
                            const uint64_t *want) {
  struct cca_plan plan = {0};
  uint64_t addresses[8];
  for (size_t i = 0; i < count; i++) {
    cca_plan_section(&plan, sections[i].object, sections[i].name,
                     sections[i].size, sections[i].ordinal, sections[i].count,
                     sections[i].alike);
    cca_plan_row(&plan, (uint32_t)i, 4);
  }
  cca_patch_locate(&plan, CCA_LINKER_MOLD, map, strlen(map), addresses, count);
  for (size_t i = 0; i < count; i++)
    CHECK_U(addresses[i], want[i]);
  cca_plan_release(&plan);
}

static void test_one_section_each(void) {
  check_addresses(
      (struct cca_plan_section[]){{"a.o", ".text", 16, 0, 1, 1, 0, 0},
                                  {"b.o", ".text", 16, 0, 1, 1, 0, 0},
                                  {"gone.o", ".text", 16, 0, 1, 1, 0, 0}},
      3,
      "0x100 16 1         a.o:(.text)\n"
      "0x200 16 1         b.o:(.text)\n"
      "0x300 16 1         b.o:(.data)\n",
      (uint64_t[]){0x104, 0x204, 0});
}

/* The linker changed the code: offsets in it mean nothing any more. */
static void test_another_size(void) {
  check_addresses(
      (struct cca_plan_section[]){{"a.o", ".text", 16, 0, 1, 1, 0, 0}}, 1,
      "0x100 12 1         a.o:(.text)\n", (uint64_t[]){0});
}

/* Two sections of one name: by order if both are there, else by size. */
static void test_sections_of_one_name(void) {
  const struct cca_plan_section two[] = {{"a.o", ".text", 16, 0, 2, 2, 0, 0},
                                         {"a.o", ".text", 16, 1, 2, 2, 0, 0}};
  const struct cca_plan_section sizes[] = {{"a.o", ".text", 16, 0, 2, 1, 0, 0},
                                           {"a.o", ".text", 32, 1, 2, 1, 0, 0}};
  check_addresses(two, 2,
                  "0x100 16 1         a.o:(.text)\n"
                  "0x200 16 1         a.o:(.text)\n",
                  (uint64_t[]){0x104, 0x204});
  check_addresses(sizes, 2, "0x100 32 1         a.o:(.text)\n",
                  (uint64_t[]){0, 0x104});
}

/* The same, where one was discarded and the other one has its size: which it
 * is can't be known from the plan of both. */
static void test_discarded_twin(void) {
  check_addresses(
      (struct cca_plan_section[]){{"a.o", ".text", 16, 0, 2, 2, 0, 0},
                                  {"a.o", ".text", 16, 1, 2, 2, 0, 0}},
      2, "0x100 16 1         a.o:(.text)\n", (uint64_t[]){0, 0});
}

/* Two members of one name in an archive. */
static void test_objects_of_one_name(void) {
  struct cca_plan plan = {0};
  uint64_t addresses[2];
  const char *map = "0x100 16 1         l.a(m.o):(.text)\n";
  cca_plan_section(&plan, "l.a(m.o)", ".text", 16, 0, 1, 1);
  cca_plan_row(&plan, 0, 4);
  cca_plan_section(&plan, "between.o", ".text", 16, 0, 1, 1);
  cca_plan_section(&plan, "l.a(m.o)", ".text", 16, 0, 1, 1);
  cca_plan_row(&plan, 1, 4);
  cca_patch_locate(&plan, CCA_LINKER_MOLD, map, strlen(map), addresses, 2);
  CHECK_U(addresses[0], 0);
  CHECK_U(addresses[1], 0);
  cca_plan_release(&plan);
}

/* A member of a thin archive is planned as a file, and shown as a member. */
static void test_thin_members(void) {
  check_addresses(
      (struct cca_plan_section[]){{"dir/m.o", ".text", 16, 0, 1, 1, 0, 0},
                                  {"/abs/n.o", ".text", 16, 0, 1, 1, 0, 0}},
      2,
      "0x100 16 1         dir/thin.a(m.o):(.text)\n"
      "0x200 16 1         dir/thin.a(/abs/n.o):(.text)\n",
      (uint64_t[]){0x104, 0x204});
}

/* Beyond the section, or of no such row: nothing is written. */
static void test_hostile_rows(void) {
  struct cca_plan plan = {0};
  uint64_t addresses[2];
  const char *map = "0x100 16 1         a.o:(.text)\n";
  cca_plan_section(&plan, "a.o", ".text", 16, 0, 1, 1);
  cca_plan_row(&plan, 0, 17);
  cca_plan_row(&plan, 2, 4);
  cca_plan_row(&plan, 1, 16);
  cca_patch_locate(&plan, CCA_LINKER_MOLD, map, strlen(map), addresses, 2);
  CHECK_U(addresses[0], 0);
  CHECK_U(addresses[1], 0x110);
  cca_plan_release(&plan);
}

int main(void) {
  RUN(test_reads_back);
  RUN(test_broken_plans);
  RUN(test_one_section_each);
  RUN(test_another_size);
  RUN(test_sections_of_one_name);
  RUN(test_discarded_twin);
  RUN(test_objects_of_one_name);
  RUN(test_thin_members);
  RUN(test_hostile_rows);
  return check_done();
}
