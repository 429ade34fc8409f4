/* SPDX-License-Identifier: MIT */
/*
 * heap-read.c -- a snapshot (docs/snapshot.schema.json) into rows by type.
 *
 * In:  a JSON document with a row for each label that was used.
 * Out: rows for types, summed over their sites, and sites, summed over labels
 *      of the same place; both ranked.
 */
#include "heap.h"

#include <stdlib.h>
#include <string.h>

struct reader {
  struct cca_heap *heap;
  struct cca_map rows;    /* by kind and name and identity: a row, from 1 */
  struct cca_map imports; /* by module and symbol */
  json_error_t error;
};

static const char *keep(struct reader *r, const char *text) {
  return cca_arena_strdup(&r->heap->arena, text);
}

/* A count: at most 2^63 - 1, as JSON has them here. */
static uint64_t count_of(const json_t *value) {
  json_int_t count = json_integer_value(value);
  return count > 0 ? (uint64_t)count : 0;
}

const char *cca_heap_base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *cca_heap_short_name(const char *path) {
  return *path == '/' ? cca_heap_base_name(path) : path;
}

void cca_tally_add(struct cca_tally *sum, const struct cca_tally *more) {
  sum->objects += more->objects;
  sum->bytes += more->bytes;
  sum->live_objects += more->live_objects;
  sum->live_bytes += more->live_bytes;
}

/* ---- Names ---- */

/* The type as the report writes it. */
static const char *type_name(struct reader *r, json_t *types, const char *shape,
                             uint64_t header) {
  struct cca_arena *arena = &r->heap->arena;
  const char *name = "";
  for (size_t i = 0; i < json_array_size(types); i++) {
    const char *one =
        json_string_value(json_object_get(json_array_get(types, i), "name"));
    one = one ? one : "?";
    name = i ? cca_arena_printf(arena, "%s | %s", name, one) : keep(r, one);
  }
  if (!strcmp(shape, "array"))
    return cca_arena_printf(arena, "%s[]", name);
  if (!strcmp(shape, "flexible"))
    return cca_arena_printf(arena, "%s + tail", name);
  if (!strcmp(shape, "header"))
    return cca_arena_printf(arena, "%llu bytes + %s[]",
                            (unsigned long long)header, name);
  return name;
}

static const struct {
  const char *word, *text;
} reasons[] = {
    {"no-site", "no caller was built with cc-allocs"},
    {"unlisted", "the call is not known to allocate"},
    {"ambiguous", "the call may be any of several"},
    {"no-unwind", "the stack could not be followed"},
    {"signal", "allocated by a signal handler"},
    {"deep", "the stack was too deep"},
    {"broken", "the stack or the heap is damaged"},
    {"size", "the size contradicts the type of the site"},
};

/* ---- Rows ---- */

static struct cca_heap_row *row_of(struct reader *r, enum cca_heap_kind kind,
                                   const char *name, const char *identity) {
  char *key =
      cca_arena_printf(&r->heap->arena, "%d %s %s", kind, identity, name);
  bool is_new;
  uint32_t *at = cca_map_at(&r->rows, key, strlen(key), &is_new);
  if (is_new) {
    *at = (uint32_t)r->heap->rows.count;
    cca_vec_push(&r->heap->rows, ((struct cca_heap_row){.kind = kind,
                                                        .name = name,
                                                        .word = "",
                                                        .identity = identity,
                                                        .shape = ""}));
  }
  return &r->heap->rows.items[*at];
}

