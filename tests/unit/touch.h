/* SPDX-License-Identifier: MIT */
/*
 * touch.h -- read everything that an open table offers, as its readers would.
 *
 * Every row through its accessor; every string to its end; every reference
 * and range against the chunk it leads to.  Under AddressSanitizer, with the
 * image in a heap block of its own size, a check that the reader forgot shows
 * here.  Used by unit tests and fuzz targets.
 */
#ifndef TOUCH_H
#define TOUCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summaries/table.h"

/* CONDITION holds, or the process ends. */
#define MUST(condition)                                                        \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
      abort();                                                                 \
    }                                                                          \
  } while (0)

static volatile uint64_t touched; /* or the reads would be optimised away */

#define TOUCH_STR(value, detail)                                               \
  touched += strlen(cca_table_string(table, value));
#define TOUCH_U32(value, detail) touched += value;
#define TOUCH_I32(value, detail) touched += (uint32_t)value;
#define TOUCH_I64(value, detail) touched += (uint64_t)value;
#define TOUCH_HEX(value, detail) touched += (uint64_t)value;
#define TOUCH_VARIANT(value, detail) touched += value;
#define TOUCH_ENUM(value, detail)                                              \
  MUST(strcmp(cca_##detail##_name(value), "?") != 0);
#define TOUCH_FLAGS(value, detail) MUST(value < 1u << 8);
#define TOUCH_REF(value, detail) MUST(value < table->count[CCA_CHUNK_##detail]);
#define TOUCH_OPT(value, detail)                                               \
  MUST(value == CCA_NONE || value < table->count[CCA_CHUNK_##detail]);
#define TOUCH_FIRST(value, detail)                                             \
  MUST(value <= table->count[CCA_CHUNK_##detail]);
#define TOUCH_COUNT(value, detail)                                             \
  MUST(value <= table->count[CCA_CHUNK_##detail]);

#define CHUNK(id, NAME, name)                                                  \
  static inline void touch_##name##s(const struct cca_table *table) {          \
    for (uint32_t i = 0; i < cca_##name##_count(table); i++) {                 \
      struct cca_##name row = cca_##name##_at(table, i);
#define COLUMN(name, KIND, detail) TOUCH_##KIND(row.name, detail)
#define END(NAME, name)                                                        \
  }                                                                            \
  }
#include "summaries/all.def"

/* Values end: a node's are computed from earlier ones. */
static inline void touch_values(const struct cca_table *table) {
  for (uint32_t i = 0; i < cca_node_count(table); i++) {
    struct cca_node node = cca_node_at(table, i);
    if (node.op >= CCA_OP_ADD && node.op <= CCA_OP_AND)
      MUST(node.a < i && node.b < i);
    if (node.op == CCA_OP_EITHER || node.op == CCA_OP_MIX)
      for (uint32_t k = 0; k < node.b; k++)
        MUST(cca_operand_at(table, node.a + k).node < i);
    if (node.op == CCA_OP_LOAD || node.op == CCA_OP_ADDRESS)
      MUST(cca_loc_at(table, node.a).base < i);
  }
}

static inline void touch_table(const struct cca_table *table) {
#define CHUNK(id, NAME, name) touch_##name##s(table);
#include "summaries/def-begin.h"
  if (table->schema == &cca_symbols_schema) {
#include "summaries/symbols.def"
    return;
  }
  if (table->schema == &cca_cache_schema) {
#include "summaries/cache.def"
    return;
  }
#include "summaries/shared.def"
  if (table->schema == &cca_summary_schema) {
#include "summaries/summary.def"
    touch_values(table);
  } else {
#include "summaries/classification.def"
  }
#include "summaries/def-end.h"
}

#endif
