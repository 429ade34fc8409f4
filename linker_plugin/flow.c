/* SPDX-License-Identifier: MIT */
/*
 * flow.c -- which types' sizes reach which parameter and field?
 *
 * Input:     composed behaviours.
 * Output:    for each parameter that an allocation size depends on, and each
 *            field or variable likewise, the types whose sizeof arrives there.
 *
 * Only what is asked for is looked at: first the parameters and fields in the
 * sizes of allocation sites, then, over the callers and the stores, whatever
 * those depend on, wave by wave: threads find what arrives, and one settles it
 * in the order in which it was found.  Types then flow along these edges until
 * nothing changes; sets are capped, so this ends.  Whether sizeofness reaches a
 * parameter at all tells an allocation function from a constructor that takes a
 * length.
 */
#include "model.h"

#include <stdlib.h>

struct flow_edge {
  uint32_t from, to; /* nodes */
  bool pure;         /* the value itself arrives, nothing added */
};

struct cca_flow {
  uint32_t *node_of; /* by slot, then by location: node + 1 */
  struct cca_vec(struct cca_reach) reach;
  struct cca_vec(uint32_t) keys; /* slot or param_slots + location, by node */
  struct cca_vec(struct flow_edge) edges;
};

static uint32_t flow_node(struct cca_flow *flow, uint32_t key) {
  if (!flow->node_of[key]) {
    cca_vec_push(&flow->keys, key);
    cca_vec_push(&flow->reach, (struct cca_reach){0});
    flow->node_of[key] = (uint32_t)flow->keys.count;
  }
  return flow->node_of[key] - 1;
}

bool cca__reach_add(struct cca_reach *reach, uint32_t type) {
  for (uint32_t i = 0; i < reach->type_count; i++)
    if (reach->types[i] == type)
      return false;
  if (reach->type_count == CCA_FLOW_TYPES) {
    bool changed = !reach->more;
    reach->more = true;
    return changed;
  }
  uint32_t at = reach->type_count++;
  for (; at && reach->types[at - 1] > type; at--)
    reach->types[at] = reach->types[at - 1];
  reach->types[at] = type;
  return true;
}

bool cca__reach_join(struct cca_reach *to, const struct cca_reach *from,
                     bool pure) {
  pure = pure && from->pure && !to->pure;
  bool changed =
      (from->more && !to->more) || (from->unsized && !to->unsized) || pure;
  to->pure |= pure;
  to->more |= from->more;
  to->unsized |= from->unsized;
  for (uint32_t i = 0; i < from->type_count; i++)
    changed |= cca__reach_add(to, from->types[i]);
  return changed;
}

/* ---- What arrives ---- */

enum what { EDGE, TYPE, UNSIZED };

struct arrival {
  uint32_t to; /* node; CCA_NONE: what is at the other end is just asked for */
  uint32_t from; /* EDGE: a key; TYPE: a type */
  uint8_t what;
  bool pure;
};

/* What one thread finds, of consecutive functions or nodes. */
struct part {
  const struct cca_model *model;
  const uint32_t *functions; /* by parameter slot */
  size_t first;              /* node, of the wave */
  struct cca_eval *eval;
  struct cca_vec(struct arrival) arrivals;
};

/* The key of what ATOM, inside FUNCTION, stands for; CCA_NONE if it is neither
 * a parameter nor a known place. */
static uint32_t atom_key(const struct cca_model *model, uint32_t function,
                         struct cca_atom atom) {
  if (atom.kind == CCA_ATOM_PARAM && function != CCA_NONE) {
    const struct cca_function *f = &model->functions.items[function];
    if (atom.index < f->param_count)
      return f->first_slot + atom.index;
  }
  if (atom.kind == CCA_ATOM_FIELD && atom.index)
    return model->param_slots + atom.index;
  return CCA_NONE;
}

/* SIZE, evaluated in FUNCTION, arrives at node TO; CCA_NONE: just ask. */
static void arrive(struct part *part, uint32_t function,
                   const struct cca_size *size, uint32_t to) {
  for (uint32_t i = 0; i < size->alt_count; i++) {
    const struct cca_alt *alt = &size->alts[i];
    bool carries = !alt->bag && !alt->term_count; /* 0 is no size */
    bool pure = !alt->bag && alt->term_count == 1 &&
                alt->terms[0].atom_count == 1 && alt->terms[0].factor == 1;
    for (uint32_t t = 0; t < alt->term_count; t++)
      for (uint32_t k = 0; k < alt->terms[t].atom_count; k++) {
        struct cca_atom atom = alt->terms[t].atoms[k];
        uint32_t key = atom_key(part->model, function, atom);
        if (key != CCA_NONE) {
          carries = true;
          cca_vec_push(&part->arrivals,
                       ((struct arrival){to, key, EDGE, pure}));
        } else if (cca_atom_is_sizeof(atom)) {
          carries = true;
          if (to != CCA_NONE)
            cca_vec_push(
                &part->arrivals,
                ((struct arrival){to, atom.index, TYPE,
                                  pure && atom.kind == CCA_ATOM_SIZEOF}));
        }
      }
    if (!carries && to != CCA_NONE)
      cca_vec_push(&part->arrivals, ((struct arrival){to, 0, UNSIZED, false}));
  }
}

