/* SPDX-License-Identifier: MIT */
/*
 * libraries.h -- what the shared libraries of a link say of their own
 * allocation functions, for the solver.
 *
 * A library that was built with cc-allocs carries a classification.  Its
 * functions are to the program what libc's are: no source, but a line that says
 * what they do with memory (docs/primitives.md).
 *
 * Memory: base/memory.h.
 */
#ifndef CCA_LIBRARIES_H
#define CCA_LIBRARIES_H

#include "base/text.h"
#include "inputs.h"

/*
 * Append to OUT, as the text of primitives, a line for each function that the
 * shared libraries among the files of INPUTS give the program, and that
 * allocates or frees as a primitive can: the size is a parameter or a product
 * of two.  What several libraries define is the first one's.  Returns how many
 * lines there are.
 */
size_t cca_libraries_write(const struct cca_inputs *inputs,
                           struct cca_text *out);

#endif
