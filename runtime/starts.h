/* SPDX-License-Identifier: MIT */
/*
 * starts.h -- where do objects begin?  From any address to the object that it
 * lies in.
 *
 * What is small is all in the index: a number for every 32 bytes of the address
 * space says that a small object begins there, in which half, how long it is,
 * and its label.  Blocks are at least 24 bytes long and begin at multiples of
 * 16, so no two begin in the same 32 bytes; and an object's number is nobody
 * else's, so that nothing is locked.
 *
 * Of others there is a bit for every 16 bytes: one begins there.  The rest is
 * in the block (heap.h).
 *
 * Both are in leaves, one for each 64 MiB, mapped when the first object begins
 * in it.  An object that reaches over the start of a 64 KiB chunk is entered
 * there too, so that finding it from its far end does not take longer than
 * looking through one chunk.
 *
 * Threads: all functions may be called by all threads.  Adding and removing
 *          the same object at the same time is a bug of the program's.
 */
#ifndef CCA_STARTS_H
#define CCA_STARTS_H

#include "atomics.h"

#include <stddef.h>

enum {
  CCA_GRANULE_SHIFT = 4,
  CCA_CHUNK_SHIFT = 16,
  CCA_LEAF_SHIFT = 26,
  CCA_ADDRESS_BITS = 47, /* of user addresses; others are not entered */
  CCA_LEAVES = 1 << (CCA_ADDRESS_BITS - CCA_LEAF_SHIFT),
  CCA_LEAF_WORDS = 1 << (CCA_LEAF_SHIFT - CCA_GRANULE_SHIFT - 6),
  CCA_CHUNK_WORDS = 1 << (CCA_CHUNK_SHIFT - CCA_GRANULE_SHIFT - 6),
  CCA_LEAF_CHUNKS = 1 << (CCA_LEAF_SHIFT - CCA_CHUNK_SHIFT),

  CCA_SMALL = 256,         /* bytes: what is shorter is small */
  CCA_SMALL_LEAST = 24,    /* bytes of its block */
  CCA_SMALL_SHIFT = 5,     /* a number for so many bytes */
  CCA_SMALL_HALF = 1 << 9, /* begins in the second half of them */
  CCA_SMALL_LABEL = 10,    /* bits from here: the label; below HALF: 1 + size */
  CCA_LEAF_SMALLS = 1 << (CCA_LEAF_SHIFT - CCA_SMALL_SHIFT),
};

struct cca_leaf {
  uint64_t starts[CCA_LEAF_WORDS]; /* bit n of word w: granule 64 w + n */
  uintptr_t over[CCA_LEAF_CHUNKS]; /* start of what lies over its first byte */
  uintptr_t whole; /* start of what lies over all of the leaf; 0: nothing */
  uint32_t small[CCA_LEAF_SMALLS]; /* 0: none begins in these 32 bytes */
};

extern struct cca_leaf *cca_leaves[CCA_LEAVES];

/* starts.c: the rare cases of the functions below. */
struct cca_leaf *cca__starts_leaf(uintptr_t start);
bool cca__starts_spread(uintptr_t start, size_t len, uintptr_t value);

/* Can an object of ours begin at START? */
static inline bool cca_starts_takes(uintptr_t start) {
  return (start & ((1 << CCA_GRANULE_SHIFT) - 1)) == 0 &&
         start >> CCA_ADDRESS_BITS == 0;
}

static inline uint64_t *cca_starts_word(struct cca_leaf *leaf,
                                        uintptr_t start) {
  return &leaf->starts[start >> (CCA_GRANULE_SHIFT + 6) & (CCA_LEAF_WORDS - 1)];
}

static inline uint64_t cca_starts_bit(uintptr_t start) {
  return 1ull << (start >> CCA_GRANULE_SHIFT & 63);
}

/* Where an object of LEN bytes at START is to be entered; NULL: it cannot be,
 * for want of memory or because of where it is. */
