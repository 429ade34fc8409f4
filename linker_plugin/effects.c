/* SPDX-License-Identifier: MIT */
/*
 * effects.c -- what a function does to memory that its parameters point to.
 *
 * Input:     a body, behaviours of what it calls.
 * Output:    masks of parameters: filled, members set, freed, perhaps freed,
 *            passed on.
 *
 * A deallocation function frees a parameter that may point to anything on
 * every path (the extractor says which calls are), or keeps it on a free list,
 * and does nothing else with it: what uses the members is a destructor, what
 * passes the pointer on a consumer.
 */
#include "model.h"

static uint64_t direct_bit(const struct cca_eval *eval, uint32_t node) {
  uint8_t root = cca__eval_root(eval, node, true);
  return root == CCA_NO_ROOT ? 0 : cca__bit(root);
}

static void stores_effects(const struct cca_body *body,
                           struct cca_behaviour *b) {
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + i);
    struct cca_loc loc = cca_loc_at(body->unit->table, store.loc);
    uint64_t to = direct_bit(body->eval, loc.base);
    struct cca_node base = cca_node_at(body->unit->table, loc.base);
    if (!to)
      continue;
    if (loc.flags & CCA_LOC_FLAGS_ELEMENT || base.op == CCA_OP_ADD)
      b->writes |= to;
    else
      b->builds |= to;
  }
}

/* Does FUNCTION free (surely, or perhaps) its parameter I? */
static bool frees(const struct cca_model *model, uint32_t function, uint32_t i,
                  bool perhaps) {
  const struct cca_behaviour *b = &model->behaviours[function];
  const struct cca_primitive *p = b->primitive;
  return (p && p->frees == i) ||
         ((perhaps ? b->may_free : b->frees) & cca__bit(i)) != 0;
}

/* Does CALL resize parameter A of FUNCTION, a realloc, to nothing? */
static bool resizes_to_nothing(const struct cca_body *body, uint32_t number,
                               uint32_t function, uint32_t a) {
  const struct cca_primitive *p = body->model->behaviours[function].primitive;
  const struct cca_origins *returned =
      body->model->behaviours[function].returned;
  int64_t value;
  if (p && p->block == a && p->size[0] != CCA_NO_ROOT) {
    struct cca_call call = cca__call(body->model, number);
    return p->size[0] < call.args_count &&
           cca_size_is_constant(
               cca__eval_size(body->eval,
                              cca_operand_at(body->unit->table,
                                             call.args_first + p->size[0])
                                  .node),
               &value) &&
           !value;
  }
  for (uint32_t i = 0; returned && i < returned->count; i++) {
    const struct cca_block *block = returned->items[i].block;
    if (block && block->flags & CCA_BLOCK_RESIZED && block->param == a &&
        cca_size_is_constant(cca__eval_at_call(body->eval, number, block->size),
                             &value) &&
        !value)
      return true;
  }
  return false;
}

static void call_effects(const struct cca_body *body, uint32_t row,
                         struct cca_behaviour *b) {
  struct cca_model *model = body->model;
  struct cca_call call = cca_call_at(body->unit->table, row);
  uint32_t number = body->unit->first_call + row;
  bool known = model->target_rule[number] <= CCA_RULE_STORED;
  /* A callback is told by its caller what to do. */
  bool callback =
      call.target != CCA_NONE &&
      cca_node_at(body->unit->table, call.target).op == CCA_OP_PARAM;
  for (uint32_t a = 0; a < call.args_count && a < 64; a++) {
    uint64_t to =
        direct_bit(body->eval,
                   cca_operand_at(body->unit->table, call.args_first + a).node);
    if (!to)
      continue;
    for (uint32_t t = model->targets_first[number];
         known && t < model->targets_first[number + 1]; t++) {
      uint32_t callee = model->targets[t];
      const struct cca_primitive *p = model->behaviours[callee].primitive;
      if ((p && p->writes == a) ||
          model->behaviours[callee].writes & cca__bit(a))
        b->writes |= to;
      if (model->behaviours[callee].builds & cca__bit(a))
        b->builds |= to;
      bool nothing = resizes_to_nothing(body, number, callee, a);
      if (callback)
        continue;
      if (nothing || frees(model, callee, a, true))
        b->may_free |= to;
      if ((nothing || frees(model, callee, a, false)) &&
          call.flags & CCA_CALL_FLAGS_ALWAYS)
        b->frees |= to;
    }
  }
}