/* A label that is a site of a classification. */
static struct cca_heap_row *read_site(struct reader *r, json_t *label,
                                      struct cca_heap_site *site) {
  const char *class, *shape, *file, *function, *callee, *reason;
  json_int_t line, column, header;
  json_t *types;
  if (json_unpack_ex(label, &r->error, 0,
                     "{s:s, s:o, s:s, s:I, s:s, s:I, s:I, s:s, s:s, s:s}",
                     "class", &class, "types", &types, "shape", &shape,
                     "header", &header, "file", &file, "line", &line, "column",
                     &column, "function", &function, "callee", &callee,
                     "reason", &reason) < 0)
    return NULL;
  site->file = keep(r, file);
  site->function = keep(r, function);
  site->callee = keep(r, callee);
  site->line = line > 0 ? (uint32_t)line : 0;
  site->column = column > 0 ? (uint32_t)column : 0;
  site->reason = keep(r, reason);
  if (!strcmp(class, "bytes"))
    return row_of(r, CCA_HEAP_BYTES, "bytes", "");
  json_t *first = json_array_get(types, 0);
  if (strcmp(class, "typed") || !first) {
    bool passes = !strcmp(class, "pass_through");
    struct cca_heap_row *row =
        row_of(r, CCA_HEAP_UNTYPED,
               passes ? "the caller of a wrapper is not known"
                      : "the type of the call is not known",
               "");
    row->word = passes ? "wrapper" : "site";
    return row;
  }
  const char *identity = json_string_value(json_object_get(first, "identity"));
  const char *name =
      type_name(r, types, shape, header > 0 ? (uint64_t)header : 0);
  struct cca_heap_row *row =
      row_of(r, CCA_HEAP_TYPED, name, keep(r, identity ? identity : ""));
  row->type_size = count_of(json_object_get(first, "size"));
  row->shape = keep(r, shape);
  return row;
}

/* A label that is an address, or a reason alone. */
static struct cca_heap_row *read_place(struct reader *r, json_t *label,
                                       struct cca_heap_site *site) {
  const char *address, *reason;
  if (json_unpack_ex(label, &r->error, 0, "{s:s, s:s}", "address", &address,
                     "reason", &reason) < 0)
    return NULL;
  const char *text = "unknown";
  json_t *inside = json_object_get(label, "inside");
  for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
    if (!strcmp(reason, reasons[i].word))
      text = reasons[i].text;
  if (json_is_integer(inside) && count_of(inside) < r->heap->modules.count) {
    site->inside = r->heap->modules.items[count_of(inside)].path;
    const char *slash = strrchr(site->inside, '/');
    text = cca_arena_printf(&r->heap->arena, "allocated inside %s",
                            slash ? slash + 1 : site->inside);
  }
  site->address = *site->module ? keep(r, address) : "";
  site->reason = text;
  struct cca_heap_row *row = row_of(r, CCA_HEAP_UNTYPED, text, "");
  row->word = keep(r, reason);
  return row;
}

static int read_label(struct reader *r, json_t *label) {
  json_int_t objects, bytes, freed_objects, freed_bytes;
  json_t *module;
  if (json_unpack_ex(label, &r->error, 0, "{s:I, s:I, s:I, s:I, s:o}",
                     "objects", &objects, "bytes", &bytes, "freed_objects",
                     &freed_objects, "freed_bytes", &freed_bytes, "module",
                     &module) < 0)
    return -1;
  struct cca_heap_site site = {.module = "",
                               .build_id = "",
                               .file = "",
                               .function = "",
                               .callee = "",
                               .address = "",
                               .reason = "",
                               .inside = ""};
  size_t number = (size_t)count_of(module);
  if (json_is_integer(module) && number < r->heap->modules.count) {
    site.module = r->heap->modules.items[number].path;
    site.build_id = r->heap->modules.items[number].build_id;
  }
  /* Counts are read while others count: a free may be seen before its malloc.
   */
  site.tally = (struct cca_tally){
      objects, bytes, objects > freed_objects ? objects - freed_objects : 0,
      bytes > freed_bytes ? bytes - freed_bytes : 0};

  struct cca_heap_row *row = json_object_get(label, "site")
                                 ? read_site(r, label, &site)
                                 : read_place(r, label, &site);
  if (!row)
    return -1;
  cca_tally_add(&row->tally, &site.tally);
  cca_tally_add(&r->heap->total, &site.tally);
  cca_tally_add(row->kind == CCA_HEAP_TYPED   ? &r->heap->typed
                : row->kind == CCA_HEAP_BYTES ? &r->heap->bytes
                                              : &r->heap->untyped,
                &site.tally);
  cca_vec_push(&row->sites, site);
  return 0;
}

