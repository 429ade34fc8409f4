/* SPDX-License-Identifier: MIT */
/*
 * addresses.h -- what is known about a return address, in one word.
 *
 * A table from addresses to words, which every allocation looks into once for
 * each frame that it walks.  Reading takes no lock and no more than a few
 * loads.  The word says whether the call is a site, and how to get to the next
 * frame:
 *
 *   bits 0-31   label: the site, 0 if the call is none
 *   bits 32-34  kind of row (unwind.h), from 1
 *   bit 35      goes on: the callers decide (a pass-through site, or code
 *               without a classification)
 *   bits 36-42  saved, in words
 *   bit 43      late: of a module that was opened, and may be closed
 *   bits 44-63  offset, in bytes: it is what the next load waits for
 *
 * Keys above the user's address space are places without a site (labels.h):
 * reason << 48 | address; their word is the label.
 *
 * Threads: any; writers give up where another one is writing.
 */
#ifndef CCA_ADDRESSES_H
#define CCA_ADDRESSES_H

#include "atomics.h"
#include "unwind.h"

#define CCA_FACT_GOES_ON (1ull << 35)
#define CCA_FACT_LATE (1ull << 43)

struct cca_fact {
  uint64_t key, word;
};

struct cca_facts {
  uint64_t mask; /* slots - 1, times the size of a slot: bytes */
  uint64_t used; /* slots that have, or had, a key */
  struct cca_fact slots[];
};

extern struct cca_facts *cca_facts;

/* Changes whenever something was forgotten, or is about to be. */
extern uint64_t cca_facts_generation;

/*
 * How many threads are closing a module.  Its place may be another module's
 * before what is known of it is forgotten; until that is done, nothing that is
 * known of such modules is believed.
 */
extern uint32_t cca_facts_closing;

/* Map the first table.  False: no memory. */
bool cca_facts_init(void);

/* COUNT addresses are about to be met: make room for them at once. */
void cca_facts_expect(uint32_t count);

/* Remember; nothing happens if another thread is remembering something. */
void cca_facts_set(uint64_t key, uint64_t word);

/* Around what may close modules; the second, when all of theirs is forgotten.
 */
void cca_facts_begin_closing(void);
void cca_facts_end_closing(void);

/* Forget all addresses in [LOW, HIGH). */
void cca_facts_forget(uint64_t low, uint64_t high);

void cca_facts_after_fork(void);

/* Bytes from the first slot to where KEY is looked for first.  Modules that one
 * compiler made are alike, and lie at the starts of pages: their calls differ
 * in few bits, which a product spreads and shifts alone do not (two hundred
 * small modules: 4,000 calls came into a tenth of the slots, and looking for
 * them was most of what the runtime did). */
static inline uint64_t cca_facts_first(const struct cca_facts *facts,
                                       uint64_t key) {
  return key * 0x9e3779b97f4a7c15 >> 28 & facts->mask;
}

static inline const struct cca_fact *
cca_facts_slot(const struct cca_facts *facts, uint64_t at) {
  return (const struct cca_fact *)((const char *)facts->slots + at);
}

/* The word of KEY; 0: not known, or not to be believed now. */
static inline uint64_t cca_facts_get(uint64_t key) {
  const struct cca_facts *facts = cca_load_acquire(&cca_facts);
  for (uint64_t at = cca_facts_first(facts, key);;
       at = (at + sizeof(struct cca_fact)) & facts->mask) {
    const struct cca_fact *slot = cca_facts_slot(facts, at);
    uint64_t there = cca_load_acquire(&slot->key);
    if (cca_likely(there == key)) {
      uint64_t word = cca_load(&slot->word);
      return cca_unlikely(word & CCA_FACT_LATE) && key >> 48 == 0 &&
                     cca_unlikely(cca_load_acquire(&cca_facts_closing))
                 ? 0
                 : word;
    }
    if (!there)
      return 0;
  }
}

static inline uint64_t cca_fact_of(uint32_t label, struct cca_row row,
                                   bool goes_on) {
  return label | (uint64_t)(row.kind + 1) << 32 |
         (goes_on ? CCA_FACT_GOES_ON : 0) | (uint64_t)(row.saved / 8) << 36 |
         (uint64_t)row.offset << 44;
}
static inline uint32_t cca_fact_label(uint64_t fact) { return (uint32_t)fact; }
static inline enum cca_row_kind cca_fact_kind(uint64_t fact) {
  return (enum cca_row_kind)((fact >> 32 & 7) - 1);
}
static inline uint64_t cca_fact_saved(uint64_t fact) {
  return (fact >> 36 & 0x7f) * 8;
}
static inline uint64_t cca_fact_offset(uint64_t fact) { return fact >> 44; }

#endif
