/* SPDX-License-Identifier: MIT */
/*
 * heap-pprof.c -- the heaps of a run as a profile for pprof.
 *
 * Out: profile.proto (tools/pprof.proto), compressed by gzip.  A sample for
 * each site of each process, with the four numbers of a heap profile under the
 *      names that Go gave them, and with the labels
 *
 *        type     as in the table; `bytes`; `untyped: ...`
 *        callee   the function that the site calls
 *        process  `lua5.4 (2190)`
 *
 * A stack is one frame, the call of the site: no more is known of an object. Of
 * an address it has a line more for each function into which it was inlined.
 * Its mapping is its module.  Where modules lie in memory says nothing about
 * the heap, so each gets a range of its own that is the same in every run.
 */
#include "heap.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "pprof.pb-c.h"

enum { RANGE_SHIFT = 40 };

struct cca_heap_pprof {
  const struct cca_heap_options *options;
  struct cca_arena arena;
  struct cca_map strings, mappings, functions, locations; /* number, from 0 */
  struct cca_vec(char *) string;
  struct cca_vec(CcaPprof__Mapping *) mapping;
  struct cca_vec(CcaPprof__Function *) function;
  struct cca_vec(CcaPprof__Location *) location;
  struct cca_vec(CcaPprof__Sample *) sample;
};

/* ---- What is said once, and referred to ---- */

static int64_t string_of(struct cca_heap_pprof *w, const char *text) {
  bool is_new;
  uint32_t *at = cca_map_at(&w->strings, text, strlen(text), &is_new);
  if (is_new) {
    struct cca_text clean = {0};
    cca_screen_clean(&clean, text);
    *at = (uint32_t)w->string.count;
    cca_vec_push(&w->string,
                 cca_arena_strdup(&w->arena, clean.data ? clean.data : ""));
    cca_text_release(&clean);
  }
  return *at;
}

/* A zeroed message; its caller initialises it. */
#define message(w, type)                                                       \
  ((type *)cca_arena_zalloc(&(w)->arena, 1, sizeof(type)))

static uint64_t mapping_of(struct cca_heap_pprof *w, const char *path) {
  bool is_new;
  uint32_t *at = cca_map_at(&w->mappings, path, strlen(path), &is_new);
  if (is_new) {
    CcaPprof__Mapping *m = message(w, CcaPprof__Mapping);
    cca_pprof__mapping__init(m);
    *at = (uint32_t)w->mapping.count;
    m->id = *at + 1;
    m->memory_start = m->id << RANGE_SHIFT;
    m->memory_limit = m->memory_start + (1ull << RANGE_SHIFT);
    m->filename = string_of(w, path);
    /* All that is known is here: pprof, which does not know where the module's
     * addresses really are, has nothing to look for in its file. */
    m->has_functions = m->has_filenames = m->has_line_numbers =
        m->has_inline_frames = true;
    cca_vec_push(&w->mapping, m);
  }
  return *at + 1;
}

static uint64_t function_of(struct cca_heap_pprof *w, const char *name,
                            const char *file) {
  const int64_t key[] = {string_of(w, name), string_of(w, file)};
  bool is_new;
  uint32_t *at = cca_map_at(&w->functions, key, sizeof key, &is_new);
  if (is_new) {
    CcaPprof__Function *f = message(w, CcaPprof__Function);
    cca_pprof__function__init(f);
    *at = (uint32_t)w->function.count;
    f->id = *at + 1;
    f->name = key[0];
    f->filename = key[1];
    cca_vec_push(&w->function, f);
  }
  return *at + 1;
}

static CcaPprof__Line *line_of(struct cca_heap_pprof *w, uint64_t function,
                               uint32_t number) {
  CcaPprof__Line *line = message(w, CcaPprof__Line);
  cca_pprof__line__init(line);
  line->function_id = function;
  line->line = number;
  return line;
}

static uint64_t location_of(struct cca_heap_pprof *w,
                            const struct cca_heap_site *site) {
  uint64_t mapping = *site->module ? mapping_of(w, site->module) : 0;
  uint64_t address = *site->address ? strtoull(site->address, NULL, 16) : 0;
  const char *name = *site->function  ? site->function
                     : *site->address ? ""
                                      : "unknown code";
  uint64_t function = *name ? function_of(w, name, site->file) : 0;
  const uint64_t key[] = {mapping, address, function, site->line};
  bool is_new;
  uint32_t *at = cca_map_at(&w->locations, key, sizeof key, &is_new);
  if (!is_new)
    return *at + 1;
  CcaPprof__Location *l = message(w, CcaPprof__Location);
  cca_pprof__location__init(l);
  *at = (uint32_t)w->location.count;
  l->id = *at + 1;
  l->mapping_id = mapping;
  if (address) /* a call is before the address that it returns to */
    l->address =
        (mapping << RANGE_SHIFT) + (address - 1) % (1ull << RANGE_SHIFT);
  if (function) { /* the innermost first */
    l->line =
        cca_arena_alloc(&w->arena, (site->around_count + 1) * sizeof *l->line);
    l->line[l->n_line++] = line_of(w, function, site->line);
    for (size_t i = 0; i < site->around_count; i++)
      l->line[l->n_line++] = line_of(
          w, function_of(w, site->around[i].function, site->around[i].file),
          site->around[i].line);
  }
  cca_vec_push(&w->location, l);
  return l->id;
}

/* ---- Samples ---- */

