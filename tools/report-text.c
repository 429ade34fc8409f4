/* SPDX-License-Identifier: MIT */
/*
 * report-text.c -- the report for people.
 *
 * Totals first, then one section for each kind of answer, most important rows
 * first, sections without rows left out.  One row has one line, and a function
 * a second one that says why we believe it: the chain of evidence, shortened in
 * its middle where the screen ends.  `--why` gives every step a line.
 */
#include "report.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_TYPES = 3, SHOWN_TOP_TYPES = 12 };

struct writer {
  const struct cca_report *report;
  const struct cca_table *table;
  const struct cca_report_options *options;
  const struct cca_screen *screen;
  struct cca_text *out;
};

static const char *string(const struct writer *w, uint32_t offset) {
  return cca_table_string(w->table, offset);
}

/* Append "NAME:LINE", as much of it as is known. */
static void add_place(const struct writer *w, struct cca_text *text,
                      uint32_t file, uint32_t line) {
  cca_screen_clean(text, cca_report_file(w->table, file));
  if (line && text->len)
    cca_text_addf(text, ":%u", line);
}

static void heading(const struct writer *w, const char *title, uint32_t count,
                    const char *remark) {
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

/* Append ", " unless TEXT ends where it began, at START. */
static void add_comma(struct cca_text *text, size_t start) {
  if (text->len > start)
    cca_text_adds(text, ", ");
}

/* Totals. */

static void total(const struct writer *w, const char *label,
                  const struct cca_text *text) {
  struct cca_text line = {0};
  cca_text_addf(&line, "%-11s%s", label, text->data);
  cca_screen_wrap(w->screen, w->out, CCA_STYLE_PLAIN, 2, 11, line.data);
  cca_text_release(&line);
}

/* " (8 realloc, 4 malloc)", or " (lazy)" if all COUNT are of one kind. */
static void add_kind_totals(const struct writer *w, struct cca_text *text,
                            int group, uint32_t count) {
  cca_text_adds(text, " (");
  size_t start = text->len;
  for (uint32_t kind = 0; kind < CCA_KIND_COUNT; kind++) {
    uint32_t have = w->report->kinds[kind];
    if (!have || (int)cca_report_group_of(kind) != group)
      continue;
    add_comma(text, start);
    if (have < count)
      cca_text_addf(text, "%u ", have);
    cca_text_adds(text, cca_kind_name(kind));
  }
  cca_text_adds(text, ")");
}

static void add_group_totals(const struct writer *w, struct cca_text *text) {
  for (int group = 0; group < CCA_GROUP_COUNT; group++) {
    uint32_t count = w->report->groups[group].count;
    if (!count && group != CCA_GROUP_ALLOCATION)
      continue;
    add_comma(text, 0);
    cca_text_addf(text, "%u %s", count,
                  cca_report_group_name(group, count != 1));
    if (!count || group == CCA_GROUP_FACTORY || group == CCA_GROUP_DEALLOCATION)
      continue;
    add_kind_totals(w, text, group, count);
  }
}

static void print_totals(const struct writer *w) {
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
    cca_text_addf(&text, "%u, to which these sites return", r->addresses);
    total(w, "addresses", &text);
  }
  cca_text_release(&text);
}

/* Functions. */

/* Does TEXT mention parameter number PARAM, as pN? */
static bool mentions(const char *text, uint32_t param) {
  char word[16];
  size_t len = (size_t)snprintf(word, sizeof word, "p%u", param);
  for (const char *at = text; (at = strstr(at, word)); at += len) {
    bool begins = at == text || !strchr("_0123456789"
                                        "abcdefghijklmnopqrstuvwxyz"
                                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                                        at[-1]);
    if (begins && !(at[len] >= '0' && at[len] <= '9'))
      return true;
  }
  return false;
}

/* The size expression, and the size's parameters that it does not show. */
static void size_cell(const struct writer *w, struct cca_grid *grid,
                      const struct cca_alloc *alloc) {
  const char *size = string(w, alloc->size);
  struct cca_text text = {0};
  cca_text_adds(&text, *size ? size : "?");
  size_t start = 0;
  for (uint32_t i = 0; i < alloc->args_count; i++) {
    uint32_t arg = cca_index_at(w->table, alloc->args_first + i).value;
    if (mentions(size, arg))
      continue;
    if (!start) {
      cca_text_adds(&text, " (from ");
      start = text.len;
    }
    add_comma(&text, start);
    cca_text_addf(&text, "p%u", arg);
  }
  if (start)
    cca_text_adds(&text, ")");
  cca_cell(grid, CCA_STYLE_PLAIN, text.data);
  cca_text_release(&text);
}

