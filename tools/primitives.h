/* SPDX-License-Identifier: MIT */
/*
 * primitives.h -- where the tools find the data file of primitives.
 */
#ifndef CCA_PRIMITIVES_H
#define CCA_PRIMITIVES_H

#include <stddef.h>

#include "base/text.h"

/*
 * Append to OUT the installed share/cc-allocs/primitives.txt, and after it the
 * file that the environment's CC_ALLOCS_PRIMITIVES names, if it names one.
 * Returns 0, or -1 with the reason (what, where, what to do) in WHY.
 */
int cca_primitives_read(struct cca_text *out, char *why, size_t why_room);

#endif
