/* SPDX-License-Identifier: MIT */
/*
 * report-functions.c -- the sections of functions.
 *
 * A row says what a function does, the line below it why we believe that: the
 * chain of evidence, shortened in its middle where the screen ends.  `--why`
 * gives every step a line.  Factories, of which there may be many, have their
 * evidence with `--why` alone.
 */
#include "report-writer.h"

#include <stdio.h>
#include <string.h>

enum { LONG_SIZE = 24 };

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

/* "p1, p3": the parameters that enter the size; SILENT: but for those that the
 * expression shows. */
static void add_args(const struct cca_report_writer *w, struct cca_text *text,
                     const struct cca_alloc *alloc, bool silent) {
  size_t start = text->len;
  for (uint32_t i = 0; i < alloc->args_count; i++) {
    uint32_t arg = cca_index_at(w->table, alloc->args_first + i).value;
    if (silent && mentions(cca__report_string(w, alloc->size), arg))
      continue;
    cca__report_add_comma(text, start);
    cca_text_addf(text, "p%u", arg);
  }
}

/* The size, which has a line of its own below if it is long. */
static void add_size(const struct cca_report_writer *w, struct cca_text *text,
                     const struct cca_alloc *alloc) {
  const char *size = cca__report_string(w, alloc->size);
  struct cca_text args = {0};
  cca_screen_clean(text, *size ? size : "?");
  add_args(w, &args, alloc, true);
  if (args.len)
    cca_text_addf(text, " (from %s)", args.data);
  cca_text_release(&args);
}

static bool is_long(const struct cca_text *size) {
  return cca_screen_columns(size->data, size->len) > LONG_SIZE;
}

/* A size of moderate length, or its parameters. */
static void size_cell(const struct cca_report_writer *w, struct cca_grid *grid,
                      const struct cca_alloc *alloc) {
  struct cca_text text = {0};
  add_size(w, &text, alloc);
  if (is_long(&text)) {
    text.len = 0;
    cca_text_adds(&text, alloc->args_count ? "of " : w->screen->ellipsis);
    add_args(w, &text, alloc, false);
  }
  cca_cell(grid, CCA_STYLE_PLAIN, text.data);
  cca_text_release(&text);
}

/* The whole of a size that is long. */
static void size_line(const struct cca_report_writer *w, struct cca_grid *grid,
                      const struct cca_alloc *alloc) {
  struct cca_text text = {0}, label = {0}, line = {0};
  add_size(w, &text, alloc);
  if (is_long(&text)) {
    cca_text_addf(&label, "size %s", text.data);
    cca_screen_wrap(w->screen, &line, CCA_STYLE_PLAIN, 4, 5, label.data);
    cca_grid_line(grid, line.data);
  }
  cca_text_release(&text);
  cca_text_release(&label);
  cca_text_release(&line);
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

static void add_step(const struct cca_report_writer *w, struct cca_text *text,
                     const struct cca_step *step) {
  cca_screen_clean(text, cca__report_string(w, step->text));
  struct cca_text place = {0};
  cca__report_add_place(w, &place, step->file, step->line);
  if (place.len)
    cca_text_addf(text, " (%s)", place.data);
  cca_text_release(&place);
}

/* The chain's first FIRST steps and its last one, in short: "calls a (x.c:1) ->
 * b -> c".  The places of all steps are for --why. */
static void join_steps(const struct cca_report_writer *w, struct cca_text *text,
                       const struct cca_alloc *alloc, uint32_t first) {
  static const char calls[] = "calls ";
  for (uint32_t i = 0; i < alloc->chain_count; i++) {
    if (i == first && i + 1 < alloc->chain_count) {
      cca_text_addf(text, "%s %s ", w->screen->ellipsis, w->screen->arrow);
      i = alloc->chain_count - 1;
    }
    struct cca_step step = cca_step_at(w->table, alloc->chain_first + i);
    if (!i) {
      add_step(w, text, &step);
    } else {
      const char *words = cca__report_string(w, step.text);
      if (!strncmp(words, calls, sizeof calls - 1))
        words += sizeof calls - 1;
      cca_screen_clean(text, words);
    }
    if (i + 1 < alloc->chain_count)
      cca_text_addf(text, " %s ", w->screen->arrow);
  }
}

/* The evidence in one line, with as many steps as fit, but always the first and
 * the last. */
static void short_why(const struct cca_report_writer *w, struct cca_grid *grid,
                      const struct cca_alloc *alloc) {
  struct cca_text text = {0}, line = {0};
  for (uint32_t first = alloc->chain_count;; first--) {
    text.len = 0;
    add_qualities(alloc, &text);
    if (alloc->chain_count)
      cca_text_adds(&text, ": ");
    join_steps(w, &text, alloc, first);
    if (first <= 1 ||
        4 + cca_screen_columns(text.data, text.len) <= w->screen->width)
      break;
  }
  cca_screen_wrap(w->screen, &line, CCA_STYLE_DIM, 4, 2, text.data);
  cca_grid_line(grid, line.data);
  cca_text_release(&text);
  cca_text_release(&line);
}

/* Every step on a line of its own. */
static void long_why(const struct cca_report_writer *w, struct cca_grid *grid,
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
    cca__report_add_counts(w, &text, alloc->called_with_first,
                           alloc->called_with_count, alloc->called_with_count);
    cca_screen_wrap(w->screen, &line, CCA_STYLE_DIM, 4, 2, text.data);
  }
  cca_grid_line(grid, line.data);
  cca_text_release(&text);
  cca_text_release(&line);
}