static void settle(struct cca_flow *flow, struct arrival a) {
  if (a.what == EDGE) {
    uint32_t from = flow_node(flow, a.from);
    if (a.to != CCA_NONE)
      cca_vec_push(&flow->edges, ((struct flow_edge){from, a.to, a.pure}));
  } else if (a.what == TYPE) {
    cca__reach_add(&flow->reach.items[a.to], a.from);
    flow->reach.items[a.to].pure |= a.pure;
  } else
    flow->reach.items[a.to].unsized = true;
}

/* Have threads do WORK, each in one of PARTS, for COUNT functions, or nodes
 * from FIRST on; then settle what they found. */
static void find_and_settle(struct cca_model *model, struct part *parts,
                            void (*work)(void *, size_t, size_t, size_t),
                            size_t first, size_t count) {
  size_t threads = cca__threads(model, count);
  for (size_t i = 0; i < threads; i++)
    parts[i].first = first;
  cca_parallel(threads, count, work, parts);
  for (size_t i = 0; i < threads; i++) {
    for (size_t k = 0; k < parts[i].arrivals.count; k++)
      settle(model->flow, parts[i].arrivals.items[k]);
    parts[i].arrivals.count = 0;
  }
}

/* ---- What is asked for ---- */

/* Everything that the callers pass for parameter SLOT. */
static void ask_callers(struct part *part, uint32_t function, uint32_t param,
                        uint32_t node) {
  const struct cca_model *model = part->model;
  struct cca_eval *eval = part->eval;
  for (uint32_t i = model->callers_first[function];
       i < model->callers_first[function + 1]; i++) {
    uint32_t number = model->callers[i];
    if (model->target_rule[number] > CCA_RULE_STORED)
      continue;
    struct cca_call_place place = cca__call_place(model, number);
    const struct cca_input *unit = &model->units[place.unit];
    struct cca_call call = cca_call_at(unit->table, place.row);
    uint32_t caller = unit->functions[call.func];
    if (param >= call.args_count)
      continue;
    cca__eval_enter_body(eval, place.unit, call.func);
    arrive(part, caller,
           cca__eval_size(
               eval, cca_operand_at(unit->table, call.args_first + param).node),
           node);
  }
}

/* Everything that is stored in LOCATION. */
static void ask_stores(struct part *part, uint32_t location, uint32_t node) {
  const struct cca_model *model = part->model;
  struct cca_eval *eval = part->eval;
  for (uint32_t i = model->stores_first[location];
       i < model->stores_first[location + 1]; i++) {
    struct cca_store_place place = model->stores[i];
    const struct cca_input *unit = &model->units[place.unit];
    struct cca_store store = cca_store_at(unit->table, place.row);
    uint32_t function = CCA_NONE;
    if (store.func == CCA_NONE)
      cca__eval_enter_unit(eval, place.unit);
    else {
      function = unit->functions[store.func];
      cca__eval_enter_body(eval, place.unit, store.func);
    }
    arrive(part, function, cca__eval_size(eval, store.value), node);
  }
}

/* The function of each parameter slot. */
static uint32_t *slot_functions(struct cca_model *model) {
  uint32_t *functions = cca_calloc(model->param_slots, sizeof *functions);
  for (uint32_t i = 0; i < model->functions.count; i++)
    for (uint32_t k = 0; k < model->functions.items[i].param_count; k++)
      functions[model->functions.items[i].first_slot + k] = i;
  return functions;
}

/* The sizes of all fresh blocks that FUNCTION makes or hands on. */
static void ask_sizes(struct part *part, uint32_t function) {
  const struct cca_behaviour *b = &part->model->behaviours[function];
  for (uint32_t i = 0; b->returned && i < b->returned->count; i++)
    if (b->returned->items[i].kind == CCA_ORIGIN_FRESH)
      arrive(part, function, b->returned->items[i].block->size, CCA_NONE);
  for (uint32_t i = 0; i < b->out_count; i++)
    arrive(part, function, b->outs[i].origin.block->size, CCA_NONE);
}

