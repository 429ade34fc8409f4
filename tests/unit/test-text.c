/* libs: cca_summaries -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc */
/* SPDX-License-Identifier: MIT */
/*
 * test-text.c -- the text of a table says everything, and reading it back
 * gives the same bytes; a mistake in a text is named with its line.
 */
#include "image.h"

#include "summaries/expression.h"

static struct cca_text dump(const struct cca_schema *schema,
                            const struct cca_text *image) {
  struct cca_table table;
  struct cca_text text = {0};
  CHECK(cca_table_open(&table, schema, image->data, image->len, NULL) ==
        CCA_TABLE_OK);
  cca_text_dump(&table, &text);
  return text;
}

/* IN becomes OUT when it is read and written, and OUT becomes itself. */
static void becomes(const struct cca_schema *schema, const char *in,
                    const char *out) {
  struct cca_text image = assemble(in);
  struct cca_text text = dump(schema, &image);
  CHECK_STR(text.data, out);
  struct cca_text again = assemble(text.data);
  CHECK_U(again.len, image.len);
  CHECK(memcmp(again.data, image.data, image.len) == 0);
  cca_text_release(&again);
  cca_text_release(&text);
  cca_text_release(&image);
}

static void test_every_kind_of_column(void) {
  becomes(&cca_summary_schema,
          "summary 2.0\n"
          "file name=\"a.h\"\n"
          "type name=\"char\" kind=base size=-1 count=9223372036854775807 "
          "identity=0x8000000000000000 flags=bytes,incomplete,flexible\n"
          "type kind=unknown size=0 element=@0 line=4294967295 members=@0+2\n"
          "member\n"
          "member offset=7\n"
          "unit\n"
          "local func=@0\n"
          "func\n"
          "node param 0\n"
          "loc base=@0 offset=-2147483648\n",
          "summary 2.0\n"
          "file @0 name=\"a.h\"\n"
          "type @0 name=\"char\" kind=base size=-1 count=9223372036854775807 "
          "identity=0x8000000000000000 flags=bytes,incomplete,flexible\n"
          "type @1 element=@0 line=4294967295 members=@0+2\n"
          "member @0\n"
          "member @1 offset=7\n"
          "unit @0\n"
          "func @0\n"
          "local @0 func=@0\n"
          "node @0 param 0 # p0\n"
          "loc @0 base=@0 offset=-2147483648\n");
}

static void test_a_classification(void) {
  becomes(&cca_classification_schema,
          "classification 2.0\n"
          "type @s name=\"struct s\" kind=struct size=16\n"
          "module producer=\"test\" units=1\n"
          "alloc name=\"f\" kind=calloc args=@0+2 chain=@0+1 offset=-8 "
          "via=none flags=zeroed certainty=agreed called_with=@0+1\n"
          "index value=1\n"
          "index\n"
          "step text=\"because\"\n"
          "count of=@s sites=1\n"
          "allocsite @a callee=\"f\" class=untyped shape=several\n"
          "address site=@a flags=dead\n"
          "address site=@a value=0xfff\n",
          "classification 2.0\n"
          "type @0 name=\"struct s\" kind=struct size=16\n"
          "module @0 producer=\"test\" units=1\n"
          "alloc @0 name=\"f\" kind=calloc args=@0+2 via=none offset=-8 "
          "flags=zeroed certainty=agreed chain=@0+1 called_with=@0+1\n"
          "index @0 value=1\n"
          "index @1\n"
          "step @0 text=\"because\"\n"
          "count @0 of=@0 sites=1\n"
          "allocsite @0 callee=\"f\" class=untyped shape=several\n"
          "address @0 site=@0 flags=dead\n"
          "address @1 value=0xfff site=@0\n");
}

static void test_escapes(void) {
  becomes(
      &cca_summary_schema,
      "summary 2.0\n"
      "unit source=\" \\x41\\\"\\\\\\n\\t\\x01\\x7f\\xc3\\xa9 #\xc3\xa9\"\n",
      "summary 2.0\n"
      "unit @0 source=\" A\\\"\\\\\\n\\t\\x01\\x7f\\xc3\\xa9 "
      "#\\xc3\\xa9\"\n");
}

