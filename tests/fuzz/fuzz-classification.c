/* libs: cca_summaries */
/* SPDX-License-Identifier: MIT */
/* fuzz-classification.c -- any bytes as a classification; see table.h. */
#include "table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_table(&cca_classification_schema, data, size);
  return 0;
}
