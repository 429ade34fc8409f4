/* libs: cca_summaries -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc */
/* SPDX-License-Identifier: MIT */
/*
 * test-table.c -- a table reads back exactly; one whose frame is broken is
 * refused with the rule that it breaks and the byte where, and never read out
 * of bounds.
 *
 * The second half matters under AddressSanitizer (cmake --preset asan): each
 * image is copied into a heap block of exactly its own size, so a reader that
 * strays by one byte is caught even when it returns the right answer.
 */
#include "image.h"

static void test_reads_back(void) {
  struct cca_table table;
  struct cca_table_error err = {.status = -9};
  CHECK(cca_table_open(&table, &cca_summary_schema, tiny, sizeof tiny, &err) ==
        CCA_TABLE_OK);
  CHECK_U(err.status, CCA_TABLE_OK);
  CHECK_U(table.len, sizeof tiny);
  CHECK_U(cca_file_count(&table), 1);
  CHECK_STR(cca_table_string(&table, cca_file_at(&table, 0).name), "a.h");
  CHECK_U(cca_unit_count(&table), 1);
  struct cca_unit unit = cca_unit_at(&table, 0);
  CHECK_STR(cca_table_string(&table, unit.source), "a.c");
  CHECK_STR(cca_table_string(&table, unit.reason), "");
  CHECK_U(unit.status, CCA_STATUS_PARTIAL);
  CHECK_STR(cca_status_name(unit.status), "partial");
  CHECK_STR(cca_status_name(3), "?");
  CHECK_U(unit.marks, 7);
  CHECK_U(unit.dropped, 2);
  CHECK_U((uint64_t)unit.digest, 0x0123456789abcdef);
  CHECK_U(cca_func_count(&table), 0);
}

/* One row per rule about the frame; all edits of tiny. */
static const struct {
  size_t at;           /* byte to overwrite ... */
  unsigned char value; /* ... with this */
  enum cca_table_status want;
  size_t offset;
  const char *text;
} broken_frames[] = {
    {0, 'X', CCA_TABLE_ERR_MAGIC, 0, "not a table file"},
    {7, 'X', CCA_TABLE_ERR_MAGIC, 0, "not a table file"},
    {8, 'c', CCA_TABLE_ERR_MAGIC, 8, "not a summary"},
    {11, 'X', CCA_TABLE_ERR_MAGIC, 8, "not a summary"},
    {12, 1, CCA_TABLE_ERR_OLDER, 12, "summary version 1.0, we read 2"},
    {12, 3, CCA_TABLE_ERR_VERSION, 12, "summary version 3.0, we read 2"},
    {13, 1, CCA_TABLE_ERR_VERSION, 12, "summary version 258.0, we read 2"},
    {24, 1, CCA_TABLE_ERR_VERSION, 24, "requires features 0x1, unknown here"},
    {16, 136, CCA_TABLE_ERR_CORRUPT, 16,
     "136 bytes long, but only 128 are there"},
    {16, 127, CCA_TABLE_ERR_CORRUPT, 16, "127 bytes long, which cannot be"},
    {16, 24, CCA_TABLE_ERR_CORRUPT, 16, "24 bytes long, which cannot be"},
    {20, 7, CCA_TABLE_ERR_CORRUPT, 20, "7 chunks do not fit"},
    {32, 0, CCA_TABLE_ERR_CORRUPT, 32, "chunk id 0x0 after 0x0"},
    {48, 1, CCA_TABLE_ERR_CORRUPT, 48, "chunk id 0x1 after 0x1"},
    {66, 1, CCA_TABLE_ERR_CORRUPT, 64, "chunk id 0x1ffff after 0x4"},
    {51, 0xc0, CCA_TABLE_ERR_CORRUPT, 48, "chunk id 0xc0000004 after 0x1"},
    {44, 79, CCA_TABLE_ERR_CORRUPT, 44, "chunk 0x1 at 79, not 80"},
    {76, 117, CCA_TABLE_ERR_CORRUPT, 76, "chunk 0xffff at 117, not 116"},
    {40, 13, CCA_TABLE_ERR_CORRUPT, 40, "13 rows of chunk 0x1 do not fit"},
    {56, 2, CCA_TABLE_ERR_CORRUPT, 56, "2 rows of chunk 0x4 do not fit"},
    {72, 13, CCA_TABLE_ERR_CORRUPT, 72, "13 rows of chunk 0xffff do not fit"},
    {68, 0, CCA_TABLE_ERR_CORRUPT, 68, "string table with rows of 0 bytes"},
    {36, 0, CCA_TABLE_ERR_CORRUPT, 36, "chunk 0x1 has rows of 0 bytes"},
    {36, 5, CCA_TABLE_ERR_CORRUPT, 36, "chunk 0x1 has rows of 5 bytes"},
    {52, 28, CCA_TABLE_ERR_CORRUPT, 52,
     "unit has rows of 28 bytes, less than 32"},
    {72, 4, CCA_TABLE_ERR_CORRUPT, 120, "8 bytes too many"},
    {125, 1, CCA_TABLE_ERR_CORRUPT, 125, "padding is not zero"},
    {127, 1, CCA_TABLE_ERR_CORRUPT, 127, "padding is not zero"},
    {116, 'x', CCA_TABLE_ERR_CORRUPT, 116,
     "the string table does not begin with an empty string"},
    {124, 'x', CCA_TABLE_ERR_CORRUPT, 124,
     "the string table is not terminated"},
};

