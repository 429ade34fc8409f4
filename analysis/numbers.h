/* SPDX-License-Identifier: MIT */
/*
 * numbers.h -- numbers for things that are known by their address.
 *
 * LLVM's C API has no place for a user's data in its objects, so the passes
 * keep maps from values, blocks and metadata to numbers.  Never iterated, so
 * the order of addresses cannot show in a result.
 *
 * Emptying costs nothing (a stamp goes up), so that one map serves all
 * functions of a unit and a small function does not pay for a large one.
 */
#ifndef CCA_NUMBERS_H
#define CCA_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct cca_numbers_slot {
  const void *key;
  uint32_t stamp, value;
};

/* A zeroed struct is an empty map. */
struct cca_numbers {
  struct cca_numbers_slot *slots;
  size_t count, room; /* room is a power of two, or 0 */
  uint32_t stamp;
};

/* The number of KEY, or 0. */
uint32_t cca_numbers_find(const struct cca_numbers *numbers, const void *key);

/* The place of KEY's number, which is 0 when new; borrowed until the next
 * cca_numbers_at(). */
uint32_t *cca_numbers_at(struct cca_numbers *numbers, const void *key);

void cca_numbers_clear(struct cca_numbers *numbers);
void cca_numbers_release(struct cca_numbers *numbers);

#endif