/* What a person may leave out, or write otherwise. */
static void test_written_by_hand(void) {
  becomes(&cca_summary_schema,
          "# what this is about\r\n"
          "\n"
          "  summary 2.0 # and which version\n"
          "unit\n"
          "call func=@f callee=@malloc args=[@n] # a reference to below\n"
          "func @f symbol=\"f\"params=@0+1\tflags=variadic , noreturn\n"
          "call func=@f target=@n args=[ @n @c ]\r\n"
          "call func=@f callee=@malloc args=@own+1\n"
          "call @g.1 func=@g callee=@malloc\n"
          "func @g symbol=\"g\" returns=@0+1\n"
          "func @malloc symbol=\"malloc\"\n"
          "param kind=integer\n"
          "node @n param 0\n"
          "node @c call @g.1\n"
          "node either [@n @c]\n"
          "node mix []\n"
          "operand @own node=@c\n"
          "return func=@g value=@n",
          "summary 2.0\n"
          "unit @0\n"
          "func @0 symbol=\"f\" flags=variadic,noreturn params=@0+1 "
          "calls=@0+3\n"
          "func @1 symbol=\"g\" calls=@3+1 returns=@0+1\n"
          "func @2 symbol=\"malloc\"\n"
          "param @0 kind=integer\n"
          "node @0 param 0 # p0\n"
          "node @1 call @3 # malloc(...)\n"
          "node @2 either @4+2 # either(p0, malloc(...))\n"
          "node @3 mix # mix()\n"
          "operand @0 node=@1\n"
          "operand @1 node=@0\n"
          "operand @2 node=@0\n"
          "operand @3 node=@1\n"
          "operand @4 node=@0\n"
          "operand @5 node=@1\n"
          "call @0 func=@0 callee=@2 args=@1+1 # malloc(p0)\n"
          "call @1 func=@0 target=@0 args=@2+2 # p0(p0, malloc(...))\n"
          "call @2 func=@0 callee=@2 args=@0+1 # malloc(malloc(...))\n"
          "call @3 func=@1 callee=@2 # malloc()\n"
          "return @0 func=@1 value=@0 # p0\n");
}

