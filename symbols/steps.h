/* SPDX-License-Identifier: MIT */
/*
 * steps.h -- from ranges that lie over each other to "from here on".
 */
#ifndef CCA_STEPS_H
#define CCA_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* The bytes from START to END, which is not among them and is greater. */
struct cca_range {
  uint32_t start, end;
  uint64_t rank;
  uint32_t value;
};

struct cca_ranges cca_vec(struct cca_range);

/*
 * Say what is seen from above at each address: call STEP with ascending
 * addresses, and the value of the range that is seen from there on, CCA_NONE
 * where there is none; never the same value twice running.
 *
 * Of ranges that lie over each other the one that starts last is above; of
 * those, the one of the highest rank; of those, the one of the greatest value.
 * RANGES are sorted by this afterwards.
 */
void cca_steps_make(struct cca_ranges *ranges,
                    void (*step)(void *context, uint32_t start, uint32_t value),
                    void *context);

#endif
