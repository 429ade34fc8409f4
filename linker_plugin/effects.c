/* SPDX-License-Identifier: MIT */
/*
 * effects.c -- what a function does to memory that its parameters point to.
 *
 * Input:     a body, behaviours of what it calls.
 * Output:    masks of parameters: filled, read into, members set, freed,
 *            perhaps freed, kept, unlinked, passed on.
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

/* A parameter that NODE is reached from by a load: a pointer that lies in
 * memory of the parameter's. */
static uint64_t deep_bit(const struct cca_eval *eval, uint32_t node) {
  if (cca__eval_root(eval, node, true) != CCA_NO_ROOT)
    return 0;
  uint8_t root = cca__eval_root(eval, node, false);
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
    b->deep |= deep_bit(body->eval, loc.base);
    if (base.op != CCA_OP_LOCAL) {
      struct cca_node value = cca_node_at(body->unit->table, store.value);
      b->keeps |= direct_bit(body->eval, store.value);
      if (value.op == CCA_OP_LOAD)
        b->takes |= direct_bit(body->eval,
                               cca_loc_at(body->unit->table, value.a).base) &
                    ~to;
    }
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
  if (!(body->model->behaviours[function].resizes & cca__bit(a)))
    return false;
  for (uint32_t i = 0; i < returned->count; i++) {
    const struct cca_block *block = returned->items[i].block;
    if (block && block->flags & CCA_BLOCK_RESIZED && block->param == a &&
        cca_size_is_constant(cca__eval_at_call(body->eval, number, block->size),
                             &value) &&
        !value)
      return true;
  }
  return false;
}

/* Of the arguments of CALL those in WANTED. */
static uint64_t arguments(const struct cca_call *call, uint64_t wanted) {
  return call->args_count < 64 ? wanted & (cca__bit(call->args_count) - 1)
                               : wanted;
}

static uint32_t argument_node(const struct cca_body *body,
                              const struct cca_call *call, uint32_t a) {
  return cca_operand_at(body->unit->table, call->args_first + a).node;
}

/* Does every function that CALL may reach free its parameter A?  Where some do
 * it is left to whoever put them there. */
static bool all_free(const struct cca_model *model, uint32_t call, uint32_t a) {
  for (uint32_t t = model->targets_first[call];
       t < model->targets_first[call + 1]; t++)
    if (!frees(model, model->targets[t], a, false))
      return false;
  return true;
}

/* What FUNCTION does to the arguments of CALL, number NUMBER. */
static void callee_effects(const struct cca_body *body,
                           const struct cca_call *call, uint32_t number,
                           uint32_t function, bool callback,
                           struct cca_behaviour *b) {
  const struct cca_behaviour *callee = &body->model->behaviours[function];
  const struct cca_primitive *p = callee->primitive;
  uint64_t touched = callee->writes | callee->builds | callee->may_free |
                     callee->frees | callee->resizes | callee->keeps |
                     callee->takes;
  uint64_t left = arguments(call, p ? ~(uint64_t)0 : touched);
  for (; left; left &= left - 1) {
    uint32_t a = (uint32_t)__builtin_ctzll(left);
    uint32_t node = argument_node(body, call, a);
    uint64_t to = direct_bit(body->eval, node);
    if (!to)
      continue;
    if ((p && p->writes == a) || callee->writes & cca__bit(a))
      b->writes |= to;
    if (((p && cca__reads(p, a)) || callee->reads & cca__bit(a)) &&
        cca_node_at(body->unit->table, node).op != CCA_OP_ADDRESS)
      b->reads |= to;
    if (callee->builds & cca__bit(a))
      b->builds |= to;
    if (callee->keeps & cca__bit(a))
      b->keeps |= to;
    if (callee->takes & cca__bit(a))
      b->takes |= to;
    bool nothing = resizes_to_nothing(body, number, function, a);
    if (callback)
      continue;
    if (nothing || frees(body->model, function, a, true))
      b->may_free |= to;
    if ((nothing || all_free(body->model, number, a)) &&
        call->flags & CCA_CALL_FLAGS_ALWAYS)
      b->frees |= to;
  }
}

/* Pointers that parameters lead to are given to CALL, which fills what they
 * point to, or passes them on to where nobody can look. */
