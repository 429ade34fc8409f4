/* SPDX-License-Identifier: MIT */
/*
 * wanted.c -- write and read the list of calls to be looked for in the output,
 * and what was found.
 *
 * In:    a unit's summary, and which of its calls are sites.
 * Out:   the strings of wanted.h, and back.
 * Holds: reading refuses what it does not understand: a call before the first
 *        unit, a place of no call, a number that is none.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wanted.h"

void cca_wanted_write(struct cca_text *out, const struct cca_table *table,
                      const uint32_t *call_sites,
                      const struct cca_table *solved, bool with_places) {
  cca_text_addf(out, "U%s%c",
                cca_table_string(table, cca_unit_at(table, 0).source), '\0');
  for (uint32_t i = 0; i < cca_call_count(table); i++) {
    struct cca_call call = cca_call_at(table, i);
    uint32_t site = call_sites[i];
    bool says = site != CCA_NONE && cca_allocsite_at(solved, site).class !=
                                        CCA_SITE_CLASS_PASS_THROUGH;
    const char *callee = "";
    if (call.callee != CCA_NONE)
      callee = cca_table_string(table, cca_func_at(table, call.callee).symbol);
    cca_text_addf(out, "C%" PRIu32 " %" PRIu32 " %" PRIu32 " %d%c%s%c%s%c",
                  call.line, call.column, site, says, '\0',
                  cca_table_string(table, cca_func_at(table, call.func).symbol),
                  '\0', callee, '\0');
  }
  for (uint32_t i = 0; with_places && i < cca_site_count(table); i++) {
    struct cca_site site = cca_site_at(table, i);
    cca_text_addf(out, "P%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "%c",
                  site.call, site.index, site.offset, site.flags, '\0');
  }
}

/* COUNT numbers of the string TEXT, one blank between them and nothing after
 * them; not above their MAX. */
static int take_numbers(const char *text, size_t count, const uint64_t *max,
                        uint64_t *numbers) {
  for (size_t i = 0; i < count; i++) {
    char *end;
    if (*text < '0' || *text > '9')
      return -1;
    numbers[i] = strtoull(text, &end, 10);
    if (numbers[i] > max[i] || *end != (i + 1 < count ? ' ' : '\0'))
      return -1;
    text = end + 1;
  }
  return 0;
}

/* The string at *TEXT, and past it; NULL if it does not end before END. */
static const char *take_string(const char **text, const char *end) {
  const char *string = *text;
  const char *zero =
      string < end ? memchr(string, '\0', (size_t)(end - string)) : NULL;
  if (!zero)
    return NULL;
  *text = zero + 1;
  return string;
}

static int read_call(struct cca_wanted *w, const char *rest, const char **text,
                     const char *end) {
  static const uint64_t max[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 1};
  uint64_t n[4];
  struct cca_wanted_call call;
  if (w->units.count == 0 || take_numbers(rest, 4, max, n) != 0 ||
      !(call.function = take_string(text, end)) ||
      !(call.callee = take_string(text, end)))
    return -1;
  call.line = (uint32_t)n[0];
  call.column = (uint32_t)n[1];
  call.site = (uint32_t)n[2];
  call.says = n[3] != 0;
  if (call.callee[0] == '\0')
    call.callee = NULL;
  cca_vec_push(&w->calls, call);
  w->units.items[w->units.count - 1].call_count++;
  return 0;
}

static int read_place(struct cca_wanted *w, const char *rest) {
  uint64_t max[] = {0, UINT32_MAX, UINT32_MAX, UINT32_MAX}, n[4];
  struct cca_wanted_unit *unit =
      w->units.count > 0 ? &w->units.items[w->units.count - 1] : NULL;
  if (!unit || unit->call_count == 0)
    return -1;
  max[0] = unit->call_count - 1;
  if (take_numbers(rest, 4, max, n) != 0)
    return -1;
  struct cca_wanted_place place = {(uint32_t)n[0], (uint32_t)n[1],
                                   (uint32_t)n[2], (uint32_t)n[3]};
  cca_vec_push(&w->places, place);
  unit->place_count++;
  return 0;
}

int cca_wanted_read(struct cca_wanted *w, const char *text, size_t len) {
  const char *end = cca_text_end(text, len);
  *w = (struct cca_wanted){0};
  while (text < end) {
    const char *string = take_string(&text, end);
    if (!string)
      return -1;
    switch (*string) {
    case 'U': {
      struct cca_wanted_unit unit = {.source = string + 1,
                                     .first_call = (uint32_t)w->calls.count,
                                     .first_place = (uint32_t)w->places.count};
      cca_vec_push(&w->units, unit);
      break;
    }
    case 'C':
      if (read_call(w, string + 1, &text, end) != 0)
        return -1;
      break;
    case 'P':
      if (read_place(w, string + 1) != 0)
        return -1;
      break;
    default:
      return -1;
    }
  }
  return 0;
}

void cca_wanted_release(struct cca_wanted *w) {
  cca_vec_release(&w->units);
  cca_vec_release(&w->calls);
  cca_vec_release(&w->places);
}

void cca_found_write(struct cca_text *out, const struct cca_found *found) {
  cca_text_addf(out, "%" PRIu64 " %" PRIu32 " %" PRIu32 "%c", found->address,
                found->site, found->flags, '\0');
}

int cca_found_read(struct cca_founds *out, const char *text, size_t len) {
  static const uint64_t max[] = {UINT64_MAX, UINT32_MAX, UINT32_MAX};
  for (const char *end = cca_text_end(text, len); text < end;) {
    uint64_t n[3];
    const char *string = take_string(&text, end);
    if (!string || take_numbers(string, 3, max, n) != 0)
      return -1;
    struct cca_found found = {n[0], (uint32_t)n[1], (uint32_t)n[2]};
    cca_vec_push(out, found);
  }
  return 0;
}
