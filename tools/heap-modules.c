/* SPDX-License-Identifier: MIT */
/*
 * heap-modules.c -- what the classifications of a process's modules came to.
 *
 * In:  the modules of a snapshot.
 * Out: two tables: the modules, and the calls that lead from one to another,
 *      with the module that each is bound to.
 *
 * What a single module says of itself, `allocs report` tells.
 */
#include "heap.h"

#include <string.h>

static void head(struct cca_grid *grid, const char *const *names) {
  for (size_t i = 0; i < grid->columns; i++)
    cca_cell(grid, CCA_STYLE_DIM, names[i]);
}

/* Why a classification that is there is not used; NULL: it is. */
static const char *why_refused(const char *classified) {
  if (!strcmp(classified, "broken"))
    return "its classification is broken";
  if (!strcmp(classified, "older"))
    return "linked by an older cc-allocs; link it again";
  if (!strcmp(classified, "newer"))
    return "linked by a newer cc-allocs, whose allocs reads it";
  return NULL;
}

static void modules(const struct cca_heap *heap,
                    const struct cca_screen *screen, struct cca_text *out) {
  static const char *const names[] = {"functions", "sites", "module", ""};
  struct cca_grid grid = {.columns = 4, .indent = 2, .right = 3};
  head(&grid, names);
  for (size_t i = 0; i < heap->modules.count; i++) {
    const struct cca_heap_module *m = &heap->modules.items[i];
    bool yes = !strcmp(m->classified, "yes");
    cca_cellf(&grid, CCA_STYLE_PLAIN, yes ? "%llu" : "-",
              (unsigned long long)m->functions);
    cca_cellf(&grid, CCA_STYLE_PLAIN, yes ? "%llu" : "-",
              (unsigned long long)m->sites);
    cca_cell(&grid, yes ? CCA_STYLE_NAME : CCA_STYLE_DIM,
             cca_heap_base_name(m->path));
    const char *refused = why_refused(m->classified);
    if (refused)
      cca_cell(&grid, CCA_STYLE_WARN, refused);
    else if (yes && m->missing)
      cca_cellf(&grid, CCA_STYLE_WARN, "%llu units without a summary",
                (unsigned long long)m->missing);
    else
      cca_cell(&grid, CCA_STYLE_DIM, m->closed ? "closed" : "");
  }
  cca_grid_print(&grid, screen, out);
}

static const struct {
  const char *word, *text;
} bindings[] = {
    {"allocates", "allocates"},
    {"no", "does not allocate"},
    {"silent", "not known: no classification"},
    {"unknown", "not known: in no module"},
    {"unbound", "not known: not called by its name"},
    {"unmet", "allocated nothing"},
};

static void imports(const struct cca_heap *heap,
                    const struct cca_screen *screen, struct cca_text *out) {
  static const char *const names[] = {"module", "calls", "of", ""};
  struct cca_grid grid = {.columns = 4, .indent = 2};
  size_t count = 0;
  head(&grid, names);
  for (size_t i = 0; i < heap->modules.count; i++) {
    const struct cca_heap_module *m = &heap->modules.items[i];
    for (size_t k = 0; k < m->imports.count; k++, count++) {
      const struct cca_heap_import *import = &m->imports.items[k];
      const char *text = import->binding;
      for (size_t b = 0; b < sizeof bindings / sizeof bindings[0]; b++)
        if (!strcmp(import->binding, bindings[b].word))
          text = bindings[b].text;
      cca_cell(&grid, CCA_STYLE_PLAIN, cca_heap_base_name(m->path));
      cca_cell(&grid, CCA_STYLE_NAME, import->symbol);
      cca_cell(&grid, CCA_STYLE_PLAIN,
               *import->module ? cca_heap_base_name(import->module) : "-");
      cca_cell(&grid, CCA_STYLE_PLAIN, text);
    }
  }
  struct cca_text table = {0};
  cca_grid_print(&grid, screen, &table);
  if (count) {
    cca_text_add(out, table.data, table.len);
    cca_text_adds(out, "\n");
  }
  cca_text_release(&table);
}

void cca_heap_modules_text(const struct cca_heap *heap,
                           const struct cca_screen *screen,
                           struct cca_text *out) {
  modules(heap, screen, out);
  cca_text_adds(out, "\n");
  imports(heap, screen, out);
}
