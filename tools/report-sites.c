/* SPDX-License-Identifier: MIT */
/*
 * report-sites.c -- the section of allocation sites, by source file.
 *
 * The text of a static function in a header is one source place in many units;
 * if all of them saw the same there, it is one row.
 */
#include "report-writer.h"

#include <string.h>

static void type_cell(const struct cca_report_writer *w, struct cca_grid *grid,
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

/* The size expression, and what contradicts the type.  On a terminal that has a
 * line of its own, since the end of the cell may be cut. */
static void remark_cell(const struct cca_report_writer *w,
                        struct cca_grid *grid, const struct cca_allocsite *site,
                        uint32_t copies) {
  struct cca_text text = {0};
  bool differs = cca_report_agreement(w->table, site) == CCA_AGREE_NO;
  cca_text_adds(&text, cca__report_string(w, site->size));
  if (differs && !w->screen->cut)
    cca_text_addf(&text, "%sused as %s", text.len ? ", " : "",
                  cca_report_type(w->table, site->used_as));
  if (copies > 1)
    cca_text_addf(&text, "%sin %u units", text.len ? ", " : "", copies);
  cca_cell(grid, differs ? CCA_STYLE_WARN : CCA_STYLE_PLAIN, text.data);
  cca_text_release(&text);
}

/* Why there is no type: below the row, since it may be long. */
static void reason_line(const struct cca_report_writer *w,
                        struct cca_grid *grid,
                        const struct cca_allocsite *site) {
  struct cca_text text = {0}, line = {0};
  cca_screen_clean(&text, cca__report_string(w, site->reason));
  if (w->screen->cut && cca_report_agreement(w->table, site) == CCA_AGREE_NO) {
    cca_text_adds(&text, text.len ? ", used as " : "used as ");
    cca_screen_clean(&text, cca_report_type(w->table, site->used_as));
  }
  if (text.len) {
    cca_screen_wrap(w->screen, &line, CCA_STYLE_WARN, 6, 2, text.data);
    cca_grid_line(grid, line.data);
  }
  cca_text_release(&text);
  cca_text_release(&line);
}

/* Are these the same source call, seen the same way in two units (a static
 * function of a header)? */
static bool same_site(const struct cca_report_writer *w, uint32_t a,
                      uint32_t b) {
  struct cca_allocsite x = cca_allocsite_at(w->table, a);
  struct cca_allocsite y = cca_allocsite_at(w->table, b);
  return x.file != CCA_NONE && x.file == y.file && x.line == y.line &&
         x.column == y.column && x.unit != y.unit && x.class == y.class &&
         x.of == y.of && x.shape == y.shape && x.header == y.header &&
         x.types_count == 0 && y.types_count == 0 && x.used_as == y.used_as &&
         !strcmp(cca__report_string(w, x.function),
                 cca__report_string(w, y.function)) &&
         !strcmp(cca__report_string(w, x.callee),
                 cca__report_string(w, y.callee)) &&
         !strcmp(cca__report_string(w, x.size),
                 cca__report_string(w, y.size)) &&
         !strcmp(cca__report_string(w, x.reason),
                 cca__report_string(w, y.reason));
}

/* --why: where the call returns to; that it is not known, where it could be. */
static void address_line(const struct cca_report_writer *w,
                         struct cca_grid *grid, uint32_t site) {
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
  if (!text.len && w->report->addresses)
    cca_text_adds(&text, "not found in the code");
  if (text.len) {
    cca_screen_wrap(w->screen, &line, CCA_STYLE_DIM, 6, 2, text.data);
    cca_grid_line(grid, line.data);
  }
  cca_text_release(&text);
  cca_text_release(&line);
}

static void file_line(const struct cca_report_writer *w, struct cca_grid *grid,
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

void cca__report_sites(const struct cca_report_writer *w) {
  const struct cca_rows *rows = &w->report->sites;
  if (!rows->count)
    return;
  cca__report_heading(w, "ALLOCATION SITES", rows->count,
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
    cca_cell(&grid, CCA_STYLE_PLAIN, cca__report_string(w, site.function));
    cca_cell(&grid, CCA_STYLE_PLAIN, cca__report_string(w, site.callee));
    type_cell(w, &grid, &site);
    remark_cell(w, &grid, &site, copies);
    reason_line(w, &grid, &site);
    if (w->options->why)
      address_line(w, &grid, row);
  }
  cca_grid_print(&grid, w->screen, w->out);
}
