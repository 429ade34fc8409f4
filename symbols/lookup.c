/* SPDX-License-Identifier: MIT */
/*
 * lookup.c -- questions to a symbol table.
 *
 * In:    an open table, and an offset, a name or a pattern.
 * Out:   what it says, in the caller's arrays.
 * Holds: nothing is allocated, and every loop ends: the table was checked.
 *
 * An address is looked for by bisection, in the scopes, the lines and, where
 * no scope is, the symbols.  That is a step for each doubling of a module, and
 * each step's load waits for the one before.
 */
#include "lookup.h"

#include <stdbool.h>
#include <string.h>

/* The last row of chunk ID, whose column 0 ascends, that starts at START or
 * before; CCA_NONE if none does. */
static uint32_t last_before(const struct cca_table *table, enum cca_chunk_id id,
                            uint32_t start) {
  const unsigned char *rows = table->rows[id];
  size_t stride = table->stride[id];
  uint32_t first = 0, count = table->count[id];
  if (!count || cca_load_4(rows) > start)
    return CCA_NONE;
  while (count > 1) { /* row FIRST starts at START or before */
    uint32_t half = count / 2;
    first += cca_load_4(rows + (first + half) * stride) <= start ? half : 0;
    count -= half;
  }
  return first;
}

/* What people call NAME; what linkers do. */
static const char *pretty(const struct cca_table *table, struct cca_name name) {
  return cca_table_string(table, name.pretty ? name.pretty : name.linkage);
}

static const char *file_name(const struct cca_table *table, uint32_t path) {
  return path == CCA_NONE
             ? NULL
             : cca_table_string(table, cca_source_file_at(table, path).name);
}

static void set_name(const struct cca_table *table, struct cca_frame *frame,
                     uint32_t row) {
  if (row == CCA_NONE)
    return;
  struct cca_name name = cca_name_at(table, row);
  frame->name = cca_table_string(table, name.linkage);
  frame->pretty = pretty(table, name);
}

static void set_place(const struct cca_table *table, struct cca_frame *frame,
                      uint32_t path, uint32_t line, uint32_t column) {
  frame->file = file_name(table, path);
  frame->line = line;
  frame->column = column;
}

/* The symbol at START; CCA_NONE if there is none. */
static uint32_t symbol_at(const struct cca_table *table, uint32_t start) {
  uint32_t row = last_before(table, CCA_CHUNK_SYMBOL_FROM, start);
  return row == CCA_NONE ? CCA_NONE : cca_symbol_from_at(table, row).symbol;
}

static void set_symbol(const struct cca_table *table, struct cca_frame *frame,
                       uint32_t row, uint64_t base) {
  struct cca_symbol symbol = cca_symbol_at(table, row);
  set_name(table, frame, symbol.name);
  frame->start = base + symbol.start;
  frame->size = symbol.size;
}

int cca_lookup_address(const struct cca_table *table, uint64_t offset,
                       struct cca_frame *frames, size_t room, size_t *count) {
  struct cca_image image = cca_image_at(table, 0);
  uint64_t base = (uint64_t)image.base;
  *count = 0;
  if (offset < base || offset - base >= image.span)
    return CCA_ERR_NOT_FOUND;
  uint32_t start = (uint32_t)(offset - base);

  uint32_t row = last_before(table, CCA_CHUNK_LINE_FROM, start);
  struct cca_line_from place =
      row == CCA_NONE ? cca_line_from_init() : cca_line_from_at(table, row);
  row = last_before(table, CCA_CHUNK_SCOPE_FROM, start);
  uint32_t scope =
      row == CCA_NONE ? CCA_NONE : cca_scope_from_at(table, row).scope;
  int result = place.line ? CCA_OK : CCA_ERR_NO_LINE;

  if (scope == CCA_NONE) {
    uint32_t symbol = symbol_at(table, start);
    if (symbol == CCA_NONE && place.file == CCA_NONE)
      return CCA_ERR_NOT_FOUND;
    *count = 1;
    if (room) {
      frames[0] = (struct cca_frame){0};
      set_place(table, &frames[0], place.file, place.line, place.column);
      if (symbol != CCA_NONE)
        set_symbol(table, &frames[0], symbol, base);
    }
    return result;
  }

  *count = cca_scope_at(table, scope).depth + 1;
  for (size_t i = 0; i < *count && i < room; i++) {
    struct cca_scope at = cca_scope_at(table, scope);
    frames[i] = (struct cca_frame){.inlined = at.parent != CCA_NONE,
                                   .start = base + at.start,
                                   .size = at.size};
    set_place(table, &frames[i], place.file, place.line, place.column);
    set_name(table, &frames[i], at.name);
    place = (struct cca_line_from){0, at.file, at.line, at.column};
    scope = at.parent;
  }
  return result;
}

