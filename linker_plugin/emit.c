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
#include "model.h"

#include <stdlib.h>
#include <string.h>

#define PRODUCER "cc-allocs " CCA_VERSION

enum {
  CHAIN_MAX = 12,
  ROOM = 2, /* rows for a call of remade code */
  INLINED_MAX = 4,
  DOUBTS_MAX = 512
};

/* One line of what a callee is called with. */
struct called {
  uint32_t callee; /* its name in the string table */
  uint32_t of, sites;
};

struct emitter {
  struct cca_model *model;
  struct cca_builder *out;
  struct cca_map files, types, rows;
  struct cca_map places_seen; /* of sites: to row + 1 */
  struct cca_map counts;      /* callee to its first in called */
  struct cca_callsites sites;
  uint32_t *site_rows; /* by index in sites */
  uint32_t *site_of;   /* by call: index in sites + 1; at last the row */
  uint32_t *guesses;   /* by call: see count_guesses() */
  struct cca_vec(struct cca_solver_place) places;
  struct cca_vec(struct called) called; /* by callee, most sites first */
};

/* What another thread finds out meanwhile. */
struct boundary {
  struct cca_model *model;
  struct cca_arena names;
  struct cca_pairs pairs;
  struct cca_imports imports;
  uint64_t digest;
};

static uint32_t text(struct emitter *e, const char *s) {
  return cca_builder_string(e->out, s);
}

static uint32_t file_row(struct emitter *e, const struct cca_table *t,
                         uint32_t file) {
  if (file == CCA_NONE)
    return CCA_NONE;
  const char *name = cca_table_string(t, cca_file_at(t, file).name);
  bool is_new;
  uint32_t *slot = cca_map_at(&e->files, name, strlen(name), &is_new);
  if (is_new)
    *slot = cca_file_add(e->out, (struct cca_file){text(e, name)}) + 1;
  return *slot - 1;
}

/* The row of TYPE; what it points to or consists of is not followed, but for
 * an array's or pointer's element, and for what a record begins with: a pointer
 * to the one is a pointer to the other. */
static uint32_t type_row(struct emitter *e, uint32_t type, int depth) {
  if (type == CCA_NONE)
    return CCA_NONE;
  uint32_t *slot = cca_map_at(&e->types, &type, sizeof type, NULL);
  if (*slot)
    return *slot - 1;
  struct cca_type_place place = e->model->types.items[type];
  const struct cca_input *unit = &e->model->units[place.unit];
  struct cca_type t = cca_type_at(unit->table, place.row), row = t;
  row.name = text(e, cca_table_string(unit->table, t.name));
  row.file = file_row(e, unit->table, t.file);
  row.element = CCA_NONE;
  row.members_first = row.members_count = 0;
  uint32_t number = cca_type_add(e->out, row);
  *slot = number + 1;
  if (t.element != CCA_NONE && depth) {
    uint32_t element = type_row(e, unit->types[t.element], depth - 1);
    row = cca_type_get(e->out, number);
    row.element = element;
  }
  if (t.members_count && depth) {
    struct cca_member head = cca_member_at(unit->table, t.members_first);
    uint32_t of = head.offset || head.of == CCA_NONE
                      ? CCA_NONE
                      : type_row(e, unit->types[head.of], depth);
    row = cca_type_get(e->out, number);
    row.members_first = cca_member_added(e->out);
    row.members_count = t.members_count;
    for (uint32_t i = 0; i < t.members_count; i++) {
      struct cca_member m = cca_member_at(unit->table, t.members_first + i);
      cca_member_add(e->out, (struct cca_member){
                                 text(e, cca_table_string(unit->table, m.name)),
                                 m.offset, i ? CCA_NONE : of});
    }
  }
  cca_type_set(e->out, number, row);
  return number;
}

/* ---- Sites ---- */

