/* SPDX-License-Identifier: MIT */
/*
 * handles.c -- which types' sizes lie in a member of one object?
 *
 * Input:     composed behaviours, flow.
 * Output:    for a pointer at hand, what is stored in a member of the object
 *            that it points to.
 *
 * Containers and slabs keep their element size in the object that stands for
 * them, and all of a program's share one record type: what lies in
 * `array.size` is many types' sizes, but in `conf->servers` there is one array,
 * which one call made.  Objects go by where they are, or where the pointer to
 * them was found:
 *
 *   inside    a member of a record, whichever record of that type it is
 *   behind    what the pointer in such a member leads to
 *   param     what a parameter points to
 *   result    what a call returned
 *   local, variable
 *
 * A size is put in by a store, or by a function that stores what it is given
 * (`array_init(&conf->servers, sizeof(T))`); which is followed up the callers
 * until the object has a place.  A question goes the other way: over what is
 * stored in the pointer, passed for the parameter, returned by the callee.
 * Both are bounded in depth; a store that leads nowhere counts for everybody.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = 8, DEPTH = 8, ASKED = 256 };

enum place_kind {
  PLACE_INSIDE,   /* index: location */
  PLACE_BEHIND,   /* index: location */
  PLACE_PARAM,    /* index: slot */
  PLACE_RESULT,   /* index: call */
  PLACE_LOCAL,    /* index: local, offset */
  PLACE_VARIABLE, /* index: variable, offset */
};

struct place {
  uint32_t kind, index, offset;
};

struct places {
  uint32_t count;
  struct place items[KEYS];
};

/* What is known of one member of the objects of a type. */
struct member {
  uint32_t location;
  struct cca_map at; /* place to index in reaches + 1 */
  struct cca_vec(struct cca_reach) reaches;
  struct cca_reach anywhere; /* put in at no known place */
};

struct cca_handles {
  struct cca_model *model;
  struct cca_eval *eval; /* whatever body comes next */
  struct cca_arena sizes;
  struct cca_map by_member; /* of records: to location; made when needed */
  struct cca_vec(struct member) members;
};

struct member_key {
  uint32_t type, offset;
};

struct cca_handles *cca__handles_new(struct cca_model *model) {
  struct cca_handles *h = cca_calloc(1, sizeof *h);
  h->model = model;
  h->eval = cca__eval_new(model);
  return h;
}

void cca__handles_free(struct cca_handles *h) {
  for (size_t i = 0; i < h->members.count; i++) {
    cca_map_release(&h->members.items[i].at);
    cca_vec_release(&h->members.items[i].reaches);
  }
  cca_vec_release(&h->members);
  cca__eval_free(h->eval);
  cca_arena_release(&h->sizes);
  cca_map_release(&h->by_member);
  free(h);
}

/* ---- Where is what a pointer points to? ---- */

static void add_place(struct places *places, enum place_kind kind,
                      uint32_t index, uint32_t offset) {
  struct place place = {kind, index, offset};
  for (uint32_t i = 0; i < places->count; i++)
    if (memcmp(&places->items[i], &place, sizeof place) == 0)
      return;
  if (places->count < KEYS)
    places->items[places->count++] = place;
}

static void add_address(const struct cca_model *model, uint32_t u,
                        struct cca_loc loc, uint32_t location,
                        struct places *places) {
  const struct cca_input *unit = &model->units[u];
  struct cca_node base = cca_node_at(unit->table, loc.base);
  if (base.op == CCA_OP_LOCAL)
    add_place(places, PLACE_LOCAL, unit->first_local + base.a,
              (uint32_t)loc.offset);
  else if (base.op == CCA_OP_GLOBAL)
    add_place(places, PLACE_VARIABLE, unit->variables[base.a],
              (uint32_t)loc.offset);
  else if (location != CCA_NONE)
    add_place(places, PLACE_INSIDE, location, 0);
}

