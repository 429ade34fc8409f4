/* SPDX-License-Identifier: MIT */
/*
 * sites-order.c -- which call of the source is it, without debug information?
 *
 * Without debug information calls are matched by (function, callee) in order.
 * Functions in between may have been inlined: ways through them count as well.
 * That is sure where there is but one way, or where the whole function has the
 * very calls of the source in the source's order, and a call does not stand in
 * one of two like stretches of them; of lua's parser at -O2, order alone got 65
 * of 400 calls wrong.  If the code calls a function more often than the source,
 * some of these calls are copies, or were rewritten: their rows are guesses,
 * and say so.
 */
#include <stdlib.h>
#include <string.h>

#include "sites-join.h"

/* Calls through inlined functions; ways to a callee; calls of a function. */
enum { MAX_WAY = 4, MAX_WAYS = 256, MAX_SEQUENCE = 16384 };

/* A way from a function to a call: its own call, or calls of functions that
 * were inlined into it, from outside inwards, and the call in the innermost. */
struct way {
  uint32_t count, calls[MAX_WAY];
};
struct ways cca_vec(struct way);

static int compare_ways(const void *pa, const void *pb) {
  const struct way *a = pa, *b = pb;
  for (uint32_t i = 0; i < a->count && i < b->count; i++)
    if (a->calls[i] != b->calls[i])
      return a->calls[i] < b->calls[i] ? -1 : 1;
  return a->count < b->count ? -1 : a->count > b->count;
}

/* How often the code of FUNCTION calls CALLEE. */
static uint32_t *code_count(struct joiner *j, uint32_t function,
                            uint32_t callee) {
  uint32_t key[2] = {function, callee};
  return cca_map_at(&j->code_counts, key, sizeof key, NULL);
}

/*
 * Add the ways on which WAY goes on, from FUNCTION, to calls of CALLEE.  OUTER
 * is the function whose code we look at: what it does not call as often as it
 * should was inlined, and may lie on the way.
 */
static void find_ways(struct joiner *j, struct ways *ways, struct way *way,
                      uint32_t outer, uint32_t function, uint32_t callee) {
  const struct entry *entries = j->by_callee.items;
  struct range rows = {cca__sites_lower(&j->by_callee, function, 0, 0),
                       cca__sites_lower(&j->by_callee, function + 1, 0, 0)};
  for (uint32_t r = rows.first, end; r < rows.end; r = end) {
    uint32_t through = entries[r].key[1];
    for (end = r + 1; end < rows.end && entries[end].key[1] == through;)
      end++;
    bool last = through == callee;
    if (!last && (through == INDIRECT || way->count + 1 == MAX_WAY ||
                  *code_count(j, outer, through) >= end - r))
      continue;
    for (uint32_t i = r; i < end && ways->count < MAX_WAYS; i++) {
      way->calls[way->count++] = entries[i].call;
      if (last)
        cca_vec_push(ways, *way);
      else
        find_ways(j, ways, way, outer, through, callee);
      way->count--;
    }
  }
}

/* WANT is answered by WAY: a row for each of its calls, inwards out. */
static void answer(struct joiner *j, struct want want, const struct way *way,
                   bool sure) {
  for (uint32_t d = 0; d < way->count; d++) {
    want.call = way->calls[way->count - 1 - d];
    want.depth = d;
    want.ambiguous = !sure;
    cca_vec_push(&j->wants, want);
  }
}

void cca__sites_match_in_order(struct joiner *j, struct want *wants,
                               size_t count) {
  uint32_t function = wants[0].function, callee = wants[0].callee;
  struct range own = cca__sites_any_third(&j->by_callee, function, callee);
  struct ways ways = {0};
  struct way way = {0};
  find_ways(j, &ways, &way, function, function, callee);
  bool sure = ways.count == 1 && count == 1;
  if (count == own.end - own.first) { /* probably only these */
    size_t kept = 0;
    for (size_t i = 0; i < ways.count; i++)
      if (ways.items[i].count == 1)
        ways.items[kept++] = ways.items[i];
    ways.count = kept;
  }
  if (ways.count)
    qsort(ways.items, ways.count, sizeof(struct way), compare_ways);
  for (size_t i = 0; ways.count && i < count; i++)
    answer(j, wants[i], &ways.items[i < ways.count ? i : ways.count - 1], sure);
  cca_vec_release(&ways);
}

