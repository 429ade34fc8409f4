/* SPDX-License-Identifier: MIT */
/*
 * emit-state.h -- what emit.c, emit-sites.c and emit-functions.c share.
 *
 * One thread fills the table.  Texts, files and types become rows when they are
 * first needed.
 */
#ifndef CCA_EMIT_STATE_H
#define CCA_EMIT_STATE_H

#include "model.h"

/* One line of what a callee is called with. */
struct called {
  uint32_t callee; /* cca__emit_callee() */
  uint32_t of, sites;
};

struct emitter {
  struct cca_model *model;
  struct cca_builder *out;
  struct cca_map files, types, rows;
  struct cca_map places_seen; /* of sites: to row + 1 */
  struct cca_map statics;     /* by static_name(): the first, + 1 */
  struct cca_map counts;      /* callee to its first in called */
  struct cca_callsites sites;
  uint32_t *site_rows; /* by index in sites */
  uint32_t *site_of;   /* by call: index in sites + 1; at last the row */
  uint32_t *guesses;   /* by call: how many addresses are guessed */
  struct cca_vec(uint32_t) row_callees; /* by row of a site */
  struct cca_vec(struct cca_solver_place) places;
  struct cca_vec(struct called) called; /* by callee, most sites first */
};

/* ---- emit.c ---- */

/* The number of TEXT in the string table. */
uint32_t cca__emit_text(struct emitter *e, const char *text);
/* The row of FILE of T, or CCA_NONE. */
uint32_t cca__emit_file(struct emitter *e, const struct cca_table *t,
                        uint32_t file);
/* The row of TYPE, with what it consists of to DEPTH; or CCA_NONE. */
uint32_t cca__emit_type(struct emitter *e, uint32_t type, int depth);

/* ---- emit-sites.c: calls, and where they return to ---- */
void cca__emit_site(struct emitter *e, uint32_t index);
/* By call, how many return addresses are guessed to be its, by the outermost
 * one where several calls are in one place; the caller's to free. */
uint32_t *cca__emit_guesses(const struct cca_model *model);
void cca__emit_addresses(struct emitter *e, uint32_t unit);

/* ---- emit-functions.c: verdicts ---- */
/* A number for FUNCTION, or if that is CCA_NONE for the pointer LOCATION: the
 * same for a function of a header in each unit that has a copy of its own, and
 * another for each static function of the same name. */
uint32_t cca__emit_callee(struct emitter *e, uint32_t function,
                          uint32_t location);
void cca__emit_count_types(struct emitter *e);
void cca__emit_function(struct emitter *e, uint32_t number);
void cca__emit_pointer(struct emitter *e, uint32_t location);
void cca__emit_pairs(struct emitter *e, const struct cca_pairs *pairs);

#endif