/* The places of what NODE of unit U, in a body of FUNCTION, points to. */
static void find_places(const struct cca_model *model, uint32_t u,
                        uint32_t function, uint32_t node, int depth,
                        struct places *places) {
  const struct cca_input *unit = &model->units[u];
  struct cca_node n = cca_node_at(unit->table, node);
  if (!depth)
    return;
  switch (n.op) {
  case CCA_OP_PARAM:
    if (function != CCA_NONE &&
        n.a < model->functions.items[function].param_count)
      add_place(places, PLACE_PARAM,
                model->functions.items[function].first_slot + n.a, 0);
    return;
  case CCA_OP_LOAD:
    if (unit->locations[n.a] != CCA_NONE)
      add_place(places, PLACE_BEHIND, unit->locations[n.a], 0);
    return;
  case CCA_OP_ADDRESS:
    add_address(model, u, cca_loc_at(unit->table, n.a), unit->locations[n.a],
                places);
    return;
  case CCA_OP_CALL:
    add_place(places, PLACE_RESULT, unit->first_call + n.a, 0);
    return;
  case CCA_OP_LOCAL:
    add_place(places, PLACE_LOCAL, unit->first_local + n.a, 0);
    return;
  case CCA_OP_GLOBAL:
    add_place(places, PLACE_VARIABLE, unit->variables[n.a], 0);
    return;
  case CCA_OP_ADD: /* one of an array of them */
    find_places(model, u, function, n.a, depth - 1, places);
    if (!places->count)
      find_places(model, u, function, n.b, depth - 1, places);
    return;
  case CCA_OP_EITHER:
    for (uint32_t i = 0; i < n.b && i < KEYS; i++)
      find_places(model, u, function,
                  cca_operand_at(unit->table, n.a + i).node, depth / 2, places);
    return;
  default:
    return;
  }
}

static void index_members(struct cca_handles *h) {
  for (uint32_t i = 1; i < h->model->locations.count; i++) {
    const struct cca_location *l = &h->model->locations.items[i];
    struct member_key key = {l->type, l->offset};
    if (l->type != CCA_NONE)
      *cca_map_at(&h->by_member, &key, sizeof key, NULL) = i;
  }
}

/* The same of the object in which LOC is a member. */
static void find_owner(struct cca_handles *h, uint32_t u, uint32_t function,
                       struct cca_loc loc, struct places *places) {
  const struct cca_model *model = h->model;
  const struct cca_input *unit = &model->units[u];
  if (loc.outer == CCA_NONE || loc.outer == loc.record) {
    struct cca_node base = cca_node_at(unit->table, loc.base);
    uint32_t start = (uint32_t)loc.offset - loc.field;
    if (base.op == CCA_OP_LOCAL)
      add_place(places, PLACE_LOCAL, unit->first_local + base.a, start);
    else if (base.op == CCA_OP_GLOBAL)
      add_place(places, PLACE_VARIABLE, unit->variables[base.a], start);
    else if (!start)
      find_places(model, u, function, loc.base, DEPTH, places);
    return;
  }
  struct member_key key = {unit->types[loc.outer],
                           loc.outer_field - loc.field};
  if (!h->by_member.count)
    index_members(h);
  const uint32_t *found = cca_map_find(&h->by_member, &key, sizeof key);
  if (found)
    add_place(places, PLACE_INSIDE, *found, 0);
}

/* ---- What is put in ---- */

static struct cca_reach *reach_at(struct member *m, struct place place) {
  bool is_new;
  uint32_t *slot = cca_map_at(&m->at, &place, sizeof place, &is_new);
  if (is_new) {
    cca_vec_push(&m->reaches, (struct cca_reach){0});
    *slot = (uint32_t)m->reaches.count;
  }
  return &m->reaches.items[*slot - 1];
}

/* SIZE, in FUNCTION, in types; false if a parameter of FUNCTION is all. */
static bool put(struct cca_model *model, uint32_t function,
                const struct cca_size *size, struct cca_reach *to) {
  bool waits = false, some = false;
  for (uint32_t i = 0; i < size->alt_count; i++)
    for (uint32_t t = 0; t < size->alts[i].term_count; t++)
      for (uint32_t k = 0; k < size->alts[i].terms[t].atom_count; k++) {
        struct cca_atom atom = size->alts[i].terms[t].atoms[k];
        if (cca_atom_is_sizeof(atom)) {
          cca__reach_add(to, atom.index);
          some = true;
        } else if (atom.kind == CCA_ATOM_FIELD && atom.index) {
          const struct cca_reach *other =
              cca__flow_location(model, atom.index);
          cca__reach_join(to, other, false);
          some |= other->type_count != 0;
        } else
          waits |= atom.kind == CCA_ATOM_PARAM && function != CCA_NONE;
      }
  if (!some && !waits)
    to->unsized = true;
  return some || !waits;
}

static void put_at(struct cca_handles *h, struct member *m, uint32_t function,
                   const struct places *places, const struct cca_size *size,
                   int depth);

/* As find_places(); the address of the first member of what a call has made is
 * that of the whole, which may be taken for that member elsewhere. */
