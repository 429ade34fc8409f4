/* SPDX-License-Identifier: MIT */
/*
 * heap-text.c -- the heap of a process by type, as a table.
 *
 * Types first, by rank; then what is bytes by nature; then what has no type,
 * a row for each reason.  All rows together are all objects: nothing is left
 * out of the sums, whatever is shown.
 */
#include "heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 7 };

/* 1234567 as 1,234,567. */
static const char *grouped(char text[32], int64_t number) {
  char digits[24];
  int len = snprintf(digits, sizeof digits, "%llu",
                     number < 0 ? -(unsigned long long)number
                                : (unsigned long long)number);
  char *to = text;
  if (number < 0)
    *to++ = '-';
  for (int i = 0; i < len; i++) {
    if (i && (len - i) % 3 == 0)
      *to++ = ',';
    *to++ = digits[i];
  }
  *to = 0;
  return text;
}

static void cell_number(struct cca_grid *grid, int64_t number) {
  char text[32];
  cca_cell(grid, number ? CCA_STYLE_PLAIN : CCA_STYLE_DIM,
           grouped(text, number));
}

static void cells_tally(struct cca_grid *grid, const struct cca_tally *tally) {
  cell_number(grid, tally->objects);
  cell_number(grid, tally->bytes);
  cell_number(grid, tally->live_objects);
  cell_number(grid, tally->live_bytes);
}

/* ---- Totals ---- */