static const char *callee_name(struct emitter *e,
                               const struct cca_callsite *site) {
  if (site->location != CCA_NONE && site->location)
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

static void emit_site(struct emitter *e, uint32_t index) {
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
  row.callee = text(e, callee_name(e, site));
  row.size = text(e, site->size);
  uint32_t key[] = {
      text(e, file), call.line, call.column,
      row.callee,    row.size,  site->type_count ? site->types[0] : CCA_NONE};
  uint32_t *slot = cca_map_at(&e->places_seen, key, sizeof key, NULL);
  if (*slot && call.line) {
    e->site_rows[index] = *slot - 1;
    return;
  }
  row.unit = text(e, unit->name);
  row.file = file_row(e, unit->table, call.file);
  row.line = call.line;
  row.column = call.column;
  row.function =
      text(e, model->functions.items[unit->functions[call.func]].symbol);
  row.class = site->class;
  row.shape = site->shape;
  row.header = site->header;
  row.reason = text(e, site->reason ? site->reason : "");
  if (is_imported(e, site))
    row.flags = CCA_ALLOCSITE_FLAGS_IMPORTED;
  row.param = site->param;
  if (site->type_count)
    row.of = type_row(e, site->types[0], 1);
  if (site->used_as != CCA_NONE)
    row.used_as = type_row(e, site->used_as, 1);
  uint32_t several[CCA_CALLSITE_TYPES];
  for (uint32_t i = 0; i < site->type_count; i++)
    several[i] = type_row(e, site->types[i], 1);
  if (site->type_count > 1) {
    row.types_first = cca_count_added(e->out);
    row.types_count = site->type_count;
    for (uint32_t i = 0; i < site->type_count; i++)
      cca_count_add(e->out, (struct cca_count){several[i], 1});
  }
  *slot = cca_allocsite_add(e->out, row) + 1;
  e->site_rows[index] = *slot - 1;
}

/* ---- Functions ---- */

static void add_step(struct emitter *e, struct cca_alloc *row, const char *line,
                     uint32_t file, uint32_t number) {
  cca_step_add(e->out, (struct cca_step){text(e, line), file, number});
  row->chain_count++;
}

/* How FUNCTION comes by BLOCK, call by call, down to a primitive. */
static void emit_chain(struct emitter *e, struct cca_alloc *row,
                       const struct cca_block *block) {
  struct cca_model *model = e->model;
  row->chain_first = cca_step_added(e->out);
  for (int depth = 0; block && depth < CHAIN_MAX; depth++) {
    if (block->call == CCA_NONE) {
      add_step(e, row,
               block->flags & CCA_BLOCK_AGREED
                   ? "finds it in memory held before; its callers agree"
                   : "cuts it off memory held before",
               CCA_NONE, block->line);
      return;
    }
    struct cca_call_place place = cca__call_place(model, block->call);
    const struct cca_input *unit = &model->units[place.unit];
    struct cca_call call = cca_call_at(unit->table, place.row);
    const struct cca_function *callee = &model->functions.items[block->callee];
    const char *line =
        cca_arena_printf(&model->arena, "calls %s", callee->symbol);
    if (call.target != CCA_NONE) {
      uint32_t location = cca__call_location(model, block->call);
      static const char *const rules[] = {"", "", "which holds",
                                          "which by its type may be",
                                          "which by its shape may be"};
      line = cca_arena_printf(
          &model->arena, "calls %s, %s %s",
          location != CCA_NONE && location
              ? cca__location_name(model, location, &model->arena)
              : "a pointer",
          rules[model->target_rule[block->call]], callee->symbol);
    }
    add_step(e, row, line, file_row(e, unit->table, call.file), call.line);
    if (callee->primitive)
      return;
    block = model->verdicts[block->callee].block;
  }
}

static int by_callee(const void *a, const void *b) {
  const struct called *x = a, *y = b;
  if (x->callee != y->callee)
    return x->callee < y->callee ? -1 : 1;
  return x->of < y->of ? -1 : x->of > y->of;
}

/* By callee, then most sites first; equals as they came. */
static int by_sites(const void *a, const void *b) {
  const struct called *x = a, *y = b;
  if (x->callee != y->callee || x->sites == y->sites)
    return by_callee(a, b);
  return x->sites < y->sites ? 1 : -1;
}

/* Count the types of all sites for each callee. */
static void count_types(struct emitter *e) {
  struct cca_vec(struct called) all = {0};
  for (uint32_t i = 0; i < cca_allocsite_added(e->out); i++) {
    struct cca_allocsite site = cca_allocsite_get(e->out, i);
    if (site.of != CCA_NONE && site.class != CCA_SITE_CLASS_OPEN)
      cca_vec_push(&all, ((struct called){site.callee, site.of, 1}));
  }
  if (all.count)
    qsort(all.items, all.count, sizeof *all.items, by_callee);
  for (size_t i = 0; i < all.count; i++) {
    size_t count = e->called.count;
    struct called *last = count ? &e->called.items[count - 1] : NULL;
    if (last && by_callee(last, &all.items[i]) == 0)
      last->sites++;
    else
      cca_vec_push(&e->called, all.items[i]);
  }
  if (e->called.count)
    qsort(e->called.items, e->called.count, sizeof *e->called.items, by_sites);
  for (size_t i = e->called.count; i-- > 0;)
    *cca_map_at(&e->counts, &e->called.items[i].callee, sizeof(uint32_t),
                NULL) = (uint32_t)i;
  cca_vec_release(&all);
}

static void emit_called_with(struct emitter *e, struct cca_alloc *row,
                             const char *name) {
  uint32_t callee = text(e, name);
  const uint32_t *first = cca_map_find(&e->counts, &callee, sizeof callee);
  row->called_with_first = cca_count_added(e->out);
  for (size_t i = first ? *first : e->called.count;
       i < e->called.count && e->called.items[i].callee == callee; i++) {
    cca_count_add(e->out, (struct cca_count){e->called.items[i].of,
                                             e->called.items[i].sites});
    row->called_with_count++;
  }
}

static void emit_args(struct emitter *e, struct cca_alloc *row, uint64_t args) {
  row->args_first = cca_index_added(e->out);
  for (uint32_t i = 0; i < 64; i++)
    if (args >> i & 1) {
      cca_index_add(e->out, (struct cca_index){i});
      row->args_count++;
    }
}

static void emit_alloc(struct emitter *e, const struct cca_verdict *v,
                       struct cca_alloc row, const char *name,
                       uint32_t function) {
  int64_t offset = 0;
  row.name = text(e, name);
  row.flags = v->flags;
  if (v->role != CCA_ROLE_NONE) {
    row.kind = v->kind;
    row.via = v->via;
    row.via_param = v->via_param;
    if (v->kind == CCA_KIND_REALLOC && v->via == CCA_VIA_RETURN && v->block &&
        v->block->flags & CCA_BLOCK_RESIZED)
      row.via_param = v->block->param;
    row.certainty = v->certainty;
    row.size = text(e, cca__size_text(e->model, function, v->size, false,
                                      &e->model->arena));
    emit_args(e, &row, v->size_args);
    if (v->offset && v->offset->alt_count &&
        !cca_size_is_constant(v->offset, &offset))
      for (uint32_t t = 0; t < v->offset->alts[0].term_count; t++) {
        const struct cca_term *term = &v->offset->alts[0].terms[t];
        if (term->atom_count == 1 && term->atoms[0].kind == CCA_ATOM_SIZEOF)
          offset += cca__type_bytes(term->atoms[0].index, e->model);
        else if (term->atom_count == 1 && term->atoms[0].kind == CCA_ATOM_PART)
          offset += term->atoms[0].detail;
        else if (!term->atom_count)
          offset += term->factor;
      }
    row.offset = offset;
    emit_chain(e, &row, v->block);
    emit_called_with(e, &row, name);
  } else {
    row.kind = CCA_KIND_FREE;
    row.via = CCA_VIA_NONE;
    row.via_param = (uint32_t)__builtin_ctzll(v->frees);
  }
  cca_alloc_add(e->out, row);
}

static void emit_function(struct emitter *e, uint32_t number) {
  struct cca_model *model = e->model;
  const struct cca_function *f = &model->functions.items[number];
  const struct cca_verdict *v = &model->verdicts[number];
  if (!f->defined || (v->role == CCA_ROLE_NONE && !v->frees))
    return;
  const struct cca_input *unit = &model->units[f->unit];
  struct cca_func func = cca_func_at(unit->table, f->row);
  struct cca_alloc row = cca_alloc_init();
  row.unit = text(e, unit->name);
  row.file = file_row(e, unit->table, func.file);
  row.line = func.line;
  if (f->linkage == CCA_LINKAGE_INTERNAL) {
    char *key = cca_arena_printf(
        &model->arena, "f%s:%u:%s:%u:%u",
        func.file == CCA_NONE
            ? unit->name
            : cca_table_string(unit->table,
                               cca_file_at(unit->table, func.file).name),
        func.line, f->symbol, v->role, v->kind);
    bool is_new;
    cca_map_at(&e->rows, key, strlen(key), &is_new);
    if (!is_new)
      return;
  }
  emit_alloc(e, v, row, f->symbol, number);
}

static void emit_pointer(struct emitter *e, uint32_t location) {
  struct cca_model *model = e->model;
  const struct cca_verdict *v = &model->pointers[location];
  struct cca_location l = model->locations.items[location];
  if (v->role == CCA_ROLE_NONE && !v->frees)
    return;
  struct cca_alloc row = cca_alloc_init();
  if (l.type != CCA_NONE) {
    struct cca_type_place place = model->types.items[l.type];
    const struct cca_input *unit = &model->units[place.unit];
    struct cca_type type = cca_type_at(unit->table, place.row);
    row.unit = text(e, unit->name);
    row.file = file_row(e, unit->table, type.file);
    row.line = type.line;
  } else {
    const struct cca_variable *variable = &model->variables.items[l.variable];
    const struct cca_input *unit = &model->units[variable->unit];
    struct cca_global global = cca_global_at(unit->table, variable->row);
    row.unit = text(e, unit->name);
    row.file = file_row(e, unit->table, global.file);
    row.line = global.line;
  }
  emit_alloc(e, v, row, cca__location_name(model, location, &model->arena),
             CCA_NONE);
}

static void emit_pairs(struct emitter *e, const struct cca_pairs *pairs) {
  for (size_t i = 0; i < pairs->count; i++)
    cca_giveback_add(e->out,
                     (struct cca_giveback){text(e, pairs->items[i].allocator),
                                           text(e, pairs->items[i].deallocator),
                                           pairs->items[i].calls});
}

/* ---- Addresses ---- */

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

/* How many return addresses are guessed to be a call's, by the outermost one.
 */
static void count_guesses(struct emitter *e, uint32_t u) {
  const struct cca_input *unit = &e->model->units[u];
  uint32_t count = unit->table ? cca_site_count(unit->table) : 0;
  for (uint32_t i = 0; i < count; i++) {
    struct cca_site site = cca_site_at(unit->table, i), next = {0};
    if (i + 1 < count)
      next = cca_site_at(unit->table, i + 1);
    if (site.flags & CCA_SITE_FLAGS_AMBIGUOUS &&
        (site.index != next.index || site.offset != next.offset))
      e->guesses[unit->first_call + site.call]++;
  }
}

/*
 * Rows of one return address are adjacent, the innermost call first.  The
 * innermost one that says something is the object's type; a wrapper that was
 * inlined says nothing, it passes through.
 */
static void emit_addresses(struct emitter *e, uint32_t u) {
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

/* ---- The boundary, and what is missing ---- */

static void emit_imports(struct emitter *e, const struct cca_imports *found) {
  struct cca_model *model = e->model;
  for (size_t i = 0; i < found->count;) {
    struct cca_import_sizeof first = found->items[i];
    struct cca_vec(struct cca_count) counts = {0};
    for (; i < found->count && found->items[i].function == first.function &&
           found->items[i].param == first.param;
         i++) {
      uint32_t of = type_row(e, found->items[i].type, 1);
      if (counts.count && counts.items[counts.count - 1].of == of)
        counts.items[counts.count - 1].sites++;
      else
        cca_vec_push(&counts, ((struct cca_count){of, 1}));
    }
    struct cca_import row = {
        text(e, model->functions.items[first.function].symbol), first.param,
        cca_count_added(e->out), (uint32_t)counts.count};
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
    cca_missing_add(e->out,
                    (struct cca_missing){text(e, unit->name),
                                         text(e, reason ? reason : "")});
  }
}

static uint64_t mix(uint64_t lane, const unsigned char *word) {
  lane = (lane ^ cca_load_8(word)) * 0x9e3779b97f4a7c15u;
  return lane ^ lane >> 32;
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
      cca_remark_add(e->out,
                     (struct cca_remark){
                         text(e, unit->name),
                         text(e, cca_table_string(unit->table, row.reason))});
    if (strcmp(producer, PRODUCER) != 0) {
      struct cca_text said = {0};
      cca_text_addf(&said, "summary by %s, linked by %s", producer, PRODUCER);
      cca_remark_add(
          e->out, (struct cca_remark){text(e, unit->name), text(e, said.data)});
      cca_text_release(&said);
    }
  }
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
  cca_module_add(
      e->out, (struct cca_module){text(e, PRODUCER), (int64_t)digest, units});
}

/* ---- All of it ---- */

static void emit_sites_and_functions(struct emitter *e) {
  struct cca_model *model = e->model;
  for (uint32_t i = 0; i < e->sites.count; i++) {
    e->site_of[e->sites.items[i].call] = i + 1;
    emit_site(e, i);
  }
  count_types(e);
  for (uint32_t i = 0; i < model->functions.count; i++)
    emit_function(e, i);
  for (uint32_t i = 1; i < model->locations.count; i++)
    emit_pointer(e, i);
  for (uint32_t u = 0; u < model->unit_count; u++)
    count_guesses(e, u);
}

static void find_boundary(struct boundary *b) {
  b->digest = find_digest(b->model);
  cca__pairs(b->model, &b->names, &b->pairs);
  cca__imports(b->model, &b->imports);
}

/* The table is filled by one thread, the first; what is behind what it fills in
 * the meantime, another one finds out. */
struct halves {
  struct emitter *emitter;
  struct boundary *boundary;
};

static void do_half(void *halves, size_t thread, size_t first, size_t end) {
  (void)thread;
  struct halves *h = halves;
  for (size_t i = first; i < end; i++)
    if (i)
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
  e.guesses = cca_calloc(model->call_count, sizeof *e.guesses);
  cca_parallel(cca__threads(model, model->functions.count) > 1 ? 2 : 1, 2,
               do_half, &(struct halves){&e, &b});
  emit_module(&e, b.digest);
  emit_pairs(&e, &b.pairs);
  for (uint32_t u = 0; u < model->unit_count; u++)
    emit_addresses(&e, u);
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
  cca_map_release(&e.counts);
  cca_vec_release(&e.sites);
  cca_vec_release(&e.called);
  cca_vec_release(&b.pairs);
  cca_vec_release(&b.imports);
  cca_arena_release(&b.names);
  free(e.site_rows);
  free(e.guesses);
  return status;
}
