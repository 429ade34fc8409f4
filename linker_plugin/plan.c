/* SPDX-License-Identifier: MIT */
/*
 * plan.c -- keep, write and read a plan.
 *
 * In:    sections and rows, in the order in which they are to be written.
 * Out:   the strings of plan.h, and back.
 * Holds: reading refuses what it does not understand; a row before the first
 *        section, a section before the first object, a number that is none.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

void cca_plan_section(struct cca_plan *plan, const char *object,
                      const char *name, uint64_t size, uint32_t ordinal,
                      uint32_t count, uint32_t alike) {
  size_t n = plan->sections.count;
  const char *last = n > 0 ? plan->sections.items[n - 1].object : NULL;
  struct cca_plan_section section = {
      .object = last && strcmp(last, object) == 0
                    ? last
                    : cca_arena_strdup(&plan->arena, object),
      .name = cca_arena_strdup(&plan->arena, name),
      .size = size,
      .ordinal = ordinal,
      .count = count,
      .alike = alike,
      .first_row = (uint32_t)plan->rows.count,
  };
  cca_vec_push(&plan->sections, section);
}

void cca_plan_row(struct cca_plan *plan, uint32_t row, uint32_t offset) {
  struct cca_plan_row entry = {row, offset};
  cca_vec_push(&plan->rows, entry);
  plan->sections.items[plan->sections.count - 1].row_count++;
}

void cca_plan_write(const struct cca_plan *plan, struct cca_text *out) {
  const char *object = NULL;
  for (size_t i = 0; i < plan->sections.count; i++) {
    const struct cca_plan_section *s = &plan->sections.items[i];
    if (s->object != object)
      cca_text_addf(out, "O%s%c", s->object, '\0');
    object = s->object;
    cca_text_addf(out, "S%" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %s%c",
                  s->size, s->ordinal, s->count, s->alike, s->name, '\0');
    for (uint32_t r = 0; r < s->row_count; r++) {
      const struct cca_plan_row *row = &plan->rows.items[s->first_row + r];
      cca_text_addf(out, "R%" PRIu32 " %" PRIu32 "%c", row->row, row->offset,
                    '\0');
    }
  }
}

/* The number at *TEXT, not above MAX, and the blank behind it, if any. */
static int take_number(const char **text, uint64_t max, uint64_t *number) {
  char *end;
  if (**text < '0' || **text > '9')
    return -1;
  *number = strtoull(*text, &end, 10);
  if (*number > max || (*end != ' ' && *end != '\0'))
    return -1;
  *text = *end == ' ' ? end + 1 : end;
  return 0;
}

int cca_plan_read(struct cca_plan *plan, const char *text, size_t len) {
  const char *object = NULL, *end = cca_text_end(text, len), *zero;
  *plan = (struct cca_plan){0};
  for (; text < end; text = zero + 1) {
    uint64_t size, ordinal, count, alike, row, offset;
    const char *rest = text + 1;
    zero = memchr(text, '\0', (size_t)(end - text));
    if (!zero)
      return -1;
    switch (*text) {
    case 'O':
      object = rest;
      break;
    case 'S':
      if (!object || take_number(&rest, UINT64_MAX, &size) != 0 ||
          take_number(&rest, UINT32_MAX, &ordinal) != 0 ||
          take_number(&rest, UINT32_MAX, &count) != 0 ||
          take_number(&rest, UINT32_MAX, &alike) != 0)
        return -1;
      cca_plan_section(plan, object, rest, size, (uint32_t)ordinal,
                       (uint32_t)count, (uint32_t)alike);
      break;
    case 'R':
      if (plan->sections.count == 0 ||
          take_number(&rest, UINT32_MAX, &row) != 0 ||
          take_number(&rest, UINT32_MAX, &offset) != 0)
        return -1;
      cca_plan_row(plan, (uint32_t)row, (uint32_t)offset);
      break;
    default:
      return -1;
    }
  }
  return 0;
}

void cca_plan_release(struct cca_plan *plan) {
  cca_vec_release(&plan->sections);
  cca_vec_release(&plan->rows);
  cca_arena_release(&plan->arena);
}
