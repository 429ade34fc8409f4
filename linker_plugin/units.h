/* SPDX-License-Identifier: MIT */
/*
 * units.h -- what the solver is given of a link's inputs, and the way back
 * from its places to sections of objects.
 *
 * Memory: base/memory.h; everything lives until cca_units_release().
 */
#ifndef CCA_UNITS_H
#define CCA_UNITS_H

#include "base/text.h"
#include "inputs.h"
#include "plan.h"
#include "solver.h"
#include "summaries/carrier.h"

struct cca_units {
  struct cca_vec(struct cca_solver_unit) list; /* for the solver's request */
  struct cca_vec(uint32_t) inputs; /* of unit i: 1 + index; 0: no one place */
  struct cca_carrier *carrier;
  struct cca_vec(struct cca_text *) images; /* summaries from a folder */
  struct cca_arena arena;
};

/*
 * The units of INPUTS.  FOLDER (may be NULL) has the summaries of sources that
 * were compiled in the same command as the link: 0.summary, 1.summary, … in
 * the order of the command line; ANALYSER (may be NULL) is the program that
 * joins such a summary with its object.  IS_STATIC: the C library is part of
 * the link, so that what it lacks is worth a word.
 */
void cca_units_make(struct cca_units *units, const struct cca_inputs *inputs,
                    const char *folder, const char *analyser, bool is_static);

/*
 * Add to OUT what is to be looked for in the finished output: the calls of
 * units whose places the plan cannot give, or of ALL units (see wanted.h).  If
 * none of these is a site, nothing.
 */
void cca_units_want(const struct cca_units *units,
                    const struct cca_solver_result *result, bool all,
                    struct cca_text *out);

/* The plan for the solver's PLACES, one per row of ADDRESS. */
void cca_units_plan(const struct cca_units *units,
                    const struct cca_inputs *inputs,
                    const struct cca_solver_place *places, size_t count,
                    struct cca_plan *plan);

void cca_units_release(struct cca_units *units);

#endif