static void find_objects(const struct cca_model *model, uint32_t u,
                         uint32_t function, uint32_t node,
                         struct places *places) {
  const struct cca_table *t = model->units[u].table;
  struct cca_node n = cca_node_at(t, node);
  find_places(model, u, function, node, DEPTH, places);
  if (n.op != CCA_OP_ADDRESS || cca_loc_at(t, n.a).offset)
    return;
  struct cca_node whole = cca_node_at(t, cca_loc_at(t, n.a).base);
  if (whole.op == CCA_OP_CALL)
    add_place(places, PLACE_RESULT, model->units[u].first_call + whole.a, 0);
}

/* The object is what the callers of FUNCTION pass for PARAM, or, if that is
 * CCA_NONE, get from it: SIZE is put in at all of their calls. */
static void put_by_callers(struct cca_handles *h, struct member *m,
                           uint32_t function, uint32_t param,
                           const struct cca_size *size, int depth) {
  struct cca_model *model = h->model;
  for (uint32_t i = model->callers_first[function];
       i < model->callers_first[function + 1]; i++) {
    uint32_t number = model->callers[i];
    struct cca_call_place at = cca__call_place(model, number);
    const struct cca_input *unit = &model->units[at.unit];
    struct cca_call call = cca_call_at(unit->table, at.row);
    struct places places = {0};
    if (model->target_rule[number] > CCA_RULE_STORED ||
        (param != CCA_NONE && param >= call.args_count))
      continue;
    if (param == CCA_NONE)
      add_place(&places, PLACE_RESULT, number, 0);
    else
      find_objects(model, at.unit, unit->functions[call.func],
                   cca_operand_at(unit->table, call.args_first + param).node,
                   &places);
    cca__eval_enter_body(h->eval, at.unit, call.func);
    put_at(
        h, m, unit->functions[call.func], &places,
        cca_size_copy(&h->sizes, cca__eval_at_call(h->eval, number, size)),
        depth - 1);
  }
}

static bool returns_call(const struct cca_model *model, uint32_t function,
                         uint32_t number) {
  const struct cca_function *f = &model->functions.items[function];
  const struct cca_table *t = model->units[f->unit].table;
  struct cca_func row = cca_func_at(t, f->row);
  for (uint32_t i = 0; f->defined && i < row.returns_count; i++) {
    struct places places = {0};
    find_places(model, f->unit, function,
                cca_return_at(t, row.returns_first + i).value, DEPTH, &places);
    for (uint32_t k = 0; k < places.count; k++)
      if (places.items[k].kind == PLACE_RESULT &&
          places.items[k].index == number)
        return true;
  }
  return false;
}

/* SIZE, in terms of FUNCTION, is put into the objects at PLACES of it. */
static void put_at(struct cca_handles *h, struct member *m, uint32_t function,
                   const struct places *places, const struct cca_size *size,
                   int depth) {
  struct cca_model *model = h->model;
  if (!places->count || !depth)
    put(model, CCA_NONE, size, &m->anywhere);
  for (uint32_t i = 0; depth && i < places->count; i++) {
    struct place place = places->items[i];
    bool settled = put(model, function, size, reach_at(m, place));
    if (place.kind == PLACE_PARAM && function != CCA_NONE)
      put_by_callers(h, m, function,
                     place.index - model->functions.items[function].first_slot,
                     size, depth);
    else if (place.kind == PLACE_RESULT && function != CCA_NONE &&
             returns_call(model, function, place.index))
      put_by_callers(h, m, function, CCA_NONE, size, depth);
    else if (!settled) {
      /* the size is a parameter of a function that knows the object */
      for (uint32_t p = 0; p < 64; p++)
        if (cca_size_params(size) >> p & 1)
          cca__reach_join(reach_at(m, place),
                          cca__flow_param(model, function, p), false);
    }
  }
}

/* Find all that is ever stored in LOCATION, and into which objects. */
static struct member *member_of(struct cca_handles *h, uint32_t location) {
  struct cca_model *model = h->model;
  for (size_t i = 0; i < h->members.count; i++)
    if (h->members.items[i].location == location)
      return &h->members.items[i];
  cca_vec_push(&h->members, (struct member){.location = location});
  struct member *m = &h->members.items[h->members.count - 1];
  for (uint32_t i = model->stores_first[location];
       i < model->stores_first[location + 1]; i++) {
    struct cca_store_place at = model->stores[i];
    const struct cca_input *unit = &model->units[at.unit];
    struct cca_store store = cca_store_at(unit->table, at.row);
    uint32_t function =
        store.func == CCA_NONE ? CCA_NONE : unit->functions[store.func];
    struct places places = {0};
    int64_t value;
    find_owner(h, at.unit, function, cca_loc_at(unit->table, store.loc),
               &places);
    if (function == CCA_NONE)
      cca__eval_enter_unit(h->eval, at.unit);
    else
      cca__eval_enter_body(h->eval, at.unit, store.func);
    const struct cca_size *size =
        cca_size_copy(&h->sizes, cca__eval_size(h->eval, store.value));
    if (!cca_size_is_constant(size, &value) || value) /* 0 is no size */
      put_at(h, m, function, &places, size, DEPTH);
  }
  return m;
}

