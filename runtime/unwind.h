/* SPDX-License-Identifier: MIT */
/*
 * unwind.h -- what .eh_frame says about one return address.
 *
 * The row tells how to get from a frame to its caller's: where the frame ends
 * (the CFA: what the stack pointer will be in the caller), and where the
 * caller's frame pointer was saved.  The return address is the word below the
 * CFA.  A row depends on nothing but the address, so that it is computed once.
 *
 * Of all that DWARF can say, this is what compilers say on x86-64; any other
 * rule gives a row that ends the walk.
 */
#ifndef CCA_UNWIND_H
#define CCA_UNWIND_H

#include "modules.h"

enum cca_row_kind {
  CCA_ROW_NONE,   /* no row, or one that we do not follow */
  CCA_ROW_SP,     /* CFA = stack pointer + offset */
  CCA_ROW_FP,     /* CFA = frame pointer + offset */
  CCA_ROW_DEREF,  /* CFA = word at frame pointer - offset; the caller's frame
                     pointer is at the frame pointer: realigned stacks */
  CCA_ROW_END,    /* the outermost frame */
  CCA_ROW_SIGNAL, /* the return address of a signal handler */
};

enum {
  CCA_ROW_MAX_OFFSET = (1 << 20) - 8, /* bytes; a multiple of 8 */
  CCA_ROW_MAX_SAVED = (1 << 10) - 8,
};

struct cca_row {
  enum cca_row_kind kind;
  uint32_t offset; /* bytes */
  uint32_t saved;  /* the caller's frame pointer is at CFA - saved; 0: it is
                      still in the register */
};

/* The row of the call that returns to ADDRESS in MODULE. */
struct cca_row cca_unwind_row(const struct cca_loaded *module,
                              uintptr_t address);

#endif
