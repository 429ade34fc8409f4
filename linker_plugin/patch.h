/* SPDX-License-Identifier: MIT */
/*
 * patch.h -- fill the return addresses into a finished output.
 *
 * Memory: base/memory.h.
 */
#ifndef CCA_PATCH_H
#define CCA_PATCH_H

#include <stddef.h>
#include <stdint.h>

#include "find.h"
#include "plan.h"
#include "summaries/table.h"
#include "wanted.h"

/*
 * Mark every row of ADDRESS in the classification IMAGE (LEN bytes, checked)
 * dead, at address 0, which is what the link gets: a row that is never filled
 * in must not be taken for one that was.
 */
void cca_patch_clear(void *image, size_t len);

/*
 * The address of each row of PLAN by the map in the MAP_LEN bytes at MAP:
 * ADDRESSES has ROW_COUNT elements, indexed by row; 0 is "not there".
 */
void cca_patch_locate(const struct cca_plan *plan, enum cca_linker_kind kind,
                      const char *map, size_t map_len, uint64_t *addresses,
                      size_t row_count);

/*
 * The rows to be written: those of TABLE with ADDRESSES in them, and what was
 * FOUND in the output itself, which takes rows that have no address: of the
 * same site, or else those that PLAN does not mention.  Returns how many of
 * FOUND there was no row for.  ROWS has as many elements as TABLE has rows.
 */
size_t cca_patch_rows(const struct cca_table *table,
                      const struct cca_plan *plan, const uint64_t *addresses,
                      const struct cca_founds *found, struct cca_address *rows);

/*
 * In the file OUTPUT, find the classification that is byte for byte IMAGE (LEN
 * bytes) in its notes, and write its ADDRESS rows, which are to be ROWS,
 * sorted.  Nothing else in the file changes.  Returns 0, or -1 with the file as
 * it was.
 */
int cca_patch_file(const char *output, const void *image, size_t len,
                   const struct cca_address *rows, size_t row_count);

#endif
