/* SPDX-License-Identifier: MIT */
/*
 * heap-folded.c -- the heap of a process as folded stacks, for flame graphs.
 *
 * Out: a line for each site, from the outside to the inside:
 *
 *   program;module;function (file:line);callee;type 1234
 *
 * Of an address, the functions that were inlined there are frames too.
 *
 * What is known of an object is the call that it is of, not all that was on the
 * stack: these are the frames of that call, and the type stands where the
 * innermost frame would.  The number is bytes: allocated, or live.
 */
#include "heap.h"

/* Append FRAME, in which nothing may end a frame or a line. */
static void add_frame(struct cca_text *out, const char *frame) {
  size_t from = out->len;
  cca_screen_clean(out, *frame ? frame : "?");
  for (size_t i = from; i < out->len; i++)
    if (out->data[i] == ';')
      out->data[i] = ':';
}

static void add_function(struct cca_text *out, const char *function,
                         const char *file, uint32_t line) {
  add_frame(out, function);
  if (*file && line) {
    cca_text_adds(out, " (");
    add_frame(out, cca_heap_short_name(file));
    cca_text_addf(out, ":%u)", line);
  }
  cca_text_adds(out, ";");
}

static void add_stack(struct cca_text *out, const struct cca_heap *heap,
                      const struct cca_heap_row *row,
                      const struct cca_heap_site *site) {
  add_frame(out, cca_heap_base_name(heap->program));
  cca_text_adds(out, ";");
  add_frame(out,
            *site->module ? cca_heap_base_name(site->module) : "unknown code");
  cca_text_adds(out, ";");
  for (size_t i = site->around_count; i-- > 0;)
    add_function(out, site->around[i].function, site->around[i].file,
                 site->around[i].line);
  if (*site->function) {
    add_function(out, site->function, site->file, site->line);
  } else if (*site->address) {
    add_frame(out, cca_heap_base_name(site->module));
    cca_text_addf(out, "+%s;", site->address);
  }
  if (*site->inside || (*site->function && !*site->address)) {
    add_frame(out,
              *site->inside ? cca_heap_base_name(site->inside) : site->callee);
    cca_text_adds(out, ";");
  }
  if (row->kind == CCA_HEAP_UNTYPED)
    cca_text_adds(out, "untyped: ");
  add_frame(out, row->name);
}

void cca_heap_folded(const struct cca_heap *heap,
                     const struct cca_heap_options *options,
                     struct cca_text *out) {
  for (size_t i = 0; i < heap->rows.count; i++) {
    const struct cca_heap_row *row = &heap->rows.items[i];
    for (size_t j = 0; j < row->sites.count; j++) {
      const struct cca_heap_site *site = &row->sites.items[j];
      int64_t bytes =
          options->live ? site->tally.live_bytes : site->tally.bytes;
      if (bytes <= 0) /* a graph has no place for less than nothing */
        continue;
      add_stack(out, heap, row, site);
      cca_text_addf(out, " %lld\n", (long long)bytes);
    }
  }
}
