/* SPDX-License-Identifier: MIT */
/*
 * eval.c -- evaluating values inside one function: what is shared.
 *
 * Input:     nodes of one function, behaviours of what it calls.
 * Output:    for an integer its size (domain.h), for a pointer its origins.
 *
 * Nodes refer to earlier nodes only, so evaluation is a recursion with a memo;
 * the one way back is through the arguments of a call inside a loop (p =
 * realloc(p, n)), where a value in progress counts for what has been found of
 * it.  Depth is bounded: beyond DEPTH a value is opaque.
 *
 * At a call, the callee's size and offsets have the arguments put in for its
 * parameters; a field of a parameter becomes a field reached through whatever
 * the argument points into.
 */
#include "eval-state.h"

#include <stdlib.h>
#include <string.h>

struct cca_eval *cca__eval_new(struct cca_model *model) {
  struct cca_eval *eval = cca_calloc(1, sizeof *eval);
  eval->model = model;
  return eval;
}

void cca__eval_free(struct cca_eval *eval) {
  cca_arena_release(&eval->arena);
  free(eval->memo);
  free(eval->place_first);
  free(eval->place_next);
  free(eval);
}

struct cca_arena *cca__eval_arena(struct cca_eval *eval) {
  return &eval->arena;
}

void cca__eval_enter_unit(struct cca_eval *eval, uint32_t unit) {
  cca_arena_reset(&eval->arena);
  eval->generation++;
  eval->has_places = false;
  eval->depth = 0;
  eval->reached = UINT32_MAX;
  eval->budget = BUDGET;
  eval->function = CCA_NONE;
  eval->unit = &eval->model->units[unit];
  eval->has_row = false;
  size_t nodes = eval->unit->table ? cca_node_count(eval->unit->table) : 0;
  if (nodes > eval->memo_room) {
    free(eval->memo);
    eval->memo_room = nodes + nodes / 2;
    eval->memo = cca_calloc(eval->memo_room, sizeof *eval->memo);
  }
}

void cca__eval_enter_body(struct cca_eval *eval, uint32_t unit, uint32_t row) {
  cca__eval_enter_unit(eval, unit);
  eval->function = eval->unit->functions[row];
  eval->row = cca_func_at(eval->unit->table, row);
  eval->has_row = true;
}

void cca__eval_enter(struct cca_eval *eval, uint32_t function) {
  const struct cca_function *f = &eval->model->functions.items[function];
  cca__eval_enter_body(eval, f->unit, f->row);
}

/* The memo of NODE; borrowed until the next cca__eval_enter(). */
struct memo *cca__eval_memo_of(struct cca_eval *eval, uint32_t node) {
  struct memo *memo = &eval->memo[node];
  if (memo->generation != eval->generation)
    *memo = (struct memo){.generation = eval->generation};
  return memo;
}

struct cca_node cca__eval_node_at(const struct cca_eval *eval, uint32_t node) {
  return cca_node_at(eval->unit->table, node);
}

uint32_t cca__eval_argument(const struct cca_eval *eval,
                            const struct cca_call *call, uint32_t i) {
  return i < call->args_count
             ? cca_operand_at(eval->unit->table, call->args_first + i).node
             : CCA_NONE;
}

const struct cca_size *cca__eval_opaque(struct cca_eval *eval) {
  return cca_size_atom(
      &eval->arena, 1,
      (struct cca_atom){.kind = CCA_ATOM_OPAQUE, .root = CCA_NO_ROOT});
}

/* ---- Which parameter does a pointer point into? ---- */

bool cca__eval_is_pointer_param(const struct cca_eval *eval, uint32_t i) {
  if (!eval->has_row || i >= eval->row.params_count)
    return eval->has_row;
  return cca_param_at(eval->unit->table, eval->row.params_first + i).kind ==
         CCA_VALUE_KIND_POINTER;
}

static uint8_t root_of(const struct cca_eval *eval, uint32_t node, bool direct,
                       int depth) {
  if (!depth)
    return CCA_NO_ROOT;
  struct cca_node n = cca__eval_node_at(eval, node);
  switch (n.op) {
  case CCA_OP_PARAM:
    return n.a < CCA_NO_ROOT && cca__eval_is_pointer_param(eval, n.a)
               ? (uint8_t)n.a
               : CCA_NO_ROOT;
  case CCA_OP_LOAD:
    return direct ? CCA_NO_ROOT
                  : root_of(eval, cca_loc_at(eval->unit->table, n.a).base,
                            direct, depth - 1);
  case CCA_OP_ADDRESS:
    return root_of(eval, cca_loc_at(eval->unit->table, n.a).base, direct,
                   depth - 1);
  case CCA_OP_ADD:
  case CCA_OP_SUB:
  case CCA_OP_AND: {
    uint8_t root = root_of(eval, n.a, direct, depth - 1);
    return root == CCA_NO_ROOT && n.op == CCA_OP_ADD
               ? root_of(eval, n.b, direct, depth - 1)
               : root;
  }
  case CCA_OP_EITHER:
    for (uint32_t i = 0; i < n.b && i < 8; i++) {
      uint32_t operand = cca_operand_at(eval->unit->table, n.a + i).node;
      uint8_t root = root_of(eval, operand, direct, depth / 2);
      if (root != CCA_NO_ROOT)
        return root;
    }
    return CCA_NO_ROOT;
  default:
    return CCA_NO_ROOT;
  }
}

