/* SPDX-License-Identifier: MIT */
/*
 * resolve.c -- which functions can each call reach?
 *
 * Input:     the joined program.
 * Output:    targets of every call with the rule that gave them; callers of
 *            every function; stores to every location; functions that are
 *            stored in every location.
 * Invariant: a set only grows; the type rules are applied after the sets of
 *            stored functions are complete, so that the fixpoint is monotone.
 *
 * First an inclusion-based points-to analysis (Andersen 1994), restricted to
 * function addresses: a *slot* stands for each parameter, function result,
 * location and local object; a store, argument or return of one into another
 * is an edge along which sets flow.  An indirect call through a slot reaches
 * what is in the slot, which makes new edges.  Fields are told apart by
 * (record type, offset), so that a struct copy needs no edge.
 *
 * Calls that remain get every address-taken function of the same C type, and
 * failing that of the same generalised type (every pointer alike), since
 * `void *` and `T *` are interchanged in practice.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { SET_MAX = 64, LEAVES = 32 };

struct set {
  uint32_t *items; /* ascending */
  uint32_t count, room;
};

/* A function, or what is in a slot, flows into another slot. */
struct flow_step {
  uint32_t from, to;
  bool function; /* from is one */
};
struct flow_steps cca_vec(struct flow_step);

struct resolver {
  struct cca_model *model;
  uint32_t *set_of; /* by slot: its place in sets; 0: nothing in it */
  struct cca_vec(struct set) sets; /* [0] stays empty */
  uint32_t *head;                  /* by slot: first edge + 1 */
  struct cca_vec(uint32_t) to, next;
  struct cca_vec(uint32_t) work; /* slots whose set grew */
  bool *waiting;                 /* by slot: is in work */
  bool settled;                  /* sets were propagated before */
  uint32_t slot_count, first_result, first_location, first_local;
  uint32_t *direct; /* by call: the function it names, if its rule is DIRECT;
                       else its place in indirect, or CCA_NONE */
  struct cca_vec(struct cca_call_place) indirect;
  struct set *reached; /* by place in indirect: targets */
};

static bool set_add(struct set *set, uint32_t item) {
  if (set->count == SET_MAX)
    return false;
  uint32_t at = set->count;
  while (at && set->items[at - 1] > item)
    at--;
  if (at && set->items[at - 1] == item)
    return false;
  if (set->count == set->room) {
    set->room = set->room ? set->room * 2 : 2;
    set->items = cca_realloc(set->items, set->room, sizeof *set->items);
  }
  memmove(&set->items[at + 1], &set->items[at],
          (set->count - at) * sizeof *set->items);
  set->items[at] = item;
  set->count++;
  return true;
}

/* What SLOT holds; borrowed until the next slot_add(). */
static const struct set *slot_set(const struct resolver *r, uint32_t slot) {
  return &r->sets.items[r->set_of[slot]];
}

static void slot_add(struct resolver *r, uint32_t slot, uint32_t function) {
  if (!r->set_of[slot]) {
    r->set_of[slot] = (uint32_t)r->sets.count;
    cca_vec_push(&r->sets, ((struct set){0}));
  }
  if (set_add(&r->sets.items[r->set_of[slot]], function) && !r->waiting[slot]) {
    r->waiting[slot] = true;
    cca_vec_push(&r->work, slot);
  }
}

static void add_edge(struct resolver *r, uint32_t from, uint32_t to) {
  if (from == to)
    return;
  cca_vec_push(&r->to, to);
  cca_vec_push(&r->next, r->head[from]);
  r->head[from] = (uint32_t)r->to.count;
  if (!r->settled)
    return; /* what is in FROM still waits */
  for (uint32_t i = 0; i < slot_set(r, from)->count; i++)
    slot_add(r, to, slot_set(r, from)->items[i]);
}

static void enter(struct resolver *r, const struct flow_steps *steps) {
  for (size_t i = 0; i < steps->count; i++) {
    struct flow_step step = steps->items[i];
    (step.function ? slot_add(r, step.to, step.from)
                   : add_edge(r, step.from, step.to));
  }
}