static void place_cell(const struct cca_report_writer *w, struct cca_grid *grid,
                       const struct cca_alloc *alloc) {
  struct cca_text text = {0};
  cca__report_add_place(w, &text, alloc->file, alloc->line);
  if (!text.len)
    cca_screen_clean(&text, cca__report_string(w, alloc->unit));
  cca_cell(grid, CCA_STYLE_PLAIN, text.data ? text.data : "");
  cca_text_release(&text);
}

/* What a factory makes that nobody here calls, as in a library: the type of the
 * site inside that asks for the factory's own size; "" if there is none. */
static const char *type_inside(const struct cca_report_writer *w,
                               const struct cca_alloc *alloc) {
  for (uint32_t i = 0; i < w->report->sites.count; i++) {
    struct cca_allocsite site =
        cca_allocsite_at(w->table, w->report->sites.items[i]);
    if (site.of != CCA_NONE && site.unit == alloc->unit &&
        site.size == alloc->size && site.function == alloc->name &&
        *cca__report_string(w, site.size))
      return cca_report_type(w->table, site.of);
  }
  return "";
}

/* The types; the number of sites of a type that all sites ask for is in the
 * column beside. */
static void types_cell(const struct cca_report_writer *w, struct cca_grid *grid,
                       const struct cca_alloc *alloc, uint32_t sites) {
  struct cca_text text = {0};
  if (alloc->called_with_count == 1) {
    struct cca_count only = cca_count_at(w->table, alloc->called_with_first);
    if (only.sites == sites)
      cca_screen_clean(&text, cca_report_type(w->table, only.of));
  }
  if (!text.len)
    cca__report_add_counts(w, &text, alloc->called_with_first,
                           alloc->called_with_count, CCA_REPORT_SHOWN_TYPES);
  if (!text.len && alloc->kind == CCA_KIND_FACTORY)
    cca_screen_clean(&text, type_inside(w, alloc));
  cca_cell(grid, CCA_STYLE_TYPE, text.data ? text.data : "");
  cca_text_release(&text);
}

/* What each section shows of a function. */
enum column { NAME, KIND, SIZE, PLACE, SITES, TYPES, WHOLE_SIZE, FREES, OF };

static const struct section {
  const char *title, *remark;
  bool evidence; /* without --why, too */
  size_t columns;
  enum column column[6];
  const char *label[6];
} sections[CCA_GROUP_COUNT] = {
    [CCA_GROUP_ALLOCATION] = {"ALLOCATION FUNCTIONS",
                              "p0 is the first argument",
                              true,
                              6,
                              {NAME, KIND, SIZE, PLACE, SITES, TYPES},
                              {"function", "kind", "size", "defined at",
                               "sites", "called with"}},
    [CCA_GROUP_FACTORY] = {"FACTORIES",
                           "the type is fixed inside",
                           false,
                           5,
                           {NAME, PLACE, SITES, TYPES, WHOLE_SIZE},
                           {"function", "defined at", "sites", "makes",
                            "size"}},
    [CCA_GROUP_LOOKALIKE] = {"LOOK-ALIKES",
                             "not allocation functions, but near",
                             true,
                             5,
                             {NAME, KIND, PLACE, SITES, WHOLE_SIZE},
                             {"function", "kind", "defined at", "sites",
                              "size"}},
    [CCA_GROUP_DEALLOCATION] = {"DEALLOCATION FUNCTIONS",
                                "",
                                true,
                                4,
                                {NAME, FREES, PLACE, OF},
                                {"function", "frees", "defined at",
                                 "blocks of"}},
};