/* The reading of each node of a text. */
static void test_readings(void) {
  static const char text[] =
      "summary 2.0\n"
      "unit\n"
      "type @s name=\"struct s\" size=24 members=@0+3\n"
      "member name=\"next\"\n"
      "member name=\"len\" offset=8\n"
      "member offset=16\n"
      "func @f symbol=\"f\"\n"
      "global symbol=\"head\"\n"
      "local func=@f name=\"here\"\n"
      "call @f func=@f callee=@f\n"
      "call @p func=@f target=@22\n"
      "call @none func=@f args=[@p0 @p0 @p0 @p0 @p0 @p0 @p0 @p0 @p0]\n"
      "node constant -16\n"
      "node @size sizeof @s 24\n"
      "node offsetof @s 8\n"
      "node offsetof @s 16\n"
      "node @p0 param 0\n"
      "node @next load @next\n"
      "node load @nextnext\n"
      "node address @element\n"
      "node call @f\n"
      "node func @f\n"
      "node @head global @0\n"
      "node @here local @0\n"
      "node @sum add @p0 @size\n"
      "node @product mul @size @sum\n"
      "node add @product @product\n"
      "node sub @sum @sum\n"
      "node sub @size @size\n"
      "node and @sum @size\n"
      "node mul @17 @size\n"
      "node either [@sum @p0]\n"
      "node opaque content\n"
      "node load @global\n"
      "node load @field\n"
      "node load @local\n"
      "node load @plain\n"
      "node load @before\n"
      "node call @p\n"
      "node call @none\n"
      "node div @sum @size\n"
      "node load @hole\n"
      "loc @next base=@p0 record=@s field=0\n"
      "loc @nextnext base=@next record=@s field=0\n"
      "loc @element base=@p0 record=@s field=8 flags=element\n"
      "loc @global base=@head\n"
      "loc @field base=@head record=@s field=8 offset=8\n"
      "loc @local base=@here offset=4\n"
      "loc @plain base=@p0\n"
      "loc @hole base=@p0 record=@s field=4 offset=4\n"
      "loc @before base=@sum offset=-8 record=@s field=16\n"
      "store loc=@field value=@size\n";
  static const char *const readings[] = {
      "-16",
      "sizeof(struct s)",
      "offsetof(struct s, len)",
      "offsetof(struct s, +16)",
      "p0",
      "p0->next",
      "p0->next->next",
      "&p0->len[]",
      "f(...)",
      "f",
      "head",
      "here",
      "p0 + sizeof(struct s)",
      "sizeof(struct s) * (p0 + sizeof(struct s))",
      ("sizeof(struct s) * (p0 + sizeof(struct s)) + "
       "sizeof(struct s) * (p0 + sizeof(struct s))"),
      "p0 + sizeof(struct s) - (p0 + sizeof(struct s))",
      "sizeof(struct s) - sizeof(struct s)",
      "p0 + sizeof(struct s) & sizeof(struct s)",
      "(p0 + sizeof(struct s) & sizeof(struct s)) * sizeof(struct s)",
      "either(p0 + sizeof(struct s), p0)",
      "?content",
      "head",
      "head.len",
      "*(&here + 4)",
      "*p0",
      "*(p0 + sizeof(struct s) - 8)",
      "head.len(...)",
      "(...)",
      "(p0 + sizeof(struct s)) / sizeof(struct s)",
      "*(p0 + 4)",
  };
  struct cca_text image = assemble(text);
  struct cca_table table;
  CHECK(cca_table_open(&table, &cca_summary_schema, image.data, image.len,
                       NULL) == CCA_TABLE_OK);
  CHECK_U(cca_node_count(&table), sizeof readings / sizeof *readings);
  for (uint32_t i = 0; i < cca_node_count(&table); i++) {
    struct cca_text out = {0};
    cca_expression_write(&table, i, &out);
    CHECK_STR(out.data, readings[i]);
    cca_text_release(&out);
  }
  struct cca_text whole = dump(&cca_summary_schema, &image);
  CHECK(strstr(whole.data, " # head.len = sizeof(struct s)\n"));
  CHECK(strstr(whole.data, " # (p0, p0, p0, p0, p0, p0, p0, p0, ...)\n"));
  cca_text_release(&whole);
  cca_text_release(&image);
}

/* However long a name, a list or a chain is, a reading is about a line. */
static void test_readings_are_short(void) {
  struct cca_text text = {0};
  cca_text_adds(&text, "summary 2.0\nunit\ntype name=\"");
  for (int i = 0; i < 500; i++)
    cca_text_adds(&text, "long ");
  cca_text_adds(&text, "\"\nnode sizeof @0 1\nnode param 0\n");
  for (int i = 2; i < 64; i++) /* 2^62 ways down */
    cca_text_addf(&text, "node add @%d @%d\n", i - 1, i - 1);
  cca_text_adds(&text, "node mix [");
  for (int i = 0; i < 500; i++)
    cca_text_adds(&text, "@1 ");
  cca_text_adds(&text, "]\n");

  struct cca_text image = assemble(text.data);
  struct cca_table table;
  CHECK(cca_table_open(&table, &cca_summary_schema, image.data, image.len,
                       NULL) == CCA_TABLE_OK);
  for (uint32_t i = 0; i < cca_node_count(&table); i++) {
    struct cca_text out = {0};
    cca_expression_write(&table, i, &out);
    CHECK(out.len < 200);
    CHECK(!strstr(out.data, "...") == (i > 0 && i < 6));
    cca_text_release(&out);
  }
  cca_text_release(&image);
  cca_text_release(&text);
}