static double percent(int64_t part, int64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void line_share(const struct cca_heap *heap, struct cca_text *out,
                       const char *name, const struct cca_tally *tally) {
  cca_text_addf(out, "  %-9s  %5.1f %% of objects, %5.1f %% of bytes\n", name,
                percent(tally->objects, heap->total.objects),
                percent(tally->bytes, heap->total.bytes));
}

static void totals(const struct cca_heap *heap, struct cca_text *out) {
  char objects[32], bytes[32];
  cca_text_addf(out, "  allocated  %s objects, %s bytes\n",
                grouped(objects, heap->total.objects),
                grouped(bytes, heap->total.bytes));
  cca_text_addf(out, "  live       %s objects, %s bytes\n",
                grouped(objects, heap->total.live_objects),
                grouped(bytes, heap->total.live_bytes));
  line_share(heap, out, "typed", &heap->typed);
  line_share(heap, out, "bytes", &heap->bytes);
  line_share(heap, out, "untyped", &heap->untyped);
}

/* ---- Rows ---- */

static void add_line(struct cca_text *text, const char *file, uint32_t line) {
  if (*file && line)
    cca_text_addf(text, "%s:%u  ", cca_heap_short_name(file), line);
}

/* "lapi.c:593  lua_pushcclosure → luaF_newCclosure", or what is known: of an
 * address "hash.c:20  get, inlined into lookup → libc.so.6", where there is no
 * line "libfoo.so+0x1139  lookup", and without any symbol not even that. */
static void add_place(const struct cca_screen *screen, struct cca_text *text,
                      const struct cca_heap_site *site) {
  const char *callee = site->callee;
  if (!*site->module && !*site->function) {
    cca_text_adds(text, "unknown code");
    return;
  }
  add_line(text, site->file, site->line);
  if (*site->address && (!*site->file || !site->line))
    cca_text_addf(text, "%s+%s%s", cca_heap_base_name(site->module),
                  site->address, *site->function ? "  " : "");
  cca_text_adds(text, site->function);
  for (size_t i = 0; i < site->around_count; i++)
    cca_text_addf(text, ", inlined into %s",
                  *site->around[i].function ? site->around[i].function : "?");
  if (*site->address)
    callee = cca_heap_base_name(site->inside);
  if (*callee || !*site->address)
    cca_text_addf(text, " %s %s", screen->arrow, callee);
}

static void site_rows(struct cca_grid *grid, const struct cca_screen *screen,
                      const struct cca_heap_row *row) {
  for (size_t i = 0; i < row->sites.count; i++) {
    const struct cca_heap_site *site = &row->sites.items[i];
    struct cca_text place = {0};
    cca_text_adds(&place, "  ");
    add_place(screen, &place, site);
    cca_cell(grid, CCA_STYLE_PLAIN, "");
    cells_tally(grid, &site->tally);
    cca_cell(grid, CCA_STYLE_PLAIN, "");
    cca_cell(grid, CCA_STYLE_DIM, place.data);
    cca_text_release(&place);
  }
}

/* A row for the types that are not shown, if there are any. */
static void more_types(struct cca_grid *grid, const struct cca_tally *rest,
                       unsigned *left_out) {
  if (!*left_out)
    return;
  cca_cell(grid, CCA_STYLE_PLAIN, "");
  cells_tally(grid, rest);
  cca_cell(grid, CCA_STYLE_PLAIN, "");
  cca_cellf(grid, CCA_STYLE_DIM, "%u more types; --all shows them", *left_out);
  *left_out = 0;
}

/* Why there is no type.  On a terminal that has a line of its own, since the
 * end of the cell may be cut. */
static void untyped_cell(struct cca_grid *grid, const struct cca_screen *screen,
                         const char *reason) {
  if (!screen->cut) {
    cca_cellf(grid, CCA_STYLE_WARN, "untyped: %s", reason);
    return;
  }
  struct cca_text text = {0}, line = {0};
  cca_cell(grid, CCA_STYLE_WARN, "untyped");
  cca_screen_clean(&text, reason);
  cca_screen_wrap(screen, &line, CCA_STYLE_WARN, 8, 2, text.data);
  cca_grid_line(grid, line.data);
  cca_text_release(&text);
  cca_text_release(&line);
}

static void type_row(struct cca_grid *grid, const struct cca_screen *screen,
                     const struct cca_heap_row *row, unsigned rank) {
  if (rank)
    cca_cellf(grid, CCA_STYLE_DIM, "%u", rank);
  else
    cca_cell(grid, CCA_STYLE_PLAIN, "");
  cells_tally(grid, &row->tally);
  cell_number(grid, (int64_t)row->sites.count);
  switch (row->kind) {
  case CCA_HEAP_TYPED:
    cca_cell(grid, CCA_STYLE_TYPE, row->name);
    break;
  case CCA_HEAP_BYTES:
    cca_cell(grid, CCA_STYLE_PLAIN, row->name);
    break;
  case CCA_HEAP_UNTYPED:
    untyped_cell(grid, screen, row->name);
    break;
  }
}

static int live_order(const void *a, const void *b) {
  const struct cca_heap_row *const *x = a, *const *y = b;
  if ((*x)->kind != (*y)->kind)
    return (*x)->kind < (*y)->kind ? -1 : 1;
  if ((*x)->tally.live_bytes != (*y)->tally.live_bytes)
    return (*x)->tally.live_bytes < (*y)->tally.live_bytes ? 1 : -1;
  return *x < *y ? -1 : *x > *y; /* as they were */
}

static void rows(const struct cca_heap *heap,
                 const struct cca_heap_options *options,
                 const struct cca_screen *screen, struct cca_text *out) {
  static const char *const heads[COLUMNS] = {
      "rank", "objects", "bytes", "live", "live bytes", "sites", "type"};
  struct cca_grid grid = {.columns = COLUMNS, .indent = 2, .right = 0x3f};
  for (int i = 0; i < COLUMNS; i++)
    cca_cell(&grid, CCA_STYLE_DIM, heads[i]);

  struct cca_vec(const struct cca_heap_row *) order = {0};
  for (size_t i = 0; i < heap->rows.count; i++)
    cca_vec_push(&order, &heap->rows.items[i]);
  if (options->live && order.count)
    qsort(order.items, order.count, sizeof order.items[0], live_order);

  struct cca_tally rest = {0};
  unsigned rank = 0, left_out = 0;
  for (size_t i = 0; i < order.count; i++) {
    const struct cca_heap_row *row = order.items[i];
    bool typed = row->kind == CCA_HEAP_TYPED;
    if (typed && options->most && rank == options->most) {
      cca_tally_add(&rest, &row->tally);
      left_out++;
      continue;
    }
    if (!typed)
      more_types(&grid, &rest, &left_out);
    type_row(&grid, screen, row, typed ? ++rank : 0);
    if (options->sites)
      site_rows(&grid, screen, row);
  }
  more_types(&grid, &rest, &left_out);
  cca_grid_print(&grid, screen, out);
  cca_vec_release(&order);
}

void cca_heap_text(const struct cca_heap *heap,
                   const struct cca_heap_options *options,
                   const struct cca_screen *screen, struct cca_text *out) {
  struct cca_text title = {0};
  cca_screen_clean(&title, cca_heap_base_name(heap->program));
  cca_screen_styled(screen, out, CCA_STYLE_HEADING, title.data);
  cca_text_addf(out, " (%llu), the heap ", (unsigned long long)heap->pid);
  if (!strcmp(heap->moment, "exit"))
    cca_text_adds(out, "at exit");
  else
    cca_text_addf(out, "in snapshot %llu",
                  (unsigned long long)heap->number + 1);
  cca_text_adds(out, heap->is_difference ? ", less the one before\n" : "\n");
  if (!cca_heap_is_known(heap))
    cca_text_adds(out, "  nothing of it was built with cc-allocs\n");
  cca_text_adds(out, "\n");
  totals(heap, out);
  cca_text_adds(out, "\n");
  rows(heap, options, screen, out);
  cca_text_adds(out, "\n");
  if (options->modules)
    cca_heap_modules_text(heap, screen, out);
  cca_text_release(&title);
}