struct cca_symbol_info cca_lookup_symbol(const struct cca_table *table,
                                         uint32_t i) {
  struct cca_symbol symbol = cca_symbol_at(table, i);
  struct cca_name name = cca_name_at(table, symbol.name);
  return (struct cca_symbol_info){
      .name = cca_table_string(table, name.linkage),
      .pretty = pretty(table, name),
      .offset = (uint64_t)cca_image_at(table, 0).base + symbol.start,
      .size = symbol.size,
      .type = symbol.kind,
      .scope = symbol.binding,
  };
}

struct cca_line_info cca_lookup_line(const struct cca_table *table,
                                     uint32_t i) {
  struct cca_image image = cca_image_at(table, 0);
  struct cca_line_from line = cca_line_from_at(table, i);
  uint32_t end = i + 1 < cca_line_from_count(table)
                     ? cca_line_from_at(table, i + 1).start
                     : image.span;
  return (struct cca_line_info){
      .offset = (uint64_t)image.base + line.start,
      .size = end > line.start ? end - line.start : 0,
      .file = file_name(table, line.file),
      .line = line.line,
      .column = line.column,
  };
}

struct cca_section_info cca_lookup_section(const struct cca_table *table,
                                           uint32_t i) {
  struct cca_section section = cca_section_at(table, i);
  return (struct cca_section_info){
      .name = cca_table_string(table, section.name),
      .offset = (uint64_t)cca_image_at(table, 0).base + section.start,
      .size = section.size,
      .code = section.flags & CCA_SECTION_FLAGS_CODE ? 1 : 0,
  };
}

static const char *linkage_of(const struct cca_table *table, uint32_t symbol) {
  uint32_t name = cca_symbol_at(table, symbol).name;
  return cca_table_string(table, cca_name_at(table, name).linkage);
}

/* The first row of BY_NAME whose name is not less than NAME. */
static uint32_t first_by_name(const struct cca_table *table, const char *name) {
  uint32_t first = 0, count = cca_by_name_count(table);
  while (count) {
    uint32_t half = count / 2;
    const char *at =
        linkage_of(table, cca_by_name_at(table, first + half).symbol);
    if (strcmp(at, name) < 0) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

static void found(const struct cca_table *table, uint32_t symbol,
                  struct cca_symbol_info *out, size_t room, size_t *count) {
  if (*count < room)
    out[*count] = cca_lookup_symbol(table, symbol);
  ++*count;
}

int cca_lookup_name(const struct cca_table *table, const char *name,
                    struct cca_symbol_info *out, size_t room, size_t *count) {
  *count = 0;
  for (uint32_t i = first_by_name(table, name); i < cca_by_name_count(table);
       i++) {
    uint32_t symbol = cca_by_name_at(table, i).symbol;
    if (strcmp(linkage_of(table, symbol), name))
      break;
    found(table, symbol, out, room, count);
  }
  for (uint32_t i = 0, all = *count ? 0 : cca_symbol_count(table); i < all; i++)
    if (!strcmp(pretty(table, cca_name_at(table, cca_symbol_at(table, i).name)),
                name))
      found(table, i, out, room, count);
  return *count ? CCA_OK : CCA_ERR_NOT_FOUND;
}

/* fnmatch() may allocate, in some locales.  After a mismatch only the last `*`
 * can have stood for too little, so one place to go back to is enough. */
static bool matches(const char *pattern, const char *text) {
  const char *star = NULL, *from = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = ++pattern;
      from = text;
    } else if (*pattern == '?' || *pattern == *text) {
      pattern++;
      text++;
    } else if (star) {
      pattern = star;
      text = ++from;
    } else {
      return false;
    }
  }
  while (*pattern == '*')
    pattern++;
  return !*pattern;
}

int cca_lookup_pattern(const struct cca_table *table, const char *pattern,
                       struct cca_symbol_info *out, size_t room,
                       size_t *count) {
  *count = 0;
  for (uint32_t i = 0; i < cca_symbol_count(table); i++) {
    struct cca_name name = cca_name_at(table, cca_symbol_at(table, i).name);
    if (matches(pattern, cca_table_string(table, name.linkage)) ||
        (name.pretty && matches(pattern, cca_table_string(table, name.pretty))))
      found(table, i, out, room, count);
  }
  return *count ? CCA_OK : CCA_ERR_NOT_FOUND;
}