static void propagate(struct resolver *r) {
  r->settled = true;
  while (r->work.count) {
    uint32_t slot = r->work.items[--r->work.count];
    r->waiting[slot] = false;
    for (uint32_t e = r->head[slot]; e; e = r->next.items[e - 1])
      for (uint32_t i = 0; i < slot_set(r, slot)->count; i++)
        slot_add(r, r->to.items[e - 1], slot_set(r, slot)->items[i]);
  }
}

/* Where a value may come from: what is behind phis and selects. */
struct leaves {
  uint32_t count;
  uint32_t nodes[LEAVES];
};

static void find_leaves(const struct cca_table *t, uint32_t node,
                        struct leaves *leaves) {
  uint32_t stack[LEAVES] = {node}, depth = 1, visits = 0;
  leaves->count = 0;
  while (depth && visits++ < 4 * LEAVES) {
    struct cca_node n = cca_node_at(t, stack[--depth]);
    if (n.op != CCA_OP_EITHER) {
      if (leaves->count < LEAVES)
        leaves->nodes[leaves->count++] = stack[depth];
      continue;
    }
    for (uint32_t i = 0; i < n.b && depth < LEAVES; i++)
      stack[depth++] = cca_operand_at(t, n.a + i).node;
  }
}

/* The slot that holds what LEAF evaluates to, or CCA_NONE. */
static uint32_t leaf_slot(const struct resolver *r,
                          const struct cca_input *unit, uint32_t function,
                          struct cca_node leaf) {
  struct cca_model *model = r->model;
  switch (leaf.op) {
  case CCA_OP_PARAM: {
    if (function == CCA_NONE)
      return CCA_NONE;
    const struct cca_function *f = &model->functions.items[function];
    return leaf.a < f->param_count ? f->first_slot + leaf.a : CCA_NONE;
  }
  case CCA_OP_LOAD: {
    uint32_t location = unit->locations[leaf.a];
    if (location != CCA_NONE)
      return r->first_location + location;
    struct cca_node base =
        cca_node_at(unit->table, cca_loc_at(unit->table, leaf.a).base);
    return base.op == CCA_OP_LOCAL ? r->first_local + unit->first_local + base.a
                                   : CCA_NONE;
  }
  case CCA_OP_CALL: {
    uint32_t callee = cca_call_at(unit->table, leaf.a).callee;
    return callee == CCA_NONE ? CCA_NONE
                              : r->first_result + unit->functions[callee];
  }
  default:
    return CCA_NONE;
  }
}

/* NODE, evaluated in FUNCTION, flows into slot TO. */
static void flow_into(const struct resolver *r, const struct cca_input *unit,
                      uint32_t function, uint32_t node, uint32_t to,
                      struct flow_steps *steps) {
  struct leaves leaves;
  find_leaves(unit->table, node, &leaves);
  for (uint32_t i = 0; i < leaves.count; i++) {
    struct cca_node leaf = cca_node_at(unit->table, leaves.nodes[i]);
    bool is_function = leaf.op == CCA_OP_FUNC;
    uint32_t from = is_function ? unit->functions[leaf.a]
                                : leaf_slot(r, unit, function, leaf);
    if (from != CCA_NONE)
      cca_vec_push(steps, ((struct flow_step){from, to, is_function}));
  }
}

/* The arguments of CALL flow into the parameters of CALLEE. */
static void bind_arguments(const struct resolver *r,
                           const struct cca_input *unit,
                           const struct cca_call *call, uint32_t callee,
                           struct flow_steps *steps) {
  const struct cca_function *f = &r->model->functions.items[callee];
  if (!f->defined)
    return;
  for (uint32_t i = 0; i < call->args_count && i < f->param_count; i++)
    if (i >= 64 || f->carriers & cca__bit(i))
      flow_into(r, unit, unit->functions[call->func],
                cca_operand_at(unit->table, call->args_first + i).node,
                f->first_slot + i, steps);
}

/* What one thread gathers, in consecutive units. */
struct gathered {
  struct resolver *resolver;
  struct flow_steps steps;
  struct cca_vec(struct cca_call_place) indirect;
};