/* "Table 12, Proto 9, +3 more" */
static void add_counts(const struct writer *w, struct cca_text *text,
                       uint32_t first, uint32_t count, uint32_t most) {
  size_t start = text->len;
  uint32_t shown = count <= most ? count : most;
  for (uint32_t i = 0; i < shown; i++) {
    struct cca_count row = cca_count_at(w->table, first + i);
    add_comma(text, start);
    cca_screen_clean(text, cca_report_type(w->table, row.of));
    if (row.sites > 1)
      cca_text_addf(text, " %u", row.sites);
  }
  if (shown < count)
    cca_text_addf(text, ", +%u more", count - shown);
}

/* How sure, and what else there is to say in few words. */
static void add_qualities(const struct cca_alloc *alloc,
                          struct cca_text *text) {
  cca_text_adds(text, cca_certainty_name(alloc->certainty));
  if (alloc->flags & CCA_ALLOC_FLAGS_POINTER)
    cca_text_adds(text, ", a pointer");
  if (alloc->flags & CCA_ALLOC_FLAGS_ZEROED)
    cca_text_adds(text, ", zeroed");
  if (alloc->via == CCA_VIA_OUT_PARAMETER)
    cca_text_addf(text, ", result in *p%u", alloc->via_param);
  if (alloc->via == CCA_VIA_FIELD)
    cca_text_addf(text, ", result in a field of p%u", alloc->via_param);
  if (alloc->offset && alloc->via != CCA_VIA_NONE)
    cca_text_addf(text, ", result at %+lld", (long long)alloc->offset);
}

static void add_step(const struct writer *w, struct cca_text *text,
                     const struct cca_step *step) {
  cca_screen_clean(text, string(w, step->text));
  struct cca_text place = {0};
  add_place(w, &place, step->file, step->line);
  if (place.len)
    cca_text_addf(text, " (%s)", place.data);
  cca_text_release(&place);
}

/* The chain's first FIRST steps and its last one. */
static void join_steps(const struct writer *w, struct cca_text *text,
                       const struct cca_alloc *alloc, uint32_t first) {
  for (uint32_t i = 0; i < alloc->chain_count; i++) {
    if (i)
      cca_text_addf(text, " %s ", w->screen->arrow);
    if (i == first && i + 1 < alloc->chain_count) {
      cca_text_addf(text, "%s %s ", w->screen->ellipsis, w->screen->arrow);
      i = alloc->chain_count - 1;
    }
    struct cca_step step = cca_step_at(w->table, alloc->chain_first + i);
    add_step(w, text, &step);
  }
}

/* The evidence in one line, with as many steps as fit. */
static void short_why(const struct writer *w, struct cca_grid *grid,
                      const struct cca_alloc *alloc) {
  struct cca_text text = {0}, line = {0};
  for (uint32_t first = alloc->chain_count;; first--) {
    text.len = 0;
    add_qualities(alloc, &text);
    if (alloc->chain_count)
      cca_text_adds(&text, ": ");
    join_steps(w, &text, alloc, first);
    if (!first ||
        4 + cca_screen_columns(text.data, text.len) <= w->screen->width)
      break;
  }
  cca_screen_wrap(w->screen, &line, CCA_STYLE_DIM, 4, 2, text.data);
  cca_grid_line(grid, line.data);
  cca_text_release(&text);
  cca_text_release(&line);
}

/* Every step on a line of its own. */
static void long_why(const struct writer *w, struct cca_grid *grid,
                     const struct cca_alloc *alloc) {
  struct cca_text text = {0}, line = {0};
  add_qualities(alloc, &text);
  cca_screen_wrap(w->screen, &line, CCA_STYLE_DIM, 4, 2, text.data);
  for (uint32_t i = 0; i < alloc->chain_count; i++) {
    struct cca_step step = cca_step_at(w->table, alloc->chain_first + i);
    text.len = 0;
    cca_text_addf(&text, "%s ", w->screen->arrow);
    add_step(w, &text, &step);
    cca_screen_wrap(w->screen, &line, CCA_STYLE_DIM, 6, 3, text.data);
  }
  if (alloc->called_with_count) {
    text.len = 0;
    cca_text_adds(&text, "called with ");
    add_counts(w, &text, alloc->called_with_first, alloc->called_with_count,
               alloc->called_with_count);
    cca_screen_wrap(w->screen, &line, CCA_STYLE_DIM, 4, 2, text.data);
  }
  cca_grid_line(grid, line.data);
  cca_text_release(&text);
  cca_text_release(&line);
}

