/* SPDX-License-Identifier: MIT */
/*
 * sites-join.h -- what the files that join calls share: sites.c, and
 * sites-index.c and sites-order.c, which it asks.
 */
#ifndef CCA_SITES_JOIN_H
#define CCA_SITES_JOIN_H

#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"
#include "sites.h"

enum { INDIRECT = 0, UNKNOWN = UINT32_MAX - 1 }; /* numbers of callees */

/* A call of the summary under a key of three numbers. */
struct entry {
  uint32_t key[3], column, call;
};
struct index {
  struct entry *items;
  uint32_t count;
};

/* A call of the code that ought to be in the summary. */
struct want {
  uint32_t code;  /* index of the code's call */
  uint32_t depth; /* 0: itself; n: of the n-th inlined function around it */
  uint32_t function, line, callee, column;
  uint32_t call; /* answer; CCA_NONE: none */
  bool ambiguous;
};
struct wants cca_vec(struct want);

struct joiner {
  const struct cca_site_call *calls;
  uint32_t count;
  struct cca_map numbers;     /* of names, from 1 */
  struct index by_place;      /* function, line, callee */
  struct index by_callee;     /* function, callee, line */
  struct index by_line;       /* line, callee, function */
  struct index by_source;     /* function, number of the call, callee */
  bool *is_callee;            /* by number */
  bool *taken;                /* by call: some want has its very key */
  struct wants wants, orders; /* orders: without a line */
  struct cca_map code_counts; /* of orders, by (function, callee) */
  struct cca_map units;       /* numbers of the calls' units, from 1 */
  struct cca_map owners;      /* of functions: the unit, or SEVERAL */
  struct cca_text text;
};

/* ---- sites-index.c: names by number, calls by key ---- */

/* Rows of an index, FIRST to before END. */
struct range {
  uint32_t first, end;
};

/* Number all that the calls name, and index them. */
void cca__sites_index(struct joiner *j);
/* The first entry that is not before the key (A, B, C). */
uint32_t cca__sites_lower(const struct index *index, uint32_t a, uint32_t b,
                          uint32_t c);
struct range cca__sites_exactly(const struct index *index, uint32_t a,
                                uint32_t b, uint32_t c);
/* Whatever the third number of the key is. */
struct range cca__sites_any_third(const struct index *index, uint32_t a,
                                  uint32_t b);
/* The number of a symbol of the code in UNIT (may be NULL), which may be a
 * clone of the source's function, f.constprop.0, f.isra.0, f.part.0, f.cold, or
 * have a version; UNKNOWN: the calls do not name it. */
uint32_t cca__sites_find_number(struct joiner *j, const char *symbol,
                                const char *unit);
/* The number of what CALL calls.  If several units have a function of that
 * name, it is the caller's unit that says which is meant. */
uint32_t cca__sites_callee_number(struct joiner *j,
                                  const struct cca_site_call *call);

/* ---- sites-order.c: without debug information ---- */

/* Answer those of j->orders whose functions have the very calls of the source;
 * the others stay there. */
void cca__sites_match_sequences(struct joiner *j);
/* Match COUNT wants of one (function, callee), in the order of the code. */
void cca__sites_match_in_order(struct joiner *j, struct want *wants,
                               size_t count);

#endif