/* Whose blocks a deallocation function gets, most calls first. */
static void of_cell(const struct cca_report_writer *w, struct cca_grid *grid,
                    const struct cca_alloc *alloc) {
  const char *name = cca__report_string(w, alloc->name);
  struct cca_text text = {0};
  uint32_t count = 0;
  for (uint32_t i = 0; i < cca_giveback_count(w->table); i++) {
    struct cca_giveback pair = cca_giveback_at(w->table, i);
    if (strcmp(cca__report_string(w, pair.deallocator), name) != 0 ||
        count++ >= CCA_REPORT_SHOWN_TYPES)
      continue;
    cca__report_add_comma(&text, 0);
    cca_screen_clean(&text, cca__report_string(w, pair.allocator));
  }
  if (count > CCA_REPORT_SHOWN_TYPES)
    cca_text_addf(&text, ", +%u more", count - CCA_REPORT_SHOWN_TYPES);
  cca_cell(grid, CCA_STYLE_NAME, text.data ? text.data : "");
  cca_text_release(&text);
}

static void function_cell(const struct cca_report_writer *w,
                          struct cca_grid *grid, enum column column,
                          uint32_t row, const struct cca_alloc *alloc) {
  struct cca_text text = {0};
  switch (column) {
  case NAME:
    cca_cell(grid, CCA_STYLE_NAME, cca__report_string(w, alloc->name));
    break;
  case KIND:
    cca_cell(grid, CCA_STYLE_PLAIN, cca_kind_name(alloc->kind));
    break;
  case SIZE:
    size_cell(w, grid, alloc);
    break;
  case PLACE:
    place_cell(w, grid, alloc);
    break;
  case SITES:
    cca_cellf(grid, CCA_STYLE_PLAIN, "%u", w->report->sites_of_alloc[row]);
    break;
  case TYPES:
    types_cell(w, grid, alloc, w->report->sites_of_alloc[row]);
    break;
  case WHOLE_SIZE:
    add_size(w, &text, alloc);
    cca_cell(grid, CCA_STYLE_PLAIN, text.data);
    break;
  case OF:
    of_cell(w, grid, alloc);
    break;
  case FREES:
    cca_cellf(grid, CCA_STYLE_PLAIN, "p%u", alloc->via_param);
    break;
  }
  cca_text_release(&text);
}

static void function_row(const struct cca_report_writer *w,
                         struct cca_grid *grid, const struct section *section,
                         uint32_t row) {
  struct cca_alloc alloc = cca_alloc_at(w->table, row);
  bool short_size = false;
  for (size_t c = 0; c < section->columns; c++) {
    function_cell(w, grid, section->column[c], row, &alloc);
    short_size |= section->column[c] == SIZE;
  }
  if (short_size)
    size_line(w, grid, &alloc);
  if (w->options->why)
    long_why(w, grid, &alloc);
  else if (section->evidence && (alloc.chain_count || short_size))
    short_why(w, grid, &alloc);
}

void cca__report_functions(const struct cca_report_writer *w,
                           enum cca_report_group group) {
  const struct section *section = &sections[group];
  const struct cca_rows *rows = &w->report->groups[group];
  if (!rows->count)
    return;
  cca__report_heading(w, section->title, rows->count, section->remark);
  struct cca_grid grid = {.columns = section->columns, .indent = 2};
  for (size_t c = 0; c < section->columns; c++) {
    cca_cell(&grid, CCA_STYLE_DIM, section->label[c]);
    grid.right |= section->column[c] == SITES ? 1u << c : 0;
  }
  for (uint32_t i = 0; i < rows->count; i++)
    function_row(w, &grid, section, rows->items[i]);
  cca_grid_print(&grid, w->screen, w->out);
}
