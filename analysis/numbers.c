/* SPDX-License-Identifier: MIT */
/*
 * numbers.c -- open addressing with linear probing, at most half full.
 *
 * A slot is in use if its stamp is the map's; stamps begin at 1, so zeroed
 * slots are free.
 */
#include "analysis/numbers.h"

#include <stdlib.h>

#include "base/memory.h"

static size_t slot_of(const struct cca_numbers *numbers, const void *key) {
  uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
  size_t at = (size_t)(hash >> 32) & (numbers->room - 1);
  while (numbers->slots[at].stamp == numbers->stamp &&
         numbers->slots[at].key != key)
    at = (at + 1) & (numbers->room - 1);
  return at;
}

uint32_t cca_numbers_find(const struct cca_numbers *numbers, const void *key) {
  if (!numbers->count)
    return 0;
  size_t at = slot_of(numbers, key);
  return numbers->slots[at].stamp == numbers->stamp ? numbers->slots[at].value
                                                    : 0;
}

static void grow(struct cca_numbers *numbers) {
  struct cca_numbers old = *numbers;
  numbers->room = old.room ? old.room * 2 : 64;
  numbers->slots = cca_calloc(numbers->room, sizeof *numbers->slots);
  if (!numbers->stamp)
    numbers->stamp = 1;
  for (size_t i = 0; i < old.room; i++)
    if (old.slots[i].stamp == old.stamp)
      numbers->slots[slot_of(numbers, old.slots[i].key)] = old.slots[i];
  free(old.slots);
}

uint32_t *cca_numbers_at(struct cca_numbers *numbers, const void *key) {
  if (numbers->room / 2 <= numbers->count)
    grow(numbers);
  struct cca_numbers_slot *slot = &numbers->slots[slot_of(numbers, key)];
  if (slot->stamp != numbers->stamp) {
    *slot = (struct cca_numbers_slot){key, numbers->stamp, 0};
    numbers->count++;
  }
  return &slot->value;
}

void cca_numbers_clear(struct cca_numbers *numbers) {
  numbers->count = 0;
  if (numbers->room && !++numbers->stamp) {
    cca_numbers_release(numbers); /* the stamps have come round */
  }
}

void cca_numbers_release(struct cca_numbers *numbers) {
  free(numbers->slots);
  *numbers = (struct cca_numbers){0};
}
