/* SPDX-License-Identifier: MIT */
/*
 * gather.h -- the parts of the builder of symbol tables, private to symbols/:
 * each adds its chunks to the table that is being built.
 */
#ifndef CCA_GATHER_H
#define CCA_GATHER_H

#include "base/map.h"
#include "base/vec.h"
#include "module.h"
#include "summaries/table.h"

struct cca_rows cca_vec(uint32_t); /* CCA_NONE: not made yet */

struct cca_gather {
  const struct cca_elf_module *module;
  struct cca_builder *builder;
  /* By number of string in the builder: the row that was made of it. */
  struct cca_rows names, paths;
  bool has_symbols;
  bool lacks_file; /* of debug information, to which the module's refers */
};

/* gather.c: the row of NAME, SOURCE_FILE for this text; the same for the same.
 */
uint32_t cca_gather_name(struct cca_gather *gather, const char *linkage);
uint32_t cca_gather_path(struct cca_gather *gather, const char *path);

/* gather-symbols.c: SYMBOL, SYMBOL_FROM, BY_NAME. */
void cca_gather_symbols(struct cca_gather *gather);

/* gather-files.c: the files of one unit, by their numbers in DWARF, as rows of
 * SOURCE_FILE.  A zeroed struct has none. */
struct cca_files {
  Dwarf_Files *files;
  size_t count;
  const char *folder; /* in which the unit was compiled; borrowed; or NULL */
  struct cca_rows rows;
};
void cca_files_open(struct cca_files *files, Dwarf_Die *unit);
uint32_t cca_files_row(struct cca_files *files, struct cca_gather *gather,
                       size_t number);
void cca_files_release(struct cca_files *files);

/* gather-scopes.c: SCOPE, SCOPE_FROM.  gather-lines.c: LINE_FROM.  Both are
 * given the units one by one, each with its files. */
struct cca_scopes;
struct cca_scopes *cca_scopes_new(struct cca_gather *gather);
void cca_scopes_add(struct cca_scopes *scopes, Dwarf_Die *unit,
                    struct cca_files *files);
void cca_scopes_finish(struct cca_scopes *scopes); /* and free */

struct cca_lines;
struct cca_lines *cca_lines_new(struct cca_gather *gather);
void cca_lines_add(struct cca_lines *lines, Dwarf_Die *unit,
                   struct cca_files *files);
void cca_lines_finish(struct cca_lines *lines); /* and free */

/* demangle.c: what people call the C++ function LINKAGE, owned; NULL if that
 * is no name of C++, or there is no C++ library here. */
char *cca_demangle(const char *linkage);

#endif