static void gather_unit(struct gathered *g, const struct cca_input *unit) {
  const struct resolver *r = g->resolver;
  const struct cca_table *t = unit->table;
  for (uint32_t i = 0; i < cca_call_count(t); i++) {
    struct cca_call call = cca_call_at(t, i);
    r->direct[unit->first_call + i] = CCA_NONE;
    if (call.callee != CCA_NONE) {
      r->direct[unit->first_call + i] = unit->functions[call.callee];
      r->model->target_rule[unit->first_call + i] = CCA_RULE_DIRECT;
      bind_arguments(r, unit, &call, unit->functions[call.callee], &g->steps);
    } else if (call.target != CCA_NONE)
      cca_vec_push(&g->indirect, ((struct cca_call_place){
                                     (uint32_t)(unit - r->model->units), i}));
  }
  for (uint32_t i = 0; i < cca_store_count(t); i++) {
    struct cca_store store = cca_store_at(t, i);
    struct cca_loc loc = cca_loc_at(t, store.loc);
    if (loc.size && loc.size < 4)
      continue;
    uint32_t function =
        store.func == CCA_NONE ? CCA_NONE : unit->functions[store.func];
    struct cca_node as_load = {.op = CCA_OP_LOAD, .a = store.loc};
    uint32_t to = leaf_slot(r, unit, function, as_load);
    if (to != CCA_NONE)
      flow_into(r, unit, function, store.value, to, &g->steps);
  }
  for (uint32_t i = 0; i < cca_return_count(t); i++) {
    struct cca_return ret = cca_return_at(t, i);
    uint32_t function = unit->functions[ret.func];
    if (r->model->functions.items[function].result == 'p')
      flow_into(r, unit, function, ret.value, r->first_result + function,
                &g->steps);
  }
}

static void gather_units(void *parts, size_t thread, size_t first, size_t end) {
  struct gathered *g = (struct gathered *)parts + thread;
  for (size_t u = first; u < end; u++)
    if (g->resolver->model->units[u].table)
      gather_unit(g, &g->resolver->model->units[u]);
}

/* In the order of units, whichever thread did what. */
static void gather(struct resolver *r) {
  struct cca_model *model = r->model;
  struct gathered parts[CCA_THREADS_MAX] = {0};
  size_t threads = cca__threads(model, model->functions.count);
  for (size_t i = 0; i < threads; i++)
    parts[i].resolver = r;
  cca_parallel(threads, model->unit_count, gather_units, parts);
  for (size_t i = 0; i < threads; i++) {
    enter(r, &parts[i].steps);
    cca_vec_release(&parts[i].steps);
    cca_vec_join(&r->indirect, &parts[i].indirect);
  }
  for (size_t i = 0; i < r->indirect.count; i++) {
    struct cca_call_place place = r->indirect.items[i];
    r->direct[model->units[place.unit].first_call + place.row] = (uint32_t)i;
  }
}

/* An element of an array of function pointers may be any of them. */
static void join_elements(struct resolver *r) {
  struct cca_model *model = r->model;
  struct cca_map whole = {0};
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 1; i < model->locations.count; i++) {
      struct cca_location l = model->locations.items[i];
      if (l.variable == CCA_NONE)
        continue;
      if (!pass && l.offset == CCA_ANY_ELEMENT)
        *cca_map_at(&whole, &l.variable, sizeof l.variable, NULL) = i;
      const uint32_t *all =
          pass ? cca_map_find(&whole, &l.variable, sizeof l.variable) : NULL;
      if (all && *all != i) {
        add_edge(r, r->first_location + i, r->first_location + *all);
        add_edge(r, r->first_location + *all, r->first_location + i);
      }
    }
  cca_map_release(&whole);
}

/* Could a call of SHAPE sensibly reach FUNCTION? */
static bool shape_fits(const struct cca_model *model, const char *shape,
                       uint32_t function) {
  const struct cca_function *f = &model->functions.items[function];
  const struct cca_table *t = model->units[f->unit].table;
  const char *own = cca_table_string(t, cca_func_at(t, f->row).shape);
  if (!*shape || !*own || f->variadic)
    return true;
  return strlen(own) == strlen(shape) &&
         (own[0] == shape[0] || own[0] == 'v' || shape[0] == 'v');
}

static const char *call_shape(const struct cca_input *unit,
                              const struct cca_call *call) {
  return cca_table_string(unit->table, call->shape);
}