/* The size arguments of calls that allocate, whatever becomes of the block. */
static void ask_sites(struct part *part, uint32_t function) {
  const struct cca_model *model = part->model;
  struct cca_eval *eval = part->eval;
  const struct cca_function *f = &model->functions.items[function];
  const struct cca_input *unit = &model->units[f->unit];
  struct cca_func row = cca_func_at(unit->table, f->row);
  bool entered = false;
  for (uint32_t c = 0; f->defined && c < row.calls_count; c++) {
    uint32_t number = unit->first_call + row.calls_first + c;
    bool allocates = false;
    for (uint32_t t = model->targets_first[number];
         t < model->targets_first[number + 1]; t++)
      allocates |= model->traits[model->targets[t]] & CCA_TRAIT_HANDS_OUT;
    if (!allocates)
      continue;
    if (!entered)
      cca__eval_enter(eval, function);
    entered = true;
    struct cca_call call = cca_call_at(unit->table, row.calls_first + c);
    for (uint32_t a = 0; a < call.args_count; a++)
      arrive(part, function,
             cca__eval_size(
                 eval, cca_operand_at(unit->table, call.args_first + a).node),
             CCA_NONE);
  }
}

static void ask_functions(void *parts, size_t thread, size_t first,
                          size_t end) {
  for (size_t i = first; i < end; i++) {
    ask_sizes((struct part *)parts + thread, (uint32_t)i);
    ask_sites((struct part *)parts + thread, (uint32_t)i);
  }
}

/* Whatever leads to the nodes of a wave. */
static void ask_nodes(void *parts, size_t thread, size_t first, size_t end) {
  struct part *part = (struct part *)parts + thread;
  const struct cca_model *model = part->model;
  for (size_t i = first; i < end; i++) {
    uint32_t node = (uint32_t)(part->first + i);
    uint32_t key = model->flow->keys.items[node];
    if (key >= model->param_slots) {
      ask_stores(part, key - model->param_slots, node);
      continue;
    }
    uint32_t function = part->functions[key];
    ask_callers(part, function,
                key - model->functions.items[function].first_slot, node);
  }
}

/* ---- What follows ---- */

static void propagate(struct cca_flow *flow) {
  uint32_t *head = cca_calloc(flow->keys.count, sizeof *head);
  uint32_t *next = cca_calloc(flow->edges.count, sizeof *next);
  bool *waiting = cca_calloc(flow->keys.count, sizeof *waiting);
  struct cca_vec(uint32_t) work = {0};
  for (uint32_t e = 0; e < flow->edges.count; e++) {
    next[e] = head[flow->edges.items[e].from];
    head[flow->edges.items[e].from] = e + 1;
  }
  for (uint32_t n = 0; n < flow->keys.count; n++) {
    waiting[n] = true;
    cca_vec_push(&work, n);
  }
  while (work.count) {
    uint32_t node = work.items[--work.count];
    waiting[node] = false;
    for (uint32_t e = head[node]; e; e = next[e - 1]) {
      uint32_t to = flow->edges.items[e - 1].to;
      if (to != node &&
          cca__reach_join(&flow->reach.items[to], &flow->reach.items[node],
                          flow->edges.items[e - 1].pure) &&
          !waiting[to]) {
        waiting[to] = true;
        cca_vec_push(&work, to);
      }
    }
  }
  cca_vec_release(&work);
  free(head);
  free(next);
  free(waiting);
}

void cca__flow(struct cca_model *model) {
  struct cca_flow *flow = cca_arena_zalloc(&model->arena, 1, sizeof *flow);
  uint32_t *functions = slot_functions(model);
  model->flow = flow;
  flow->node_of = cca_arena_zalloc(&model->arena,
                                   model->param_slots + model->locations.count,
                                   sizeof *flow->node_of);

  struct part parts[CCA_THREADS_MAX];
  for (size_t i = 0; i < CCA_THREADS_MAX; i++)
    parts[i] = (struct part){
        .model = model, .functions = functions, .eval = cca__eval_new(model)};
  find_and_settle(model, parts, ask_functions, 0, model->functions.count);
  for (size_t first = 0, end; (end = flow->keys.count) != first; first = end)
    find_and_settle(model, parts, ask_nodes, first, end - first);
  propagate(flow);

  for (size_t i = 0; i < CCA_THREADS_MAX; i++) {
    cca_vec_release(&parts[i].arrivals);
    cca__eval_free(parts[i].eval);
  }
  cca_vec_release(&flow->edges);
  free(functions);
}

static const struct cca_reach *reach_of(const struct cca_model *model,
                                        uint32_t key) {
  static const struct cca_reach nothing;
  uint32_t node = model->flow->node_of[key];
  return node ? &model->flow->reach.items[node - 1] : &nothing;
}

const struct cca_reach *cca__flow_param(const struct cca_model *model,
                                        uint32_t function, uint32_t param) {
  static const struct cca_reach nothing;
  const struct cca_function *f = &model->functions.items[function];
  return param < f->param_count ? reach_of(model, f->first_slot + param)
                                : &nothing;
}

const struct cca_reach *cca__flow_location(const struct cca_model *model,
                                           uint32_t location) {
  return reach_of(model, model->param_slots + location);
}

void cca__flow_release(struct cca_model *model) {
  if (!model->flow)
    return;
  cca_vec_release(&model->flow->reach);
  cca_vec_release(&model->flow->keys);
}
