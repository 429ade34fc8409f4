/* libs: cca_link */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-plan.c -- a plan that is accepted can be written, reads back as the same
 * plan, and is used with any map without leaving its table of addresses.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linker_plugin/patch.h"
#include "linker_plugin/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cca_plan plan, back;
  struct cca_text first = {0}, second = {0};
  if (cca_plan_read(&plan, (const char *)data, size) == 0) {
    cca_plan_write(&plan, &first);
    if (cca_plan_read(&back, first.data, first.len) != 0)
      abort();
    cca_plan_write(&back, &second);
    if (first.len != second.len ||
        (first.len && memcmp(first.data, second.data, first.len) != 0))
      abort();
    cca_plan_release(&back);

    static const char map[] = "0x1000 16 1         a.o:(.text)\n"
                              "0x2000 16 1         ./l.a(m.o):(.text)\n";
    uint64_t *addresses = calloc(4, sizeof *addresses);
    cca_patch_locate(&plan, CCA_LINKER_MOLD, map, sizeof map - 1, addresses, 4);
    for (int i = 0; i < 4; i++)
      if (addresses[i] != 0 && (addresses[i] < 0x1000 || addresses[i] > 0x2010))
        abort();
    free(addresses);
  }
  cca_plan_release(&plan);
  cca_text_release(&first);
  cca_text_release(&second);
  return 0;
}
