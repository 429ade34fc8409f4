/* SPDX-License-Identifier: MIT */
/*
 * addresses.c -- writing the table of addresses.h.
 *
 * A slot never changes its key, but for becoming forgotten: then its key is one
 * that nobody asks for, and chains of other keys lead over it.  When three
 * of four slots are used, a table twice as large takes over; readers may still
 * be in the old one, which is therefore left alone (all old ones together are
 * no larger than the new one).
 */
#include "addresses.h"

#include "pages.h"

enum { FIRST_SLOTS = 1 << 12, FORGOTTEN = 1 };

struct cca_facts *cca_facts;
uint64_t cca_facts_generation;
uint32_t cca_facts_closing;
static uint32_t lock;

static struct cca_facts *make(uint64_t slots) {
  size_t size = sizeof(struct cca_fact) * slots;
  struct cca_facts *facts = cca_pages_map(sizeof *facts + size);
  if (facts)
    facts->mask = size - sizeof(struct cca_fact);
  return facts;
}

static uint64_t slots_of(const struct cca_facts *facts) {
  return facts->mask / sizeof(struct cca_fact) + 1;
}

bool cca_facts_init(void) { return (cca_facts = make(FIRST_SLOTS)) != NULL; }

static void put(struct cca_facts *facts, uint64_t key, uint64_t word) {
  uint64_t slots = slots_of(facts),
           i = cca_facts_first(facts, key) / sizeof(struct cca_fact);
  for (; facts->slots[i].key; i = (i + 1) & (slots - 1))
    if (facts->slots[i].key == key) {
      cca_store(&facts->slots[i].word, word);
      return;
    }
  facts->used++;
  cca_store(&facts->slots[i].word, word);
  cca_store_release(&facts->slots[i].key, key);
}

/* Have SLOTS or more; false: no memory. */
static bool grow(uint64_t slots, bool prepare) {
  struct cca_facts *facts = cca_facts, *larger = make(slots);
  if (!larger)
    return false;
  if (prepare)
    cca_pages_prepare(larger, sizeof *larger + larger->mask);
  /* A page that nobody has touched is not read either. */
  for (uint64_t i = 0; facts->used && i < slots_of(facts); i++)
    if (facts->slots[i].key > FORGOTTEN)
      put(larger, facts->slots[i].key, facts->slots[i].word);
  cca_store_release(&cca_facts, larger);
  return true;
}

void cca_facts_expect(uint32_t count) {
  uint64_t slots = FIRST_SLOTS;
  while (slots / 4 * 3 < count)
    slots *= 2;
  if (slots == FIRST_SLOTS || !cca_try(&lock))
    return;
  if (slots > slots_of(cca_facts))
    grow(slots, true);
  cca_leave(&lock);
}

void cca_facts_set(uint64_t key, uint64_t word) {
  if (!cca_try(&lock))
    return;
  if (cca_facts->used <= slots_of(cca_facts) / 4 * 3 ||
      grow(slots_of(cca_facts) * 2, false))
    put(cca_facts, key, word);
  cca_leave(&lock);
}

void cca_facts_forget(uint64_t low, uint64_t high) {
  const uint64_t address = (1ull << 48) - 1;
  while (!cca_try(&lock)) /* writers are quick, and do not wait for us */
    ;
  __atomic_fetch_add(&cca_facts_generation, 1, __ATOMIC_RELEASE);
  struct cca_facts *facts = cca_facts;
  for (uint64_t i = 0; i < slots_of(facts); i++) {
    uint64_t key = facts->slots[i].key & address;
    if (facts->slots[i].key > FORGOTTEN && key >= low && key < high) {
      cca_store(&facts->slots[i].key, FORGOTTEN);
      cca_store(&facts->slots[i].word, 0);
    }
  }
  cca_leave(&lock);
}

void cca_facts_begin_closing(void) {
  __atomic_fetch_add(&cca_facts_closing, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&cca_facts_generation, 1, __ATOMIC_SEQ_CST);
}

void cca_facts_end_closing(void) {
  __atomic_fetch_add(&cca_facts_generation, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_sub(&cca_facts_closing, 1, __ATOMIC_SEQ_CST);
}

void cca_facts_after_fork(void) { cca_leave(&lock); }
