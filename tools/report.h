/* SPDX-License-Identifier: MIT */
/*
 * report.h -- the parts of `allocs report`.
 *
 * report.c        the command: options, files, exit status
 * report-load.c   files -> classifications
 * report-model.c  a classification -> what both outputs need: order and figures
 * report-text.c   -> text for people (report-writer.h: more files)
 * report-json.c   -> JSON for programs
 *
 * Every figure is computed in the model, so that text and JSON cannot differ.
 */
#ifndef CCA_REPORT_H
#define CCA_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/text.h"
#include "input.h"
#include "linker_plugin/solver.h"
#include "screen.h"
#include "summaries/table.h"

struct cca_report_options {
  bool json, functions, sites, why;
  const char *type; /* NULL: all */
  enum cca_color color;
};

/* report-load.c */

/* One classification to report on. */
struct cca_report_module {
  const char *name; /* as shown; borrowed */
  const struct cca_table *table;
};

struct cca_report_modules {
  const char *command; /* that complains; borrowed */
  struct cca_report_module *items; /* owned */
  size_t count;
  int status; /* the worst CCA_EXIT_* (allocs.h) */
  struct cca_input input;
  struct cca_solver_result solved;
  struct cca_table solved_table;
  char *solved_name;
};

/*
 * Find or make the classifications of FILES, in order.  Each executable and
 * shared object has its own; the objects, archives and summaries among FILES
 * are solved together, as a link would, and stand where the first of them
 * stood.  What is wrong with a file is said on standard error, for COMMAND, and
 * the others are still reported.  MODULES does not move while it is in use; FILES are
 * borrowed.
 */
void cca_report_load(struct cca_report_modules *modules, const char *command,
                     char *const *files, size_t count);
void cca_report_modules_release(struct cca_report_modules *modules);

/* report-model.c */

enum cca_report_group {
  CCA_GROUP_ALLOCATION, /* what we claim to be allocation functions */
  CCA_GROUP_FACTORY,
  CCA_GROUP_LOOKALIKE,
  CCA_GROUP_DEALLOCATION,
  CCA_GROUP_COUNT,
};

enum {
  CCA_KIND_COUNT = CCA_KIND_CURSOR + 1,
  CCA_CLASS_COUNT = CCA_SITE_CLASS_UNTYPED + 1,
};

/* A list of row numbers. */
struct cca_rows {
  uint32_t *items;
  uint32_t count;
};

struct cca_report {
  const char *name;
  const struct cca_table *table;
  struct cca_arena arena; /* of all that follows */

  struct cca_rows groups[CCA_GROUP_COUNT]; /* ALLOC: most called first */
  struct cca_rows sites;    /* ALLOCSITE: by file, line, column, callee */
  struct cca_rows imports;  /* IMPORT: by symbol and parameter */
  struct cca_rows missing;  /* MISSING: by unit */
  struct cca_rows remarks;  /* REMARK: the same */
  struct cca_rows types;    /* TYPE: those allocated, at most sites first */
  uint32_t *sites_of_alloc; /* by row of ALLOC */
  uint32_t *alloc_of_site;  /* by row of ALLOCSITE: row of ALLOC, or NONE */
  uint32_t *sites_of_type;  /* by row of TYPE */
  uint32_t *first_address;  /* by row of ALLOCSITE: row of ADDRESS, or NONE */
  uint32_t *next_address;   /* by row of ADDRESS */

  uint32_t units, kinds[CCA_KIND_COUNT], classes[CCA_CLASS_COUNT];
  uint32_t agree, differ; /* sites whose used-as type is, is not, the type */
  uint32_t addresses;     /* return addresses that are known */
  uint32_t placed;        /* sites that have one */
};

/* Fill REPORT from TABLE, a classification; only sites, functions and imports
 * of type TYPE if it is not NULL (with or without `struct`, `union`, `enum`).
 * NAME and TABLE are borrowed. */
void cca_report_init(struct cca_report *report, const char *name,
                     const struct cca_table *table, const char *type);
void cca_report_release(struct cca_report *report);

/* Is this site's used-as type evidence, and does it agree? */
enum cca_agreement { CCA_AGREE_SILENT, CCA_AGREE_YES, CCA_AGREE_NO };
enum cca_agreement cca_report_agreement(const struct cca_table *table,
                                        const struct cca_allocsite *site);

/* "" for none. */
const char *cca_report_file(const struct cca_table *table, uint32_t file);
const char *cca_report_type(const struct cca_table *table, uint32_t type);

/* The section that functions of KIND belong to. */
enum cca_report_group cca_report_group_of(uint32_t kind);

/* Names of the groups, as in "3 look-alikes"; `many` is the plural. */
const char *cca_report_group_name(enum cca_report_group group, bool many);

/* The COUNT rows from FIRST on, those with the most sites first, then by type;
 * borrowed from ARENA. */
const uint32_t *cca_report_counts(const struct cca_table *table, uint32_t first,
                                  uint32_t count, struct cca_arena *arena);

/* typed, bytes, pass-through, untyped. */
const char *cca_report_class_name(uint32_t class);

/* report-text.c, report-json.c: append to OUT. */
void cca_report_text(const struct cca_report *report,
                     const struct cca_report_options *options,
                     const struct cca_screen *screen, struct cca_text *out);
void cca_report_json(const struct cca_report *report,
                     const struct cca_report_options *options,
                     struct cca_text *out);

#endif