static void function_row(const struct writer *w, struct cca_grid *grid,
                         enum cca_report_group group, uint32_t row) {
  struct cca_alloc alloc = cca_alloc_at(w->table, row);
  struct cca_text text = {0};
  cca_cell(grid, CCA_STYLE_NAME, string(w, alloc.name));
  if (group == CCA_GROUP_DEALLOCATION) {
    cca_cellf(grid, CCA_STYLE_PLAIN, "p%u", alloc.via_param);
  } else {
    cca_cell(grid, CCA_STYLE_PLAIN, cca_kind_name(alloc.kind));
    size_cell(w, grid, &alloc);
  }
  add_place(w, &text, alloc.file, alloc.line);
  if (!text.len)
    cca_screen_clean(&text, string(w, alloc.unit));
  cca_cell(grid, CCA_STYLE_PLAIN, text.data ? text.data : "");
  if (group != CCA_GROUP_DEALLOCATION) {
    cca_cellf(grid, CCA_STYLE_PLAIN, "%u", w->report->sites_of_alloc[row]);
    text.len = 0;
    add_counts(w, &text, alloc.called_with_first, alloc.called_with_count,
               SHOWN_TYPES);
    cca_cell(grid, CCA_STYLE_TYPE, text.len ? text.data : "");
  }
  cca_text_release(&text);
  if (w->options->why)
    long_why(w, grid, &alloc);
  else
    short_why(w, grid, &alloc);
}

static void print_functions(const struct writer *w,
                            enum cca_report_group group) {
  static const char *const titles[CCA_GROUP_COUNT][2] = {
      {"ALLOCATION FUNCTIONS", "p0 is the first argument"},
      {"FACTORIES", "the type is fixed inside"},
      {"LOOK-ALIKES", "not allocation functions, but near"},
      {"DEALLOCATION FUNCTIONS", ""},
  };
  const struct cca_rows *rows = &w->report->groups[group];
  if (!rows->count)
    return;
  heading(w, titles[group][0], rows->count, titles[group][1]);

  bool frees = group == CCA_GROUP_DEALLOCATION;
  struct cca_grid grid = {
      .columns = frees ? 3 : 6, .indent = 2, .right = frees ? 0 : 1u << 4};
  static const char *const labels[] = {"function",   "kind",  "size",
                                       "defined at", "sites", "called with"};
  static const char *const free_labels[] = {"function", "frees", "defined at"};
  for (size_t i = 0; i < grid.columns; i++)
    cca_cell(&grid, CCA_STYLE_DIM, frees ? free_labels[i] : labels[i]);
  for (uint32_t i = 0; i < rows->count; i++)
    function_row(w, &grid, group, rows->items[i]);
  cca_grid_print(&grid, w->screen, w->out);
}

