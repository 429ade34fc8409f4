/* SPDX-License-Identifier: MIT */
/*
 * expression.h -- what a node of a summary computes, for people.
 *
 * Threads: none shared.  Memory: base/memory.h.
 */
#ifndef CCA_EXPRESSION_H
#define CCA_EXPRESSION_H

#include "table.h"

/*
 * Write NODE of the summary TABLE to the end of OUT as C would have it, as in
 * `p0 * sizeof(struct foo) + 16`: p0 is the first parameter, `f(...)` the
 * result of a call, `?loop` a value that is not known, and why.  One line of
 * printable ASCII; what is longer than about a line is cut, marked by `...`.
 */
void cca_expression_write(const struct cca_table *table, uint32_t node,
                          struct cca_text *out);

/* The same for the location LOC, as in `p0->next`. */
void cca_expression_write_loc(const struct cca_table *table, uint32_t loc,
                              struct cca_text *out);

/* Write STRING to the end of OUT with everything escaped that is not printable
 * ASCII, and quotes and backslashes: \" \\ \n \t \xNN. */
void cca_text_add_escaped(struct cca_text *out, const char *string);

#endif
