/* SPDX-License-Identifier: MIT */
/*
 * describe.c -- from any pointer to the object; see include/ccallocs/runtime.h.
 */
#include "ccallocs/runtime.h"

#include "heap.h"
#include "hooks.h"
#include "modules.h"

const char *const cca_reason_texts[CCA_REASONS] = {
    [CCA_REASON_NONE] = "",
    [CCA_REASON_NO_SITE] = "no caller has a classification",
    [CCA_REASON_UNLISTED] = "the call is not known to allocate",
    [CCA_REASON_AMBIGUOUS] = "the call may be any of several",
    [CCA_REASON_INSIDE] = "allocated inside another module, for itself",
    [CCA_REASON_NO_UNWIND] = "the stack could not be followed",
    [CCA_REASON_SIGNAL] = "allocated by a signal handler",
    [CCA_REASON_DEEP] = "the stack was too deep",
    [CCA_REASON_BROKEN] = "the stack or the heap is damaged",
    [CCA_REASON_SIZE] = "its size contradicts the type of its site",
};

/* Elements of an object of SIZE bytes, as far as its shape tells. */
static size_t count_of(enum cca_size_shape shape, size_t size, size_t header,
                       size_t each) {
  if (shape == CCA_SIZE_SHAPE_ONE)
    return 1;
  if (!each)
    return 0;
  if (shape == CCA_SIZE_SHAPE_ARRAY)
    return size / each;
  if (shape == CCA_SIZE_SHAPE_HEADER && size >= header)
    return (size - header) / each;
  return 0;
}

static void describe_site(const struct cca_loaded *m, uint32_t row,
                          struct cca_object *out) {
  const struct cca_table *t = &m->table;
  struct cca_allocsite s = cca_allocsite_at(t, row);
  out->shape = cca_size_shape_name(s.shape);
  out->reason = cca_table_string(t, s.reason);
  out->line = s.line;
  out->function = cca_table_string(t, s.function);
  out->callee = cca_table_string(t, s.callee);
  if (s.file != CCA_NONE)
    out->file = cca_table_string(t, cca_file_at(t, s.file).name);
  if (s.class == CCA_SITE_CLASS_PASS_THROUGH)
    out->reason = "the caller of this wrapper is not known";
  if (s.class == CCA_SITE_CLASS_BYTES)
    out->site_class = "bytes";
  bool typed =
      s.class == CCA_SITE_CLASS_TYPED || s.class == CCA_SITE_CLASS_OPEN;
  if (typed && s.of != CCA_NONE) {
    out->site_class = "typed";
    struct cca_type type = cca_type_at(t, s.of);
    out->type = cca_table_string(t, type.name);
    out->type_identity = (uint64_t)type.identity;
    out->type_size = type.size > 0 ? (size_t)type.size : 0;
    out->header = s.header > 0 ? (size_t)s.header : 0;
    out->count = count_of(s.shape, out->size, out->header, out->type_size);
  }
}

int cca_describe(const void *pointer, struct cca_object *out) {
  uintptr_t address = (uintptr_t)pointer;
  *out = (struct cca_object){.site_class = "untyped", .shape = "unknown"};
  uintptr_t start = cca_hooks_ready() ? cca_starts_find(address) : 0;
  if (!start)
    return CCA_ERR_NOT_FOUND;
  struct cca_held held = cca_heap_held(start, cca_small_at(start));
  if (address - start >= held.room)
    return CCA_ERR_NOT_FOUND;
  struct cca_label label = cca_labels[held.label];
  out->start = (void *)start;
  out->size = held.size;
  out->offset = address - start;
  out->reason = cca_reason_texts[label.reason];
  if (label.module != CCA_NO_MODULE) {
    const struct cca_loaded *m = &cca_modules[label.module];
    out->module = m->path;
    if (label.reason == CCA_REASON_NONE)
      describe_site(m, (uint32_t)label.at, out);
  }
  return CCA_OK;
}

void *cca_next_object(const void *after) {
  return cca_hooks_ready() ? (void *)cca_starts_next((uintptr_t)after + 1)
                           : NULL;
}
