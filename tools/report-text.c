/* SPDX-License-Identifier: MIT */
/*
 * report-text.c -- the report for people.
 *
 * Totals first, then one section for each kind of answer, most important rows
 * first, sections without rows left out.  One row has one line, and `--why` has
 * what does not fit in it.
 */
#include "report-writer.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_TOP_TYPES = 12 };

const char *cca__report_string(const struct cca_report_writer *w,
                               uint32_t offset) {
  return cca_table_string(w->table, offset);
}

void cca__report_add_place(const struct cca_report_writer *w,
                           struct cca_text *text, uint32_t file,
                           uint32_t line) {
  cca_screen_clean(text, cca_report_file(w->table, file));
  if (line && text->len)
    cca_text_addf(text, ":%u", line);
}

void cca__report_heading(const struct cca_report_writer *w, const char *title,
                         uint32_t count, const char *remark) {
  struct cca_text text = {0};
  cca_text_adds(w->out, "\n");
  cca_text_addf(&text, "%s (%u)", title, count);
  cca_screen_styled(w->screen, w->out, CCA_STYLE_HEADING, text.data);
  if (*remark) {
    cca_text_adds(w->out, "   ");
    cca_screen_styled(w->screen, w->out, CCA_STYLE_DIM, remark);
  }
  cca_text_adds(w->out, "\n");
  cca_text_release(&text);
}

void cca__report_add_comma(struct cca_text *text, size_t start) {
  if (text->len > start)
    cca_text_adds(text, ", ");
}

void cca__report_add_counts(const struct cca_report_writer *w,
                            struct cca_text *text, uint32_t first,
                            uint32_t count, uint32_t most) {
  size_t start = text->len;
  struct cca_arena arena = {0};
  const uint32_t *rows = cca_report_counts(w->table, first, count, &arena);
  uint32_t shown = count <= most ? count : most;
  for (uint32_t i = 0; i < shown; i++) {
    struct cca_count row = cca_count_at(w->table, rows[i]);
    cca__report_add_comma(text, start);
    cca_screen_clean(text, cca_report_type(w->table, row.of));
    if (row.sites > 1)
      cca_text_addf(text, " (%u)", row.sites);
  }
  if (shown < count)
    cca_text_addf(text, ", +%u more", count - shown);
  cca_arena_release(&arena);
}

/* Totals. */

static void total(const struct cca_report_writer *w, const char *label,
                  const struct cca_text *text) {
  struct cca_text line = {0};
  cca_text_addf(&line, "%-11s%s", label, text->data);
  cca_screen_wrap(w->screen, w->out, CCA_STYLE_PLAIN, 2, 11, line.data);
  cca_text_release(&line);
}

/* " (8 realloc, 4 malloc)", or " (lazy)" if all COUNT are of one kind. */
static void add_kind_totals(const struct cca_report_writer *w,
                            struct cca_text *text, int group, uint32_t count) {
  cca_text_adds(text, " (");
  size_t start = text->len;
  for (uint32_t kind = 0; kind < CCA_KIND_COUNT; kind++) {
    uint32_t have = w->report->kinds[kind];
    if (!have || (int)cca_report_group_of(kind) != group)
      continue;
    cca__report_add_comma(text, start);
    if (have < count)
      cca_text_addf(text, "%u ", have);
    cca_text_adds(text, cca_kind_name(kind));
  }
  cca_text_adds(text, ")");
}

static void add_group_totals(const struct cca_report_writer *w,
                             struct cca_text *text) {
  for (int group = 0; group < CCA_GROUP_COUNT; group++) {
    uint32_t count = w->report->groups[group].count;
    if (!count && group != CCA_GROUP_ALLOCATION)
      continue;
    cca__report_add_comma(text, 0);
    cca_text_addf(text, "%u %s", count,
                  cca_report_group_name(group, count != 1));
    if (!count || group == CCA_GROUP_FACTORY || group == CCA_GROUP_DEALLOCATION)
      continue;
    add_kind_totals(w, text, group, count);
  }
}

static void print_totals(const struct cca_report_writer *w) {
  const struct cca_report *r = w->report;
  struct cca_text text = {0};
  cca_screen_clean(&text, r->name);
  cca_screen_styled(w->screen, w->out, CCA_STYLE_HEADING,
                    text.data ? text.data : "");
  if (w->options->type) {
    text.len = 0;
    cca_text_adds(&text, "  only what allocates ");
    cca_screen_clean(&text, w->options->type);
    cca_text_adds(w->out, text.data);
  }
  cca_text_adds(w->out, "\n\n");

  text.len = 0;
  cca_text_addf(&text, "%u", r->units);
  if (r->missing.count)
    cca_text_addf(&text, ", and %u without a summary", r->missing.count);
  total(w, "units", &text);

  text.len = 0;
  add_group_totals(w, &text);
  total(w, "functions", &text);

  text.len = 0;
  cca_text_addf(&text, "%u", r->sites.count);
  for (uint32_t class = 0, shown = 0; class < CCA_CLASS_COUNT; class ++)
    if (r->classes[class])
      cca_text_addf(&text, "%s%u %s", shown++ ? ", " : ": ", r->classes[class],
                    cca_report_class_name(class));
  total(w, "sites", &text);

  if (r->agree + r->differ) {
    text.len = 0;
    cca_text_addf(&text,
                  "%u of %u results are used as the type that the size names",
                  r->agree, r->agree + r->differ);
    total(w, "agreement", &text);
  }
  if (r->addresses) {
    text.len = 0;
    cca_text_addf(&text, "%u, to which ", r->addresses);
    if (r->placed < r->sites.count)
      cca_text_addf(&text, "%u of ", r->placed);
    cca_text_adds(&text, "these sites return");
    total(w, "addresses", &text);
  }
  cca_text_release(&text);
}

