/* SPDX-License-Identifier: MIT */
/*
 * emit-sites.c -- rows of sites, and of their return addresses.
 *
 * Input:     classified sites; the calls' places in the objects.
 * Output:    ALLOCSITE and ADDRESS, and for each address where it will be
 * found.
 *
 * A call in a header belongs to every unit that includes it; those of the same
 * place that say the same are one row, and its addresses are all of theirs.
 */
#include "emit-state.h"

#include <string.h>

enum {
  ROOM = 2, /* rows for a call of remade code */
  INLINED_MAX = 4,
  DOUBTS_MAX = 512
};

static bool is_by_pointer(const struct cca_callsite *site) {
  return site->location != CCA_NONE && site->location;
}

static const char *callee_name(struct emitter *e,
                               const struct cca_callsite *site) {
  if (is_by_pointer(site))
    return cca__location_name(e->model, site->location, &e->model->arena);
  return e->model->functions.items[site->target].symbol;
}

/* Is the function that SITE calls, by its name, another module's? */
static bool is_imported(const struct emitter *e,
                        const struct cca_callsite *site) {
  const struct cca_primitive *p =
      e->model->functions.items[site->target].primitive;
  return site->class == CCA_SITE_CLASS_OPEN ||
         (site->location == CCA_NONE && p && p->imported);
}

void cca__emit_site(struct emitter *e, uint32_t index) {
  struct cca_model *model = e->model;
  const struct cca_callsite *site = &e->sites.items[index];
  struct cca_call_place place = cca__call_place(model, site->call);
  const struct cca_input *unit = &model->units[place.unit];
  struct cca_call call = cca_call_at(unit->table, place.row);
  struct cca_allocsite row = cca_allocsite_init();
  const char *file =
      call.file == CCA_NONE
          ? unit->name
          : cca_table_string(unit->table,
                             cca_file_at(unit->table, call.file).name);
  row.callee = cca__emit_text(e, callee_name(e, site));
  row.size = cca__emit_text(e, site->size);
  uint32_t key[] = {cca__emit_text(e, file),
                    call.line,
                    call.column,
                    row.callee,
                    row.size,
                    site->type_count ? site->types[0] : CCA_NONE};
  uint32_t *slot = cca_map_at(&e->places_seen, key, sizeof key, NULL);
  if (*slot && call.line) {
    e->site_rows[index] = *slot - 1;
    return;
  }
  row.unit = cca__emit_text(e, unit->name);
  row.file = cca__emit_file(e, unit->table, call.file);
  row.line = call.line;
  row.column = call.column;
  row.function = cca__emit_text(
      e, model->functions.items[unit->functions[call.func]].symbol);
  row.class = site->class;
  row.shape = site->shape;
  row.header = site->header;
  row.reason = cca__emit_text(e, site->reason ? site->reason : "");
  if (is_imported(e, site))
    row.flags = CCA_ALLOCSITE_FLAGS_IMPORTED;
  row.param = site->param;
  if (site->type_count)
    row.of = cca__emit_type(e, site->types[0], 1);
  if (site->used_as != CCA_NONE)
    row.used_as = cca__emit_type(e, site->used_as, 1);
  uint32_t several[CCA_CALLSITE_TYPES];
  for (uint32_t i = 0; i < site->type_count; i++)
    several[i] = cca__emit_type(e, site->types[i], 1);
  if (site->type_count > 1) {
    row.types_first = cca_count_added(e->out);
    row.types_count = site->type_count;
    for (uint32_t i = 0; i < site->type_count; i++)
      cca_count_add(e->out, (struct cca_count){several[i], 1});
  }
  *slot = cca_allocsite_add(e->out, row) + 1;
  cca_vec_push(&e->row_callees,
               cca__emit_callee(e, is_by_pointer(site) ? CCA_NONE : site->target,
                                site->location));
  e->site_rows[index] = *slot - 1;
}

/* Rows for a unit whose code the link will make, and in it copies of calls. How
 * many, nobody knows yet; the size of the table is fixed now. */
static void emit_room(struct emitter *e, uint32_t u) {
  const struct cca_input *unit = &e->model->units[u];
  uint32_t count = unit->table ? cca_call_count(unit->table) : 0;
  for (uint32_t i = 0; i < count; i++)
    for (int copy = 0; e->site_of[unit->first_call + i] && copy < ROOM;
         copy++) {
      uint32_t site = e->site_rows[e->site_of[unit->first_call + i] - 1];
      cca_address_add(e->out, (struct cca_address){0, site, 0});
      cca_vec_push(&e->places, ((struct cca_solver_place){u, NULL, 0, 0}));
    }
}

