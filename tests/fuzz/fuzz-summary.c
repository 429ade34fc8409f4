/* libs: cca_summaries */
/* SPDX-License-Identifier: MIT */
/* fuzz-summary.c -- any bytes as a summary; see table.h. */
#include "table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_table(&cca_summary_schema, data, size);
  return 0;
}