static void print_types(const struct writer *w) {
  const struct cca_rows *rows = &w->report->types;
  if (!rows->count)
    return;
  heading(w, "TYPES", rows->count, "allocated at most sites first");
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
    cca_cell(&grid, CCA_STYLE_TYPE, string(w, type.name));
    if (type.flags & CCA_TYPE_FLAGS_INCOMPLETE)
      cca_cell(&grid, CCA_STYLE_PLAIN, "?");
    else
      cca_cellf(&grid, CCA_STYLE_PLAIN, "%lld", (long long)type.size);
    cca_cellf(&grid, CCA_STYLE_PLAIN, "%u",
              w->report->sites_of_type[rows->items[i]]);
    text.len = 0;
    add_place(w, &text, type.file, type.line);
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

/* Sites. */

static void type_cell(const struct writer *w, struct cca_grid *grid,
                      const struct cca_allocsite *site) {
  if (site->class == CCA_SITE_CLASS_UNTYPED) {
    cca_cell(grid, CCA_STYLE_WARN, "untyped");
    return;
  }
  if (site->class != CCA_SITE_CLASS_TYPED) {
    cca_cellf(grid, CCA_STYLE_DIM, "%s", cca_report_class_name(site->class));
    return;
  }
  struct cca_text text = {0};
  const char *type = cca_report_type(w->table, site->of);
  switch (site->shape) {
  case CCA_SIZE_SHAPE_ARRAY:
    cca_text_addf(&text, "%s[]", type);
    break;
  case CCA_SIZE_SHAPE_FLEXIBLE:
    cca_text_addf(&text, "%s + tail", type);
    break;
  case CCA_SIZE_SHAPE_HEADER:
    cca_text_addf(&text, "%lld bytes + %s[]", (long long)site->header, type);
    break;
  case CCA_SIZE_SHAPE_SEVERAL:
    for (uint32_t i = 0; i < site->types_count; i++)
      cca_text_addf(
          &text, "%s%s", i ? " | " : "",
          cca_report_type(w->table,
                          cca_count_at(w->table, site->types_first + i).of));
    break;
  default:
    cca_text_adds(&text, type);
  }
  cca_cell(grid, CCA_STYLE_TYPE, text.data ? text.data : "?");
  cca_text_release(&text);
}

/* The size expression, and what contradicts the type. */
static void remark_cell(const struct writer *w, struct cca_grid *grid,
                        const struct cca_allocsite *site, uint32_t copies) {
  struct cca_text text = {0};
  bool differs = cca_report_agreement(w->table, site) == CCA_AGREE_NO;
  cca_text_adds(&text, string(w, site->size));
  if (differs)
    cca_text_addf(&text, "%sused as %s", text.len ? ", " : "",
                  cca_report_type(w->table, site->used_as));
  if (copies > 1)
    cca_text_addf(&text, "%sin %u units", text.len ? ", " : "", copies);
  cca_cell(grid, differs ? CCA_STYLE_WARN : CCA_STYLE_PLAIN, text.data);
  cca_text_release(&text);
}

/* Why there is no type: below the row, since it may be long. */
static void reason_line(const struct writer *w, struct cca_grid *grid,
                        const struct cca_allocsite *site) {
  struct cca_text text = {0}, line = {0};
  cca_screen_clean(&text, string(w, site->reason));
  if (text.len) {
    cca_screen_wrap(w->screen, &line, CCA_STYLE_WARN, 6, 2, text.data);
    cca_grid_line(grid, line.data);
  }
  cca_text_release(&text);
  cca_text_release(&line);
}

/* Are these the same source call, seen the same way in two units (a static
 * function of a header)? */
static bool same_site(const struct writer *w, uint32_t a, uint32_t b) {
  struct cca_allocsite x = cca_allocsite_at(w->table, a);
  struct cca_allocsite y = cca_allocsite_at(w->table, b);
  return x.file != CCA_NONE && x.file == y.file && x.line == y.line &&
         x.column == y.column && x.unit != y.unit && x.class == y.class &&
         x.of == y.of && x.shape == y.shape && x.header == y.header &&
         x.types_count == 0 && y.types_count == 0 && x.used_as == y.used_as &&
         !strcmp(string(w, x.function), string(w, y.function)) &&
         !strcmp(string(w, x.callee), string(w, y.callee)) &&
         !strcmp(string(w, x.size), string(w, y.size)) &&
         !strcmp(string(w, x.reason), string(w, y.reason));
}

/* --why: where the call returns to. */
static void address_line(const struct writer *w, struct cca_grid *grid,
                         uint32_t site) {
  struct cca_text text = {0}, line = {0};
  for (uint32_t at = w->report->first_address[site]; at != CCA_NONE;
       at = w->report->next_address[at]) {
    struct cca_address address = cca_address_at(w->table, at);
    if (!address.value)
      continue;
    cca_text_addf(&text, "%s0x%llx", text.len ? ", " : "returns to ",
                  (unsigned long long)address.value);
    if (address.flags & CCA_ADDRESS_FLAGS_INLINED)
      cca_text_adds(&text, " (inlined)");
    if (address.flags & CCA_ADDRESS_FLAGS_TAIL)
      cca_text_adds(&text, " (a jump)");
    if (address.flags & CCA_ADDRESS_FLAGS_AMBIGUOUS)
      cca_text_adds(&text, " (one of several)");
  }
  if (text.len) {
    cca_screen_wrap(w->screen, &line, CCA_STYLE_DIM, 6, 2, text.data);
    cca_grid_line(grid, line.data);
  }
  cca_text_release(&text);
  cca_text_release(&line);
}

static void file_line(const struct writer *w, struct cca_grid *grid,
                      const char *file) {
  struct cca_text name = {0}, line = {0};
  cca_screen_clean(&name, *file ? file : "(source place unknown)");
  cca_text_adds(&line, "  ");
  cca_screen_styled(w->screen, &line, CCA_STYLE_NAME, name.data);
  cca_text_adds(&line, "\n");
  cca_grid_line(grid, line.data);
  cca_text_release(&name);
  cca_text_release(&line);
}

static void print_sites(const struct writer *w) {
  const struct cca_rows *rows = &w->report->sites;
  if (!rows->count)
    return;
  heading(w, "ALLOCATION SITES", rows->count,
          "line:column, calling function, callee, type, size");
  struct cca_grid grid = {.columns = 5, .indent = 4, .right = 1};
  const char *file = NULL;
  for (uint32_t i = 0; i < rows->count; i++) {
    uint32_t row = rows->items[i], copies = 1;
    struct cca_allocsite site = cca_allocsite_at(w->table, row);
    while (i + 1 < rows->count && same_site(w, row, rows->items[i + 1]))
      copies++, i++;

    const char *here = cca_report_file(w->table, site.file);
    if (!file || strcmp(file, here))
      file_line(w, &grid, here);
    file = here;
    if (site.line && site.column)
      cca_cellf(&grid, CCA_STYLE_PLAIN, "%u:%u", site.line, site.column);
    else if (site.line)
      cca_cellf(&grid, CCA_STYLE_PLAIN, "%u", site.line);
    else
      cca_cell(&grid, CCA_STYLE_PLAIN, "?");
    cca_cell(&grid, CCA_STYLE_PLAIN, string(w, site.function));
    cca_cell(&grid, CCA_STYLE_PLAIN, string(w, site.callee));
    type_cell(w, &grid, &site);
    remark_cell(w, &grid, &site, copies);
    reason_line(w, &grid, &site);
    if (w->options->why)
      address_line(w, &grid, row);
  }
  cca_grid_print(&grid, w->screen, w->out);
}

/* The boundary. */

static void print_imports(const struct writer *w) {
  const struct cca_rows *rows = &w->report->imports;
  if (!rows->count)
    return;
  heading(w, "IMPORTS", rows->count,
          "undefined symbols that are given sizes of types");
  struct cca_grid grid = {.columns = 3, .indent = 2};
  struct cca_text text = {0};
  for (uint32_t i = 0; i < rows->count; i++) {
    struct cca_import import = cca_import_at(w->table, rows->items[i]);
    cca_cell(&grid, CCA_STYLE_NAME, string(w, import.symbol));
    cca_cellf(&grid, CCA_STYLE_PLAIN, "p%u", import.param);
    text.len = 0;
    add_counts(w, &text, import.types_first, import.types_count,
               w->options->why ? import.types_count : SHOWN_TYPES);
    cca_cell(&grid, CCA_STYLE_TYPE, text.len ? text.data : "");
  }
  cca_text_release(&text);
  cca_grid_print(&grid, w->screen, w->out);
}

static void print_missing(const struct writer *w) {
  const struct cca_rows *rows = &w->report->missing;
  if (!rows->count)
    return;
  heading(w, "UNITS WITHOUT A SUMMARY", rows->count,
          "what they allocate is not in this report");
  struct cca_grid grid = {.columns = 2, .indent = 2};
  for (uint32_t i = 0; i < rows->count; i++) {
    struct cca_missing missing = cca_missing_at(w->table, rows->items[i]);
    cca_cell(&grid, CCA_STYLE_NAME, string(w, missing.unit));
    cca_cell(&grid, CCA_STYLE_WARN, string(w, missing.reason));
  }
  cca_grid_print(&grid, w->screen, w->out);
}

void cca_report_text(const struct cca_report *report,
                     const struct cca_report_options *options,
                     const struct cca_screen *screen, struct cca_text *out) {
  struct writer w = {report, report->table, options, screen, out};
  bool all = options->functions == options->sites;
  print_totals(&w);
  if (all || options->functions)
    for (int group = 0; group < CCA_GROUP_COUNT; group++)
      print_functions(&w, group);
  if (all)
    print_types(&w);
  if (all || options->sites)
    print_sites(&w);
  if (all) {
    print_imports(&w);
    print_missing(&w);
  }
}
