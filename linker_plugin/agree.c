/* SPDX-License-Identifier: MIT */
/*
 * agree.c -- allocation functions whose bodies cannot be followed.
 *
 * Input:     composed behaviours.
 * Output:    for each function the parameter that its callers agree on as the
 *            size of what it returns; or the one that it gives back to such a
 *            function's memory.
 *
 * A slab allocator finds a free piece by the bits of a map and computes its
 * address from numbers: no store says how long the piece is.  But the result
 * lies, at a computed place, in memory that a parameter leads to; the function
 * changes that memory, which one that only looks something up does not; and
 * callers give it the size of the very type that they take the result for.
 * Two that do, and hardly any that give another type's, are believed.  So is a
 * caller that is believed itself and passes its own size on.
 *
 * What gives a piece back cannot be followed either: it finds the bits by the
 * piece's address.  But it takes the same record and a pointer to anything, and
 * neither keeps that nor passes it on; it returns nothing, and changes members
 * which the allocation function changes.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_VOTES = 2, VOTES_TO_ONE = 10, ARGS = 8, LEAST_SHARED = 2 };

/* Is the result at a computed place in memory of one of the parameters, which
 * the function changes? */
static bool finds_a_place(const struct cca_behaviour *b) {
  bool computed = false;
  for (uint32_t i = 0; b->returned && i < b->returned->count; i++) {
    const struct cca_origin *o = &b->returned->items[i];
    if (o->kind == CCA_ORIGIN_NULL)
      continue;
    if (o->kind != CCA_ORIGIN_LOADED || o->root >= CCA_DEEP_ROOT ||
        !((b->builds | b->writes | b->deep) & cca__bit(o->root)))
      return false;
    for (uint32_t k = 0; k < o->offset->alt_count; k++)
      computed |= o->offset->alts[k].bag;
  }
  return computed;
}

/* The record whose size SIZE is, or a multiple of it; CCA_NONE: there is none,
 * or it is more than that. */
static uint32_t record_of(const struct cca_model *model,
                          const struct cca_size *size) {
  uint32_t found = CCA_NONE;
  if (size->alt_count != 1 || size->alts[0].bag || size->alts[0].term_count != 1)
    return CCA_NONE;
  const struct cca_term *term = &size->alts[0].terms[0];
  for (uint32_t k = 0; k < term->atom_count; k++)
    if (term->atoms[k].kind == CCA_ATOM_SIZEOF &&
        cca__is_record(cca__type(model, term->atoms[k].index)))
      found = term->atoms[k].index;
  return found;
}

struct votes {
  uint32_t agree[ARGS], differ[ARGS];
};

/* Is SIZE what callers of the function CALLER agree on? */
static bool is_agreed(const struct cca_model *model, uint32_t caller,
                      const struct cca_size *size) {
  return model->agreed[caller] != CCA_NO_ROOT && size->alt_count == 1 &&
         size->alts[0].term_count == 1 && !size->alts[0].bag &&
         cca_size_params(size) == cca__bit(model->agreed[caller]) &&
         size->alts[0].terms[0].factor == 1;
}

static void count_call(const struct cca_model *model, struct cca_eval *eval,
                       uint32_t number, struct votes *votes) {
  struct cca_call_place place = cca__call_place(model, number);
  const struct cca_input *unit = &model->units[place.unit];
  struct cca_call call = cca_call_at(unit->table, place.row);
  uint32_t caller = unit->functions[call.func];
  uint32_t used_as =
      call.used_as == CCA_NONE ? CCA_NONE : unit->types[call.used_as];
  if (used_as != CCA_NONE && !cca__is_record(cca__type(model, used_as)))
    used_as = CCA_NONE;
  if (model->target_rule[number] > CCA_RULE_STORED ||
      (used_as == CCA_NONE && model->agreed[caller] == CCA_NO_ROOT))
    return;
  cca__eval_enter_body(eval, place.unit, call.func);
  for (uint32_t a = 0; a < call.args_count && a < ARGS; a++) {
    uint32_t node = cca_operand_at(unit->table, call.args_first + a).node;
    const struct cca_size *size = cca__eval_size(eval, node);
    uint32_t type = record_of(model, size);
    if (is_agreed(model, caller, size))
      votes->agree[a] += LEAST_VOTES;
    else if (type != CCA_NONE && used_as != CCA_NONE)
      (type == used_as ? votes->agree : votes->differ)[a]++;
  }
}

/* The parameter of FUNCTION that its callers agree on, or CCA_NO_ROOT. */
static uint8_t agreed_size(const struct cca_model *model, struct cca_eval *eval,
                           uint32_t function) {
  struct votes votes = {{0}, {0}};
  for (uint32_t i = model->callers_first[function];
       i < model->callers_first[function + 1]; i++)
    count_call(model, eval, model->callers[i], &votes);
  for (uint8_t a = 0; a < ARGS; a++)
    if (votes.agree[a] >= LEAST_VOTES &&
        votes.agree[a] >= VOTES_TO_ONE * votes.differ[a])
      return a;
  return CCA_NO_ROOT;
}

/* ---- What gives back ---- */