/* Add the ways to all calls that the code of OUTER must have, in the order of
 * the source, if what it does not call was inlined; of FUNCTION, on WAY. */
static void expand(struct joiner *j, struct ways *ways, struct way *way,
                   uint32_t outer, uint32_t function) {
  uint32_t end = cca__sites_lower(&j->by_source, function + 1, 0, 0);
  for (uint32_t r = cca__sites_lower(&j->by_source, function, 0, 0);
       r < end && ways->count < MAX_SEQUENCE; r++) {
    const struct entry *entry = &j->by_source.items[r];
    way->calls[way->count++] = entry->call;
    if (*code_count(j, outer, entry->key[2]))
      cca_vec_push(ways, *way);
    else if (entry->key[2] != INDIRECT && way->count < MAX_WAY)
      expand(j, ways, way, outer, entry->key[2]);
    way->count--;
  }
}

/*
 * Which of the COUNT wants of a function stand in a stretch of calls that is
 * followed by the same calls again?  The compiler may have moved one stretch
 * behind the other, which no sequence of callees shows; owned by the caller.
 */
static bool *find_repeated(const struct want *wants, size_t count) {
  bool *repeated = cca_calloc(count, sizeof *repeated);
  for (size_t period = 1; period <= count / 2; period++)
    for (size_t i = 0, run = 0; i + period < count; i++) {
      run = wants[i].callee == wants[i + period].callee ? run + 1 : 0;
      if (run == period)
        memset(repeated + (i + 1 - period), true, 2 * period);
      else if (run > period)
        repeated[i + period] = true;
    }
  return repeated;
}

/*
 * Match COUNT wants of one function, in the order of the code, if these are
 * the very calls of the source in the source's order; else leave them.
 */
static bool match_sequence(struct joiner *j, const struct want *wants,
                           size_t count) {
  struct ways ways = {0};
  struct way way = {0};
  expand(j, &ways, &way, wants[0].function, wants[0].function);
  bool same = ways.count == count;
  for (size_t i = 0; same && i < count; i++) {
    uint32_t call = ways.items[i].calls[ways.items[i].count - 1];
    const char *callee = j->calls[call].callee;
    same = wants[i].callee ==
           (callee ? cca__sites_callee_number(j, &j->calls[call]) : INDIRECT);
  }
  bool *repeated = same ? find_repeated(wants, count) : NULL;
  for (size_t i = 0; same && i < count; i++)
    answer(j, wants[i], &ways.items[i], !repeated[i]);
  free(repeated);
  cca_vec_release(&ways);
  return same;
}

static int compare_by_function(const void *pa, const void *pb) {
  const struct want *a = pa, *b = pb;
  if (a->function != b->function)
    return a->function < b->function ? -1 : 1;
  return a->code < b->code ? -1 : a->code > b->code;
}

void cca__sites_match_sequences(struct joiner *j) {
  struct wants *orders = &j->orders;
  for (size_t i = 0; i < orders->count; i++)
    ++*code_count(j, orders->items[i].function, orders->items[i].callee);
  if (orders->count)
    qsort(orders->items, orders->count, sizeof(struct want),
          compare_by_function);
  size_t kept = 0, end;
  for (size_t i = 0; i < orders->count; i = end) {
    for (end = i + 1; end < orders->count &&
                      orders->items[end].function == orders->items[i].function;)
      end++;
    if (match_sequence(j, &orders->items[i], end - i))
      continue;
    memmove(&orders->items[kept], &orders->items[i],
            (end - i) * sizeof(struct want));
    kept += end - i;
  }
  orders->count = kept;
}
