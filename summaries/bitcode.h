/* SPDX-License-Identifier: MIT */
/*
 * bitcode.h -- a summary behind LLVM bitcode, which has no sections.
 *
 * Bitcode is a chain of blocks, and whoever reads it skips those that it does
 * not know.  Ours is one more at the end (docs/table-format.md, "Carriers").
 *
 * Ownership: results are borrowed from the bytes given.
 * Memory:    reading allocates nothing; writing uses base/memory.h.
 */
#ifndef CCA_BITCODE_H
#define CCA_BITCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Do the LEN bytes begin as bitcode, bare or in the wrapper that some targets
 * put around it? */
bool cca_bitcode_is(const void *bytes, size_t len);

/* Is it a chain of whole blocks, to which one can be added?  In a wrapper it is
 * not: the wrapper says where it ends. */
bool cca_bitcode_is_open(const void *bytes, size_t len);

/* The content of our block, *SIZE bytes, of the last if there are several; NULL
 * if there is none. */
const unsigned char *cca_bitcode_find(const void *bytes, size_t len,
                                      size_t *size);

/* Add to OUT the block with the LEN bytes of SUMMARY in it. */
void cca_bitcode_add(struct cca_text *out, const void *summary, size_t len);

#endif
