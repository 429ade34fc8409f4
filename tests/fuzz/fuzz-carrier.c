/* libs: cca_summaries */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-carrier.c -- any bytes as a file that may carry tables.
 *
 * Every item has either a table, which lies inside the bytes and can be read
 * throughout, or a reason; and there are no more items than bytes could hold.
 */
#include "summaries/carrier.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cca_carrier *c = cca_carrier_new(NULL);
  cca_carrier_add_bytes(c, "x", data, size);
  size_t count = cca_carrier_count(c);
  MUST(count <= size / 24 + 1);
  for (size_t i = 0; i < count; i++) {
    const struct cca_carrier_item *item = cca_carrier_item(c, i);
    MUST(item->name[0] == 'x');
    MUST(item->part < count);
    MUST((item->kind == CCA_CARRIER_MISSING) == !item->table);
    MUST((item->why == CCA_CARRIER_HAS_IT) == (item->table != NULL));
    if (item->table) {
      MUST(!item->reason);
      MUST(item->table->image >= data);
      MUST(item->table->len <= size - (size_t)(item->table->image - data));
      MUST(item->table->schema == (item->kind == CCA_CARRIER_SUMMARY
                                       ? &cca_summary_schema
                                       : &cca_classification_schema));
      touch_table(item->table);
    } else {
      MUST(item->reason[0]);
    }
  }
  cca_carrier_free(c);
  return 0;
}
