/* SPDX-License-Identifier: MIT */
/*
 * heap-json.c -- the heap of a process by type, for programs.
 *
 * docs/run.schema.json describes it.  Keys come in the order in which they are
 * written here, rows in the model's.
 */
#include "heap.h"

#include <string.h>

/* null for "": what is not known is null, never an empty string. */
static json_t *known(const char *string) {
  return *string ? json_string(string) : json_null();
}

static json_t *number(uint64_t value) {
  return json_integer((json_int_t)value);
}

static void set(json_t *object, const char *key, json_t *value) {
  json_object_set_new(object, key, value);
}

static void set_tally(json_t *object, const struct cca_tally *tally) {
  set(object, "objects", json_integer(tally->objects));
  set(object, "bytes", json_integer(tally->bytes));
  set(object, "live_objects", json_integer(tally->live_objects));
  set(object, "live_bytes", json_integer(tally->live_bytes));
}

static json_t *tally_of(const struct cca_tally *tally) {
  json_t *object = json_object();
  set_tally(object, tally);
  return object;
}

static void set_place(json_t *object, const char *file, uint32_t line,
                      uint32_t column, const char *function) {
  set(object, "file", known(file));
  set(object, "line", line ? number(line) : json_null());
  set(object, "column", column ? number(column) : json_null());
  set(object, "function", known(function));
}

static json_t *around_of(const struct cca_heap_site *site) {
  json_t *array = json_array();
  for (size_t i = 0; i < site->around_count; i++) {
    const struct cca_heap_frame *frame = &site->around[i];
    json_t *object = json_object();
    set_place(object, frame->file, frame->line, frame->column, frame->function);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *site_of(const struct cca_heap_site *site) {
  json_t *object = json_object();
  set_tally(object, &site->tally);
  set(object, "module", known(site->module));
  set(object, "address", known(site->address));
  set_place(object, site->file, site->line, site->column, site->function);
  set(object, "inlined_into", around_of(site));
  set(object, "callee", known(site->callee));
  set(object, "reason", known(site->reason));
  set(object, "inside", known(site->inside));
  return object;
}

static json_t *rows_of(const struct cca_heap *heap, enum cca_heap_kind kind) {
  json_t *array = json_array();
  for (size_t i = 0; i < heap->rows.count; i++) {
    const struct cca_heap_row *row = &heap->rows.items[i];
    if (row->kind != kind)
      continue;
    json_t *object = json_object(), *sites = json_array();
    if (kind == CCA_HEAP_TYPED) {
      set(object, "type", known(row->name));
      set(object, "identity", known(row->identity));
      set(object, "size", number(row->type_size));
      set(object, "shape", known(row->shape));
    } else if (kind == CCA_HEAP_UNTYPED) {
      set(object, "reason", known(row->word));
      set(object, "text", known(row->name));
    }
    set_tally(object, &row->tally);
    for (size_t j = 0; j < row->sites.count; j++)
      json_array_append_new(sites, site_of(&row->sites.items[j]));
    set(object, "sites", sites);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *imports_of(const struct cca_heap_module *m) {
  json_t *array = json_array();
  for (size_t i = 0; i < m->imports.count; i++) {
    const struct cca_heap_import *import = &m->imports.items[i];
    json_t *object = json_object();
    set(object, "symbol", known(import->symbol));
    set(object, "binding", known(import->binding));
    set(object, "module", known(import->module));
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *modules_of(const struct cca_heap *heap) {
  json_t *array = json_array();
  for (size_t i = 0; i < heap->modules.count; i++) {
    const struct cca_heap_module *m = &heap->modules.items[i];
    json_t *object = json_object();
    set(object, "path", known(m->path));
    set(object, "build_id", known(m->build_id));
    set(object, "symbols", known(m->symbols));
    set(object, "classified", known(m->classified));
    set(object, "sites", number(m->sites));
    set(object, "missing", number(m->missing));
    set(object, "functions", number(m->functions));
    set(object, "imports", imports_of(m));
    set(object, "closed", json_boolean(m->closed));
    json_array_append_new(array, object);
  }
  return array;
}

json_t *cca_heap_json(const struct cca_heap *heap) {
  json_t *object = json_object(), *totals = json_object();
  set(object, "pid", number(heap->pid));
  set(object, "parent", number(heap->parent));
  set(object, "program", known(heap->program));
  set(object, "moment", known(heap->moment));
  set(object, "number", number(heap->number));
  set_tally(totals, &heap->total);
  set(totals, "typed", tally_of(&heap->typed));
  set(totals, "by_nature", tally_of(&heap->bytes));
  set(totals, "untyped", tally_of(&heap->untyped));
  set(object, "totals", totals);
  set(object, "types", rows_of(heap, CCA_HEAP_TYPED));
  set(object, "by_nature", rows_of(heap, CCA_HEAP_BYTES));
  set(object, "untyped", rows_of(heap, CCA_HEAP_UNTYPED));
  set(object, "modules", modules_of(heap));
  return object;
}
