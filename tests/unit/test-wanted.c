/* libs: cca_link */
/* SPDX-License-Identifier: MIT */
/*
 * test-wanted.c -- what is to be looked for in the output reads back, and what
 * was found there takes the rows that are free for it.
 */
#include <stdlib.h>

#include "check.h"
#include "linker_plugin/patch.h"
#include "linker_plugin/wanted.h"

static const char list[] = "Ua.c\0"
                           "C4 10 7 1\0f\0malloc\0"
                           "C5 1 4294967295 0\0g\0\0"
                           "P1 2 30 5\0"
                           "Ub.c\0";

static void test_reads(void) {
  struct cca_wanted w;
  CHECK(cca_wanted_read(&w, list, sizeof list - 1) == 0);
  CHECK_U(w.units.count, 2);
  CHECK_STR(w.units.items[0].source, "a.c");
  CHECK_U(w.units.items[0].call_count, 2);
  CHECK_U(w.units.items[0].place_count, 1);
  CHECK_U(w.units.items[1].first_call, 2);
  CHECK_U(w.units.items[1].call_count, 0);
  CHECK_U(w.calls.items[0].line, 4);
  CHECK_U(w.calls.items[0].column, 10);
  CHECK_U(w.calls.items[0].site, 7);
  CHECK(w.calls.items[0].says);
  CHECK_STR(w.calls.items[0].function, "f");
  CHECK_STR(w.calls.items[0].callee, "malloc");
  CHECK_U(w.calls.items[1].site, CCA_NONE);
  CHECK_STR(w.calls.items[1].callee, NULL);
  CHECK_U(w.places.items[0].call, 1);
  CHECK_U(w.places.items[0].section, 2);
  CHECK_U(w.places.items[0].offset, 30);
  CHECK_U(w.places.items[0].flags, 5);
  cca_wanted_release(&w);
}

static void test_broken_lists(void) {
  static const struct {
    const char *text;
    size_t len;
  } broken[] = {
      {"Ua.c", 4},                  /* not ended */
      {"C1 1 1 1\0f\0g", 13},       /* before a unit */
      {"P0 1 1 1", 9},              /* the same */
      {"Ua\0C1 1 1 1\0f\0", 14},    /* no callee */
      {"Ua\0C1 1 1 2\0f\0g", 16},   /* neither 0 nor 1 */
      {"Ua\0C1 1 1\0f\0g", 14},     /* a number too few */
      {"Ua\0C1 1 1 1 1\0f\0g", 18}, /* too many */
      {"Ua\0C1 1 4294967296 1\0f\0g", 25},
      {"Ua\0P0 1 1 1", 12}, /* a place of no call */
      {"Ua\0C1 1 1 1\0f\0g\0P1 1 1 1", 25},
      {"Ua\0C1 1 1 1\0f\0g\0Ub\0P0 1 1 1", 28},
      {"X", 2},
      {"", 1},
  };
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    struct cca_wanted w;
    char *copy = malloc(broken[i].len);
    memcpy(copy, broken[i].text, broken[i].len);
    CHECK(cca_wanted_read(&w, copy, broken[i].len) == -1);
    cca_wanted_release(&w);
    free(copy);
  }
}

static void test_found(void) {
  struct cca_text text = {0};
  struct cca_founds back = {0};
  const struct cca_found found = {UINT64_MAX, 3, 4294967295u};
  cca_found_write(&text, &found);
  CHECK(cca_found_read(&back, text.data, text.len) == 0);
  CHECK_U(back.count, 1);
  CHECK(memcmp(&back.items[0], &found, sizeof found) == 0);
  CHECK(cca_found_read(&back, text.data, text.len - 1) == -1);
  CHECK(cca_found_read(&back, "1 2", 4) == -1);
  CHECK(cca_found_read(&back, "1 2 -3", 7) == -1);
  cca_vec_release(&back);
  cca_text_release(&text);
}

/* A classification with three sites and rows of ADDRESS for SITES. */
static struct cca_text make_image(const uint32_t *sites, size_t count) {
  struct cca_text out = {0};
  struct cca_builder *b = cca_builder_new(&cca_classification_schema);
  cca_module_add(b, (struct cca_module){0});
  for (int i = 0; i < 3; i++)
    cca_allocsite_add(b, cca_allocsite_init());
  for (size_t i = 0; i < count; i++)
    cca_address_add(b,
                    (struct cca_address){0, sites[i], CCA_ADDRESS_FLAGS_DEAD});
  CHECK(cca_builder_finish(b, &out, NULL) == CCA_TABLE_OK);
  cca_builder_free(b);
  return out;
}

/* Row I is at VALUE and of SITE; 0: nowhere. */
static void check_row(const struct cca_address *row, uint64_t value,
                      uint32_t site, uint32_t flags) {
  CHECK_U((uint64_t)row->value, value);
  CHECK_U(row->site, site);
  CHECK_U(row->flags, flags);
}

static void test_rows(void) {
  /* 0 and 1 have a section, which the map shows for 0; 2 to 4 are room. */
  static const uint32_t sites[] = {0, 1, 0, 1, 1};
  static const uint64_t addresses[] = {0x100, 0, 0, 0, 0};
  struct cca_text image = make_image(sites, 5);
  struct cca_table table;
  struct cca_plan plan = {0};
  struct cca_address rows[5];
  struct cca_founds found = {0};
  CHECK(cca_table_open(&table, &cca_classification_schema, image.data,
                       image.len, NULL) == CCA_TABLE_OK);
  cca_plan_section(&plan, "a.o", ".text", 1, 0, 1, 1);
  cca_plan_row(&plan, 0, 1);
  cca_plan_row(&plan, 1, 2);

  CHECK_U(cca_patch_rows(&table, &plan, addresses, &found, rows), 0);
  check_row(&rows[0], 0x100, 0, 0);
  for (int i = 1; i < 5; i++)
    check_row(&rows[i], 0, sites[i], CCA_ADDRESS_FLAGS_DEAD);

  static const struct cca_found some[] = {
      {0x100, 1, 0},                         /* known by the map */
      {0x200, 0, CCA_ADDRESS_FLAGS_DEAD},    /* its own site's row */
      {0x300, 0, CCA_ADDRESS_FLAGS_INLINED}, /* any that is room */
      {0x300, 1, 0},                         /* twice */
      {0, 0, 0},
      {0x400, 3, 0}, /* no address, no site */
      {0x500, 1, 0},
      {0x600, 1, 0},
      {0x700, 1, 0}, /* no row is left */
  };
  for (size_t i = 0; i < sizeof some / sizeof *some; i++)
    cca_vec_push(&found, some[i]);
  CHECK_U(cca_patch_rows(&table, &plan, addresses, &found, rows), 1);
  check_row(&rows[0], 0x100, 0, 0);
  check_row(&rows[1], 0x500, 1, 0);
  check_row(&rows[2], 0x200, 0, 0);
  check_row(&rows[3], 0x300, 0, CCA_ADDRESS_FLAGS_INLINED);
  check_row(&rows[4], 0x600, 1, 0);
  cca_vec_release(&found);
  cca_plan_release(&plan);
  cca_text_release(&image);
}

int main(void) {
  RUN(test_reads);
  RUN(test_broken_lists);
  RUN(test_found);
  RUN(test_rows);
  return check_done();
}