static void print_types(const struct cca_report_writer *w) {
  const struct cca_rows *rows = &w->report->types;
  if (!rows->count)
    return;
  cca__report_heading(w, "TYPES", rows->count, "allocated at most sites first");
  struct cca_grid grid = {.columns = 4, .indent = 2, .right = 3u << 1};
  cca_cell(&grid, CCA_STYLE_DIM, "type");
  cca_cell(&grid, CCA_STYLE_DIM, "bytes");
  cca_cell(&grid, CCA_STYLE_DIM, "sites");
  cca_cell(&grid, CCA_STYLE_DIM, "defined at");
  uint32_t shown = rows->count;
  if (!w->options->why && shown > SHOWN_TOP_TYPES)
    shown = SHOWN_TOP_TYPES;
  struct cca_text text = {0};
  for (uint32_t i = 0; i < shown; i++) {
    struct cca_type type = cca_type_at(w->table, rows->items[i]);
    cca_cell(&grid, CCA_STYLE_TYPE, cca__report_string(w, type.name));
    if (type.flags & CCA_TYPE_FLAGS_INCOMPLETE)
      cca_cell(&grid, CCA_STYLE_PLAIN, "?");
    else
      cca_cellf(&grid, CCA_STYLE_PLAIN, "%lld", (long long)type.size);
    cca_cellf(&grid, CCA_STYLE_PLAIN, "%u",
              w->report->sites_of_type[rows->items[i]]);
    text.len = 0;
    cca__report_add_place(w, &text, type.file, type.line);
    cca_cell(&grid, CCA_STYLE_PLAIN, text.len ? text.data : "");
  }
  if (shown < rows->count) {
    text.len = 0;
    cca_text_addf(&text, "  +%u more (--why lists them)\n",
                  rows->count - shown);
    cca_grid_line(&grid, text.data);
  }
  cca_text_release(&text);
  cca_grid_print(&grid, w->screen, w->out);
}

/* The boundary. */

static void print_imports(const struct cca_report_writer *w) {
  const struct cca_rows *rows = &w->report->imports;
  if (!rows->count)
    return;
  cca__report_heading(w, "IMPORTS", rows->count,
                      "undefined symbols that are given sizes of types");
  struct cca_grid grid = {.columns = 3, .indent = 2};
  struct cca_text text = {0};
  for (uint32_t i = 0; i < rows->count; i++) {
    struct cca_import import = cca_import_at(w->table, rows->items[i]);
    cca_cell(&grid, CCA_STYLE_NAME, cca__report_string(w, import.symbol));
    cca_cellf(&grid, CCA_STYLE_PLAIN, "p%u", import.param);
    text.len = 0;
    cca__report_add_counts(w, &text, import.types_first, import.types_count,
                           w->options->why ? import.types_count
                                           : CCA_REPORT_SHOWN_TYPES);
    cca_cell(&grid, CCA_STYLE_TYPE, text.len ? text.data : "");
  }
  cca_text_release(&text);
  cca_grid_print(&grid, w->screen, w->out);
}

static void print_missing(const struct cca_report_writer *w) {
  const struct cca_rows *rows = &w->report->missing;
  if (!rows->count)
    return;
  cca__report_heading(w, "UNITS WITHOUT A SUMMARY", rows->count,
                      "what they allocate is not in this report");
  struct cca_grid grid = {.columns = 2, .indent = 2};
  for (uint32_t i = 0; i < rows->count; i++) {
    struct cca_missing missing = cca_missing_at(w->table, rows->items[i]);
    cca_cell(&grid, CCA_STYLE_NAME, cca__report_string(w, missing.unit));
    cca_cell(&grid, CCA_STYLE_WARN, cca__report_string(w, missing.reason));
  }
  cca_grid_print(&grid, w->screen, w->out);
}

static void print_remarks(const struct cca_report_writer *w) {
  const struct cca_rows *rows = &w->report->remarks;
  if (!rows->count)
    return;
  cca__report_heading(w, "UNITS WITH A RESERVATION", rows->count,
                      "what is said of them may not be all, or not right");
  struct cca_grid grid = {.columns = 2, .indent = 2};
  for (uint32_t i = 0; i < rows->count; i++) {
    struct cca_remark remark = cca_remark_at(w->table, rows->items[i]);
    cca_cell(&grid, CCA_STYLE_NAME, cca__report_string(w, remark.unit));
    cca_cell(&grid, CCA_STYLE_WARN, cca__report_string(w, remark.text));
  }
  cca_grid_print(&grid, w->screen, w->out);
}

void cca_report_text(const struct cca_report *report,
                     const struct cca_report_options *options,
                     const struct cca_screen *screen, struct cca_text *out) {
  struct cca_report_writer w = {report, report->table, options, screen, out};
  bool all = options->functions == options->sites;
  print_totals(&w);
  if (all || options->functions)
    for (int group = 0; group < CCA_GROUP_COUNT; group++)
      cca__report_functions(&w, group);
  if (all)
    print_types(&w);
  if (all || options->sites)
    cca__report_sites(&w);
  if (all) {
    print_imports(&w);
    print_missing(&w);
    print_remarks(&w);
  }
}
