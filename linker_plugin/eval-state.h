/* SPDX-License-Identifier: MIT */
/*
 * eval-state.h -- what eval.c, eval-size.c and eval-origins.c share.
 *
 * Results are borrowed from the evaluator's arena, until it enters another
 * body.
 */
#ifndef CCA_EVAL_STATE_H
#define CCA_EVAL_STATE_H

#include "model.h"

enum { DEPTH = 400, BUDGET = 200, ROOT_DEPTH = 24, VOTERS = 8 };

struct memo {
  uint32_t generation; /* of the function for which this holds */
  bool size_busy;
  uint32_t open; /* depth at which its origins are being computed, or 0 */
  const struct cca_size *size;
  const struct cca_origins *origins, *partial;
};

struct cca_eval {
  struct cca_model *model;
  struct cca_arena arena;
  uint32_t function;
  const struct cca_input *unit;
  struct cca_func row; /* of function, in unit */
  bool has_row;
  uint32_t generation, depth;
  uint32_t reached;  /* least depth of an open value that was looked at */
  uint32_t budget;   /* results that may be computed again, see BUDGET */
  struct memo *memo; /* by node of the unit */
  size_t memo_room;

  /* Stores by place: made when the function's first load asks. */
  bool has_places;
  uint32_t *place_first; /* by hash; the next by store; numbers from 1 */
  uint32_t *place_next;
  uint32_t place_room, place_mask;
};

/* ---- eval.c ---- */

/* The memo of NODE in the body that was entered. */
struct memo *cca__eval_memo_of(struct cca_eval *eval, uint32_t node);
struct cca_node cca__eval_node_at(const struct cca_eval *eval, uint32_t node);
/* The node of argument I of CALL, or CCA_NONE. */
uint32_t cca__eval_argument(const struct cca_eval *eval,
                            const struct cca_call *call, uint32_t i);
const struct cca_size *cca__eval_opaque(struct cca_eval *eval);
bool cca__eval_is_pointer_param(const struct cca_eval *eval, uint32_t i);
/* The root of what NODE points to: a member of the parameter's own object is
 * one thing, a member of something that the object leads to another. */
uint8_t cca__eval_field_root(const struct cca_eval *eval, uint32_t node);
/* The number, from 1, of the next store after number I that writes exactly
 * where row LOC is, with its *VALUE; 0: none. */
uint32_t cca__eval_next_store(struct cca_eval *eval, uint32_t loc, uint32_t i,
                              uint32_t *value);

/* ---- eval-size.c ---- */

/* SIZE, over the parameters of a callee, at CALL, over those of the caller. */
const struct cca_size *cca__eval_put_in(struct cca_eval *eval,
                                        const struct cca_call *call,
                                        const struct cca_size *size);
/* SIZE without what was added to round it up, now that it is cut down with
 * MASK: (n + m) & ~m is n. */
const struct cca_size *cca__eval_unrounded(struct cca_eval *eval,
                                           const struct cca_size *size,
                                           uint32_t mask);
/* The length of what the pointer NODE (or CCA_NONE) points to. */
const struct cca_size *cca__eval_length_of(struct cca_eval *eval,
                                           uint32_t node);

#endif
