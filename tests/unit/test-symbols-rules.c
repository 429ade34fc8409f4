/* libs: cca_summaries -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc */
/* SPDX-License-Identifier: MIT */
/*
 * test-symbols-rules.c -- a symbol table that breaks a rule of
 * docs/symbols-format.md is refused, with the rule; one that just keeps it is
 * not.
 */
#include "image.h"

#define IMAGE "symbols 1.0\nimage span=0x1000\n"
#define NAMES "name linkage=\"a\"\nname linkage=\"b\"\n"

static const struct rule rules[] = {
    {IMAGE, "symbols 1.0\n", "0 rows of image, not 1"},
    {IMAGE, IMAGE "image\n", "2 rows of image, not 1"},
    {IMAGE NAMES "symbol start=5 name=@0\nsymbol start=5 name=@1\n",
     IMAGE NAMES "symbol start=5 name=@0\nsymbol start=4 name=@1\n",
     "symbol 1: starts at 4, less than 5"},
    {IMAGE "symbol_from start=5\nsymbol_from start=6\n",
     IMAGE "symbol_from start=5\nsymbol_from start=5\n",
     "symbol_from 1: starts at 5, less than 6"},
    {IMAGE "scope_from start=5\nscope_from start=6\n",
     IMAGE "scope_from start=5\nscope_from start=5\n",
     "scope_from 1: starts at 5, less than 6"},
    {IMAGE "line_from start=5\nline_from start=6\n",
     IMAGE "line_from start=5\nline_from start=5\n",
     "line_from 1: starts at 5, less than 6"},
    {IMAGE "line_from start=0xfffffffe\nline_from start=0xffffffff\n",
     IMAGE "line_from start=0xffffffff\nline_from start=0\n",
     "line_from 1: starts at 0, less than 0"},
    {IMAGE NAMES "symbol name=@1\nsymbol name=@0\nby_name symbol=@1\n"
                 "by_name symbol=@0\n",
     IMAGE NAMES "symbol name=@1\nsymbol name=@0\nby_name symbol=@0\n"
                 "by_name symbol=@1\n",
     "by_name 1: before the one before it"},
    {IMAGE NAMES "symbol name=@1\nsymbol name=@1\nby_name symbol=@0\n"
                 "by_name symbol=@1\n",
     IMAGE NAMES "symbol name=@1\nsymbol name=@1\nby_name symbol=@1\n"
                 "by_name symbol=@0\n",
     "by_name 1: before the one before it"},
    {IMAGE NAMES "symbol name=@1\nby_name symbol=@0\n",
     IMAGE NAMES "symbol name=@1\nby_name symbol=@0\nby_name symbol=@0\n",
     "by_name 1: before the one before it"},
    {IMAGE "scope\nscope parent=@0 depth=1\n",
     IMAGE "scope\nscope parent=@1 depth=1\n",
     "scope 1: parent is scope 1, not an earlier one"},
    {IMAGE "scope\nscope parent=@0 depth=1\n",
     IMAGE "scope\nscope parent=@0 depth=2\n",
     "scope 1: depth is 2, its parents make it 1 of at most 255"},
    {IMAGE "scope\n", IMAGE "scope depth=1\n",
     "scope 0: depth is 1, its parents make it 0 of at most 255"},
};

static void test_rules(void) {
  check_rules(&cca_symbols_schema, rules, sizeof rules / sizeof *rules);
}

/* Chains of inlined functions end at 255. */
static void test_depth(void) {
  struct cca_builder *builder = cca_builder_new(&cca_symbols_schema);
  struct cca_text image = {0};
  struct cca_table_error err = {.text = ""};
  cca_image_add(builder, cca_image_init());
  for (uint32_t i = 0; i < 257; i++) {
    struct cca_scope scope = cca_scope_init();
    scope.parent = i ? i - 1 : CCA_NONE;
    scope.depth = i;
    cca_scope_add(builder, scope);
    int status = cca_builder_finish(builder, &image, &err);
    CHECK_U(status, i < 256 ? CCA_TABLE_OK : CCA_TABLE_ERR_CORRUPT);
    image.len = 0;
  }
  CHECK_STR(err.text,
            "scope 256: depth is 256, its parents make it 256 of at most 255");
  cca_builder_free(builder);
  cca_text_release(&image);
}

int main(void) {
  RUN(test_rules);
  RUN(test_depth);
  return check_done();
}