static const struct {
  const char *text;
  size_t line;
  const char *want;
} mistakes[] = {
    {"", 0, "nothing there"},
    {"\n # only a comment\n", 2, "nothing there"},
    {"\nsumary 1.0\n", 2, "the first line is not `summary 2.0` or the like"},
    {"summary\n", 1, "not version 2.0 of summary"},
    {"summary 2.1\n", 1, "not version 2.0 of summary"},
    {"summary 2.0 now\n", 1, "not version 2.0 of summary"},
    {"summary 2.0\nalloc\n", 2, "a summary has no rows called \"alloc\""},
    {"classification 2.0\nfunc\n", 2,
     "a classification has no rows called \"func\""},
    {"summary 2.0\nunit\n\"\n", 3, "a summary has no rows called \"\""},
    {"summary 2.0\nunit @1\n", 2, "this is unit @0, not @1"},
    {"summary 2.0\nunit @00\n", 2, "this is unit @0, not @00"},
    {"summary 2.0\nunit @\n", 2, "@ without a number or label"},
    {"summary 2.0\nfile @f\nfile @f\n", 3, "another file is called @f"},
    {"summary 2.0\nfile @f\nunit @f\nunit @f\n", 4,
     "another unit is called @f"},
    {"summary 2.0\nunit colour=\"red\"\n", 2, "unit has no field colour"},
    {"summary 2.0\nunit =\n", 2, "unit has no field "},
    {"summary 2.0\nfunc params_first=@0+1\n", 2,
     "func has no field params_first"},
    {"summary 2.0\nfunc params_count=@0+1\n", 2,
     "func has no field params_count"},
    {"summary 2.0\nunit marks=1 marks=1\n", 2, "marks is there twice"},
    {"summary 2.0\nunit marks 1\n", 2, "marks is not followed by ="},
    {"summary 2.0\nunit marks=\n", 2, "not a number, or out of range: "},
    {"summary 2.0\nunit marks=0x\n", 2, "not a number, or out of range: 0x"},
    {"summary 2.0\nunit marks=1a\n", 2, "not a number, or out of range: 1a"},
    {"summary 2.0\nunit marks=-1\n", 2, "not a number, or out of range: -1"},
    {"summary 2.0\nunit marks=4294967296\n", 2,
     "not a number, or out of range: 4294967296"},
    {"summary 2.0\nunit marks=99999999999999999999\n", 2,
     "not a number, or out of range: 99999999999999999999"},
    {"summary 2.0\nloc base=@0 offset=2147483648\n", 2,
     "not a number, or out of range: 2147483648"},
    {"summary 2.0\nloc base=@0 offset=-2147483649\n", 2,
     "not a number, or out of range: -2147483649"},
    {"summary 2.0\nunit digest=0x10000000000000000\n", 2,
     "not a number, or out of range: 0x10000000000000000"},
    {"summary 2.0\ntype size=-9223372036854775809\n", 2,
     "not a number, or out of range: -9223372036854775809"},
    {"summary 2.0\nunit source=a.c\n", 2, "a string begins with \""},
    {"summary 2.0\nunit source=\"a.c\n", 2, "the string does not end"},
    {"summary 2.0\nunit source=\"\\\n", 2, "the string does not end"},
    {"summary 2.0\nunit source=\"\\q\"\n", 2, "no such escape: \\q"},
    {"summary 2.0\nunit source=\"\\x00\"\n", 2, "no such escape: \\x"},
    {"summary 2.0\nunit source=\"\\x4\"\n", 2, "no such escape: \\x"},
    {"summary 2.0\nunit source=\"\\xg0\"\n", 2, "no such escape: \\x"},
    {"summary 2.0\nunit source=\"\\x", 2, "no such escape: \\x"},
    {"summary 2.0\nunit source=\"\\xz0\"\n", 2, "no such escape: \\x"},
    {"summary 2.0\nunit source=\"\\x0A\"\n", 2, "no such escape: \\x"},
    {"summary 2.0\nunit source=\"\\\x1b\"\n", 2, "no such escape: \\?"},
    {"summary 2.0\nunit source=\"\\\x7f\"\n", 2, "no such escape: \\?"},
    {"summary 2.0\nunit source=\"\\~\"\n", 2, "no such escape: \\~"},
    {"summary 2.0\nunit marks{\n", 2, "marks is not followed by ="},
    {"summary 2.0\nunit marks[\n", 2, "marks is not followed by ="},
    {"summary 2.0\nunit status=good\n", 2, "no such status: good"},
    {"summary 2.0\nfunc flags=hidden,\n", 2, "no such flags: "},
    {"summary 2.0\nfunc result=5\n", 2, "a reference begins with @"},
    {"summary 2.0\nfunc result=@foo\n", 2, "no type has the label @foo"},
    {"summary 2.0\nfile @foo\nfunc result=@foo\n", 3,
     "no type has the label @foo"},
    {"summary 2.0\nfunc params=@0\n", 2, "a range is @FIRST+COUNT"},
    {"summary 2.0\nfunc params=@0+\n", 2, "not a number, or out of range: "},
    {"summary 2.0\nfunc result=@4294967296\n", 2,
     "not a number, or out of range: 4294967296"},
    {"summary 2.0\nfunc params=[]\n", 2, "a reference begins with @"},
    {"summary 2.0\ncall func=@0 args=[@0\n", 2, "the list does not end"},
    {"summary 2.0\ncall func=@0 args=[0]\n", 2, "a reference begins with @"},
    {"summary 2.0\nlocal name=\"l\"\n", 2, "func is not there"},
    {"summary 2.0\nnode frobnicate\n", 2, "no such op: frobnicate"},
    {"summary 2.0\nnode add @0\n", 2, "a reference begins with @"},
    {"summary 2.0\nnode param 0 0\n", 2, "unexpected: 0"},
    {"summary 2.0\nnode op=add\n", 2, "no such op: op"},
    {"summary 2.0\nnode opaque loopy\n", 2, "no such a: loopy"},
    /* texts that end where more was to come */
    {"summary", 1, "not version 2.0 of summary"},
    {"summary 2.0\nunit marks=", 2, "not a number, or out of range: "},
    {"summary 2.0\nunit marks=-", 2, "not a number, or out of range: -"},
    {"summary 2.0\nunit marks=1x", 2, "not a number, or out of range: 1x"},
    {"summary 2.0\nunit status=", 2, "no such status: "},
    {"summary 2.0\nfunc params= ", 2, "a reference begins with @"},
    {"summary 2.0\nfunc params=@", 2, "no param has the label @"},
    {"summary 2.0\nunit source=\"\\x4", 2, "no such escape: \\x"},
    {"summary 2.0\nunit source=\"\\x41", 2, "the string does not end"},
    /* what the table's check says has no line */
    {"summary 2.0\n", 0, "0 rows of unit, not 1"},
    {"summary 2.0\nunit\nnode add @0 @0\n", 0,
     "node 0: a is node 0, not an earlier one"},
    {"summary 2.0\nunit\nfunc\nfunc\ncall func=@0\ncall func=@1\n"
     "call func=@0\n",
     0, "func 0: calls and the func of call 2 disagree"},
    {"summary 2.0\nunit\nfunc calls=@0+1\ncall func=@0\ncall func=@0\n", 0,
     "func 0: calls and the func of call 1 disagree"},
    {"summary 2.0\nunit\ncall func=@0\n", 0, "call 0: func is row 0 of 0"},
};