/* ---- What is asked for ---- */

struct question {
  struct cca_handles *h;
  struct member *member;
  struct cca_reach *answer;
  uint32_t count;
  struct place seen[ASKED];
};

static void ask(struct question *q, struct place place, int depth);

static void ask_node(struct question *q, uint32_t u, uint32_t function,
                     uint32_t node, int depth) {
  struct places places = {0};
  find_places(q->h->model, u, function, node, DEPTH, &places);
  for (uint32_t i = 0; i < places.count; i++)
    ask(q, places.items[i], depth);
}

static void ask_callers(struct question *q, uint32_t slot, int depth) {
  const struct cca_model *model = q->h->model;
  uint32_t low = 0, high = (uint32_t)model->functions.count;
  while (high - low > 1) { /* slots ascend with the functions */
    uint32_t middle = (low + high) / 2;
    if (model->functions.items[middle].first_slot <= slot)
      low = middle;
    else
      high = middle;
  }
  uint32_t param = slot - model->functions.items[low].first_slot;
  for (uint32_t i = model->callers_first[low];
       i < model->callers_first[low + 1]; i++) {
    struct cca_call_place at = cca__call_place(model, model->callers[i]);
    const struct cca_input *unit = &model->units[at.unit];
    struct cca_call call = cca_call_at(unit->table, at.row);
    if (model->target_rule[model->callers[i]] <= CCA_RULE_STORED &&
        param < call.args_count)
      ask_node(q, at.unit, unit->functions[call.func],
               cca_operand_at(unit->table, call.args_first + param).node,
               depth);
  }
}

static void ask_stores(struct question *q, uint32_t location, int depth) {
  const struct cca_model *model = q->h->model;
  for (uint32_t i = model->stores_first[location];
       i < model->stores_first[location + 1]; i++) {
    struct cca_store_place at = model->stores[i];
    const struct cca_input *unit = &model->units[at.unit];
    struct cca_store store = cca_store_at(unit->table, at.row);
    ask_node(q, at.unit,
             store.func == CCA_NONE ? CCA_NONE : unit->functions[store.func],
             store.value, depth);
  }
}

static void ask_callees(struct question *q, uint32_t number, int depth) {
  const struct cca_model *model = q->h->model;
  for (uint32_t t = model->targets_first[number];
       t < model->targets_first[number + 1]; t++) {
    const struct cca_function *f =
        &model->functions.items[model->targets[t]];
    const struct cca_table *table = model->units[f->unit].table;
    if (!f->defined || model->target_rule[number] > CCA_RULE_STORED)
      continue;
    struct cca_func row = cca_func_at(table, f->row);
    for (uint32_t i = 0; i < row.returns_count; i++)
      ask_node(q, f->unit, model->targets[t],
               cca_return_at(table, row.returns_first + i).value, depth);
  }
}

static void ask(struct question *q, struct place place, int depth) {
  for (uint32_t i = 0; i < q->count; i++)
    if (memcmp(&q->seen[i], &place, sizeof place) == 0)
      return;
  if (!depth || q->count == ASKED) {
    q->answer->more = true;
    return;
  }
  q->seen[q->count++] = place;
  const uint32_t *found = cca_map_find(&q->member->at, &place, sizeof place);
  if (found)
    cca__reach_join(q->answer, &q->member->reaches.items[*found - 1], false);
  if (place.kind == PLACE_BEHIND)
    ask_stores(q, place.index, depth - 1);
  else if (place.kind == PLACE_PARAM)
    ask_callers(q, place.index, depth - 1);
  else if (place.kind == PLACE_RESULT && !found)
    ask_callees(q, place.index, depth - 1);
}

struct cca_reach cca__handles_reach(struct cca_handles *h, uint32_t call,
                                    uint32_t node, uint32_t location) {
  struct cca_model *model = h->model;
  struct cca_call_place at = cca__call_place(model, call);
  const struct cca_input *unit = &model->units[at.unit];
  struct member *m = member_of(h, location);
  struct cca_reach answer = m->anywhere;
  struct question *q = cca_malloc(sizeof *q);
  q->h = h;
  q->member = m;
  q->answer = &answer;
  q->count = 0;
  ask_node(q, at.unit,
           unit->functions[cca_call_at(unit->table, at.row).func], node,
           DEPTH);
  free(q);
  return answer;
}