/* Resolve one indirect call from what its pointer's slots hold. */
static bool reach_stored(struct resolver *r, const struct cca_input *unit,
                         uint32_t row, struct set *reached,
                         struct flow_steps *steps) {
  struct cca_call call = cca_call_at(unit->table, row);
  struct leaves leaves;
  bool grew = false;
  find_leaves(unit->table, call.target, &leaves);
  for (uint32_t i = 0; i < leaves.count; i++) {
    struct cca_node leaf = cca_node_at(unit->table, leaves.nodes[i]);
    struct set one = {&unit->functions[leaf.a], 1, 1};
    uint32_t slot = CCA_NONE;
    if (leaf.op != CCA_OP_FUNC) {
      slot = leaf_slot(r, unit, unit->functions[call.func], leaf);
      if (slot == CCA_NONE)
        continue;
    }
    for (uint32_t k = 0;; k++) { /* sets move and grow meanwhile */
      const struct set *from = slot == CCA_NONE ? &one : slot_set(r, slot);
      if (k >= from->count)
        break;
      uint32_t function = from->items[k];
      if (shape_fits(r->model, call_shape(unit, &call), function) &&
          set_add(reached, function)) {
        steps->count = 0;
        bind_arguments(r, unit, &call, function, steps);
        enter(r, steps);
        grew = true;
      }
    }
  }
  return grew;
}

/* Sets of stored functions to a fixpoint: each round can only add. */
static void resolve_stored(struct resolver *r) {
  struct cca_model *model = r->model;
  struct flow_steps steps = {0}; /* of one call at a time */
  for (bool grew = true; grew;) {
    propagate(r);
    grew = false;
    for (size_t i = 0; i < r->indirect.count; i++) {
      struct cca_call_place place = r->indirect.items[i];
      const struct cca_input *unit = &model->units[place.unit];
      grew |= reach_stored(r, unit, place.row, &r->reached[i], &steps);
    }
  }
  cca_vec_release(&steps);
}

/* Address-taken functions by C type and by shape. */
struct by_type {
  struct cca_map types; /* key to index in lists + 1 */
  struct cca_vec(struct set) lists;
};

static void by_type_add(struct by_type *index, const void *key, size_t len,
                        uint32_t function) {
  uint32_t *slot = cca_map_at(&index->types, key, len, NULL);
  if (!*slot) {
    cca_vec_push(&index->lists, ((struct set){0}));
    *slot = (uint32_t)index->lists.count;
  }
  set_add(&index->lists.items[*slot - 1], function);
}

static const struct set *by_type_find(const struct by_type *index,
                                      const void *key, size_t len) {
  const uint32_t *slot = cca_map_find(&index->types, key, len);
  return slot ? &index->lists.items[*slot - 1] : NULL;
}

static void by_type_release(struct by_type *index) {
  for (size_t i = 0; i < index->lists.count; i++)
    free(index->lists.items[i].items);
  cca_vec_release(&index->lists);
  cca_map_release(&index->types);
}

/* From here on the stored sets are complete: types for the rest. */
static void resolve_by_type(struct resolver *r) {
  struct cca_model *model = r->model;
  struct by_type signatures = {0}, shapes = {0};
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const struct cca_function *f = &model->functions.items[i];
    if (!f->address_taken)
      continue;
    const struct cca_table *t = model->units[f->unit].table;
    struct cca_func row = cca_func_at(t, f->row);
    const char *shape = cca_table_string(t, row.shape);
    if (row.signature)
      by_type_add(&signatures, &row.signature, sizeof row.signature, i);
    by_type_add(&shapes, shape, strlen(shape), i);
  }
  for (size_t i = 0; i < r->indirect.count; i++) {
    struct cca_call_place place = r->indirect.items[i];
    const struct cca_input *unit = &model->units[place.unit];
    uint32_t number = unit->first_call + place.row;
    struct cca_call call = cca_call_at(unit->table, place.row);
    const char *shape = call_shape(unit, &call);
    const struct set *found = NULL;
    model->target_rule[number] = CCA_RULE_STORED;
    if (r->reached[i].count)
      continue;
    model->target_rule[number] = CCA_RULE_SIGNATURE;
    if (call.signature)
      found = by_type_find(&signatures, &call.signature, sizeof call.signature);
    if (!found) {
      model->target_rule[number] = CCA_RULE_SHAPE;
      found = by_type_find(&shapes, shape, strlen(shape));
    }
    if (!found)
      model->target_rule[number] = CCA_RULE_NONE;
    for (uint32_t k = 0; found && k < found->count; k++)
      set_add(&r->reached[i], found->items[k]);
  }
  by_type_release(&signatures);
  by_type_release(&shapes);
}

