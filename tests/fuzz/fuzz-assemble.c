/* libs: cca_summaries */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-assemble.c -- any text: what is accepted gives a table, whose own text
 * gives the same bytes; what is refused says in which of its lines.
 */
#include "table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cca_text image = {0};
  struct cca_table_error err = {.text = ""};
  size_t lines = 1;
  for (size_t i = 0; i < size; i++)
    lines += data[i] == '\n';

  if (cca_text_assemble((const char *)data, size, &image, &err) < 0) {
    MUST(err.status < 0 && *err.text && err.offset <= lines);
    MUST(image.len == 0);
  } else {
    struct cca_table table;
    struct cca_text text = {0}, again = {0};
    if (cca_table_open(&table, &cca_summary_schema, image.data, image.len,
                       &err) < 0 &&
        cca_table_open(&table, &cca_classification_schema, image.data,
                       image.len, &err) < 0 &&
        cca_table_open(&table, &cca_symbols_schema, image.data, image.len,
                       &err) < 0)
      MUST(cca_table_open(&table, &cca_cache_schema, image.data, image.len,
                          &err) == CCA_TABLE_OK);
    check_table(&table);
    cca_text_dump(&table, &text);
    MUST(cca_text_assemble(text.data, text.len, &again, &err) == CCA_TABLE_OK);
    MUST(same_text(&image, &again));
    cca_text_release(&text);
    cca_text_release(&again);
  }
  cca_text_release(&image);
  return 0;
}
