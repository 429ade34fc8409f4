/* SPDX-License-Identifier: MIT */
/*
 * export.h -- the parts of `allocs export`.
 *
 * export.c         the command
 * export-header.c  -> a C header of redeclarations with attributes
 * export-lists.c   -> a list, and the variables of liballocs
 * prototypes.c     how the functions are declared (prototypes.h, spell.h)
 */
#ifndef CCA_EXPORT_H
#define CCA_EXPORT_H

#include "base/text.h"
#include "prototypes.h"
#include "report.h"

struct cca_export {
  const struct cca_report *report; /* borrowed */
  const struct cca_table *table;
  struct cca_prototypes *prototypes; /* NULL for the list */
};

/* Each appends to OUT. */
void cca_export_header(const struct cca_export *export, struct cca_text *out);
void cca_export_list(const struct cca_export *export, struct cca_text *out);
void cca_export_liballocs(const struct cca_export *export,
                          struct cca_text *out);

/* What is known of the prototype of function ALLOC, or NULL if its name is
 * none that C can have. */
const struct cca_prototype *
cca_export_prototype(const struct cca_export *export,
                     const struct cca_alloc *alloc);

/* Append NAME for a comment: nothing in it ends the line, or a comment in C. */
void cca_export_name(struct cca_text *out, const char *name);

/* Append "NAME (FILE:LINE): REASON", for comments. */
void cca_export_left_out(const struct cca_export *export, struct cca_text *out,
                         const struct cca_alloc *alloc, const char *reason);

#endif
