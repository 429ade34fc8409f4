/* libs: cca_symbols */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-symbols.c -- any bytes as a symbol table; see table.h.  Of one that is
 * accepted, every address has an answer that leads nowhere else, as many frames
 * as it says, and the same without room for them; and every symbol is found by
 * its name.
 */
#include "symbols/lookup.h"
#include "table.h"

static void touch_frame(const struct cca_frame *frame) {
  touched += strlen(frame->name ? frame->name : "");
  touched += strlen(frame->pretty ? frame->pretty : "");
  touched += strlen(frame->file ? frame->file : "");
  MUST(!frame->name == !frame->pretty);
}

static void ask(const struct cca_table *table, uint64_t offset) {
  struct cca_frame frames[CCA_SCOPE_MAX_DEPTH + 1];
  size_t count, again;
  int result = cca_lookup_address(table, offset, frames,
                                  CCA_SCOPE_MAX_DEPTH + 1, &count);
  MUST(count <= CCA_SCOPE_MAX_DEPTH + 1);
  MUST((result == CCA_ERR_NOT_FOUND) == !count);
  MUST(cca_lookup_address(table, offset, NULL, 0, &again) == result);
  MUST(count == again);
  for (size_t i = 0; i < count; i++) {
    touch_frame(&frames[i]);
    MUST(frames[i].inlined == (i + 1 < count));
  }
  if (count)
    MUST((result == CCA_OK) == (frames[0].line != 0));
}

static void ask_all(const struct cca_table *table) {
  uint64_t base = (uint64_t)cca_image_at(table, 0).base;
  ask(table, base - 1);
  ask(table, base);
  ask(table, UINT64_MAX);
  for (uint32_t i = 0; i < cca_scope_from_count(table) && i < 100; i++)
    ask(table, base + cca_scope_from_at(table, i).start);
  for (uint32_t i = 0; i < cca_line_from_count(table) && i < 100; i++) {
    struct cca_line_info line = cca_lookup_line(table, i);
    touched += strlen(line.file ? line.file : "");
    ask(table, line.offset);
    ask(table, line.offset - 1);
  }
  for (uint32_t i = 0; i < cca_symbol_count(table) && i < 100; i++) {
    struct cca_symbol_info symbol = cca_lookup_symbol(table, i), found;
    size_t count, all;
    ask(table, symbol.offset);
    cca_lookup_name(table, symbol.name, &found, 1, &count);
    if (count)
      MUST(!strcmp(found.name, symbol.name) ||
           !strcmp(found.pretty, symbol.name));
    cca_lookup_pattern(table, symbol.name, &found, 1, &all);
    MUST(all); /* at least itself, even if its name has a `*` in it */
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cca_table table;
  fuzz_table(&cca_symbols_schema, data, size);
  if (cca_table_open(&table, &cca_symbols_schema, data, size, NULL) ==
      CCA_TABLE_OK)
    ask_all(&table);
  return 0;
}
