/* SPDX-License-Identifier: MIT */
/*
 * table.h -- table files: rows of numbers in chunks, and a string table.
 *
 * Summaries and classifications are both table files; docs/table-format.md
 * specifies the bytes, summary.def and classification.def the chunks.  A table
 * is read in place: cca_table_open() checks every index, range, enumerator,
 * flag and string once, so that afterwards no accessor can fail and none can
 * leave the image.
 *
 *     struct cca_table t;
 *     if (cca_table_open(&t, &cca_summary_schema, bytes, len, &err) < 0) ...
 *     for (uint32_t i = 0; i < cca_func_count(&t); i++) {
 *       struct cca_func f = cca_func_at(&t, i);
 *       puts(cca_table_string(&t, f.symbol));
 *     }
 *
 * Ownership: a table borrows its image, which must outlive it; all results are
 *            borrowed from the image.  There is nothing to release.
 * Memory:    reading allocates nothing; building uses base/memory.h.
 * Threads:   an open table never changes; share it freely.
 */
#ifndef CCA_TABLE_H
#define CCA_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define CCA_NONE 0xffffffffu /* "no row" in a FIELD_OPT */
