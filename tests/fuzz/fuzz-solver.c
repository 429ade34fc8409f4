/* libs: cca_solver cca_summaries */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-solver.c -- whatever summary passes the check is solved, however little
 * sense it makes: types and locations that lead to themselves, calls with the
 * wrong number of arguments, sizes beyond all memory.  The answer opens as a
 * classification, and the same summary has the same answer.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linker_plugin/solver.h"
#include "summaries/table-rows.h"

static const char primitives[] = "malloc   malloc size=0\n"
                                 "realloc  realloc size=1 block=0\n"
                                 "free     frees=0\n"
                                 "memcpy   writes=0 copies=1 returns=0\n"
                                 "strlen   length=0\n";

static void must(int condition) {
  if (!condition)
    abort();
}

static void solve(const struct cca_table *summary,
                  struct cca_solver_result *result) {
  /* Twice the same: names meet and internal functions do not. */
  const struct cca_solver_unit units[] = {{"a.o", summary, NULL, true},
                                          {"b.o", summary, NULL, false}};
  const struct cca_solver_request request = {
      .units = units,
      .unit_count = 2,
      .primitives = primitives,
      .primitives_len = sizeof primitives - 1};
  must(cca_solve(&request, result, NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cca_table summary, answer;
  struct cca_solver_result result = {0}, again = {0};
  if (cca_table_open(&summary, &cca_summary_schema, data, size, NULL) < 0)
    return 0;
  solve(&summary, &result);
  solve(&summary, &again);
  const struct cca_text *image = &result.classification;
  must(cca_table_open(&answer, &cca_classification_schema, image->data,
                      image->len, NULL) == 0);
  must(cca_address_count(&answer) == result.place_count);
  must(image->len == again.classification.len &&
       memcmp(image->data, again.classification.data, image->len) == 0);
  cca_solver_result_release(&result);
  cca_solver_result_release(&again);
  return 0;
}
