/* SPDX-License-Identifier: MIT */
/*
 * finds.c -- is what a function finds in memory still there afterwards?
 *
 * Input:     origins of what a body returns.
 * Output:    the same; what was loaded is marked if the body takes it away.
 *
 * Who finds a record, or else makes one and puts it there, is no factory: most
 * calls allocate nothing.  Who takes one off a stock, or else makes one, is.
 * Something is taken away where
 *   - what it leads to is put elsewhere: the next of a list into its head;
 *   - something else is put where it was: null, the last of a stack;
 *   - where to look is changed: a count, a cursor.
 * What is reached through a fresh block was not there before, and counts as
 * taken too.  In doubt it is.  But if the body frees what it found, it was
 * unlinked for that: a removal, by as many stores or calls as there are frees.
 */
#include "model.h"

enum { VALUES = 8, DEPTH = 6 };

/* Is what one of ORIGINS was loaded as among FOUND? */
static bool overlaps(const struct cca_origins *origins,
                     const struct cca_origins *found) {
  for (uint32_t i = 0; i < origins->count; i++)
    for (uint32_t k = 0; k < found->count; k++) {
      const struct cca_origin *a = &origins->items[i], *b = &found->items[k];
      if (a->kind == CCA_ORIGIN_LOADED && b->kind == CCA_ORIGIN_LOADED &&
          a->index == b->index && a->loc == b->loc && a->call == b->call)
        return true;
    }
  return false;
}

/* May NODE have been loaded through one of FOUND? */
static bool leads_from(const struct cca_body *body, uint32_t node,
                       const struct cca_origins *found) {
  const struct cca_table *t = body->unit->table;
  struct cca_node n = cca_node_at(t, node);
  uint32_t count = n.op == CCA_OP_EITHER ? n.b : 1;
  for (uint32_t i = 0; i < count && i < VALUES; i++) {
    struct cca_node one = n.op == CCA_OP_EITHER
                              ? cca_node_at(t, cca_operand_at(t, n.a + i).node)
                              : n;
    if (one.op == CCA_OP_LOAD &&
        overlaps(cca__eval_origins(body->eval, cca_loc_at(t, one.a).base),
                 found))
      return true;
  }
  return false;
}

/* Is anything but what was there, or a fresh block, put at LOCATION, where one
 * of FOUND was? */
static bool replaces(const struct cca_body *body, uint32_t location,
                     uint32_t value, const struct cca_origins *found) {
  bool there = false;
  for (uint32_t i = 0; i < found->count; i++)
    there |= found->items[i].kind == CCA_ORIGIN_LOADED &&
             found->items[i].index == location;
  if (!there || location == CCA_NONE || !location)
    return false;
  const struct cca_origins *origins = cca__eval_origins(body->eval, value);
  for (uint32_t i = 0; i < origins->count; i++)
    if (origins->items[i].kind != CCA_ORIGIN_FRESH &&
        (origins->items[i].kind != CCA_ORIGIN_LOADED ||
         origins->items[i].index != location))
      return true;
  return false;
}

/* Is one of FOUND an element, and the store one of a count that has become
 * less? A summary does not say which element. */
static bool pops(const struct cca_body *body, const struct cca_store *store,
                 const struct cca_origins *found) {
  const struct cca_table *t = body->unit->table;
  struct cca_node value = cca_node_at(t, store->value);
  bool less = value.op == CCA_OP_SUB;
  if (value.op == CCA_OP_ADD) {
    int64_t added;
    less = cca_size_is_constant(cca__eval_size(body->eval, value.b), &added) &&
           (added < 0 || (added > INT32_MAX && added <= UINT32_MAX));
  }
  struct cca_node from = less ? cca_node_at(t, value.a) : value;
  if (!less || from.op != CCA_OP_LOAD ||
      !cca__eval_same_place(body->eval, from.a, store->loc))
    return false;
  for (uint32_t i = 0; i < found->count; i++)
    if (found->items[i].kind == CCA_ORIGIN_LOADED &&
        found->items[i].loc != CCA_NONE &&
        cca_loc_at(t, found->items[i].loc).flags & CCA_LOC_FLAGS_ELEMENT)
      return true;
  return false;
}

/* Does the address NODE depend on what is loaded from LOCATION? */
static bool depends_on(const struct cca_body *body, uint32_t node,
                       uint32_t location, int depth) {
  const struct cca_table *t = body->unit->table;
  struct cca_node n = cca_node_at(t, node);
  if (!depth)
    return false;
  switch (n.op) {
  case CCA_OP_LOAD:
    return body->unit->locations[n.a] == location;
  case CCA_OP_ADDRESS:
    return depends_on(body, cca_loc_at(t, n.a).base, location, depth - 1);
  case CCA_OP_ADD:
  case CCA_OP_SUB:
  case CCA_OP_MUL:
    return depends_on(body, n.a, location, depth - 1) ||
           depends_on(body, n.b, location, depth - 1);
  case CCA_OP_EITHER:
    for (uint32_t i = 0; i < n.b && i < VALUES; i++)
      if (depends_on(body, cca_operand_at(t, n.a + i).node, location,
                     depth - 1))
        return true;
    return false;
  default:
    return false;
  }
}

/* Is LOCATION part of where one of FOUND was looked for? */
static bool is_index(const struct cca_body *body, uint32_t location,
                     const struct cca_origins *found) {
  for (uint32_t i = 0; location != CCA_NONE && i < found->count; i++) {
    const struct cca_origin *o = &found->items[i];
    if (o->kind == CCA_ORIGIN_LOADED && o->loc != CCA_NONE &&
        depends_on(body, cca_loc_at(body->unit->table, o->loc).base, location,
                   DEPTH))
      return true;
  }
  return false;
}

