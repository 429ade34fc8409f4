/* libs: cca_summaries -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc */
/* SPDX-License-Identifier: MIT */
/*
 * test-builder.c -- what is built are the bytes of docs/table-format.md, and
 * they depend on nothing but the rows.
 */
#include "image.h"

static void test_builder_writes_these_bytes(void) {
  struct cca_builder *builder = cca_builder_new(&cca_summary_schema);
  struct cca_unit unit = cca_unit_init();
  cca_builder_string(builder, "not used");
  unit.source = cca_builder_string(builder, "a.c");
  unit.status = CCA_STATUS_PARTIAL;
  unit.marks = 7;
  unit.digest = 0x0123456789abcdef;
  CHECK_U(cca_unit_add(builder, unit), 0);
  CHECK_U(cca_unit_added(builder), 1);
  unit = cca_unit_get(builder, 0);
  unit.dropped = 2;
  cca_unit_set(builder, 0, unit);
  struct cca_file file = {.name = cca_builder_string(builder, "a.h")};
  CHECK_U(cca_builder_string(builder, "a.h"), file.name);
  CHECK_U(cca_builder_string(builder, ""), 0);
  cca_file_add(builder, file);

  /* Behind other bytes, as in an object with two tables. */
  struct cca_text out = {0};
  cca_text_adds(&out, "12345678");
  CHECK(cca_builder_finish(builder, &out, NULL) == CCA_TABLE_OK);
  CHECK_U(out.len, 8 + sizeof tiny);
  CHECK(memcmp(out.data + 8, tiny, sizeof tiny) == 0);
  cca_text_release(&out);
  cca_builder_free(builder);
}

static void test_a_row_begins_without_references(void) {
  struct cca_type type = cca_type_init();
  CHECK_U(type.element, CCA_NONE);
  CHECK_U(type.file, CCA_NONE);
  CHECK_U(type.members_first, 0);
  CHECK_U(type.members_count, 0);
  CHECK_U(type.kind, CCA_TYPE_KIND_UNKNOWN);
}

static void test_an_empty_range_is_written_as_zero(void) {
  struct cca_builder *builder = cca_builder_new(&cca_summary_schema);
  cca_unit_add(builder, cca_unit_init());
  struct cca_func func = cca_func_init();
  func.calls_first = 77;
  cca_func_add(builder, func);
  cca_node_add(builder, (struct cca_node){CCA_OP_MIX, 77, 0});
  cca_node_add(builder, (struct cca_node){CCA_OP_PARAM, 77, 0});

  struct cca_text out = {0};
  struct cca_table table;
  CHECK(cca_builder_finish(builder, &out, NULL) == CCA_TABLE_OK);
  CHECK(cca_table_open(&table, &cca_summary_schema, out.data, out.len, NULL) ==
        CCA_TABLE_OK);
  CHECK_U(cca_func_at(&table, 0).calls_first, 0);
  CHECK_U(cca_node_at(&table, 0).a, 0);
  CHECK_U(cca_node_at(&table, 1).a, 77);
  cca_text_release(&out);
  cca_builder_free(builder);
}

static void test_builder_refuses_a_broken_row(void) {
  struct cca_builder *builder = cca_builder_new(&cca_summary_schema);
  struct cca_unit unit = cca_unit_init();
  unit.source = 1; /* a number that this builder never gave */
  cca_unit_add(builder, unit);
  struct cca_text out = {0};
  struct cca_table_error err = {.text = ""};
  cca_text_adds(&out, "before");
  CHECK(cca_builder_finish(builder, &out, &err) == CCA_TABLE_ERR_CORRUPT);
  CHECK_STR(err.text, "unit 0: source is beyond the string table");
  CHECK_U(out.len, strlen("before"));
  cca_text_release(&out);
  cca_builder_free(builder);
}

/* What was read can be extended; what is not touched stays as it was. */
static void test_load_then_finish_gives_the_same_bytes(void) {
  static const char text[] = "summary 2.0\n"
                             "file name=\"a.h\"\n"
                             "unit source=\"a.c\"\n"
                             "func symbol=\"f\" shape=\"a.h\" file=@0\n"
                             "func symbol=\"g\" signature=0x1\n";
  struct cca_text image = assemble(text), again = {0};
  struct cca_table table;
  CHECK(cca_table_open(&table, &cca_summary_schema, image.data, image.len,
                       NULL) == CCA_TABLE_OK);
  struct cca_builder *builder = cca_builder_new(&cca_summary_schema);
  cca_builder_load(builder, &table);
  CHECK(cca_builder_finish(builder, &again, NULL) == CCA_TABLE_OK);
  CHECK_U(again.len, image.len);
  CHECK(memcmp(again.data, image.data, image.len) == 0);
  cca_text_release(&again);
  cca_text_release(&image);
  cca_builder_free(builder);
}

int main(void) {
  RUN(test_builder_writes_these_bytes);
  RUN(test_a_row_begins_without_references);
  RUN(test_an_empty_range_is_written_as_zero);
  RUN(test_builder_refuses_a_broken_row);
  RUN(test_load_then_finish_gives_the_same_bytes);
  return check_done();
}