static void test_mistakes(void) {
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    size_t len = strlen(mistakes[i].text);
    char *copy = malloc(len ? len : 1); /* not terminated */
    memcpy(copy, mistakes[i].text, len);
    struct cca_text out = {0};
    struct cca_table_error err = {.text = ""};
    cca_text_adds(&out, "before");
    CHECK(cca_text_assemble(copy, len, &out, &err) == CCA_TABLE_ERR_CORRUPT);
    CHECK_STR(err.text, mistakes[i].want);
    CHECK_U(err.offset, mistakes[i].line);
    CHECK_STR(out.data, "before");
    cca_text_release(&out);
    free(copy);
  }
  struct cca_text out = {0};
  CHECK(cca_text_assemble("summary 2.0\n", 12, &out, NULL) < 0);
  cca_text_release(&out);
  struct cca_table_error err;
  CHECK(cca_text_assemble("summary 2.0\nunit\0\n", 18, NULL, &err) < 0);
  CHECK_STR(err.text, "a zero byte");
  CHECK_U(err.offset, 2);
}

int main(void) {
  RUN(test_every_kind_of_column);
  RUN(test_a_classification);
  RUN(test_escapes);
  RUN(test_written_by_hand);
  RUN(test_readings);
  RUN(test_readings_are_short);
  RUN(test_mistakes);
  return check_done();
}
