/* SPDX-License-Identifier: MIT */
/*
 * table.h -- what has to hold for any bytes that open as a table.
 *
 *   - everything in it can be read, and leads nowhere else;
 *   - its text can be read back, and says the same again;
 *   - loading and finishing it gives the bytes that its text gives, and these
 *     are final: written once more they stay.
 *
 * The bytes need not be those that we began with: a later minor version may
 * have longer rows and more chunks, and another writer another order of
 * strings.
 *
 * The corpus is the corpus of fuzz-assemble, assembled.
 */
#ifndef FUZZ_TABLE_H
#define FUZZ_TABLE_H

#include "touch.h"

static inline int same_text(const struct cca_text *a,
                            const struct cca_text *b) {
  return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static inline void check_table(const struct cca_table *table) {
  struct cca_text text = {0}, image = {0}, loaded = {0}, again = {0};
  struct cca_table_error err;
  struct cca_table second;
  touch_table(table);

  cca_text_dump(table, &text);
  MUST(cca_text_assemble(text.data, text.len, &image, &err) == CCA_TABLE_OK);

  struct cca_builder *builder = cca_builder_new(table->schema);
  cca_builder_load(builder, table);
  MUST(cca_builder_finish(builder, &loaded, &err) == CCA_TABLE_OK);
  cca_builder_free(builder);
  MUST(same_text(&image, &loaded));

  MUST(cca_table_open(&second, table->schema, image.data, image.len, &err) ==
       CCA_TABLE_OK);
  MUST(second.len == image.len);
  cca_text_dump(&second, &again);
  MUST(same_text(&text, &again));

  cca_text_release(&text);
  cca_text_release(&image);
  cca_text_release(&loaded);
  cca_text_release(&again);
}

static inline void fuzz_table(const struct cca_schema *schema, const void *data,
                              size_t size) {
  struct cca_table table;
  struct cca_table_error err = {.status = CCA_TABLE_OK, .text = ""};
  int status = cca_table_open(&table, schema, data, size, &err);
  MUST(status == err.status);
  MUST((status == CCA_TABLE_OK) == !*err.text);
  if (status == CCA_TABLE_OK)
    check_table(&table);
  else
    MUST(err.offset <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