static inline struct cca_leaf *cca__starts_room(uintptr_t start, size_t len) {
  if (cca_unlikely(!cca_starts_takes(start)))
    return NULL;
  struct cca_leaf *leaf =
      cca_load_acquire(&cca_leaves[start >> CCA_LEAF_SHIFT]);
  if (cca_unlikely(!leaf) && !(leaf = cca__starts_leaf(start)))
    return NULL;
  if (cca_unlikely((start ^ (start + len)) >> CCA_CHUNK_SHIFT) &&
      !cca__starts_spread(start, len, start))
    return NULL;
  return leaf;
}

/* ---- Small objects ---- */

static inline uint32_t *cca_small_word(struct cca_leaf *leaf, uintptr_t start) {
  return &leaf->small[start >> CCA_SMALL_SHIFT & (CCA_LEAF_SMALLS - 1)];
}

/* What the low bits of the number of an object at START are, less its size. */
static inline uint32_t cca_small_half(uintptr_t start) {
  return (uint32_t)(start >> CCA_GRANULE_SHIFT & 1) * CCA_SMALL_HALF;
}

static inline uint32_t cca_small_size(uint32_t number) {
  return (number & (CCA_SMALL_HALF - 1)) - 1;
}
static inline uint32_t cca_small_label(uint32_t number) {
  return number >> CCA_SMALL_LABEL;
}

/* Enter the small object of SIZE bytes at START.  False: it cannot be. */
static inline bool cca_small_add(uintptr_t start, size_t size, uint32_t label) {
  struct cca_leaf *leaf = cca__starts_room(start, size);
  if (cca_unlikely(!leaf))
    return false;
  cca_store(cca_small_word(leaf, start), label << CCA_SMALL_LABEL |
                                             cca_small_half(start) |
                                             ((uint32_t)size + 1));
  return true;
}

/* The number of the small object that begins at START; 0: none does. */
static inline uint32_t cca_small_at(uintptr_t start) {
  if (cca_unlikely(!cca_starts_takes(start)))
    return 0;
  struct cca_leaf *leaf =
      cca_load_acquire(&cca_leaves[start >> CCA_LEAF_SHIFT]);
  if (cca_unlikely(!leaf))
    return 0;
  uint32_t number = cca_load(cca_small_word(leaf, start));
  return (number & CCA_SMALL_HALF) == cca_small_half(start) ? number : 0;
}

/* Take out the small object at START, which is entered, and has SIZE bytes. */
static inline void cca_small_remove(uintptr_t start, size_t size) {
  struct cca_leaf *leaf = cca_leaves[start >> CCA_LEAF_SHIFT];
  cca_store(cca_small_word(leaf, start), 0);
  if (cca_unlikely((start ^ (start + size)) >> CCA_CHUNK_SHIFT))
    cca__starts_spread(start, size, 0);
}

/* ---- Others ---- */

/* Enter the object of LEN bytes at START.  False: it cannot be. */
static inline bool cca_starts_add(uintptr_t start, size_t len, bool locked) {
  struct cca_leaf *leaf = cca__starts_room(start, len);
  if (cca_unlikely(!leaf))
    return false;
  cca_or(cca_starts_word(leaf, start), cca_starts_bit(start), locked);
  return true;
}

/* Does one that is not small begin at START? */
static inline bool cca_starts_has(uintptr_t start) {
  if (cca_unlikely(!cca_starts_takes(start)))
    return false;
  struct cca_leaf *leaf =
      cca_load_acquire(&cca_leaves[start >> CCA_LEAF_SHIFT]);
  return leaf && cca_load(cca_starts_word(leaf, start)) & cca_starts_bit(start);
}

/* Take out the object at START, which is entered, with the same LEN. */
static inline void cca_starts_remove(uintptr_t start, size_t len, bool locked) {
  struct cca_leaf *leaf = cca_leaves[start >> CCA_LEAF_SHIFT];
  cca_and(cca_starts_word(leaf, start), ~cca_starts_bit(start), locked);
  if (cca_unlikely((start ^ (start + len)) >> CCA_CHUNK_SHIFT))
    cca__starts_spread(start, len, 0);
}

/* ---- All ---- */

/* The last object that begins at or below ADDRESS, if it can reach there; 0 if
 * there is none.  How long it is, the caller has to know. */
uintptr_t cca_starts_find(uintptr_t address);

/* The first object that begins at or behind ADDRESS; 0 if there is none. */
uintptr_t cca_starts_next(uintptr_t address);

#endif
