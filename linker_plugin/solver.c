/* SPDX-License-Identifier: MIT */
/*
 * solver.c -- from summaries to a classification, pass by pass.
 *
 * Each call below is a file of this folder; model.h says what it leaves.
 */
#include <stdlib.h>

#include "model.h"

int cca_solve(const struct cca_solver_request *request,
              struct cca_solver_result *result, struct cca_table_error *err) {
  struct cca_model model = {.request = request};
  *result = (struct cca_solver_result){0};
  int status =
      cca__primitives_parse(&model.primitives, &model.arena, request->libraries,
                            request->libraries_len, err);
  for (size_t i = 0; i < model.primitives.list.count; i++)
    model.primitives.list.items[i].imported = true;
  if (status == 0)
    status = cca__primitives_parse(&model.primitives, &model.arena,
                                   request->primitives, request->primitives_len,
                                   err);
  if (status == 0) {
    /* One numbering for functions, variables, types, locations, calls. */
    cca__join(&model);
    /* From here on every call has its targets. */
    cca__resolve(&model);
    /* Upward: what each function does, from what its callees do. */
    cca__compose(&model);
    /* Some bodies cannot be followed, but their callers agree. */
    if (cca__agree(&model))
      cca__compose(&model);
    /* Downward: which types' sizes reach which parameter and field. */
    cca__flow(&model);
    /* From here on the model only gets read. */
    cca__classify(&model);
    status = cca__emit(&model, result, err);
  }
  cca__model_release(&model);
  if (status < 0)
    cca_solver_result_release(result);
  return status;
}

void cca_solver_result_release(struct cca_solver_result *result) {
  cca_text_release(&result->classification);
  free(result->places);
  free(result->call_sites);
  *result = (struct cca_solver_result){0};
}
