/* SPDX-License-Identifier: MIT */
/*
 * lookup.h -- questions to a symbol table (docs/symbols-format.md).
 *
 * Pre:       TABLE was opened with cca_symbols_schema.
 * Memory:    none is allocated, no lock is taken, nothing is called that might.
 * Ownership: strings are borrowed from the table's image.
 *
 * The results and what they mean are those of ccallocs/symbols.h, whose
 * functions of similar names these are.
 */
#ifndef CCA_SYMBOLS_LOOKUP_H
#define CCA_SYMBOLS_LOOKUP_H

#include "ccallocs/symbols.h"
#include "summaries/table.h"

/* The table of MODULE, whose queries are answered; it lives as long. */
const struct cca_table *
cca_symbols_table(const struct cca_symbols_module *module);

int cca_lookup_address(const struct cca_table *table, uint64_t offset,
                       struct cca_frame *frames, size_t room, size_t *count);

int cca_lookup_name(const struct cca_table *table, const char *name,
                    struct cca_symbol_info *out, size_t room, size_t *count);
int cca_lookup_pattern(const struct cca_table *table, const char *pattern,
                       struct cca_symbol_info *out, size_t room, size_t *count);

struct cca_symbol_info cca_lookup_symbol(const struct cca_table *table,
                                         uint32_t i);
struct cca_line_info cca_lookup_line(const struct cca_table *table, uint32_t i);

struct cca_section_info cca_lookup_section(const struct cca_table *table,
                                           uint32_t i);

#endif
