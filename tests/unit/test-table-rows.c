/* libs: cca_summaries -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc */
/* SPDX-License-Identifier: MIT */
/*
 * test-table-rows.c -- rows that break a rule are refused, and the rule and
 * the byte are named; nothing that can be read leads out of the image.
 *
 * One table with every chunk, changed in one place at a time.
 */
#include "image.h"

/* Every chunk of a summary, in the order of their ids; see broken_rows. */
static const char summary_text[] =
    "summary 2.0\n"
    "file name=\"a.c\"\n"
    "type name=\"struct s\" kind=struct size=16 file=@0 members=@0+2\n"
    "type name=\"struct s *\" kind=pointer size=8 element=@0\n"
    "member name=\"next\" of=@1\n"
    "member name=\"n\" offset=8\n"
    "unit source=\"a.c\" producer=\"test\"\n"
    "func symbol=\"f\" linkage=external params=@0+1 calls=@0+1 "
    "stores=@0+1 returns=@0+1\n"
    "func symbol=\"g\" calls=@1+1\n"
    "param name=\"p\" kind=pointer of=@0\n"
    "global symbol=\"v\" of=@1\n"
    "local func=@0 name=\"l\"\n"
    "node @p param 0\n"
    "node constant 5\n"
    "node sizeof @0 16\n"
    "node mul @1 @2\n"
    "node load @0\n"
    "node address @1\n"
    "node either @0+2\n"
    "node mix @2+1\n"
    "node opaque loop\n"
    "node call @0\n"
    "node func @1\n"
    "node global @0\n"
    "node local @0\n"
    "operand node=@0\n"
    "operand node=@1\n"
    "operand node=@2\n"
    "operand node=@3\n"
    "loc base=@p record=@0 field=8 size=8\n"
    "loc base=@p\n"
    "call func=@0 callee=@1 args=@0+3\n"
    "call func=@1 target=@11 args=@3+1 flags=unused\n"
    "store func=@0 loc=@0 value=@1\n"
    "store loc=@0 value=@2\n"
    "return func=@0 value=@4\n"
    "site call=@0 section=\".text\"\n";

static const char classification_text[] =
    "classification 2.0\n"
    "type name=\"struct s\" kind=struct size=16\n"
    "module producer=\"test\" units=1\n"
    "alloc name=\"f\" args=@0+1 called_with=@0+1 chain=@0+1\n"
    "alloc name=\"g\" chain=@1+1\n"
    "index value=1\n"
    "step text=\"because\"\n"
    "step text=\"and\"\n"
    "count of=@0 sites=1\n"
    "allocsite unit=\"a.c\" callee=\"f\" of=@0 types=@0+1\n"
    "address site=@0 flags=dead\n"
    "address value=0x10 site=@0\n"
    "address value=0x10 site=@0 flags=inlined\n"
    "address value=0xffffffffffffff00 site=@0\n"
    "import symbol=\"h\" types=@0+1\n"
    "missing unit=\"b.o\" reason=\"no summary\"\n";