/* Parameters that may point to anything.  Freeing one of a type's own is what
 * destructors do. */
static uint64_t generic_params(const struct cca_body *body) {
  uint64_t result = 0;
  for (uint32_t i = 0; i < body->row.params_count && i < 64; i++) {
    struct cca_param param =
        cca_param_at(body->unit->table, body->row.params_first + i);
    if (param.kind != CCA_VALUE_KIND_POINTER)
      continue;
    if (param.of != CCA_NONE) {
      struct cca_type type = cca_type_at(body->unit->table, param.of);
      if (type.kind != CCA_TYPE_KIND_VOID &&
          type.kind != CCA_TYPE_KIND_UNKNOWN &&
          !(type.flags & CCA_TYPE_FLAGS_BYTES))
        continue;
    }
    result |= cca__bit(i);
  }
  return result;
}

/* Does the body store what LOCATION held in what parameter I points to? */
static bool links(const struct cca_body *body, uint32_t i, uint32_t location) {
  for (uint32_t k = 0; k < body->row.stores_count; k++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + k);
    struct cca_loc loc = cca_loc_at(body->unit->table, store.loc);
    struct cca_node value = cca_node_at(body->unit->table, store.value);
    if (direct_bit(body->eval, loc.base) == cca__bit(i) &&
        value.op == CCA_OP_LOAD && body->unit->locations[value.a] == location)
      return true;
  }
  return false;
}

/* A free list: what is not freed gets the list's head as its link, and becomes
 * the head. */
static void kept_effects(const struct cca_body *body, struct cca_behaviour *b) {
  uint64_t open = b->may_free & ~b->frees & b->builds;
  for (uint32_t k = 0; open && k < body->row.stores_count; k++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + k);
    uint64_t kept = direct_bit(body->eval, store.value) & open;
    uint32_t location = body->unit->locations[store.loc];
    if (kept && location != CCA_NONE &&
        links(body, (uint32_t)__builtin_ctzll(kept), location))
      b->frees |= kept;
  }
}

bool cca__measures(const struct cca_function *f) {
  return f->result == 'l' || f->result == 'i';
}

/*
 * Parameters that the body does more with than free them: a destructor frees
 * what a member points to, a consumer passes the pointer on.  Measuring a
 * block is all right.
 */
static uint64_t used_params(const struct cca_body *body) {
  const struct cca_model *model = body->model;
  uint64_t used = 0;
  for (uint32_t c = 0; c < body->row.calls_count; c++) {
    uint32_t row = body->row.calls_first + c;
    uint32_t number = body->unit->first_call + row;
    struct cca_call call = cca_call_at(body->unit->table, row);
    for (uint32_t a = 0; a < call.args_count && a < 64; a++) {
      uint32_t node =
          cca_operand_at(body->unit->table, call.args_first + a).node;
      uint8_t root = cca__eval_root(body->eval, node, false);
      if (root == CCA_NO_ROOT)
        continue;
      bool harmless = false;
      for (uint32_t t = model->targets_first[number];
           !harmless && t < model->targets_first[number + 1]; t++) {
        uint32_t callee = model->targets[t];
        harmless |= !(model->behaviours[callee].uses & cca__bit(a)) ||
                    frees(model, callee, a, true) ||
                    resizes_to_nothing(body, number, callee, a);
      }
      if (!harmless || !direct_bit(body->eval, node))
        used |= cca__bit(root);
    }
  }
  return used;
}

void cca__effects(const struct cca_body *body, struct cca_behaviour *b) {
  const struct cca_function *f = &body->model->functions.items[body->function];
  uint64_t generic = generic_params(body);
  stores_effects(body, b);
  for (uint32_t i = 0; i < body->row.calls_count; i++)
    call_effects(body, body->row.calls_first + i, b);
  kept_effects(body, b);
  b->uses = cca__measures(f) ? 0 : generic ? used_params(body) : ~(uint64_t)0;
  b->may_free &= generic;
  b->frees &= b->may_free & ~b->uses;
}