/* How a body unlinks what it found (another takes its place in a list), and
 * how often it frees that. */
struct unlinking {
  uint32_t stores, calls, frees;
};

/* Parameters that what CALL may reach unlinks, and those that it frees. */
static void callee_masks(const struct cca_model *model, uint32_t call,
                         uint64_t *takes, uint64_t *frees) {
  *takes = *frees = 0;
  for (uint32_t t = model->targets_first[call];
       t < model->targets_first[call + 1]; t++) {
    const struct cca_behaviour *b = &model->behaviours[model->targets[t]];
    *takes |= b->takes;
    *frees |= b->may_free;
    if (b->primitive)
      *frees |= cca__bit(b->primitive->frees);
  }
}

/* Is STORE to something that the body did not make? */
static bool is_outside(const struct cca_body *body,
                       const struct cca_store *store) {
  uint32_t base = cca_loc_at(body->unit->table, store->loc).base;
  return cca_node_at(body->unit->table, base).op != CCA_OP_LOCAL &&
         !cca__all_fresh(cca__eval_origins(body->eval, base));
}

static struct unlinking unlinking(const struct cca_body *body,
                                  const struct cca_origins *found) {
  const struct cca_table *t = body->unit->table;
  struct unlinking u = {0};
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store = cca_store_at(t, body->row.stores_first + i);
    u.stores +=
        is_outside(body, &store) && leads_from(body, store.value, found);
  }
  for (uint32_t c = 0; c < body->row.calls_count; c++) {
    uint32_t row = body->row.calls_first + c;
    struct cca_call call = cca_call_at(t, row);
    uint64_t takes, frees;
    callee_masks(body->model, body->unit->first_call + row, &takes, &frees);
    for (uint32_t a = 0; takes | frees && a < call.args_count && a < 64; a++) {
      if (!((takes | frees) & cca__bit(a)) ||
          !overlaps(
              cca__eval_origins(body->eval,
                                cca_operand_at(t, call.args_first + a).node),
              found))
        continue;
      u.calls += (takes & cca__bit(a)) != 0;
      u.frees += (frees & cca__bit(a)) != 0;
    }
  }
  return u;
}

bool cca__unlinks_to_free(const struct cca_body *body,
                          const struct cca_origins *found) {
  struct unlinking u = unlinking(body, found);
  return u.frees && u.stores + u.calls <= u.frees;
}

/* Does the body take FOUND from where it is, and not only to free it? */
static bool takes(const struct cca_body *body,
                  const struct cca_origins *found) {
  struct unlinking u = unlinking(body, found);
  if (u.stores + u.calls > u.frees)
    return true;
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + i);
    uint32_t location = body->unit->locations[store.loc];
    if (is_outside(body, &store) && !leads_from(body, store.value, found) &&
        (replaces(body, location, store.value, found) ||
         is_index(body, location, found) || pops(body, &store, found)))
      return true;
  }
  return false;
}

/* Can what a callee of CALL returns have been reached through its argument A?
 * Not if that is a string, or if it was reached through another one. */
static bool leads_out(const struct cca_model *model, uint32_t call, uint32_t a,
                      uint32_t location) {
  for (uint32_t t = model->targets_first[call];
       t < model->targets_first[call + 1]; t++) {
    const struct cca_function *f = &model->functions.items[model->targets[t]];
    const struct cca_table *table = model->units[f->unit].table;
    const struct cca_origins *found =
        model->behaviours[model->targets[t]].returned;
    struct cca_func row = cca_func_at(table, f->row);
    uint32_t of = a < row.params_count
                      ? cca_param_at(table, row.params_first + a).of
                      : CCA_NONE;
    if (of != CCA_NONE && cca_type_at(table, of).flags & CCA_TYPE_FLAGS_BYTES)
      continue;
    for (uint32_t i = 0; found && i < found->count; i++)
      if (found->items[i].kind == CCA_ORIGIN_LOADED &&
          found->items[i].index == location &&
          (found->items[i].root == a || found->items[i].root >= CCA_DEEP_ROOT))
        return true;
  }
  return false;
}

/* Is O part of what the body made: loaded through it, or by a call that was
 * given it? */
static bool is_own(const struct cca_body *body, const struct cca_origin *o) {
  const struct cca_table *t = body->unit->table;
  uint32_t row = o->call - body->unit->first_call;
  if (o->loc != CCA_NONE)
    return cca__all_fresh(
        cca__eval_origins(body->eval, cca_loc_at(t, o->loc).base));
  if (o->call == CCA_NONE ||
      row - body->row.calls_first >= body->row.calls_count)
    return false;
  struct cca_call call = cca_call_at(t, row);
  for (uint32_t a = 0; a < call.args_count; a++)
    if (leads_out(body->model, o->call, a, o->index) &&
        cca__any_fresh(cca__eval_origins(
            body->eval, cca_operand_at(t, call.args_first + a).node)))
      return true;
  return false;
}

void cca__note_taken(const struct cca_body *body, struct cca_origins *found) {
  bool loaded = false;
  for (uint32_t i = 0; i < found->count; i++)
    loaded |= found->items[i].kind == CCA_ORIGIN_LOADED;
  if (!loaded)
    return;
  bool all = takes(body, found);
  for (uint32_t i = 0; i < found->count; i++) {
    struct cca_origin *o = &found->items[i];
    if (o->kind == CCA_ORIGIN_LOADED)
      o->taken |= all || is_own(body, o);
  }
}