static bool are_alike(const struct cca_callsite *a,
                      const struct cca_callsite *b) {
  return a->class == b->class && a->shape == b->shape &&
         a->header == b->header && a->type_count == b->type_count &&
         memcmp(a->types, b->types, a->type_count * sizeof *a->types) == 0;
}

/*
 * Does every call in FUNCTION that allocates, and in what may be inlined into
 * it, say the same as SITE?  If the code has more calls than the source, some
 * may be of functions that were inlined, and whose calls no summary lists: then
 * a call has several rows.  DEPTH: how far FUNCTION is inlined.  *CALLS: how
 * many may still be looked at.
 */
static bool all_say(const struct emitter *e, uint32_t function,
                    const struct cca_callsite *site, int depth, int *calls) {
  const struct cca_model *model = e->model;
  const struct cca_function *f = &model->functions.items[function];
  for (uint32_t c = f->first_call; c < f->first_call + f->call_count; c++) {
    const struct cca_callsite *other =
        e->site_of[c] ? &e->sites.items[e->site_of[c] - 1] : NULL;
    bool passes = depth && other && other->class == CCA_SITE_CLASS_PASS_THROUGH;
    if (--*calls < 0 || e->guesses[c] > 1 ||
        (other && !passes && !are_alike(other, site)))
      return false;
    for (uint32_t t = model->targets_first[c]; t < model->targets_first[c + 1];
         t++)
      if (model->functions.items[model->targets[t]].defined &&
          (depth == INLINED_MAX ||
           !all_say(e, model->targets[t], site, depth + 1, calls)))
        return false;
  }
  return true;
}

static void count_guesses(const struct cca_input *unit, uint32_t *guesses) {
  uint32_t count = unit->table ? cca_site_count(unit->table) : 0;
  for (uint32_t i = 0; i < count; i++) {
    struct cca_site site = cca_site_at(unit->table, i), next = {0};
    if (i + 1 < count)
      next = cca_site_at(unit->table, i + 1);
    if (site.flags & CCA_SITE_FLAGS_AMBIGUOUS &&
        (site.index != next.index || site.offset != next.offset))
      guesses[unit->first_call + site.call]++;
  }
}

uint32_t *cca__emit_guesses(const struct cca_model *model) {
  uint32_t *guesses = cca_calloc(model->call_count, sizeof *guesses);
  for (uint32_t u = 0; u < model->unit_count; u++)
    count_guesses(&model->units[u], guesses);
  return guesses;
}

/*
 * Rows of one return address are adjacent, the innermost call first.  The
 * innermost one that says something is the object's type; a wrapper that was
 * inlined says nothing, it passes through.
 */
void cca__emit_addresses(struct emitter *e, uint32_t u) {
  const struct cca_input *unit = &e->model->units[u];
  if (e->model->request->units[u].is_remade)
    emit_room(e, u);
  uint32_t count = unit->table ? cca_site_count(unit->table) : 0;
  for (uint32_t i = 0, next; i < count; i = next) {
    struct cca_site first = cca_site_at(unit->table, i), chosen = first;
    uint32_t index = 0, call = first.call; /* of the outermost function */
    uint32_t through = 0; /* the site that calls another module */
    for (next = i; next < count; next++) {
      struct cca_site site = cca_site_at(unit->table, next);
      if (site.index != first.index || site.offset != first.offset)
        break;
      uint32_t found = e->site_of[unit->first_call + site.call];
      call = site.call;
      bool says = index && e->sites.items[index - 1].class !=
                               CCA_SITE_CLASS_PASS_THROUGH;
      if (found && is_imported(e, &e->sites.items[found - 1]))
        through = found;
      if (found && !says) {
        index = found;
        chosen = site;
      }
    }
    if (!index)
      continue;
    uint32_t flags = 0;
    if (chosen.flags & CCA_SITE_FLAGS_INLINED)
      flags |= CCA_ADDRESS_FLAGS_INLINED;
    if (chosen.flags & CCA_SITE_FLAGS_TAIL)
      flags |= CCA_ADDRESS_FLAGS_TAIL;
    int calls = DOUBTS_MAX;
    if (chosen.flags & CCA_SITE_FLAGS_AMBIGUOUS &&
        !all_say(e, unit->functions[cca_call_at(unit->table, call).func],
                 &e->sites.items[index - 1], 0, &calls))
      flags |= CCA_ADDRESS_FLAGS_AMBIGUOUS;
    cca_address_add(e->out,
                    (struct cca_address){0, e->site_rows[index - 1], flags});
    struct cca_solver_place place = {
        u, cca_table_string(unit->table, chosen.section), chosen.index,
        chosen.offset};
    cca_vec_push(&e->places, place);
    if (through && through != index) {
      cca_address_add(
          e->out, (struct cca_address){0, e->site_rows[through - 1], flags});
      cca_vec_push(&e->places, place);
    }
  }
}
