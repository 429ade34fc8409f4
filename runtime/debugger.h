/* SPDX-License-Identifier: MIT */
/*
 * debugger.h -- where our tables are, for those who look from outside: gdb, and
 * `allocs run`, which is of the same version.
 *
 * docs/runtime.md, "For debuggers", specifies it.
 */
#ifndef CCA_DEBUGGER_H
#define CCA_DEBUGGER_H

#include <stdint.h>

enum { CCA_DEBUGGER_VERSION = 2 };

struct cca_debugger {
  char magic[8];
  uint32_t version, size; /* size: of this */

  /* Where tables begin; of those that are mapped, where the pointer is. */
  const void *leaves, *modules, *module_numbers, *labels, *label_numbers,
      *counters, *reasons, *is_glibc;

  uint32_t leaf_count, leaf_shift, chunk_shift, granule_shift;
  uint32_t leaf_over, leaf_whole, leaf_small; /* offsets; `starts` is first */
  uint32_t small_shift, small_half, small_label;

  uint32_t module_size;
  uint32_t module_bias, module_low, module_high, module_path, module_classified,
      module_image, module_image_size, module_first_label;

  uint32_t label_size;
  uint32_t label_inside, label_reason, label_module, label_at;

  uint32_t counter_size, shards;
  uint32_t reason_inside, no_module;

  const void *mets; /* where the pointer is; rows beside those of labels */
  uint32_t met_size, reserved;
};

extern const struct cca_debugger cca_debugger;

#endif