static uint32_t variable_type(const struct cca_model *model,
                              uint32_t variable) {
  const struct cca_variable *v = &model->variables.items[variable];
  const struct cca_input *unit = &model->units[v->unit];
  uint32_t of = cca_global_at(unit->table, v->row).of;
  return of == CCA_NONE ? CCA_NONE : unit->types[of];
}

/* For naming: through which variable do calls read this field? */
static void note_through(struct cca_model *model, const struct cca_input *unit,
                         const struct cca_call *call) {
  struct leaves leaves;
  find_leaves(unit->table, call->target, &leaves);
  for (uint32_t i = 0; i < leaves.count; i++) {
    struct cca_node leaf = cca_node_at(unit->table, leaves.nodes[i]);
    if (leaf.op != CCA_OP_LOAD || unit->locations[leaf.a] == CCA_NONE)
      continue;
    struct cca_location *l = &model->locations.items[unit->locations[leaf.a]];
    struct cca_loc loc = cca_loc_at(unit->table, leaf.a);
    struct cca_node base = cca_node_at(unit->table, loc.base);
    uint32_t through = CCA_MANY;
    if (base.op == CCA_OP_GLOBAL &&
        variable_type(model, unit->variables[base.a]) == l->type)
      through = unit->variables[base.a];
    l->through =
        l->through == CCA_NONE || l->through == through ? through : CCA_MANY;
  }
}

/* Lists as first/items pairs: count, sum up, fill. */
static uint32_t *make_firsts(struct cca_arena *arena, size_t count) {
  return cca_arena_zalloc(arena, count + 1, sizeof(uint32_t));
}

static uint32_t sum_up(uint32_t *firsts, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i <= count; i++) {
    uint32_t here = firsts[i];
    firsts[i] = sum;
    sum += here;
  }
  return sum;
}

/* The targets of call C: one that it names, or what its pointer reaches. */
static struct set targets_of(const struct resolver *r, uint32_t c) {
  if (r->model->target_rule[c] == CCA_RULE_DIRECT)
    return (struct set){&r->direct[c], 1, 1};
  return r->direct[c] == CCA_NONE ? (struct set){0} : r->reached[r->direct[c]];
}

static void publish_targets(const struct resolver *r, struct cca_arena *arena) {
  struct cca_model *model = r->model;
  model->targets_first = make_firsts(arena, model->call_count);
  /* One place further on, so that filling in moves each list's place to its
   * end, where the next begins. */
  uint32_t *callers = make_firsts(arena, model->functions.count + 1);
  for (size_t i = 0; i < r->indirect.count; i++) {
    const struct cca_input *unit = &model->units[r->indirect.items[i].unit];
    struct cca_call call = cca_call_at(unit->table, r->indirect.items[i].row);
    note_through(model, unit, &call);
  }
  for (uint32_t c = 0; c < model->call_count; c++) {
    struct set set = targets_of(r, c);
    model->targets_first[c] = set.count;
    for (uint32_t k = 0; k < set.count; k++)
      callers[set.items[k] + 2]++;
  }
  uint32_t total = sum_up(model->targets_first, model->call_count);
  for (size_t i = 2; i < model->functions.count + 2; i++)
    callers[i] += callers[i - 1];
  model->targets = make_firsts(arena, total);
  model->callers = make_firsts(arena, total);
  for (uint32_t c = 0; c < model->call_count; c++) {
    struct set set = targets_of(r, c);
    for (uint32_t k = 0; k < set.count; k++) {
      uint32_t f = set.items[k];
      model->targets[model->targets_first[c] + k] = f;
      model->callers[callers[f + 1]++] = c;
    }
  }
  model->callers_first = callers;
}