static void deep_effects(const struct cca_body *body,
                         const struct cca_call *call, uint32_t function,
                         struct cca_behaviour *b) {
  const struct cca_behaviour *callee = &body->model->behaviours[function];
  const struct cca_primitive *p = callee->primitive;
  bool hidden = body->model->traits[function] & CCA_TRAIT_IMPORTED;
  uint64_t fills = callee->writes | (p ? cca__bit(p->writes) : 0);
  uint64_t deep = hidden ? ~(uint64_t)0 : callee->deep;
  uint64_t left = arguments(call, fills | deep);
  for (; left; left &= left - 1) {
    uint32_t a = (uint32_t)__builtin_ctzll(left);
    uint32_t node = argument_node(body, call, a);
    if (fills & cca__bit(a))
      b->deep |= deep_bit(body->eval, node);
    if (deep & cca__bit(a))
      b->deep |= direct_bit(body->eval, node);
  }
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
  uint32_t end = known ? model->targets_first[number + 1] : 0;
  for (uint32_t t = model->targets_first[number]; t < end; t++) {
    uint8_t traits = model->traits[model->targets[t]];
    if (traits & CCA_TRAIT_TOUCHES)
      callee_effects(body, &call, number, model->targets[t], callback, b);
    if (traits & (CCA_TRAIT_TOUCHES | CCA_TRAIT_IMPORTED))
      deep_effects(body, &call, model->targets[t], b);
  }
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
 * the head.  Where nothing is freed, it may be any list. */
static void kept_effects(const struct cca_body *body, struct cca_behaviour *b) {
  const struct cca_function *f = &body->model->functions.items[body->function];
  uint64_t open = f->generic & ~b->frees & b->builds;
  for (uint32_t k = 0; open && k < body->row.stores_count; k++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + k);
    uint64_t kept = direct_bit(body->eval, store.value) & open;
    uint32_t location = body->unit->locations[store.loc];
    if (kept && location != CCA_NONE &&
        links(body, (uint32_t)__builtin_ctzll(kept), location))
      b->links |= kept;
  }
  b->frees |= b->links & b->may_free;
}

/* Is argument A of CALL given back there: freed, put on a free list, or left to
 * a hook that nobody sets here?  *FREED if it is the first. */
static bool gives_back(const struct cca_body *body, const struct cca_call *call,
                       uint32_t number, uint32_t a, bool *freed) {
  const struct cca_model *model = body->model;
  uint32_t first = model->targets_first[number];
  uint32_t end = model->targets_first[number + 1];
  if (cca__calls_hook(model, body->unit->table, call, number))
    return true;
  if (first == end || model->target_rule[number] > CCA_RULE_STORED)
    return false;
  for (uint32_t t = first; t < end; t++) {
    bool one = frees(model, model->targets[t], a, false);
    if (!one && !(model->behaviours[model->targets[t]].links & cca__bit(a)))
      return false;
    *freed |= one;
  }
  return true;
}

/* A parameter may be given back by one of several calls, on each way the last
 * that gets it. */
static void last_effects(const struct cca_body *body, struct cca_behaviour *b) {
  uint64_t given = 0, other = 0;
  for (uint32_t i = 0; b->may_free && i < body->row.calls_count; i++) {
    uint32_t row = body->row.calls_first + i;
    struct cca_call call = cca_call_at(body->unit->table, row);
    for (uint32_t a = 0; a < call.args_count && a < CCA_LAST_ARGS; a++) {
      bool freed = false;
      if (!(call.flags & CCA_CALL_FLAGS_LAST_0 << a))
        continue;
      uint64_t bit = direct_bit(body->eval, argument_node(body, &call, a));
      if (!gives_back(body, &call, body->unit->first_call + row, a, &freed))
        other |= bit;
      else if (freed)
        given |= bit;
    }
  }
  b->frees |= given & ~other;
}

/* Does FUNCTION see no more of its argument A than the address: is it declared
 * a number, or one of many that may point to anything (`%p`), or set to one
 * value? */
static bool sees_address(const struct cca_body *body, uint32_t function,
                         uint32_t a, uint8_t root) {
  const struct cca_function *f = &body->model->functions.items[function];
  const struct cca_primitive *p = body->model->behaviours[function].primitive;
  const struct cca_table *t = body->model->units[f->unit].table;
  struct cca_func row = cca_func_at(t, f->row);
  if (p && p->writes == a && p->fills != CCA_NO_ROOT)
    return true;
  if (a < row.params_count)
    return cca_param_at(t, row.params_first + a).kind == CCA_VALUE_KIND_INTEGER;
  if (!f->variadic || a < f->param_count || root >= body->row.params_count)
    return false;
  uint32_t of =
      cca_param_at(body->unit->table, body->row.params_first + root).of;
  return of == CCA_NONE ||
         cca_type_at(body->unit->table, of).kind == CCA_TYPE_KIND_VOID;
}

