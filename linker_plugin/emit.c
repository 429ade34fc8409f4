/* SPDX-License-Identifier: MIT */
/*
 * emit.c -- the classification's rows (classification.def).
 *
 * Input:     verdicts and classified sites.
 * Output:    the table, and for each return address where it will be found.
 *
 * A function or call in a header belongs to every unit that includes it; those
 * of the same name and place are one row, and its addresses are all of theirs.
 * Types are numbered as they are needed.  Order is link order throughout.
 */
#include "emit-state.h"

#include <stdlib.h>
#include <string.h>

#define PRODUCER "cc-allocs " CCA_VERSION

/* What another thread finds out meanwhile. */
struct boundary {
  struct cca_model *model;
  struct cca_arena names;
  struct cca_pairs pairs;
  struct cca_imports imports;
  uint64_t digest;
  uint32_t *guesses;
};

uint32_t cca__emit_text(struct emitter *e, const char *s) {
  return cca_builder_string(e->out, s);
}

uint32_t cca__emit_file(struct emitter *e, const struct cca_table *t,
                        uint32_t file) {
  if (file == CCA_NONE)
    return CCA_NONE;
  const char *name = cca_table_string(t, cca_file_at(t, file).name);
  bool is_new;
  uint32_t *slot = cca_map_at(&e->files, name, strlen(name), &is_new);
  if (is_new)
    *slot =
        cca_file_add(e->out, (struct cca_file){cca__emit_text(e, name)}) + 1;
  return *slot - 1;
}

/* The row of TYPE; what it points to or consists of is not followed, but for
 * an array's or pointer's element, and for what a record begins with, which is
 * each member of a union: a pointer to the one is a pointer to the other. */
uint32_t cca__emit_type(struct emitter *e, uint32_t type, int depth) {
  if (type == CCA_NONE)
    return CCA_NONE;
  uint32_t *slot = cca_map_at(&e->types, &type, sizeof type, NULL);
  if (*slot)
    return *slot - 1;
  struct cca_type_place place = e->model->types.items[type];
  const struct cca_input *unit = &e->model->units[place.unit];
  struct cca_type t = cca_type_at(unit->table, place.row), row = t;
  row.name = cca__emit_text(e, cca_table_string(unit->table, t.name));
  row.file = cca__emit_file(e, unit->table, t.file);
  row.element = CCA_NONE;
  row.members_first = row.members_count = 0;
  uint32_t number = cca_type_add(e->out, row);
  *slot = number + 1;
  if (t.element != CCA_NONE && depth) {
    uint32_t element = cca__emit_type(e, unit->types[t.element], depth - 1);
    row = cca_type_get(e->out, number);
    row.element = element;
  }
  if (t.members_count && depth) {
    struct cca_vec(uint32_t) of = {0};
    for (uint32_t i = 0; i < t.members_count; i++) {
      struct cca_member m = cca_member_at(unit->table, t.members_first + i);
      bool begins = i == 0 || t.kind == CCA_TYPE_KIND_UNION;
      cca_vec_push(&of, begins && !m.offset && m.of != CCA_NONE
                            ? cca__emit_type(e, unit->types[m.of], depth)
                            : CCA_NONE);
    }
    row = cca_type_get(e->out, number);
    row.members_first = cca_member_added(e->out);
    row.members_count = t.members_count;
    for (uint32_t i = 0; i < t.members_count; i++) {
      struct cca_member m = cca_member_at(unit->table, t.members_first + i);
      const char *name = cca_table_string(unit->table, m.name);
      cca_member_add(e->out, (struct cca_member){cca__emit_text(e, name),
                                                 m.offset, of.items[i]});
    }
    cca_vec_release(&of);
  }
  cca_type_set(e->out, number, row);
  return number;
}

/* ---- The boundary, and what is missing ---- */

static void emit_imports(struct emitter *e, const struct cca_imports *found) {
  struct cca_model *model = e->model;
  for (size_t i = 0; i < found->count;) {
    struct cca_import_sizeof first = found->items[i];
    struct cca_vec(struct cca_count) counts = {0};
    for (; i < found->count && found->items[i].function == first.function &&
           found->items[i].param == first.param;
         i++) {
      uint32_t of = cca__emit_type(e, found->items[i].type, 1);
      if (counts.count && counts.items[counts.count - 1].of == of)
        counts.items[counts.count - 1].sites++;
      else
        cca_vec_push(&counts, ((struct cca_count){of, 1}));
    }
    struct cca_import row = {
        cca__emit_text(e, model->functions.items[first.function].symbol),
        first.param, cca_count_added(e->out), (uint32_t)counts.count};
    for (size_t k = 0; k < counts.count; k++)
      cca_count_add(e->out, counts.items[k]);
    cca_import_add(e->out, row);
    cca_vec_release(&counts);
  }
}

static void emit_missing(struct emitter *e) {
  for (uint32_t u = 0; u < e->model->unit_count; u++) {
    const struct cca_input *unit = &e->model->units[u];
    const char *reason = e->model->request->units[u].reason;
    if (unit->table) {
      struct cca_unit row = cca_unit_at(unit->table, 0);
      if (row.status != CCA_STATUS_FAILED)
        continue;
      reason = cca_table_string(unit->table, row.reason);
    }
    cca_missing_add(
        e->out, (struct cca_missing){cca__emit_text(e, unit->name),
                                     cca__emit_text(e, reason ? reason : "")});
  }
}

/* Units of which not all is known, and those that another version of us has
 * summarised, out of a cache for instance: it may have known less. */
