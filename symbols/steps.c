/* SPDX-License-Identifier: MIT */
/*
 * steps.c -- from ranges that lie over each other to "from here on".
 *
 * In:    ranges with a value each: functions, what was inlined into them, and
 *        into that; or symbols.
 * Out:   what is seen at each address, in the order of addresses.
 * Holds: every address gets one answer, whatever the ranges, which in broken
 *        debug information need not nest.
 *
 * A sweep.  What has begun is on a stack, the last one on top.  Before a range
 * begins, those on top that have ended by then are taken off; what is under
 * each is seen again, or has ended as well.  Each range is put on the stack
 * once and taken off once, so that sorting is most of the work.
 */
#include "steps.h"

#include <stdlib.h>

#include "summaries/table.h"

struct sweep {
  struct cca_ranges open; /* the stack */
  void (*step)(void *context, uint32_t start, uint32_t value);
  void *context;
  uint32_t start, value; /* what is seen by now, not told yet */
  uint32_t told;         /* the last value that was */
};

static int compare(const void *a, const void *b) {
  const struct cca_range *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  return x->value < y->value ? -1 : x->value > y->value;
}

static void tell(struct sweep *sweep) {
  if (sweep->value != sweep->told)
    sweep->step(sweep->context, sweep->start, sweep->value);
  sweep->told = sweep->value;
}

/* From START on VALUE is seen, unless something else is from there as well. */
static void see(struct sweep *sweep, uint32_t start, uint32_t value) {
  if (start != sweep->start)
    tell(sweep);
  sweep->start = start;
  sweep->value = value;
}

/* Take off what has ended when START is reached. */
static void close_until(struct sweep *sweep, uint64_t start) {
  struct cca_ranges *open = &sweep->open;
  while (open->count && open->items[open->count - 1].end <= start) {
    uint32_t end = open->items[--open->count].end;
    while (open->count && open->items[open->count - 1].end <= end)
      open->count--;
    see(sweep, end,
        open->count ? open->items[open->count - 1].value : CCA_NONE);
  }
}

void cca_steps_make(struct cca_ranges *ranges,
                    void (*step)(void *context, uint32_t start, uint32_t value),
                    void *context) {
  struct sweep sweep = {
      .step = step, .context = context, .value = CCA_NONE, .told = CCA_NONE};
  if (ranges->count)
    qsort(ranges->items, ranges->count, sizeof *ranges->items, compare);
  for (size_t i = 0; i < ranges->count; i++) {
    struct cca_range range = ranges->items[i];
    close_until(&sweep, range.start);
    see(&sweep, range.start, range.value);
    cca_vec_push(&sweep.open, range);
  }
  close_until(&sweep, UINT64_MAX);
  tell(&sweep);
  cca_vec_release(&sweep.open);
}
