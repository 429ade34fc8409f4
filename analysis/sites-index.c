/* SPDX-License-Identifier: MIT */
/*
 * sites-index.c -- the summary's calls, to be found by what the code knows.
 *
 * In a linked module functions of several units may have one name.  Such a name
 * is qualified by the unit, on both sides; a call's callee by the unit of the
 * caller, which is the one that means it.
 */
#include <stdlib.h>
#include <string.h>

#include "sites-join.h"

enum { SEVERAL = 0 }; /* units have a function */

static int compare_entries(const void *pa, const void *pb) {
  const struct entry *a = pa, *b = pb;
  for (unsigned i = 0; i < 3; i++)
    if (a->key[i] != b->key[i])
      return a->key[i] < b->key[i] ? -1 : 1;
  if (a->column != b->column)
    return a->column < b->column ? -1 : 1;
  return a->call < b->call ? -1 : a->call > b->call;
}

uint32_t cca__sites_lower(const struct index *index, uint32_t a, uint32_t b,
                          uint32_t c) {
  struct entry key = {.key = {a, b, c}};
  uint32_t low = 0, high = index->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare_entries(&index->items[middle], &key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct range cca__sites_exactly(const struct index *index, uint32_t a,
                                uint32_t b, uint32_t c) {
  return (struct range){cca__sites_lower(index, a, b, c),
                        cca__sites_lower(index, a, b, c + 1)};
}

struct range cca__sites_any_third(const struct index *index, uint32_t a,
                                  uint32_t b) {
  return (struct range){cca__sites_lower(index, a, b, 0),
                        cca__sites_lower(index, a, b + 1, 0)};
}

static uint32_t number(struct joiner *j, const char *name, size_t len) {
  bool is_new;
  uint32_t *slot = cca_map_at(&j->numbers, name, len, &is_new);
  if (is_new)
    *slot = (uint32_t)j->numbers.count;
  return *slot;
}

/* The name of a function of UNIT, LEN bytes at NAME, as no other unit has it.
 */
static void qualify(struct joiner *j, const char *name, size_t len,
                    const char *unit) {
  j->text.len = 0;
  cca_text_add(&j->text, name, len);
  cca_text_add(&j->text, "", 1);
  cca_text_adds(&j->text, unit);
}

/* Note which functions of UNIT the calls know; those whose name another unit
 * has too are called by their own name and the unit's. */
static void note_function(struct joiner *j, const struct cca_site_call *call) {
  if (!call->unit)
    return;
  bool is_new;
  uint32_t *unit =
      cca_map_at(&j->units, call->unit, strlen(call->unit), &is_new);
  if (is_new)
    *unit = (uint32_t)j->units.count;
  uint32_t *owner =
      cca_map_at(&j->owners, call->function, strlen(call->function), &is_new);
  if (is_new)
    *owner = *unit;
  else if (*owner != *unit)
    *owner = SEVERAL;
}

/* The number of function NAME, LEN bytes, as UNIT (may be NULL) knows it; 0:
 * it is one of several, and we cannot tell which. */
static uint32_t function_number(struct joiner *j, const char *name, size_t len,
                                const char *unit, bool add) {
  const uint32_t *owner = cca_map_find(&j->owners, name, len), *found;
  if (owner && *owner == SEVERAL) {
    if (!unit)
      return 0;
    qualify(j, name, len, unit);
    name = j->text.data;
    len = j->text.len;
  }
  if (add)
    return number(j, name, len);
  found = cca_map_find(&j->numbers, name, len);
  return found ? *found : 0;
}

uint32_t cca__sites_find_number(struct joiner *j, const char *symbol,
                                const char *unit) {
  size_t len = strcspn(symbol, "@");
  uint32_t found = function_number(j, symbol, len, unit, false);
  const char *dot = memchr(symbol, '.', len);
  if (!found && dot && dot != symbol)
    found = function_number(j, symbol, (size_t)(dot - symbol), unit, false);
  return found ? found : UNKNOWN;
}

static struct index make_index(const struct joiner *j, unsigned a, unsigned b,
                               unsigned c, const uint32_t (*fields)[4]) {
  struct index index = {cca_calloc(j->count, sizeof(struct entry)), j->count};
  for (uint32_t i = 0; i < j->count; i++)
    index.items[i] = (struct entry){
        {fields[i][a], fields[i][b], fields[i][c]}, j->calls[i].column, i};
  if (j->count)
    qsort(index.items, j->count, sizeof(struct entry), compare_entries);
  return index;
}

uint32_t cca__sites_callee_number(struct joiner *j,
                                  const struct cca_site_call *call) {
  return function_number(j, call->callee, strlen(call->callee), call->unit,
                         true);
}

void cca__sites_index(struct joiner *j) {
  enum { FUNCTION, LINE, CALLEE, ORDER };
  uint32_t(*fields)[4] = cca_calloc(j->count, sizeof *fields);
  for (uint32_t i = 0; i < j->count; i++)
    note_function(j, &j->calls[i]);
  for (uint32_t i = 0; i < j->count; i++) {
    const struct cca_site_call *call = &j->calls[i];
    fields[i][FUNCTION] = function_number(
        j, call->function, strlen(call->function), call->unit, true);
    fields[i][LINE] = call->line;
    fields[i][CALLEE] =
        call->callee ? cca__sites_callee_number(j, call) : INDIRECT;
    fields[i][ORDER] = i;
  }
  j->is_callee = cca_calloc(j->numbers.count + 1, sizeof(bool));
  j->taken = cca_calloc(j->count, sizeof(bool));
  for (uint32_t i = 0; i < j->count; i++)
    j->is_callee[fields[i][CALLEE]] = true;
  const uint32_t(*f)[4] = (const uint32_t(*)[4])fields;
  j->by_place = make_index(j, FUNCTION, LINE, CALLEE, f);
  j->by_callee = make_index(j, FUNCTION, CALLEE, LINE, f);
  j->by_line = make_index(j, LINE, CALLEE, FUNCTION, f);
  j->by_source = make_index(j, FUNCTION, ORDER, CALLEE, f);
  free(fields);
}