static void emit_remarks(struct emitter *e) {
  for (uint32_t u = 0; u < e->model->unit_count; u++) {
    const struct cca_input *unit = &e->model->units[u];
    if (!unit->table)
      continue;
    struct cca_unit row = cca_unit_at(unit->table, 0);
    if (row.status == CCA_STATUS_FAILED)
      continue;
    const char *producer = cca_table_string(unit->table, row.producer);
    if (row.status == CCA_STATUS_PARTIAL)
      cca_remark_add(
          e->out,
          (struct cca_remark){
              cca__emit_text(e, unit->name),
              cca__emit_text(e, cca_table_string(unit->table, row.reason))});
    if (strcmp(producer, PRODUCER) != 0) {
      struct cca_text said = {0};
      cca_text_addf(&said, "summary by %s, linked by %s", producer, PRODUCER);
      cca_remark_add(e->out, (struct cca_remark){cca__emit_text(e, unit->name),
                                                 cca__emit_text(e, said.data)});
      cca_text_release(&said);
    }
  }
}

static uint64_t mix(uint64_t lane, const unsigned char *word) {
  lane = (lane ^ cca_load_8(word)) * 0x9e3779b97f4a7c15u;
  return lane ^ lane >> 32;
}

/* An image's length is a multiple of 8; in four lanes, since it is all the
 * input. */
static uint64_t add_to_digest(uint64_t digest, const struct cca_table *t) {
  uint64_t a = digest, b = 1, c = 2, d = 3;
  const unsigned char *at = t->image, *end = t->image + t->len;
  for (; end - at >= 32; at += 32) {
    a = mix(a, at);
    b = mix(b, at + 8);
    c = mix(c, at + 16);
    d = mix(d, at + 24);
  }
  for (; at < end; at += 8)
    a = mix(a, at);
  uint64_t lanes[] = {a, b, c, d};
  return cca_hash(t->len, lanes, sizeof lanes);
}

static uint64_t find_digest(const struct cca_model *model) {
  uint64_t digest = 0;
  for (uint32_t u = 0; u < model->unit_count; u++)
    if (model->units[u].table)
      digest = add_to_digest(digest, model->units[u].table);
  return digest;
}

static void emit_module(struct emitter *e, uint64_t digest) {
  uint32_t units = 0;
  for (uint32_t u = 0; u < e->model->unit_count; u++) {
    const struct cca_table *t = e->model->units[u].table;
    units += t && cca_unit_at(t, 0).status != CCA_STATUS_FAILED;
  }
  cca_module_add(e->out, (struct cca_module){cca__emit_text(e, PRODUCER),
                                             (int64_t)digest, units});
}

/* ---- All of it ---- */

static void emit_sites_and_functions(struct emitter *e) {
  struct cca_model *model = e->model;
  for (uint32_t i = 0; i < e->sites.count; i++) {
    e->site_of[e->sites.items[i].call] = i + 1;
    cca__emit_site(e, i);
  }
  cca__emit_count_types(e);
  for (uint32_t i = 0; i < model->functions.count; i++)
    cca__emit_function(e, i);
  for (uint32_t i = 1; i < model->locations.count; i++)
    cca__emit_pointer(e, i);
}

static void find_boundary(struct boundary *b) {
  b->digest = find_digest(b->model);
  b->guesses = cca__emit_guesses(b->model);
  cca__pairs(b->model, &b->names, &b->pairs);
  cca__imports(b->model, &b->imports);
}

/* The table is filled by one thread, the first; what is behind what it fills in
 * the meantime, another one finds out. */
struct halves {
  struct emitter *emitter;
  struct boundary *boundary;
};

static void do_half(void *halves, bool second) {
  struct halves *h = halves;
  if (second)
    find_boundary(h->boundary);
  else
    emit_sites_and_functions(h->emitter);
}

int cca__emit(struct cca_model *model, struct cca_solver_result *result,
              struct cca_table_error *err) {
  struct emitter e = {.model = model,
                      .out = cca_builder_new(&cca_classification_schema)};
  struct boundary b = {.model = model};
  cca__callsites(model, &e.sites);
  e.site_rows = cca_calloc(e.sites.count, sizeof *e.site_rows);
  e.site_of = cca_calloc(model->call_count, sizeof *e.site_of);
  cca_parallel_both(cca__threads(model, model->functions.count) > 1, do_half,
                    &(struct halves){&e, &b});
  e.guesses = b.guesses;
  emit_module(&e, b.digest);
  cca__emit_pairs(&e, &b.pairs);
  for (uint32_t u = 0; u < model->unit_count; u++)
    cca__emit_addresses(&e, u);
  emit_imports(&e, &b.imports);
  emit_missing(&e);
  emit_remarks(&e);

  int status = cca_builder_finish(e.out, &result->classification, err);
  result->places = e.places.items;
  result->place_count = e.places.count;
  for (uint32_t i = 0; i < model->call_count; i++)
    e.site_of[i] = e.site_of[i] ? e.site_rows[e.site_of[i] - 1] : CCA_NONE;
  result->call_sites = e.site_of;
  cca_builder_free(e.out);
  cca_map_release(&e.files);
  cca_map_release(&e.types);
  cca_map_release(&e.rows);
  cca_map_release(&e.places_seen);
  cca_map_release(&e.statics);
  cca_map_release(&e.counts);
  cca_vec_release(&e.sites);
  cca_vec_release(&e.row_callees);
  cca_vec_release(&e.called);
  cca_vec_release(&b.pairs);
  cca_vec_release(&b.imports);
  cca_arena_release(&b.names);
  free(e.site_rows);
  free(e.guesses);
  return status;
}