/* A column of a row. */
struct place {
  enum cca_chunk_id id;
  uint32_t row;
  size_t column;
};
#define AT(NAME, name, row, column)                                            \
  { CCA_CHUNK_##NAME, row, offsetof(struct cca_wire_##name, column) }
#define THERE                                                                  \
  { 0, 0, 0 } /* where the change is */

struct broken {
  struct place change;
  uint32_t value;
  struct place error;
  const char *text;
};

static const struct broken broken_summaries[] = {
    /* what a column may hold, by kind of column */
    {AT(FILE, file, 0, name), 1000, THERE,
     "file 0: name is beyond the string table"},
    {AT(TYPE, type, 1, kind), 9, THERE, "type 1: kind has no value 9"},
    {AT(TYPE, type, 1, flags), 8, THERE,
     "type 1: flags has reserved bits: 0x8"},
    {AT(CALL, call, 1, flags), 0x80000000, THERE,
     "call 1: flags has reserved bits: 0x80000000"},
    {AT(TYPE, type, 1, element), 2, THERE, "type 1: element is row 2 of 2"},
    {AT(LOCAL, local, 0, func), 2, THERE, "local 0: func is row 2 of 2"},
    {AT(LOCAL, local, 0, func), CCA_NONE, THERE,
     "local 0: func is row 4294967295 of 2"},
    /* ranges */
    {AT(TYPE, type, 0, members_count), 3, AT(TYPE, type, 0, members_first),
     "type 0: members is 0 + 3 of 2 rows"},
    {AT(TYPE, type, 0, members_first), 3, THERE,
     "type 0: members is 3 + 2 of 2 rows"},
    {AT(TYPE, type, 0, members_first), 0xffffffff, THERE,
     "type 0: members is 4294967295 + 2 of 2 rows"},
    {AT(TYPE, type, 1, members_first), 1, THERE,
     "type 1: members is empty, but at 1"},
    {AT(TYPE, type, 1, members_count), 1, AT(TYPE, type, 1, members_first),
     "type 1: members overlaps another"},
    /* operands of nodes */
    {AT(NODE, node, 0, op), 18, THERE, "node 0: op has no value 18"},
    {AT(NODE, node, 0, b), 1, THERE, "node 0: b is not 0"},
    {AT(NODE, node, 2, a), 2, THERE, "node 2: a is row 2 of 2"},
    {AT(NODE, node, 3, a), 3, THERE, "node 3: a is node 3, not an earlier one"},
    {AT(NODE, node, 3, b), 4, THERE, "node 3: b is node 4, not an earlier one"},
    {AT(NODE, node, 4, a), 2, THERE, "node 4: a is row 2 of 2"},
    {AT(NODE, node, 5, b), 1, THERE, "node 5: b is not 0"},
    {AT(NODE, node, 8, a), 7, THERE, "node 8: a has no value 7"},
    {AT(NODE, node, 9, a), 2, THERE, "node 9: a is row 2 of 2"},
    {AT(NODE, node, 10, a), 2, THERE, "node 10: a is row 2 of 2"},
    {AT(NODE, node, 11, a), 1, THERE, "node 11: a is row 1 of 1"},
    {AT(NODE, node, 12, a), 1, THERE, "node 12: a is row 1 of 1"},
    {AT(NODE, node, 6, b), 5, AT(NODE, node, 6, a),
     "node 6: a is 0 + 5 of 4 rows"},
    {AT(NODE, node, 6, b), 4, AT(NODE, node, 7, a),
     "node 7: a overlaps another"},
    {AT(NODE, node, 6, b), 0, THERE, NULL},
    {AT(NODE, node, 7, b), 0, AT(NODE, node, 7, a),
     "node 7: a is empty, but at 2"},
    /* what is computed from what */
    {AT(OPERAND, operand, 1, node), 6, AT(NODE, node, 6, a),
     "node 6: operand 1 is node 6, not an earlier one"},
    {AT(OPERAND, operand, 1, node), 5, THERE, NULL},
    {AT(OPERAND, operand, 2, node), 12, AT(NODE, node, 7, a),
     "node 7: operand 2 is node 12, not an earlier one"},
    {AT(OPERAND, operand, 3, node), 12, THERE, NULL},
    {AT(LOC, loc, 0, base), 4, AT(NODE, node, 4, a),
     "node 4: loc 0 is based on node 4, not an earlier one"},
    {AT(LOC, loc, 0, base), 3, THERE, NULL},
    {AT(LOC, loc, 1, base), 5, AT(NODE, node, 5, a),
     "node 5: loc 1 is based on node 5, not an earlier one"},
    {AT(LOC, loc, 1, base), 4, THERE, NULL},
    /* what is whose */
    {AT(CALL, call, 0, func), 1, AT(FUNC, func, 0, symbol),
     "func 0: calls and the func of call 0 disagree"},
    {AT(FUNC, func, 0, calls_count), 0, AT(FUNC, func, 0, symbol),
     "func 0: calls and the func of call 0 disagree"},
    {AT(FUNC, func, 1, calls_first), 0, AT(FUNC, func, 1, symbol),
     "func 1: calls and the func of call 0 disagree"},
    {AT(STORE, store, 0, func), CCA_NONE, AT(FUNC, func, 0, symbol),
     "func 0: stores and the func of store 0 disagree"},
    {AT(STORE, store, 1, func), 0, AT(FUNC, func, 0, symbol),
     "func 0: stores and the func of store 1 disagree"},
    {AT(FUNC, func, 0, returns_count), 0, AT(FUNC, func, 0, symbol),
     "func 0: returns and the func of return 0 disagree"},
    {AT(RETURN, return, 0, func), 1, AT(FUNC, func, 0, symbol),
     "func 0: returns and the func of return 0 disagree"},
};

static const struct broken broken_classifications[] = {
    {AT(ALLOC, alloc, 0, kind), 13, THERE, "alloc 0: kind has no value 13"},
    {AT(ALLOC, alloc, 1, chain_count), 2, AT(ALLOC, alloc, 1, chain_first),
     "alloc 1: chain is 1 + 2 of 2 rows"},
    {AT(COUNT, count, 0, of), 1, THERE, "count 0: of is row 1 of 1"},
    {AT(ADDRESS, address, 0, site), 1, THERE, "address 0: site is row 1 of 1"},
    {AT(ADDRESS, address, 0, value), 1, THERE, "address 0: dead, but not 0"},
    {AT(ADDRESS, address, 2, value), 0x0f, THERE,
     "address 2: less than the one before"},
    {AT(ADDRESS, address, 3, value), 0, THERE, NULL}, /* still the largest */
};

static size_t offset_of(const struct cca_text *image,
                        const struct cca_schema *schema, struct place place) {
  struct cca_table table;
  CHECK(cca_table_open(&table, schema, image->data, image->len, NULL) ==
        CCA_TABLE_OK);
  return (size_t)(cca_table_row(&table, place.id, place.row) - table.image) +
         place.column;
}

/* Make the change in the table of TEXT, and look what comes of it. */
static void break_row(const struct cca_schema *schema, const char *text,
                      const struct broken *broken) {
  struct cca_text image = assemble(text);
  struct cca_table_error err = {.text = ""};
  size_t change = offset_of(&image, schema, broken->change);
  size_t error =
      broken->error.id ? offset_of(&image, schema, broken->error) : change;
  cca_save_4((unsigned char *)image.data + change, broken->value);

  int status = read_all(schema, image.data, image.len, &err);
  if (broken->text) {
    CHECK_STR(err.text, broken->text);
    CHECK(status == CCA_TABLE_ERR_CORRUPT);
    CHECK_U(err.offset, error);
  } else {
    CHECK_STR(err.text, "");
    CHECK(status == CCA_TABLE_OK);
  }
  cca_text_release(&image);
}

static void test_a_broken_row_is_named(void) {
  for (size_t i = 0; i < sizeof broken_summaries / sizeof *broken_summaries;
       i++)
    break_row(&cca_summary_schema, summary_text, &broken_summaries[i]);
  for (size_t i = 0;
       i < sizeof broken_classifications / sizeof *broken_classifications; i++)
    break_row(&cca_classification_schema, classification_text,
              &broken_classifications[i]);
}

static void test_two_units_are_too_many(void) {
  struct cca_builder *builder = cca_builder_new(&cca_summary_schema);
  struct cca_text out = {0};
  struct cca_table_error err = {.text = ""};
  cca_unit_add(builder, cca_unit_init());
  cca_unit_add(builder, cca_unit_init());
  CHECK(cca_builder_finish(builder, &out, &err) == CCA_TABLE_ERR_CORRUPT);
  CHECK_STR(err.text, "2 rows of unit, not 1");
  cca_text_release(&out);
  cca_builder_free(builder);
}

/* Every truncation is refused, and no change of one byte leads outside. */
static void sweep(const struct cca_schema *schema, const char *text) {
  static const unsigned char changes[] = {1, 2, 4, 8, 16, 32, 64, 128, 255};
  struct cca_text image = assemble(text);
  CHECK(read_all(schema, image.data, image.len, NULL) == CCA_TABLE_OK);
  for (size_t len = 0; len < image.len; len++)
    CHECK(read_all(schema, image.data, len, NULL) < 0);
  for (size_t at = 0; at < image.len; at++)
    for (size_t i = 0; i < sizeof changes; i++) {
      image.data[at] ^= (char)changes[i];
      read_all(schema, image.data, image.len, NULL);
      image.data[at] ^= (char)changes[i];
    }
  cca_text_release(&image);
}

static void test_truncations_and_changes(void) {
  sweep(&cca_summary_schema, summary_text);
  sweep(&cca_classification_schema, classification_text);
}

int main(void) {
  RUN(test_a_broken_row_is_named);
  RUN(test_two_units_are_too_many);
  RUN(test_truncations_and_changes);
  return check_done();
}
