/* SPDX-License-Identifier: MIT */
/*
 * gather-lines.c -- the line tables of all units as one: LINE_FROM.
 *
 * In:    the units, in the order in which they are in the file.
 * Out:   rows "from this address on, this place", ascending.
 * Holds: what the last row of a sequence leaves open ends where it ends.
 *
 * libdw gives each unit's rows in the order of their addresses.  So a row from
 * where a sequence ends, which is for no byte at all, comes behind that end and
 * would stay open; it is known by not being in the unit's code.  The others
 * are stretches, each closed by a row that ends it: the stretches are put in
 * order, and not all the rows.  They do not overlap; if those of a broken file
 * do, an address has what the stretch that begins first says.
 */
#include <stdlib.h>
#include <string.h>

#include "gather.h"

struct row {
  uint32_t start;
  uint32_t file; /* CCA_NONE: nothing is known from here on */
  uint32_t line, column;
};

struct stretch {
  uint32_t start, end;
  size_t first, count;
};

/* Where the unit's code is, in the order of addresses. */
struct part {
  Dwarf_Addr from, to;
};
struct parts cca_vec(struct part);

struct cca_lines {
  struct cca_gather *gather;
  struct parts parts; /* of the unit; none: not known */
  struct cca_vec(struct row) rows;
  struct cca_vec(struct stretch) stretches;
  struct row next, told; /* what is known by now; the last row added */
  bool has_next;
};

struct cca_lines *cca_lines_new(struct cca_gather *gather) {
  struct cca_lines *lines = cca_calloc(1, sizeof *lines);
  lines->gather = gather;
  lines->told.file = CCA_NONE;
  return lines;
}

/* ROW is the next one of the stretch that begins with rows[FIRST]. */
static void push(struct cca_lines *lines, size_t first, struct row row) {
  size_t count = lines->rows.count;
  if (count > first) { /* of several from one address the last one counts */
    struct row *last = &lines->rows.items[count - 1];
    if (last->start == row.start) {
      *last = row;
      return;
    }
    if (last->file == row.file && last->line == row.line &&
        last->column == row.column)
      return;
  }
  cca_vec_push(&lines->rows, row);
}

static int by_from(const void *a, const void *b) {
  const struct part *x = a, *y = b;
  return x->from < y->from ? -1 : x->from > y->from;
}

static void find_parts(struct parts *parts, Dwarf_Die *unit) {
  Dwarf_Addr base;
  struct part part;
  ptrdiff_t at = 0;
  parts->count = 0;
  while ((at = dwarf_ranges(unit, at, &base, &part.from, &part.to)) > 0)
    cca_vec_push(parts, part);
  if (parts->count)
    qsort(parts->items, parts->count, sizeof *parts->items, by_from);
}

/* Is ADDRESS in one of PARTS?  *AT is the first that does not end before what
 * was asked for last, and addresses ascend. */
static bool is_in(const struct parts *parts, size_t *at, Dwarf_Addr address) {
  while (*at < parts->count && parts->items[*at].to <= address)
    ++*at;
  return !parts->count ||
         (*at < parts->count && parts->items[*at].from <= address);
}

void cca_lines_add(struct cca_lines *lines, Dwarf_Die *unit,
                   struct cca_files *files) {
  const struct cca_elf_module *module = lines->gather->module;
  uint64_t shift = module->dwarf_bias - module->bias;
  Dwarf_Lines *table;
  size_t count, part = 0, first = lines->rows.count;
  if (dwarf_getsrclines(unit, &table, &count))
    return;
  find_parts(&lines->parts, unit);
  for (size_t i = 0; i < count; i++) {
    Dwarf_Line *line = dwarf_onesrcline(table, i);
    Dwarf_Addr address;
    bool ends;
    int number, column;
    size_t file;
    Dwarf_Files *all;
    if (dwarf_lineaddr(line, &address) || dwarf_lineendsequence(line, &ends))
      continue;
    struct row row = {.file = CCA_NONE};
    if (ends) {
      uint32_t begin;
      size_t rows = lines->rows.count - first;
      uint64_t end = address + shift;
      if (rows &&
          cca_elf_module_clip(module, end - 1, end, &begin, &row.start) &&
          row.start > lines->rows.items[lines->rows.count - 1].start) {
        uint32_t start = lines->rows.items[first].start;
        cca_vec_push(&lines->stretches,
                     ((struct stretch){start, row.start, first, rows}));
      } else {
        lines->rows.count = first; /* empty, or not in the module's code */
      }
      first = lines->rows.count;
      continue;
    }
    uint32_t end;
    if (!is_in(&lines->parts, &part, address) ||
        !cca_elf_module_clip(module, address + shift, address + shift + 1,
                             &row.start, &end))
      continue;
    if (!dwarf_line_file(line, &all, &file))
      row.file = cca_files_row(files, lines->gather, file);
    if (row.file != CCA_NONE && !dwarf_lineno(line, &number) &&
        !dwarf_linecol(line, &column)) {
      row.line = (uint32_t)number;
      row.column = (uint32_t)column;
    }
    push(lines, first, row);
  }
  lines->rows.count = first; /* a stretch that does not end is none */
}

static int by_start(const void *a, const void *b) {
  const struct stretch *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

static void tell(struct cca_lines *lines) {
  struct row *row = &lines->next, *told = &lines->told;
  if (lines->has_next && (row->file != told->file || row->line != told->line ||
                          row->column != told->column)) {
    cca_line_from_add(
        lines->gather->builder,
        (struct cca_line_from){row->start, row->file, row->line, row->column});
    *told = *row;
  }
}

/* From ROW's start on ROW is known, unless another one is from there as well.
 * Where one stretch ends another one may begin. */
static void know(struct cca_lines *lines, struct row row) {
  if (lines->has_next && row.start < lines->next.start)
    return;
  if (lines->has_next && row.start > lines->next.start)
    tell(lines);
  lines->next = row;
  lines->has_next = true;
}

void cca_lines_finish(struct cca_lines *lines) {
  if (lines->stretches.count)
    qsort(lines->stretches.items, lines->stretches.count,
          sizeof *lines->stretches.items, by_start);
  for (size_t i = 0; i < lines->stretches.count; i++) {
    const struct stretch *stretch = &lines->stretches.items[i];
    for (size_t row = 0; row < stretch->count; row++)
      know(lines, lines->rows.items[stretch->first + row]);
    know(lines, (struct row){stretch->end, CCA_NONE, 0, 0});
  }
  tell(lines);
  cca_vec_release(&lines->parts);
  cca_vec_release(&lines->rows);
  cca_vec_release(&lines->stretches);
  free(lines);
}