static void publish_locations(const struct resolver *r,
                              struct cca_arena *arena) {
  struct cca_model *model = r->model;
  size_t count = model->locations.count;
  model->stores_first = make_firsts(arena, count);
  model->pointees_first = make_firsts(arena, count);
  for (int pass = 0; pass < 2; pass++) {
    uint32_t *fill = cca_calloc(count, sizeof *fill);
    for (uint32_t u = 0; u < model->unit_count; u++) {
      const struct cca_input *unit = &model->units[u];
      for (uint32_t i = 0; unit->table && i < cca_store_count(unit->table);
           i++) {
        uint32_t l = unit->locations[cca_store_at(unit->table, i).loc];
        if (l == CCA_NONE)
          continue;
        if (!pass)
          model->stores_first[l]++;
        else
          model->stores[model->stores_first[l] + fill[l]++] =
              (struct cca_store_place){u, i};
      }
    }
    free(fill);
    if (!pass)
      model->stores = cca_arena_zalloc(
          arena, sum_up(model->stores_first, count) + 1, sizeof *model->stores);
  }
  for (uint32_t l = 0; l < count; l++)
    model->pointees_first[l] = slot_set(r, r->first_location + l)->count;
  model->pointees = make_firsts(arena, sum_up(model->pointees_first, count));
  for (uint32_t l = 0; l < count; l++) {
    const struct set *set = slot_set(r, r->first_location + l);
    if (set->count)
      memcpy(&model->pointees[model->pointees_first[l]], set->items,
             set->count * sizeof *set->items);
  }
}

/* Neither needs the other, so that there may be a thread for each. */
struct publisher {
  const struct resolver *resolver;
  struct cca_arena arenas[2];
};

static void publish_both(void *publisher, bool second) {
  struct publisher *p = publisher;
  (second ? publish_locations : publish_targets)(p->resolver,
                                                 &p->arenas[second]);
}

static void publish(const struct resolver *r) {
  struct cca_model *model = r->model;
  struct publisher p = {.resolver = r};
  cca_parallel_both(cca__threads(model, model->call_count) > 1, publish_both,
                    &p);
  for (int i = 0; i < 2; i++)
    cca_arena_join(&model->arena, &p.arenas[i]);
}

static void release_sets(struct set *sets, size_t count) {
  for (size_t i = 0; i < count; i++)
    free(sets[i].items);
  free(sets);
}

void cca__resolve(struct cca_model *model) {
  struct resolver r = {.model = model};
  r.first_result = model->param_slots;
  r.first_location = r.first_result + (uint32_t)model->functions.count;
  r.first_local = r.first_location + (uint32_t)model->locations.count;
  r.slot_count = r.first_local + model->local_count;
  r.set_of = cca_calloc(r.slot_count, sizeof *r.set_of);
  cca_vec_push(&r.sets, ((struct set){0}));
  r.head = cca_calloc(r.slot_count, sizeof *r.head);
  r.waiting = cca_calloc(r.slot_count, sizeof *r.waiting);
  r.direct = cca_malloc(model->call_count * sizeof *r.direct);
  model->target_rule = cca_arena_zalloc(&model->arena, model->call_count, 1);

  gather(&r);
  r.reached = cca_calloc(r.indirect.count, sizeof *r.reached);
  join_elements(&r);
  resolve_stored(&r);
  resolve_by_type(&r);
  publish(&r);

  release_sets(r.reached, r.indirect.count);
  release_sets(r.sets.items, r.sets.count);
  free(r.set_of);
  free(r.head);
  free(r.waiting);
  free(r.direct);
  cca_vec_release(&r.indirect);
  cca_vec_release(&r.to);
  cca_vec_release(&r.next);
  cca_vec_release(&r.work);
}

bool cca__calls_hook(const struct cca_model *model,
                     const struct cca_table *table, const struct cca_call *call,
                     uint32_t number) {
  return call->target != CCA_NONE &&
         cca_node_at(table, call->target).op == CCA_OP_LOAD &&
         (model->targets_first[number] == model->targets_first[number + 1] ||
          model->target_rule[number] > CCA_RULE_STORED);
}