/* The record that parameter I of FUNCTION points to, or CCA_NONE. */
static uint32_t record_of_param(const struct cca_model *model,
                                uint32_t function, uint32_t i) {
  const struct cca_function *f = &model->functions.items[function];
  const struct cca_input *unit = &model->units[f->unit];
  struct cca_func row = cca_func_at(unit->table, f->row);
  if (i >= row.params_count)
    return CCA_NONE;
  struct cca_param param = cca_param_at(unit->table, row.params_first + i);
  return param.kind == CCA_VALUE_KIND_POINTER && param.of != CCA_NONE &&
                 cca__is_record(cca_type_at(unit->table, param.of))
             ? unit->types[param.of]
             : CCA_NONE;
}

/* The parameter that leads to the memory which FUNCTION hands out. */
static uint32_t handle_of(const struct cca_behaviour *b) {
  for (uint32_t i = 0; b->returned && i < b->returned->count; i++)
    if (b->returned->items[i].kind == CCA_ORIGIN_LOADED)
      return b->returned->items[i].root;
  return CCA_NONE;
}

static bool changes(const struct cca_model *model, uint32_t function,
                    uint32_t location) {
  const struct cca_function *f = &model->functions.items[function];
  const struct cca_input *unit = &model->units[f->unit];
  struct cca_func row = cca_func_at(unit->table, f->row);
  for (uint32_t i = 0; i < row.stores_count; i++)
    if (unit->locations[cca_store_at(unit->table, row.stores_first + i).loc] ==
        location)
      return true;
  return false;
}

/* Does FUNCTION keep its parameter P, or lack members to change that ALLOCATES
 * changes? */
static bool gives_back(const struct cca_model *model, struct cca_eval *eval,
                       uint32_t function, uint32_t p, uint32_t allocates) {
  const struct cca_function *f = &model->functions.items[function];
  const struct cca_input *unit = &model->units[f->unit];
  struct cca_func row = cca_func_at(unit->table, f->row);
  uint32_t shared[LEAST_SHARED], count = 0;
  cca__eval_enter(eval, function);
  for (uint32_t i = 0; i < row.stores_count; i++) {
    struct cca_store store = cca_store_at(unit->table, row.stores_first + i);
    uint32_t location = unit->locations[store.loc];
    bool seen = location == CCA_NONE;
    if (cca__eval_root(eval, store.value, true) == p)
      return false;
    for (uint32_t k = 0; k < count; k++)
      seen |= shared[k] == location;
    if (!seen && count < LEAST_SHARED && changes(model, allocates, location))
      shared[count++] = location;
  }
  for (uint32_t i = 0; i < row.calls_count; i++) {
    struct cca_call call = cca_call_at(unit->table, row.calls_first + i);
    for (uint32_t a = 0; a < call.args_count; a++)
      if (cca__eval_root(eval,
                         cca_operand_at(unit->table, call.args_first + a).node,
                         true) == p)
        return false;
  }
  return count == LEAST_SHARED;
}

/* FUNCTION's parameter that is given back to ALLOCATES' memory, or
 * CCA_NO_ROOT. */
static uint8_t given_back(const struct cca_model *model, struct cca_eval *eval,
                          uint32_t function, uint32_t allocates) {
  const struct cca_function *f = &model->functions.items[function];
  const struct cca_behaviour *b = &model->behaviours[function];
  uint32_t record = record_of_param(model, allocates,
                                    handle_of(&model->behaviours[allocates]));
  uint64_t changed = b->builds | b->writes | b->deep;
  bool handle = false;
  if (!f->defined || f->result != 'v' || record == CCA_NONE ||
      __builtin_popcountll(f->generic) != 1)
    return CCA_NO_ROOT;
  for (uint32_t i = 0; i < f->param_count; i++)
    handle |= changed & cca__bit(i) &&
              record_of_param(model, function, i) == record;
  uint8_t p = (uint8_t)__builtin_ctzll(f->generic);
  return handle && gives_back(model, eval, function, p, allocates)
             ? p
             : CCA_NO_ROOT;
}

static void find_given_back(struct cca_model *model, struct cca_eval *eval,
                            const uint32_t *asked, size_t count) {
  model->given_back =
      cca_arena_alloc(&model->arena, model->functions.count + 1);
  memset(model->given_back, CCA_NO_ROOT, model->functions.count);
  for (size_t i = 0; i < count; i++)
    for (uint32_t k = 0; model->agreed[asked[i]] != CCA_NO_ROOT &&
                         k < model->functions.count;
         k++)
      if (model->given_back[k] == CCA_NO_ROOT)
        model->given_back[k] = given_back(model, eval, k, asked[i]);
}

bool cca__agree(struct cca_model *model) {
  struct cca_eval *eval = cca__eval_new(model);
  struct cca_vec(uint32_t) asked = {0};
  bool any = false, news = true;
  model->agreed = cca_arena_alloc(&model->arena, model->functions.count + 1);
  memset(model->agreed, CCA_NO_ROOT, model->functions.count);
  for (uint32_t i = 0; i < model->functions.count; i++)
    if (model->functions.items[i].defined &&
        finds_a_place(&model->behaviours[i]))
      cca_vec_push(&asked, i);
  for (; news; any |= news) { /* each round settles one function at least */
    news = false;
    for (size_t i = 0; i < asked.count; i++) {
      uint8_t *agreed = &model->agreed[asked.items[i]];
      if (*agreed != CCA_NO_ROOT)
        continue;
      *agreed = agreed_size(model, eval, asked.items[i]);
      news |= *agreed != CCA_NO_ROOT;
    }
  }
  if (any)
    find_given_back(model, eval, asked.items, asked.count);
  cca_vec_release(&asked);
  cca__eval_free(eval);
  return any;
}
