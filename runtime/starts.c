/* SPDX-License-Identifier: MIT */
/*
 * starts.c -- the rare cases of the index, and looking things up; see starts.h.
 */
#include "starts.h"

#include "pages.h"

struct cca_leaf *cca_leaves[CCA_LEAVES];

/* The leaf of START, made if it is not there yet.  Of two threads that make it
 * at once, one gives its own back. */
struct cca_leaf *cca__starts_leaf(uintptr_t start) {
  struct cca_leaf **slot = &cca_leaves[start >> CCA_LEAF_SHIFT];
  struct cca_leaf *leaf = cca_load_acquire(slot), *fresh;
  if (leaf || !(fresh = cca_pages_map(sizeof *fresh)))
    return leaf;
  if (__atomic_compare_exchange_n(slot, &leaf, fresh, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return fresh;
  cca_pages_unmap(fresh, sizeof *fresh);
  return leaf;
}

/* Write VALUE wherever the object of LEN bytes at START lies over the first
 * byte of a chunk; for leaves that it fills, once for the leaf. */
bool cca__starts_spread(uintptr_t start, size_t len, uintptr_t value) {
  uintptr_t end = start + len;
  if (end < start || end >> CCA_ADDRESS_BITS)
    return false;
  const uintptr_t chunk = (uintptr_t)1 << CCA_CHUNK_SHIFT,
                  leaf_size = (uintptr_t)1 << CCA_LEAF_SHIFT;
  uintptr_t at = (start + chunk - 1) & -chunk;
  while (at < end) {
    struct cca_leaf *leaf =
        value ? cca__starts_leaf(at) : cca_leaves[at >> CCA_LEAF_SHIFT];
    if (!leaf) { /* undo what was written */
      if (value)
        cca__starts_spread(start, at - start, 0);
      return false;
    }
    if (at % leaf_size == 0 && end - at >= leaf_size) {
      cca_store(&leaf->whole, value);
      at += leaf_size;
    } else {
      cca_store(&leaf->over[at >> CCA_CHUNK_SHIFT & (CCA_LEAF_CHUNKS - 1)],
                value);
      at += chunk;
    }
  }
  return true;
}

/* The start of the last small object at or below ADDRESS that can reach there
 * and begins in its chunk; 0 if there is none. */
static uintptr_t find_small(const struct cca_leaf *leaf, uintptr_t address) {
  uintptr_t chunk = address >> CCA_CHUNK_SHIFT << CCA_CHUNK_SHIFT;
  for (uintptr_t at = address >> CCA_SMALL_SHIFT << CCA_SMALL_SHIFT;
       at >= chunk && address - at < CCA_SMALL + (1 << CCA_SMALL_SHIFT);
       at -= 1 << CCA_SMALL_SHIFT) {
    uint32_t number =
        cca_load(&leaf->small[at >> CCA_SMALL_SHIFT & (CCA_LEAF_SMALLS - 1)]);
    uintptr_t start =
        at | (number & CCA_SMALL_HALF ? 1 << CCA_GRANULE_SHIFT : 0);
    if (number && start <= address)
      return start;
  }
  return 0;
}

uintptr_t cca_starts_find(uintptr_t address) {
  if (address >> CCA_ADDRESS_BITS)
    return 0;
  struct cca_leaf *leaf =
      cca_load_acquire(&cca_leaves[address >> CCA_LEAF_SHIFT]);
  if (!leaf)
    return 0;

  /* In its own chunk, backwards from the address.  What is before a small
   * object is no matter. */
  uintptr_t small = find_small(leaf, address);
  uintptr_t granule =
      address >> CCA_GRANULE_SHIFT & ((uintptr_t)CCA_LEAF_WORDS * 64 - 1);
  uintptr_t word = granule / 64, first = word & -(uintptr_t)CCA_CHUNK_WORDS;
  if (small)
    first = small >> (CCA_GRANULE_SHIFT + 6) & (CCA_LEAF_WORDS - 1);
  uint64_t bits =
      cca_load(&leaf->starts[word]) & (~0ull >> (63 - granule % 64));
  while (!bits && word > first)
    bits = cca_load(&leaf->starts[--word]);
  if (bits) {
    uintptr_t at = word * 64 + (63 - (uintptr_t)__builtin_clzll(bits));
    uintptr_t start =
        (address >> CCA_LEAF_SHIFT << CCA_LEAF_SHIFT) | at << CCA_GRANULE_SHIFT;
    return start > small ? start : small;
  }
  if (small)
    return small;
  uintptr_t over =
      cca_load(&leaf->over[address >> CCA_CHUNK_SHIFT & (CCA_LEAF_CHUNKS - 1)]);
  return over ? over : cca_load(&leaf->whole);
}

/* Where small objects begin in word WORD of LEAF, as its bits. */
static uint64_t small_bits(const struct cca_leaf *leaf, uintptr_t word) {
  enum { EACH = 1 << (CCA_GRANULE_SHIFT + 6 - CCA_SMALL_SHIFT) };
  uint64_t bits = 0;
  for (uintptr_t i = 0; i < EACH; i++) {
    uint32_t number = cca_load(&leaf->small[word * EACH + i]);
    if (number)
      bits |= (number & CCA_SMALL_HALF ? 2ull : 1ull) << 2 * i;
  }
  return bits;
}

uintptr_t cca_starts_next(uintptr_t address) {
  uintptr_t granule = (address + 15) >> CCA_GRANULE_SHIFT;
  for (uintptr_t i = granule >> (CCA_LEAF_SHIFT - CCA_GRANULE_SHIFT);
       i < CCA_LEAVES; i++) {
    struct cca_leaf *leaf = cca_load_acquire(&cca_leaves[i]);
    uintptr_t base = i << (CCA_LEAF_SHIFT - CCA_GRANULE_SHIFT);
    if (granule < base)
      granule = base;
    if (!leaf)
      continue;
    uintptr_t word = (granule - base) / 64;
    uint64_t mask = ~0ull << (granule - base) % 64;
    for (; word < CCA_LEAF_WORDS; word++, mask = ~0ull) {
      uint64_t bits =
          (cca_load(&leaf->starts[word]) | small_bits(leaf, word)) & mask;
      if (bits)
        return (base + word * 64 + (uintptr_t)__builtin_ctzll(bits))
               << CCA_GRANULE_SHIFT;
    }
  }
  return 0;
}
