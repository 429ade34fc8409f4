/* SPDX-License-Identifier: MIT */
/*
 * solver.h -- from the summaries of a module to its classification.
 *
 * Knows neither LLVM nor the linker: its input is tables, its output a table.
 *
 * Memory:  base/memory.h; run it in a process that may die of it.
 * Threads: starts its own, and has none left when it returns.
 * Result:  depends on the input alone, in the order given; same input, same
 *          bytes.
 */
#ifndef CCA_SOLVER_H
#define CCA_SOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "summaries/table.h"

/* One input of the link that carries code, in link order. */
struct cca_solver_unit {
  const char *name;                /* as shown: object, or archive(member) */
  const struct cca_table *summary; /* opened; NULL: it has none */
  const char *reason;              /* why not; NULL if it has one */
  bool is_remade; /* the link makes its code: what SITE says need not hold */
};

struct cca_solver_request {
  const struct cca_solver_unit *units;
  size_t unit_count;
  /* --wrap=SYMBOL: references to SYMBOL go to __wrap_SYMBOL, and those to
   * __real_SYMBOL go to SYMBOL. */
  const char *const *wraps;
  size_t wrap_count;
  /* --defsym ALIAS=TARGET, pairs: alias, target, alias, target, … */
  const char *const *defsyms;
  size_t defsym_count;    /* pairs */
  const char *primitives; /* text of the primitives' data file(s) */
  size_t primitives_len;
  const char *libraries; /* the same of the link's shared libraries, which the
                            data files correct; may be NULL */
  size_t libraries_len;
  size_t threads; /* for each loop that can be shared; 0: as many as there are
                     processors and work for; CCA_THREADS_MAX is the
                     most.  The result is the same. */
};

/* Where the return address of row i of ADDRESS will be found. */
struct cca_solver_place {
  uint32_t unit;       /* index into the request's units */
  const char *section; /* name; borrowed from the unit's summary; NULL: the row
                          is room for what will be found in the output */
  uint32_t index;      /* its number in the object */
  uint32_t offset;     /* of the return address, in the section */
};

struct cca_solver_result {
  struct cca_text classification;  /* the image; ADDRESS values are 0 */
  struct cca_solver_place *places; /* one for each row of ADDRESS */
  size_t place_count;
  uint32_t *call_sites; /* of each call, unit by unit: its row of ALLOCSITE, or
                           CCA_NONE */
};

/*
 * Solve.  Returns 0 with *RESULT filled, owned by the caller; or negative with
 * *ERR saying what is wrong with the primitives (the only input not yet
 * checked).
 */
int cca_solve(const struct cca_solver_request *request,
              struct cca_solver_result *result, struct cca_table_error *err);

void cca_solver_result_release(struct cca_solver_result *result);

#endif
