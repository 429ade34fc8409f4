/* SPDX-License-Identifier: MIT */
/*
 * plan.h -- which row of ADDRESS lies where, before anything has an address.
 *
 * The solver knows a call as (object, section, offset).  The plan says so for
 * each row, and how to recognise the section in a link map; it is written
 * before the link and read after it.  As a file it is strings, each ended by a
 * zero byte, told apart by their first letter:
 *
 *   O name                  the object, as maps call it
 *   S size ordinal count alike name
 *                           a section of the last O: the ORDINAL-th of COUNT
 *                           sections of that name in the object, ALIKE of
 *                           which are of that size too
 *   R row offset            ADDRESS row ROW lies at OFFSET of the last S
 *
 * A row that is not listed has no address.  Memory: base/memory.h.
 */
#ifndef CCA_PLAN_H
#define CCA_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vec.h"

struct cca_plan_row {
  uint32_t row, offset;
};

struct cca_plan_section {
  const char *object, *name;
  uint64_t size;
  uint32_t ordinal, count, alike;
  uint32_t first_row, row_count;
};

struct cca_plan {
  struct cca_vec(struct cca_plan_section) sections;
  struct cca_vec(struct cca_plan_row) rows;
  struct cca_arena arena;
};

/* Begin a section, which the rows added next belong to.  Strings are copied. */
void cca_plan_section(struct cca_plan *plan, const char *object,
                      const char *name, uint64_t size, uint32_t ordinal,
                      uint32_t count, uint32_t alike);
void cca_plan_row(struct cca_plan *plan, uint32_t row, uint32_t offset);

void cca_plan_write(const struct cca_plan *plan, struct cca_text *out);

/* Read what cca_plan_write() wrote.  Returns 0, or -1 if it is broken. */
int cca_plan_read(struct cca_plan *plan, const char *text, size_t len);

void cca_plan_release(struct cca_plan *plan);

#endif