static void add_label(struct cca_heap_pprof *w, CcaPprof__Sample *sample,
                      const char *key, const char *text) {
  CcaPprof__Label *label = message(w, CcaPprof__Label);
  cca_pprof__label__init(label);
  label->key = string_of(w, key);
  label->str = string_of(w, text);
  sample->label[sample->n_label++] = label;
}

static void add_sample(struct cca_heap_pprof *w, const struct cca_heap_row *row,
                       const struct cca_heap_site *site, const char *process) {
  CcaPprof__Sample *s = message(w, CcaPprof__Sample);
  cca_pprof__sample__init(s);
  s->n_location_id = 1;
  s->location_id = cca_arena_alloc(&w->arena, sizeof *s->location_id);
  s->location_id[0] = location_of(w, site);
  s->n_value = 4;
  s->value = cca_arena_alloc(&w->arena, 4 * sizeof *s->value);
  s->value[0] = site->tally.objects;
  s->value[1] = site->tally.bytes;
  s->value[2] = site->tally.live_objects;
  s->value[3] = site->tally.live_bytes;
  s->label = cca_arena_zalloc(&w->arena, 3, sizeof *s->label);
  add_label(w, s, "type",
            row->kind == CCA_HEAP_UNTYPED
                ? cca_arena_printf(&w->arena, "untyped: %s", row->name)
                : row->name);
  add_label(w, s, "process", process);
  if (*site->callee)
    add_label(w, s, "callee", site->callee);
  cca_vec_push(&w->sample, s);
}

struct cca_heap_pprof *
cca_heap_pprof_begin(const struct cca_heap_options *options) {
  struct cca_heap_pprof *w = cca_calloc(1, sizeof *w);
  w->options = options;
  string_of(w, ""); /* the first string is the empty one */
  return w;
}

void cca_heap_pprof_add(struct cca_heap_pprof *w, const struct cca_heap *heap) {
  const char *slash = strrchr(heap->program, '/');
  const char *process = cca_arena_printf(&w->arena, "%s (%llu)",
                                         slash ? slash + 1 : heap->program,
                                         (unsigned long long)heap->pid);
  /* pprof takes the first mapping for the program's. */
  if (*heap->program)
    mapping_of(w, heap->program);
  for (size_t i = 0; i < heap->rows.count; i++)
    for (size_t j = 0; j < heap->rows.items[i].sites.count; j++)
      add_sample(w, &heap->rows.items[i], &heap->rows.items[i].sites.items[j],
                 process);
}

/* ---- The profile ---- */

static CcaPprof__ValueType *value_type(struct cca_heap_pprof *w,
                                       const char *type, const char *unit) {
  CcaPprof__ValueType *v = message(w, CcaPprof__ValueType);
  cca_pprof__value_type__init(v);
  v->type = string_of(w, type);
  v->unit = string_of(w, unit);
  return v;
}

/* Append LEN bytes, as gzip makes them, to OUT. */
static bool compress_into(struct cca_text *out, const void *bytes, size_t len) {
  z_stream stream = {0};
  if (len > UINT32_MAX || deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED,
                                       15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
  size_t room = deflateBound(&stream, len);
  unsigned char *packed = cca_malloc(room);
  stream.next_in = (unsigned char *)(uintptr_t)bytes;
  stream.avail_in = (uInt)len;
  stream.next_out = packed;
  stream.avail_out = (uInt)room;
  bool done = room <= UINT32_MAX && deflate(&stream, Z_FINISH) == Z_STREAM_END;
  if (done)
    cca_text_add(out, packed, stream.total_out);
  deflateEnd(&stream);
  free(packed);
  return done;
}

bool cca_heap_pprof_end(struct cca_heap_pprof *w, struct cca_text *out) {
  CcaPprof__ValueType *types[] = {value_type(w, "alloc_objects", "count"),
                                  value_type(w, "alloc_space", "bytes"),
                                  value_type(w, "inuse_objects", "count"),
                                  value_type(w, "inuse_space", "bytes")};
  CcaPprof__Profile profile = CCA_PPROF__PROFILE__INIT;
  profile.n_sample_type = 4;
  profile.sample_type = types;
  profile.period_type = value_type(w, "space", "bytes");
  profile.period = 1;
  profile.default_sample_type =
      string_of(w, w->options->live ? "inuse_space" : "alloc_space");
  profile.n_sample = w->sample.count;
  profile.sample = w->sample.items;
  profile.n_mapping = w->mapping.count;
  profile.mapping = w->mapping.items;
  profile.n_location = w->location.count;
  profile.location = w->location.items;
  profile.n_function = w->function.count;
  profile.function = w->function.items;
  profile.n_string_table = w->string.count;
  profile.string_table = w->string.items;
  size_t len = cca_pprof__profile__get_packed_size(&profile);
  unsigned char *bytes = cca_malloc(len ? len : 1);
  cca_pprof__profile__pack(&profile, bytes);
  bool done = compress_into(out, bytes, len);

  free(bytes);
  cca_vec_release(&w->string);
  cca_vec_release(&w->mapping);
  cca_vec_release(&w->function);
  cca_vec_release(&w->location);
  cca_vec_release(&w->sample);
  cca_map_release(&w->strings);
  cca_map_release(&w->mappings);
  cca_map_release(&w->functions);
  cca_map_release(&w->locations);
  cca_arena_release(&w->arena);
  free(w);
  return done;
}
