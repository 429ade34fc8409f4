/* SPDX-License-Identifier: MIT */
/*
 * report-load.c -- from files to classifications.
 *
 * Input:  names of files of any kind.
 * Output: one classification a linked module, and one of everything that is
 *         not linked yet.
 *
 * A file with something to report has it reported, whatever else is wrong with
 * it; units without a summary are rows of that report.  Only a file with
 * nothing at all is a complaint, and its objects are rows of the report on the
 * others.
 */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocs.h"
#include "base/vec.h"
#include "primitives.h"

struct loader {
  struct cca_report_modules *modules;
  struct cca_vec(struct cca_solver_unit) units; /* to be solved */
  struct cca_vec(struct cca_solver_unit) bare;  /* without summary, of files
                                                 * that have nothing else */
  const char *first_object; /* the file that the first of them came from */
  size_t object_files, module_at;
};

static void worsen(struct cca_report_modules *modules, int status) {
  if (modules->status < status)
    modules->status = status;
}

static void add_module(struct cca_report_modules *modules, const char *name,
                       const struct cca_table *table) {
  modules->items =
      cca_realloc(modules->items, modules->count + 1, sizeof *modules->items);
  modules->items[modules->count++] = (struct cca_report_module){name, table};
}

/* FILE has COUNT items from FIRST on, none with a table. */
static void complain(struct cca_report_modules *modules, const char *file,
                     size_t first, size_t count) {
  const struct cca_carrier_item *item = &modules->input.items[first];
  if (!count) {
    cca_complain(modules->command,
                 "%s: nothing to report: no code and no pointers "
                 "in it",
                 file);
    worsen(modules, CCA_EXIT_NOTHING);
    return;
  }
  if (count == 1 && !strcmp(item->name, file))
    cca_complain(modules->command, "%s: %s%s", file, item->reason,
                 cca_input_advice(item));
  else if (count == 1)
    cca_complain(modules->command, "%s: nothing to report: %s: %s%s", file,
                 item->name, item->reason, cca_input_advice(item));
  else
    cca_complain(modules->command,
                 "%s: nothing to report in its %zu objects; the "
                 "first is %s: %s%s",
                 file, count, item->name, item->reason, cca_input_advice(item));
  bool broken = false; /* a text beside the objects of an archive is not */
  for (size_t i = 0; i < count; i++)
    broken |= cca_input_is_broken(&item[i]) &&
              (item[i].why != CCA_CARRIER_NOT_ELF || count == 1);
  worsen(modules, broken ? CCA_EXIT_ERROR : CCA_EXIT_NOTHING);
}

static struct cca_solver_unit unit_of(const struct cca_carrier_item *item) {
  return (struct cca_solver_unit){item->name, item->table, item->reason, false};
}

/* Sort the items of FILE, from FIRST on, into modules and units. */
static void add_file(struct loader *loader, const char *file, size_t first) {
  struct cca_report_modules *modules = loader->modules;
  size_t count = modules->input.count - first, tables = 0, summaries = 0;
  for (size_t i = first; i < modules->input.count; i++) {
    const struct cca_carrier_item *item = &modules->input.items[i];
    tables += item->table != NULL;
    summaries += item->kind == CCA_CARRIER_SUMMARY;
    if (item->kind == CCA_CARRIER_CLASSIFICATION)
      add_module(modules, item->name, item->table);
  }
  if (!tables)
    complain(modules, file, first, count);
  for (size_t i = first; !tables && i < modules->input.count; i++) {
    const struct cca_carrier_item *item = &modules->input.items[i];
    if (item->why == CCA_CARRIER_NO_SECTION || item->why == CCA_CARRIER_BITCODE)
      cca_vec_push(&loader->bare, unit_of(item));
  }
  if (!summaries)
    return;

  if (!loader->object_files++) {
    loader->first_object = file;
    loader->module_at = modules->count;
  }
  for (size_t i = first; i < modules->input.count; i++) {
    const struct cca_carrier_item *item = &modules->input.items[i];
    if (item->kind != CCA_CARRIER_CLASSIFICATION)
      cca_vec_push(&loader->units, unit_of(item));
  }
}

/* Solve the units, and put the result where the first object stood. */
static void solve(struct loader *loader) {
  struct cca_report_modules *modules = loader->modules;
  struct cca_primitives_text primitives = {0};
  struct cca_table_error err = {0};
  int status = cca_primitives_read(modules->command, &primitives);
  if (status == 0) {
    struct cca_solver_request request = {
        .units = loader->units.items,
        .unit_count = loader->units.count,
        .primitives = primitives.text.data,
        .primitives_len = primitives.text.len,
    };
    status = cca_solve(&request, &modules->solved, &err);
    if (status < 0)
      cca_primitives_complain(modules->command, &primitives, &err);
  }
  cca_primitives_release(&primitives);
  if (status == 0) {
    const struct cca_text *image = &modules->solved.classification;
    status = cca_table_open(&modules->solved_table, &cca_classification_schema,
                            image->data, image->len, &err);
    if (status < 0)
      cca_complain(modules->command,
                   "%s: the solver's result is broken at byte %zu: %s",
                   loader->first_object, err.offset, err.text);
  }
  if (status < 0) {
    worsen(modules, CCA_EXIT_ERROR);
    return;
  }

  const char *name = loader->first_object;
  if (loader->object_files > 1) {
    if (asprintf(&modules->solved_name, "%s and %zu more", name,
                 loader->object_files - 1) < 0)
      modules->solved_name = NULL;
    name = modules->solved_name ? modules->solved_name : name;
  }
  add_module(modules, name, &modules->solved_table);
  struct cca_report_module last = modules->items[modules->count - 1];
  memmove(modules->items + loader->module_at + 1,
          modules->items + loader->module_at,
          (modules->count - 1 - loader->module_at) * sizeof last);
  modules->items[loader->module_at] = last;
}

void cca_report_load(struct cca_report_modules *modules, const char *command,
                     char *const *files, size_t count) {
  *modules = (struct cca_report_modules){.command = command};
  struct loader loader = {.modules = modules};
  for (size_t i = 0; i < count; i++)
    add_file(&loader, files[i], cca_input_add(&modules->input, files[i]));
  if (loader.units.count) {
    for (size_t i = 0; i < loader.bare.count; i++)
      cca_vec_push(&loader.units, loader.bare.items[i]);
    solve(&loader);
  }
  cca_vec_release(&loader.units);
  cca_vec_release(&loader.bare);
}

void cca_report_modules_release(struct cca_report_modules *modules) {
  free(modules->items);
  free(modules->solved_name);
  cca_solver_result_release(&modules->solved);
  cca_input_release(&modules->input);
}