static void test_names_the_rule_and_the_byte(void) {
  for (size_t i = 0; i < sizeof broken_frames / sizeof *broken_frames; i++) {
    unsigned char bad[sizeof tiny];
    struct cca_table_error err = {.text = ""};
    memcpy(bad, tiny, sizeof tiny);
    bad[broken_frames[i].at] = broken_frames[i].value;
    int status = read_all(&cca_summary_schema, bad, sizeof bad, &err);
    CHECK_STR(err.text, broken_frames[i].text);
    CHECK(status == (int)broken_frames[i].want);
    CHECK(err.status == status);
    CHECK_U(err.offset, broken_frames[i].offset);
  }
}

/* Rules that no change of one byte of tiny breaks. */
static void test_needs_the_strings_and_the_unit(void) {
  struct cca_table_error err = {.text = ""};
  unsigned char bad[128] = {0};

  memcpy(bad, tiny, 32);
  bad[16] = 32; /* no chunks at all */
  bad[20] = 0;
  CHECK(read_all(&cca_summary_schema, bad, 32, &err) == CCA_TABLE_ERR_CORRUPT);
  CHECK_STR(err.text, "no string table");
  CHECK_U(err.offset, 32);

  bad[16] = 56; /* the strings alone */
  bad[20] = 1;
  memcpy(bad + 32, (char[]){-1, -1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 48}, 13);
  CHECK(read_all(&cca_summary_schema, bad, 56, &err) == CCA_TABLE_ERR_CORRUPT);
  CHECK_STR(err.text, "0 rows of unit, not 1");
  CHECK_U(err.offset, 32);

  bad[16] = 48; /* an empty string table */
  bad[40] = 0;
  CHECK(read_all(&cca_summary_schema, bad, 48, &err) == CCA_TABLE_ERR_CORRUPT);
  CHECK_STR(err.text, "no string table");
}

/* Later minor versions add; what they add is skipped. */
static void test_accepts_a_later_minor_version(void) {
  /* tiny, and after it 4 bytes in each row of FILE and a chunk 0x77. */
  unsigned char later[160] = {0};
  memcpy(later, tiny, sizeof tiny);
  later[14] = 9;    /* version 1.9 */
  later[28] = 0xff; /* optional features */
  later[16] = 160;
  later[20] = 4;
  later[36] = 8; /* FILE, now at 96 */
  later[44] = 96;
  later[60] = 104; /* UNIT */
  memcpy(later + 64, (char[]){0x77, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, -120}, 13);
  later[77] = later[78] = later[79] = 0;
  memcpy(later + 80, tiny + 64, 16);
  later[92] = 144;
  memcpy(later + 96, tiny + 80, 4);
  memset(later + 100, 0xee, 4);
  memcpy(later + 104, tiny + 84, 32);
  memset(later + 136, 0xee, 8);
  memcpy(later + 144, tiny + 116, 12);

  struct cca_table table;
  struct cca_table_error err = {.text = ""};
  CHECK(read_all(&cca_summary_schema, later, 160, &err) == CCA_TABLE_OK);
  CHECK_STR(err.text, "");
  CHECK(cca_table_open(&table, &cca_summary_schema, later, 160, NULL) == 0);
  CHECK_STR(cca_table_string(&table, cca_file_at(&table, 0).name), "a.h");
  CHECK_U(cca_unit_at(&table, 0).marks, 7);

  later[67] = 0x80; /* now one has to know the chunk */
  CHECK(read_all(&cca_summary_schema, later, 160, &err) ==
        CCA_TABLE_ERR_VERSION);
  CHECK_STR(err.text, "requires chunk 0x77, unknown here");
  CHECK_U(err.offset, 64);
  later[35] = 0x80; /* we know that one */
  later[67] = 0;
  CHECK(read_all(&cca_summary_schema, later, 160, &err) == CCA_TABLE_OK);
}

/* Tables of several objects stand one behind the other. */
static void test_reads_the_first_of_two(void) {
  unsigned char two[2 * sizeof tiny];
  struct cca_table table;
  memcpy(two, tiny, sizeof tiny);
  memcpy(two + sizeof tiny, tiny, sizeof tiny);
  CHECK(cca_table_open(&table, &cca_summary_schema, two, sizeof two, NULL) ==
        CCA_TABLE_OK);
  CHECK_U(table.len, sizeof tiny);
}

static void test_of_another_schema(void) {
  struct cca_table_error err = {.text = ""};
  CHECK(read_all(&cca_classification_schema, tiny, sizeof tiny, &err) ==
        CCA_TABLE_ERR_MAGIC);
  CHECK_STR(err.text, "not a classification");
}

static void test_every_truncation_is_refused(void) {
  struct cca_table_error err = {.text = ""};
  for (size_t len = 0; len < sizeof tiny; len++)
    CHECK(read_all(&cca_summary_schema, tiny, len, &err) < 0);
  CHECK(read_all(&cca_summary_schema, tiny, 31, &err) == CCA_TABLE_ERR_CORRUPT);
  CHECK_STR(err.text, "the header is cut off");
  CHECK_U(err.offset, 31);
  CHECK(read_all(&cca_summary_schema, tiny, 7, &err) == CCA_TABLE_ERR_MAGIC);
}

static void test_no_single_byte_can_hurt(void) {
  unsigned char bad[sizeof tiny];
  for (size_t at = 0; at < sizeof tiny; at++)
    for (unsigned value = 0; value < 256; value++) {
      memcpy(bad, tiny, sizeof tiny);
      bad[at] = (unsigned char)value;
      read_all(&cca_summary_schema, bad, sizeof bad, NULL);
    }
}

int main(void) {
  RUN(test_reads_back);
  RUN(test_names_the_rule_and_the_byte);
  RUN(test_needs_the_strings_and_the_unit);
  RUN(test_accepts_a_later_minor_version);
  RUN(test_reads_the_first_of_two);
  RUN(test_of_another_schema);
  RUN(test_every_truncation_is_refused);
  RUN(test_no_single_byte_can_hurt);
  return check_done();
}