static int read_module(struct reader *r, json_t *module) {
  const char *path, *classified, *build_id = "";
  json_int_t sites, missing, functions = 0;
  int closed;
  if (json_unpack_ex(module, &r->error, 0,
                     "{s:s, s:s, s:I, s:I, s:b, s?I, s?s}", "path", &path,
                     "classified", &classified, "sites", &sites, "missing",
                     &missing, "closed", &closed, "functions", &functions,
                     "build_id", &build_id) < 0)
    return -1;
  cca_vec_push(&r->heap->modules,
               ((struct cca_heap_module){.path = keep(r, path),
                                         .classified = keep(r, classified),
                                         .build_id = keep(r, build_id),
                                         .symbols = "",
                                         .functions = (uint64_t)functions,
                                         .sites = (uint64_t)sites,
                                         .missing = (uint64_t)missing,
                                         .closed = closed}));
  return 0;
}

/* The imports of module NUMBER, when all modules are there. */
static int read_imports(struct reader *r, size_t number, json_t *module) {
  json_t *imports = json_object_get(module, "imports"), *item;
  size_t i;
  json_array_foreach(imports, i, item) {
    const char *symbol, *binding;
    json_int_t definer = -1;
    if (json_unpack_ex(item, &r->error, 0, "{s:s, s:s, s?I}", "symbol", &symbol,
                       "binding", &binding, "module", &definer) < 0)
      return -1;
    bool known = definer >= 0 && (size_t)definer < r->heap->modules.count;
    struct cca_heap_import import = {
        keep(r, symbol), keep(r, binding),
        known ? r->heap->modules.items[definer].path : ""};
    /* A callee has several calls; one that was met knows more. */
    struct cca_heap_module *m = &r->heap->modules.items[number];
    bool is_new;
    char *key = cca_arena_printf(&r->heap->arena, "%zu %s", number, symbol);
    uint32_t *at = cca_map_at(&r->imports, key, strlen(key), &is_new);
    if (is_new) {
      *at = (uint32_t)m->imports.count;
      cca_vec_push(&m->imports, import);
    } else if (!strcmp(m->imports.items[*at].binding, "unmet")) {
      m->imports.items[*at] = import;
    }
  }
  return 0;
}

/* ---- Ranks ---- */

static int tally_order(const struct cca_tally *x, const struct cca_tally *y) {
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  if (x->objects != y->objects)
    return x->objects < y->objects ? 1 : -1;
  return 0;
}

static int row_order(const void *a, const void *b) {
  const struct cca_heap_row *x = a, *y = b;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  int order = tally_order(&x->tally, &y->tally);
  if (!order)
    order = strcmp(x->name, y->name);
  return order ? order : strcmp(x->identity, y->identity);
}

static int place_order(const void *a, const void *b) {
  const struct cca_heap_site *x = a, *y = b;
  int order = strcmp(x->module, y->module);
  if (!order)
    order = strcmp(x->build_id, y->build_id);
  if (!order)
    order = strcmp(x->file, y->file);
  if (!order && x->line != y->line)
    return x->line < y->line ? -1 : 1;
  if (!order && x->column != y->column)
    return x->column < y->column ? -1 : 1;
  if (!order)
    order = strcmp(x->address, y->address);
  if (!order)
    order = strcmp(x->inside, y->inside);
  if (!order)
    order = strcmp(x->function, y->function);
  return order ? order : strcmp(x->callee, y->callee);
}

static int site_order(const void *a, const void *b) {
  const struct cca_heap_site *x = a, *y = b;
  int order = tally_order(&x->tally, &y->tally);
  return order ? order : place_order(x, y);
}

/* One site for each place: a module that was opened twice had two labels. */
static void merge_sites(struct cca_heap_row *row) {
  struct cca_heap_site *sites = row->sites.items;
  size_t kept = 0;
  qsort(sites, row->sites.count, sizeof *sites, place_order);
  for (size_t i = 1; i < row->sites.count; i++)
    if (place_order(&sites[kept], &sites[i]))
      sites[++kept] = sites[i];
    else
      cca_tally_add(&sites[kept].tally, &sites[i].tally);
  row->sites.count = kept + 1;
}

static void rank(struct cca_heap *heap) {
  if (heap->rows.count)
    qsort(heap->rows.items, heap->rows.count, sizeof heap->rows.items[0],
          row_order);
  for (size_t i = 0; i < heap->rows.count; i++) {
    struct cca_heap_row *row = &heap->rows.items[i];
    if (!row->sites.count)
      continue;
    merge_sites(row);
    qsort(row->sites.items, row->sites.count, sizeof row->sites.items[0],
          site_order);
  }
}

