/* SPDX-License-Identifier: MIT */
/*
 * unit.h -- a unit in the making, as generate.c and body.c share it.
 *
 * Holds: rows of one function are adjacent, since functions are made one by
 *        one.
 */
#ifndef BENCH_UNIT_H
#define BENCH_UNIT_H

#include <stdbool.h>

#include "base/map.h"
#include "generate.h"

enum {
  MODULE_UNITS = 50,
  UNIT_MIN = 20,
  UNIT_SPREAD = 41,
  METHODS = 8,
  SHARED = 40, /* records of a module */
  SEEN = 6,    /* … of which a unit sees some, and has as many of its own */
  RECORDS = 2 * SEEN,
  MEMBERS = 8,
  LINKS = 2, /* of these, pointers; the rest are numbers */
  CALL_MAX = 6,
  EXTERNALS = 200
};

enum kind {
  INLINE_NEW, /* first in each unit */
  INLINE_GET,
  MALLOC, /* in the first unit of each module */
  HEADER,
  CHAIN,
  CALLOC,
  REALLOC,
  ARRAY,
  DUP,
  FREE,
  INIT,
  ORDINARY, /* the rest */
  APPLY,
  GETTER,
  FINDER,
  FACTORY,
  DESTRUCTOR,
  GROWER,
  RING
};

struct description {
  enum kind kind;
  int method;    /* its place in the table of methods, or -1 */
  char shape[8]; /* of FUNC */
  bool big;      /* an interpreter */
};

struct unit_maker {
  struct bench_program *program;
  struct cca_builder *out;
  const uint32_t *sizes; /* functions of each unit */
  uint32_t unit, unit_count;
  uint64_t random;
  struct cca_map rows; /* of functions that others define */
  uint32_t file, header;
  uint32_t records[RECORDS], class, state, number, bytes;
  uint32_t state_global;

  struct cca_func func; /* at hand */
  uint32_t row, params[CALL_MAX];
  uint32_t line;
};

static inline uint64_t bench_mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static inline uint32_t bench_below(struct unit_maker *m, uint32_t limit) {
  m->random = bench_mix(m->random);
  return (uint32_t)(m->random >> 32) % limit;
}

/* ---- generate.c ---- */

/* Function I of the COUNT of unit UNIT. */
struct description bench_describe(uint32_t unit, uint32_t i, uint32_t count);
bool bench_is_inline(enum kind kind);
uint32_t bench_module_of(uint32_t unit);
/* FORMAT, with two %u at most, as a string of the unit. */
uint32_t bench_text(struct unit_maker *m, const char *format, uint32_t a,
                    uint32_t b);
uint32_t bench_symbol_of(struct unit_maker *m, uint32_t unit, uint32_t i);
/* The C type of a shape: the same for all of it. */
int64_t bench_signature_of(const char *shape);

/* ---- body.c ---- */

uint32_t bench_node(struct unit_maker *m, enum cca_op op, uint32_t a,
                    uint32_t b);
/* Member number MEMBER of the RECORD at BASE. */
uint32_t bench_place(struct unit_maker *m, uint32_t base, uint32_t record,
                     uint32_t member);
/* What function D does, and what is to be found in it. */
void bench_body(struct unit_maker *m, const struct description *d);

#endif