/* An int may be a status. */
bool cca__measures(const struct cca_function *f) { return f->result == 'l'; }

/* The parameter of which place LOC is a member, and not one before it. */
static uint64_t member_bit(const struct cca_body *body, uint32_t loc) {
  struct cca_loc place = cca_loc_at(body->unit->table, loc);
  struct cca_node base = cca_node_at(body->unit->table, place.base);
  return base.op == CCA_OP_PARAM && place.offset >= 0 ? cca__bit(base.a) : 0;
}

/*
 * Parameters that the body does more with than free them, or keep them on a
 * free list, as it DOES: a destructor frees what a member points to, a consumer
 * passes the pointer on, makes something out of what is there, or keeps where a
 * member is, or what is in it, or gives its members to somebody else.
 * Measuring a block is all right.
 */
static uint64_t used_params(const struct cca_body *body,
                            const struct cca_behaviour *does) {
  const struct cca_model *model = body->model;
  uint64_t used = 0;
  for (uint32_t c = 0; c < body->row.calls_count; c++) {
    uint32_t row = body->row.calls_first + c;
    uint32_t number = body->unit->first_call + row;
    struct cca_call call = cca_call_at(body->unit->table, row);
    for (uint32_t a = 0; a < call.args_count && a < 64; a++) {
      uint32_t node = argument_node(body, &call, a);
      uint8_t root = cca__eval_root(body->eval, node, false);
      if (root == CCA_NO_ROOT)
        continue;
      bool gone = false; /* what a hook gets last, where others free it */
      bool harmless = a < CCA_LAST_ARGS &&
                      call.flags & CCA_CALL_FLAGS_LAST_0 << a &&
                      does->frees & cca__bit(root) &&
                      gives_back(body, &call, number, a, &gone);
      for (uint32_t t = model->targets_first[number];
           !harmless && t < model->targets_first[number + 1]; t++) {
        uint32_t callee = model->targets[t];
        const struct cca_function *f = &model->functions.items[callee];
        bool named = a < f->param_count;
        const struct cca_behaviour *b = &model->behaviours[callee];
        harmless |= (named && !(b->uses & cca__bit(a)) &&
                     !cca__any_fresh(b->returned)) ||
                    frees(model, callee, a, true) ||
                    sees_address(body, callee, a, root) ||
                    resizes_to_nothing(body, number, callee, a);
      }
      if (!harmless || !direct_bit(body->eval, node))
        used |= cca__bit(root);
    }
  }
  uint64_t handed = 0; /* has a member that is put into another's object */
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + i);
    struct cca_loc loc = cca_loc_at(body->unit->table, store.loc);
    struct cca_node value = cca_node_at(body->unit->table, store.value);
    if (value.op == CCA_OP_ADDRESS) /* a queue knows its last link */
      used |= direct_bit(body->eval, store.value) & ~does->links;
    if (cca_node_at(body->unit->table, loc.base).op == CCA_OP_LOCAL)
      used |= deep_bit(body->eval, store.value);
    uint64_t to = direct_bit(body->eval, loc.base);
    uint64_t from =
        value.op == CCA_OP_LOAD && to ? member_bit(body, value.a) & ~to : 0;
    used |= handed & from; /* a second one: it is taken apart */
    handed |= from;
  }
  return used;
}

void cca__effects(const struct cca_body *body, struct cca_behaviour *b) {
  const struct cca_function *f = &body->model->functions.items[body->function];
  stores_effects(body, b);
  for (uint32_t i = 0; i < body->row.calls_count; i++)
    call_effects(body, body->row.calls_first + i, b);
  kept_effects(body, b);
  last_effects(body, b);
  b->uses = cca__measures(f) ? 0
            : f->generic     ? used_params(body, b)
                             : ~(uint64_t)0;
  if (body->model->given_back) { /* cannot be followed: see agree.c */
    uint8_t given = body->model->given_back[body->function];
    b->may_free |= cca__bit(given);
    b->frees |= cca__bit(given);
  }
  /* Freeing one of a type's own is what destructors do. */
  b->may_free &= f->generic;
  b->frees &= b->may_free & ~b->uses;
}