uint8_t cca__eval_root(const struct cca_eval *eval, uint32_t node,
                       bool direct) {
  return root_of(eval, node, direct, ROOT_DEPTH);
}

uint8_t cca__eval_source(const struct cca_eval *eval, uint32_t node,
                         bool direct) {
  const struct cca_table *t = eval->unit->table;
  struct cca_node n = cca_node_at(t, node);
  uint8_t source = CCA_NO_ROOT;
  if (n.op != CCA_OP_EITHER)
    return cca__eval_root(eval, node, direct);
  for (uint32_t i = 0; i < n.b; i++) {
    uint32_t one = cca_operand_at(t, n.a + i).node;
    enum cca_op op = cca_node_at(t, one).op;
    if (op == CCA_OP_CONSTANT || op == CCA_OP_OPAQUE)
      continue;
    uint8_t root = cca__eval_root(eval, one, direct);
    if (root == CCA_NO_ROOT || (source != CCA_NO_ROOT && root != source))
      return CCA_NO_ROOT;
    source = root;
  }
  return source;
}

/* The root of what NODE points to: a member of the parameter's own object
 * is one thing, a member of something that the object leads to another. */
uint8_t cca__eval_field_root(const struct cca_eval *eval, uint32_t node) {
  uint8_t root = cca__eval_root(eval, node, true);
  if (root == CCA_NO_ROOT && cca__eval_root(eval, node, false) != CCA_NO_ROOT)
    return CCA_DEEP_ROOT;
  return root;
}

/* ---- What the function stores where ---- */

bool cca__eval_same_place(const struct cca_eval *eval, uint32_t a, uint32_t b) {
  struct cca_loc x = cca_loc_at(eval->unit->table, a);
  struct cca_loc y = cca_loc_at(eval->unit->table, b);
  if (x.offset != y.offset)
    return false;
  if (x.base == y.base)
    return true;
  struct cca_node p = cca__eval_node_at(eval, x.base),
                  q = cca__eval_node_at(eval, y.base);
  return p.op == q.op && p.a == q.a && p.b == q.b &&
         (p.op == CCA_OP_LOCAL || p.op == CCA_OP_PARAM ||
          p.op == CCA_OP_GLOBAL || p.op == CCA_OP_CALL);
}

/* Equal for the same places. */
static uint32_t place_hash(const struct cca_eval *eval, uint32_t loc) {
  struct cca_loc place = cca_loc_at(eval->unit->table, loc);
  struct cca_node base = cca__eval_node_at(eval, place.base);
  uint32_t hash = place.base;
  if (base.op == CCA_OP_LOCAL || base.op == CCA_OP_PARAM ||
      base.op == CCA_OP_GLOBAL || base.op == CCA_OP_CALL)
    hash = base.op * 31 + base.a;
  hash = hash * 2654435761u + (uint32_t)place.offset * 40503u;
  return hash ^ hash >> 15;
}

/* Lists of the function's stores, each ascending. */
static void index_places(struct cca_eval *eval) {
  uint32_t count = eval->row.stores_count, room = 4;
  while (room < count && room < 1u << 31)
    room *= 2;
  if (room > eval->place_room) {
    free(eval->place_first);
    free(eval->place_next);
    eval->place_first = cca_malloc((size_t)room * sizeof(uint32_t));
    eval->place_next = cca_malloc((size_t)room * sizeof(uint32_t));
    eval->place_room = room;
  }
  eval->has_places = true;
  eval->place_mask = room - 1;
  memset(eval->place_first, 0, (size_t)room * sizeof(uint32_t));
  for (uint32_t i = count; i-- > 0;) {
    struct cca_store store =
        cca_store_at(eval->unit->table, eval->row.stores_first + i);
    uint32_t *first =
        &eval->place_first[place_hash(eval, store.loc) & eval->place_mask];
    eval->place_next[i] = *first;
    *first = i + 1;
  }
}

/* The number, from 1, of the next store after number I that writes exactly
 * where row LOC is, with its *VALUE; 0: none. */
uint32_t cca__eval_next_store(struct cca_eval *eval, uint32_t loc, uint32_t i,
                              uint32_t *value) {
  if (!eval->has_row || !eval->row.stores_count)
    return 0;
  if (!eval->has_places)
    index_places(eval);
  i = i ? eval->place_next[i - 1]
        : eval->place_first[place_hash(eval, loc) & eval->place_mask];
  for (; i; i = eval->place_next[i - 1]) {
    struct cca_store store =
        cca_store_at(eval->unit->table, eval->row.stores_first + i - 1);
    *value = store.value;
    if (cca__eval_same_place(eval, loc, store.loc))
      return i;
  }
  return 0;
}
