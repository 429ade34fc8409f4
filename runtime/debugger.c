/* SPDX-License-Identifier: MIT */
/*
 * debugger.c -- where a debugger finds what we keep.
 *
 * Out: one constant, cca_debugger, which is exported and so is found without
 *      any debug information, in a core file too.  It says where the tables
 *      are, and where in a row what is; docs/runtime.md, "For debuggers", says
 *      what it means.  allocs-gdb.py is its reader.
 *
 * A debugger may stop the process anywhere, and a core file cannot be asked, so
 * it reads our tables as they lie and calls nothing.
 */
#include "debugger.h"

#include "heap.h"
#include "labels.h"
#include "modules.h"
#include "starts.h"

#include <stddef.h>

__attribute__((visibility("default")))
const struct cca_debugger cca_debugger = {
    .magic = "ccaheap",
    .version = CCA_DEBUGGER_VERSION,
    .size = sizeof(struct cca_debugger),

    .leaves = cca_leaves,
    .modules = cca_modules,
    .module_numbers = &cca_module_numbers,
    .labels = &cca_labels,
    .label_numbers = &cca_label_numbers,
    .counters = cca_counters,
    .reasons = cca_reason_texts,
    .is_glibc = &cca_below.is_glibc,

    .leaf_count = CCA_LEAVES,
    .leaf_shift = CCA_LEAF_SHIFT,
    .chunk_shift = CCA_CHUNK_SHIFT,
    .granule_shift = CCA_GRANULE_SHIFT,
    .leaf_over = offsetof(struct cca_leaf, over),
    .leaf_whole = offsetof(struct cca_leaf, whole),
    .leaf_small = offsetof(struct cca_leaf, small),
    .small_shift = CCA_SMALL_SHIFT,
    .small_half = CCA_SMALL_HALF,
    .small_label = CCA_SMALL_LABEL,

    .module_size = sizeof(struct cca_loaded),
    .module_bias = offsetof(struct cca_loaded, bias),
    .module_low = offsetof(struct cca_loaded, low),
    .module_high = offsetof(struct cca_loaded, high),
    .module_path = offsetof(struct cca_loaded, path),
    .module_classified = offsetof(struct cca_loaded, classified),
    .module_image = offsetof(struct cca_loaded, table.image),
    .module_image_size = offsetof(struct cca_loaded, table.len),
    .module_first_label = offsetof(struct cca_loaded, first_label),

    .label_size = sizeof(struct cca_label),
    .label_inside = offsetof(struct cca_label, inside),
    .label_reason = offsetof(struct cca_label, reason),
    .label_module = offsetof(struct cca_label, module),
    .label_at = offsetof(struct cca_label, at),

    .counter_size = sizeof(struct cca_counter),
    .shards = CCA_SHARDS,
    .reason_inside = CCA_REASON_INSIDE,
    .no_module = CCA_NO_MODULE,

    .mets = &cca_mets,
    .met_size = sizeof(struct cca_met),
};
