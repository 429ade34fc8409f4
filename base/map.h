/* SPDX-License-Identifier: MIT */
/*
 * map.h -- a hash map from byte strings to 32-bit numbers.
 *
 * For symbol tables and for numbering things in the order of their arrival.
 * Iteration is by the caller's own array of what was numbered, never by the
 * table, so nothing depends on the order of hashes.
 *
 * Ownership: keys are copied into the map.  A zeroed struct is an empty map.
 * Threads: none.
 */
#ifndef CCA_MAP_H
#define CCA_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

struct cca_map {
  struct cca_map_slot *slots;
  size_t count, room; /* room is a power of two, or 0 */
  struct cca_arena keys;
};

/*
 * The slot of KEY (LEN bytes), added if it is not there.  *IS_NEW, if not
 * NULL, says whether it was added; a new value is 0.  The result is borrowed
 * until the next cca_map_at().
 */
uint32_t *cca_map_at(struct cca_map *map, const void *key, size_t len,
                     bool *is_new);

/* The value of KEY, or NULL; borrowed until the next cca_map_at(). */
const uint32_t *cca_map_find(const struct cca_map *map, const void *key,
                             size_t len);

/* KEY will be asked for soon: have its slot fetched from memory meanwhile. */
void cca_map_expect(const struct cca_map *map, const void *key, size_t len);

/* The same for a KEY whose slot is there by now: have the key itself fetched.
 * Returns what is probably its value, or 0; good for prefetching only. */
uint32_t cca_map_guess(const struct cca_map *map, const void *key, size_t len);

void cca_map_release(struct cca_map *map);

/* A 64-bit hash of LEN bytes, the same on every machine (FNV-1a, finished
 * with the mixer of splitmix64).  Chain by passing the previous result as
 * SEED; start with 0. */
uint64_t cca_hash(uint64_t seed, const void *bytes, size_t len);

#endif
