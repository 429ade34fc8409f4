/* SPDX-License-Identifier: MIT */
/*
 * wanted.h -- which calls are to be looked for in the finished output?
 *
 * Where a link map can't say where a unit's code went, because the link made it
 * (LTO), because `ld -r` has joined sections, or because there is no map, the
 * output itself is searched.  The list of what to look for is written before
 * the link, and read after it by `cca-analyze --locate`.  As a file it is
 * strings, each ended by a zero byte, told apart by their first letter:
 *
 *   U source                  a unit, by the name its compiler was told
 *   C line column site says   a call of the last U, of the function and to the
 *   function                  callee in the next two strings (callee empty: it
 *   callee                    is indirect); SITE is its row of ALLOCSITE, or
 *                             4294967295; SAYS is 1 if it has a class of its
 *                             own, 0 if it passes through what another says
 *   P call section offset flags
 *                             where the CALL-th C of the last U was in the
 *                             unit's object: a row of SITE
 *
 * What was found goes the other way, "ADDRESS SITE FLAGS" in a string each,
 * flags as of ADDRESS.  Memory: base/memory.h.
 */
#ifndef CCA_WANTED_H
#define CCA_WANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vec.h"
#include "summaries/table.h"

struct cca_wanted_call {
  uint32_t line, column;
  uint32_t site; /* CCA_NONE: none */
  bool says;
  const char *function, *callee; /* callee NULL: indirect */
};

struct cca_wanted_place {
  uint32_t call; /* index among the unit's calls */
  uint32_t section, offset, flags;
};

struct cca_wanted_unit {
  const char *source;
  uint32_t first_call, call_count;
  uint32_t first_place, place_count;
};

struct cca_wanted {
  struct cca_vec(struct cca_wanted_unit) units;
  struct cca_vec(struct cca_wanted_call) calls;
  struct cca_vec(struct cca_wanted_place) places; /* as SITE is: by section,
                                                     offset, inwards out */
};

/* Add to OUT the unit with summary TABLE.  CALL_SITES has the ALLOCSITE row, or
 * CCA_NONE, of each of its calls; SOLVED is the classification.  WITH_PLACES:
 * if the object's code is in the output, it is as it was. */
void cca_wanted_write(struct cca_text *out, const struct cca_table *table,
                      const uint32_t *call_sites,
                      const struct cca_table *solved, bool with_places);

/* Read what cca_wanted_write() wrote; borrows from TEXT.  Returns 0, or -1 if
 * it is broken; to be released in any case. */
int cca_wanted_read(struct cca_wanted *wanted, const char *text, size_t len);

void cca_wanted_release(struct cca_wanted *wanted);

/* A string of the answer. */
struct cca_found {
  uint64_t address;
  uint32_t site, flags;
};
void cca_found_write(struct cca_text *out, const struct cca_found *found);

/* The answer in the LEN bytes at TEXT, to the end of OUT.  Returns 0, or -1 if
 * it is broken. */
struct cca_founds cca_vec(struct cca_found);
int cca_found_read(struct cca_founds *out, const char *text, size_t len);

#endif