static int read_document(struct reader *r, json_t *document) {
  struct cca_heap *heap = r->heap;
  json_int_t version, pid, parent, number;
  const char *moment;
  json_t *modules, *labels, *item;
  size_t i;
  if (json_unpack_ex(document, &r->error, 0,
                     "{s:I, s:I, s:I, s:I, s:s, s:o, s:o}", "snapshot",
                     &version, "pid", &pid, "parent", &parent, "number",
                     &number, "moment", &moment, "modules", &modules, "labels",
                     &labels) < 0)
    return -1;
  heap->pid = (uint64_t)pid;
  heap->parent = (uint64_t)parent;
  heap->number = (uint64_t)number;
  heap->moment = keep(r, moment);
  json_array_foreach(modules, i, item) if (read_module(r, item) < 0) return -1;
  json_array_foreach(modules, i,
                     item) if (read_imports(r, i, item) < 0) return -1;
  json_array_foreach(labels, i, item) if (read_label(r, item) < 0) return -1;
  heap->program = heap->modules.count ? heap->modules.items[0].path : "";
  rank(heap);
  return 0;
}

int cca_heap_read(struct cca_heap *heap, const char *path, const char **why) {
  *heap = (struct cca_heap){0};
  struct reader r = {.heap = heap};
  json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &r.error);
  int status = document ? read_document(&r, document) : -1;
  if (status < 0)
    *why = cca_arena_printf(&heap->arena, "line %d: %s", r.error.line,
                            r.error.text);
  json_decref(document);
  cca_map_release(&r.rows);
  cca_map_release(&r.imports);
  return status;
}

void cca_heap_release(struct cca_heap *heap) {
  for (size_t i = 0; i < heap->rows.count; i++)
    cca_vec_release(&heap->rows.items[i].sites);
  cca_vec_release(&heap->rows);
  for (size_t i = 0; i < heap->modules.count; i++)
    cca_vec_release(&heap->modules.items[i].imports);
  cca_vec_release(&heap->modules);
  cca_arena_release(&heap->arena);
}

/* ---- Differences ---- */

static void take(struct cca_tally *from, const struct cca_tally *what) {
  from->objects -= what->objects;
  from->bytes -= what->bytes;
  from->live_objects -= what->live_objects;
  from->live_bytes -= what->live_bytes;
}

static bool is_nothing(const struct cca_tally *t) {
  return !t->objects && !t->bytes && !t->live_objects && !t->live_bytes;
}

static void subtract_sites(struct cca_heap_row *newer,
                           const struct cca_heap_row *older) {
  size_t left = 0;
  for (size_t i = 0; i < newer->sites.count; i++) {
    struct cca_heap_site site = newer->sites.items[i];
    for (size_t j = 0; j < older->sites.count; j++)
      if (!place_order(&site, &older->sites.items[j])) {
        take(&site.tally, &older->sites.items[j].tally);
        break;
      }
    if (!is_nothing(&site.tally))
      newer->sites.items[left++] = site;
  }
  newer->sites.count = left;
}

void cca_heap_subtract(struct cca_heap *newer, const struct cca_heap *older) {
  size_t left = 0;
  for (size_t i = 0; i < newer->rows.count; i++) {
    struct cca_heap_row row = newer->rows.items[i];
    for (size_t j = 0; j < older->rows.count; j++) {
      const struct cca_heap_row *before = &older->rows.items[j];
      if (row.kind != before->kind || strcmp(row.name, before->name) ||
          strcmp(row.identity, before->identity))
        continue;
      take(&row.tally, &before->tally);
      subtract_sites(&row, before);
      break;
    }
    if (is_nothing(&row.tally))
      cca_vec_release(&row.sites);
    else
      newer->rows.items[left++] = row;
  }
  newer->rows.count = left;
  take(&newer->total, &older->total);
  take(&newer->typed, &older->typed);
  take(&newer->bytes, &older->bytes);
  take(&newer->untyped, &older->untyped);
  newer->is_difference = true;
  rank(newer);
}

bool cca_heap_is_known(const struct cca_heap *heap) {
  for (size_t i = 0; i < heap->modules.count; i++)
    if (!strcmp(heap->modules.items[i].classified, "yes"))
      return true;
  return false;
}
