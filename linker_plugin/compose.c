/* SPDX-License-Identifier: MIT */
/*
 * compose.c -- what each function does, from what its callees do.
 *
 * Input:     the resolved call graph.
 * Output:    a behaviour for each function: origins of the pointers it returns
 *            or stores through parameters, the integer it returns, what it
 *            frees and fills.
 * Invariant: behaviours are in terms of the function's own parameters.
 *
 * Strongly connected components are found callees first (Tarjan 1972); within
 * one, functions are evaluated until nothing changes.  Origins and sizes only
 * gain alternatives over a finite set, and both are capped; what still changes
 * after WIDEN rounds, a size that grows by a term on each turn of a recursion,
 * becomes a bag, and ROUNDS cuts what is left.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { WIDEN = 5, ROUNDS = 8 };

/* ---- What happens to memory that parameters point to ---- */

static uint64_t bit(uint32_t i) { return i < 64 ? (uint64_t)1 << i : 0; }

static uint64_t direct_bit(const struct cca_eval *eval, uint32_t node) {
  uint8_t root = cca__eval_root(eval, node, true);
  return root == CCA_NO_ROOT ? 0 : bit(root);
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
         ((perhaps ? b->may_free : b->frees) & bit(i)) != 0;
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
      if ((p && p->writes == a) || model->behaviours[callee].writes & bit(a))
        b->writes |= to;
      if (model->behaviours[callee].builds & bit(a))
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
    result |= bit(i);
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
    if (direct_bit(body->eval, loc.base) == bit(i) && value.op == CCA_OP_LOAD &&
        body->unit->locations[value.a] == location)
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

/* A function that gives a number looks at what it is given. */
static bool measures(const struct cca_function *f) {
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
        harmless |= !(model->behaviours[callee].uses & bit(a)) ||
                    frees(model, callee, a, true) ||
                    resizes_to_nothing(body, number, callee, a);
      }
      if (!harmless || !direct_bit(body->eval, node))
        used |= bit(root);
    }
  }
  return used;
}

/* ---- What happens to a fresh block before it is handed out ---- */

static bool has_call(const struct cca_origins *origins, uint32_t call,
                     const struct cca_size **offset) {
  for (uint32_t i = 0; i < origins->count; i++)
    if (origins->items[i].kind == CCA_ORIGIN_FRESH &&
        origins->items[i].block->call == call) {
      *offset = origins->items[i].offset;
      return true;
    }
  return false;
}

struct use {
  uint16_t flags;
  uint8_t source;
  bool direct; /* source points to what is copied, not to where it is kept */
  uint32_t kept;
};

/* Is OFFSET one place that the sizes at hand name?  A terminator behind what
 * was asked for, a trailer, a second part: no content. */
static bool is_place(const struct cca_size *offset) {
  for (uint32_t i = 0; i < offset->alt_count; i++)
    if (offset->alts[i].bag)
      return false;
  return !cca_size_has(offset, CCA_ATOM_OPAQUE) &&
         !cca_size_has(offset, CCA_ATOM_CONTENT);
}

/* START is where the result points to: what is before it is a header. */
static void note_stores(const struct cca_body *body, uint32_t call,
                        int64_t start, struct use *use) {
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + i);
    struct cca_loc loc = cca_loc_at(body->unit->table, store.loc);
    const struct cca_size *offset;
    int64_t fixed;
    if (cca_node_at(body->unit->table, loc.base).op != CCA_OP_LOCAL &&
        has_call(cca__eval_origins(body->eval, loc.base), call, &offset)) {
      if (!cca_size_is_constant(offset, &fixed))
        use->flags |= is_place(offset) ? 0 : CCA_BLOCK_CONTENT;
      else if (loc.flags & CCA_LOC_FLAGS_ELEMENT)
        use->flags |= CCA_BLOCK_CONTENT;
      else if (fixed + loc.offset >= start)
        use->flags |= CCA_BLOCK_BUILT;
    }
    uint32_t location = body->unit->locations[store.loc];
    if (location != CCA_NONE &&
        has_call(cca__eval_origins(body->eval, store.value), call, &offset)) {
      use->flags |= CCA_BLOCK_KEPT;
      use->kept = location;
    }
  }
}

static void note_fill(const struct cca_body *body, const struct cca_call *call,
                      const struct cca_primitive *p, struct use *use) {
  const struct cca_table *t = body->unit->table;
  if (p->zeroed) {
    use->flags |= CCA_BLOCK_ZEROED;
  } else if (p->fills < call->args_count) {
    struct cca_node value =
        cca_node_at(t, cca_operand_at(t, call->args_first + p->fills).node);
    use->flags |= value.op == CCA_OP_CONSTANT && !value.a && !value.b
                      ? CCA_BLOCK_ZEROED
                      : 0; /* a pattern for debugging is no content */
  } else if (p->copies < call->args_count) {
    uint32_t from = cca_operand_at(t, call->args_first + p->copies).node;
    uint8_t source = cca__eval_root(body->eval, from, false);
    use->flags |= source == CCA_NO_ROOT ? CCA_BLOCK_CONTENT : CCA_BLOCK_COPIED;
    use->direct |= cca__eval_root(body->eval, from, true) != CCA_NO_ROOT;
    if (source != CCA_NO_ROOT)
      use->source = source;
  } else
    use->flags |= CCA_BLOCK_CONTENT;
}

static void note_calls(const struct cca_body *body, uint32_t call,
                       struct use *use) {
  struct cca_model *model = body->model;
  for (uint32_t c = 0; c < body->row.calls_count; c++) {
    uint32_t row = body->row.calls_first + c;
    uint32_t number = body->unit->first_call + row;
    struct cca_call other = cca_call_at(body->unit->table, row);
    if (number == call || model->target_rule[number] > CCA_RULE_STORED)
      continue;
    for (uint32_t a = 0; a < other.args_count && a < 64; a++) {
      const struct cca_size *offset;
      uint32_t node =
          cca_operand_at(body->unit->table, other.args_first + a).node;
      if (!has_call(cca__eval_origins(body->eval, node), call, &offset))
        continue;
      for (uint32_t t = model->targets_first[number];
           t < model->targets_first[number + 1]; t++) {
        uint32_t callee = model->targets[t];
        const struct cca_primitive *p = model->behaviours[callee].primitive;
        if (p && p->writes == a)
          note_fill(body, &other, p, use);
        else if (model->behaviours[callee].writes & bit(a))
          use->flags |= CCA_BLOCK_CONTENT;
        else if (model->behaviours[callee].builds & bit(a))
          use->flags |= CCA_BLOCK_BUILT;
      }
    }
  }
}

/* The local object that NODE is the address of, or of a member of. */
static uint32_t local_object(const struct cca_table *t, uint32_t node) {
  struct cca_node n = cca_node_at(t, node);
  if (n.op == CCA_OP_ADDRESS)
    n = cca_node_at(t, cca_loc_at(t, n.a).base);
  return n.op == CCA_OP_LOCAL ? n.a : CCA_NONE;
}

/* Is local object LOCAL given to a function of the program to work on? */
static bool is_lent(const struct cca_body *body, uint32_t local) {
  const struct cca_table *t = body->unit->table;
  for (uint32_t c = 0; c < body->row.calls_count; c++) {
    struct cca_call call = cca_call_at(t, body->row.calls_first + c);
    uint32_t callee =
        call.callee == CCA_NONE ? CCA_NONE : body->unit->functions[call.callee];
    if (callee != CCA_NONE && body->model->behaviours[callee].primitive)
      continue;
    for (uint32_t a = 0; a < call.args_count; a++)
      if (local_object(t, cca_operand_at(t, call.args_first + a).node) == local)
        return true;
  }
  return false;
}

/* A block kept in a local record that other functions work on, a buffer or a
 * cursor, is filled by them. */
static void note_lending(const struct cca_body *body, uint32_t call,
                         struct use *use) {
  const struct cca_size *offset;
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + i);
    struct cca_loc loc = cca_loc_at(body->unit->table, store.loc);
    uint32_t local = local_object(body->unit->table, loc.base);
    if (local != CCA_NONE && loc.record != CCA_NONE &&
        has_call(cca__eval_origins(body->eval, store.value), call, &offset) &&
        is_lent(body, local))
      use->flags |= CCA_BLOCK_CONTENT;
  }
}

/* The least that OFFSET can be: a sizeof is its bytes, all else is nothing. */
static int64_t least(const struct cca_body *body,
                     const struct cca_size *offset) {
  int64_t result = offset->alt_count ? INT64_MAX : 0;
  for (uint32_t i = 0; i < offset->alt_count; i++) {
    int64_t sum = 0;
    for (uint32_t t = 0; t < offset->alts[i].term_count; t++) {
      const struct cca_term *term = &offset->alts[i].terms[t];
      int64_t one = term->atom_count == 0  ? term->factor
                    : term->atom_count > 1 ? 0
                    : term->atoms[0].kind == CCA_ATOM_PART
                        ? term->atoms[0].detail
                    : term->atoms[0].kind == CCA_ATOM_SIZEOF
                        ? cca__type_bytes(term->atoms[0].index, body->model)
                        : 0;
      if (__builtin_add_overflow(sum, one, &sum))
        sum = 0;
    }
    result = sum < result ? sum : result;
  }
  return result;
}

/*
 * SIZE without its floors: alternatives that nothing of the caller's enters,
 * `n ? n : sizeof(long)`, where others have something.  What the callee falls
 * back to is no news for its callers; a record's size is.
 */
static const struct cca_size *without_floors(const struct cca_body *body,
                                             const struct cca_size *size) {
  struct cca_size *kept =
      cca_arena_zalloc(cca__eval_arena(body->eval), 1, sizeof *kept);
  bool entered = false;
  for (uint32_t i = 0; i < size->alt_count; i++) {
    bool enters = false, record = size->alts[i].bag;
    for (uint32_t t = 0; t < size->alts[i].term_count; t++)
      for (uint32_t k = 0; k < size->alts[i].terms[t].atom_count; k++) {
        struct cca_atom atom = size->alts[i].terms[t].atoms[k];
        bool type = atom.kind == CCA_ATOM_SIZEOF;
        enters |= !type && atom.kind != CCA_ATOM_PART;
        record |=
            !type ||
            cca__type(body->model, atom.index).kind == CCA_TYPE_KIND_STRUCT ||
            cca__type(body->model, atom.index).kind == CCA_TYPE_KIND_UNION;
      }
    entered |= enters;
    if (enters || record)
      kept->alts[kept->alt_count++] = size->alts[i];
  }
  return entered ? kept : size;
}

/* Add to FRESH origins what the function does with the block. */
static void describe_blocks(const struct cca_body *body,
                            struct cca_origins *origins, uint64_t may_free) {
  for (uint32_t i = 0; i < origins->count; i++) {
    struct cca_origin *origin = &origins->items[i];
    if (origin->kind != CCA_ORIGIN_FRESH || origin->block->call == CCA_NONE)
      continue;
    struct use use = {0, CCA_NO_ROOT, false, CCA_NONE};
    note_stores(body, origin->block->call, least(body, origin->offset), &use);
    note_calls(body, origin->block->call, &use);
    note_lending(body, origin->block->call, &use);
    struct cca_block *block =
        cca_arena_alloc(cca__eval_arena(body->eval), sizeof *block);
    *block = *origin->block;
    block->size = without_floors(body, block->size);
    block->flags |= use.flags;
    block->kept = use.kept;
    if (use.source != CCA_NO_ROOT) {
      block->source = use.source;
      if (use.direct && may_free & bit(use.source)) { /* allocate, copy, free */
        block->flags |= CCA_BLOCK_RESIZED;
        block->param = use.source;
      }
    }
    origin->block = block;
  }
}

/* ---- One function ---- */

static void merge_origins(struct cca_origins *to,
                          const struct cca_origins *from) {
  for (uint32_t i = 0; i < from->count; i++) {
    bool there = false;
    for (uint32_t k = 0; k < to->count && !there; k++) {
      const struct cca_origin *a = &to->items[k], *b = &from->items[i];
      there = a->kind == b->kind && a->index == b->index &&
              a->root == b->root && a->block == b->block &&
              cca_size_equal(a->offset, b->offset);
    }
    if (!there && to->count < CCA_ORIGINS)
      to->items[to->count++] = from->items[i];
  }
}

static void find_returned(const struct cca_body *body,
                          struct cca_behaviour *b) {
  struct cca_arena *arena = cca__eval_arena(body->eval);
  char result = body->model->functions.items[body->function].result;
  struct cca_origins *origins = NULL;
  if (result == 'p')
    origins = cca_arena_zalloc(arena, 1, sizeof *origins);
  for (uint32_t i = 0; i < body->row.returns_count; i++) {
    struct cca_return ret =
        cca_return_at(body->unit->table, body->row.returns_first + i);
    if (result == 'p')
      merge_origins(origins, cca__eval_origins(body->eval, ret.value));
    else if (result == 'l' || result == 'i')
      b->number = cca_size_join(arena, b->number ? b->number : cca_size_none(),
                                cca__eval_size(body->eval, ret.value));
  }
  if (origins) {
    cca__carve(body, origins);
    describe_blocks(body, origins, b->may_free);
  }
  b->returned = origins;
}

/* Does any call of the function hand out fresh memory? */
static bool gets_fresh(const struct cca_body *body) {
  const struct cca_model *model = body->model;
  uint32_t call = body->unit->first_call + body->row.calls_first;
  uint32_t end = model->targets_first[call + body->row.calls_count];
  for (uint32_t t = model->targets_first[call]; t < end; t++) {
    const struct cca_primitive *p =
        model->behaviours[model->targets[t]].primitive;
    const struct cca_behaviour *b = &model->behaviours[model->targets[t]];
    if ((p && p->allocates) || b->out_count)
      return true;
    for (uint32_t i = 0; b->returned && i < b->returned->count; i++)
      if (b->returned->items[i].kind == CCA_ORIGIN_FRESH)
        return true;
  }
  return false;
}

/* Fresh blocks that are stored through a parameter. */
static void find_outs(const struct cca_body *body, struct cca_behaviour *b) {
  if (!gets_fresh(body))
    return;
  for (uint32_t i = 0; i < body->row.stores_count && b->out_count < CCA_OUTS;
       i++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + i);
    struct cca_loc loc = cca_loc_at(body->unit->table, store.loc);
    struct cca_node base = cca_node_at(body->unit->table, loc.base);
    if (base.op != CCA_OP_PARAM || base.a >= 64 || loc.record != CCA_NONE ||
        loc.offset != 0)
      continue; /* a member of an object is the object's */
    struct cca_origins origins = *cca__eval_origins(body->eval, store.value);
    bool fresh = false;
    for (uint32_t k = 0; k < origins.count; k++)
      fresh |= origins.items[k].kind == CCA_ORIGIN_FRESH;
    if (!fresh)
      continue;
    describe_blocks(body, &origins, b->may_free);
    if (!b->outs)
      b->outs = cca_arena_zalloc(cca__eval_arena(body->eval), CCA_OUTS,
                                 sizeof *b->outs);
    for (uint32_t k = 0; k < origins.count && b->out_count < CCA_OUTS; k++)
      if (origins.items[k].kind == CCA_ORIGIN_FRESH)
        b->outs[b->out_count++] = (struct cca_out){.param = (uint8_t)base.a,
                                                   .origin = origins.items[k]};
  }
}

/* Out of the evaluator's arena into the model's. */
static struct cca_origin keep_origin(struct cca_model *model,
                                     struct cca_origin origin) {
  origin.offset = cca_size_copy(&model->arena, origin.offset);
  origin.loc = CCA_NONE;
  if (origin.kind == CCA_ORIGIN_FRESH) {
    struct cca_block *block = cca_arena_alloc(&model->arena, sizeof *block);
    *block = *origin.block;
    block->size = cca_size_copy(&model->arena, block->size);
    origin.block = block;
  }
  return origin;
}

static bool origin_equal(const struct cca_origin *a,
                         const struct cca_origin *b) {
  if (a->kind != b->kind || a->index != b->index || a->root != b->root ||
      !cca_size_equal(a->offset, b->offset))
    return false;
  if (a->kind != CCA_ORIGIN_FRESH)
    return true;
  return a->block->flags == b->block->flags &&
         a->block->param == b->block->param &&
         a->block->call == b->block->call &&
         a->block->callee == b->block->callee &&
         cca_size_equal(a->block->size, b->block->size);
}

static bool origins_equal(const struct cca_origins *a,
                          const struct cca_origins *b) {
  if (!a || !b)
    return a == b;
  if (a->count != b->count)
    return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (!origin_equal(&a->items[i], &b->items[i]))
      return false;
  return true;
}

static bool behaviour_equal(const struct cca_behaviour *a,
                            const struct cca_behaviour *b) {
  if (a->frees != b->frees || a->may_free != b->may_free ||
      a->writes != b->writes || a->uses != b->uses || a->builds != b->builds ||
      a->out_count != b->out_count || !a->number != !b->number ||
      (a->number && !cca_size_equal(a->number, b->number)))
    return false;
  for (uint32_t i = 0; i < a->out_count; i++)
    if (!origin_equal(&a->outs[i].origin, &b->outs[i].origin))
      return false;
  return origins_equal(a->returned, b->returned);
}

/* Sizes of NOW that are still growing lose their shape. */
static void widen(struct cca_arena *arena, const struct cca_behaviour *before,
                  struct cca_behaviour *now) {
  if (before->number && now->number)
    now->number = cca_size_widen(arena, before->number, now->number);
  if (!before->returned || !now->returned)
    return;
  struct cca_origins *origins = cca_arena_alloc(arena, sizeof *origins);
  *origins = *now->returned;
  for (uint32_t i = 0; i < origins->count; i++)
    for (uint32_t k = 0; k < before->returned->count; k++) {
      struct cca_origin *o = &origins->items[i];
      const struct cca_origin *old = &before->returned->items[k];
      if (o->kind != CCA_ORIGIN_FRESH || old->kind != CCA_ORIGIN_FRESH ||
          o->block->call != old->block->call ||
          o->block->callee != old->block->callee)
        continue;
      struct cca_block *block = cca_arena_alloc(arena, sizeof *block);
      *block = *o->block;
      block->size = cca_size_widen(arena, old->block->size, block->size);
      o->block = block;
      break;
    }
  now->returned = origins;
}

/* Evaluate FUNCTION anew, for the ROUND-th time; true if its behaviour
 * changed. */
static bool compose_function(struct cca_model *model, struct cca_eval *eval,
                             uint32_t function, int round) {
  struct cca_function *f = &model->functions.items[function];
  struct cca_behaviour *old = &model->behaviours[function];
  if (!f->defined)
    return false;
  cca__eval_enter(eval, function);
  struct cca_body body = {model, eval, &model->units[f->unit],
                          cca_func_at(model->units[f->unit].table, f->row),
                          function};
  struct cca_behaviour b = {.scc = old->scc, .primitive = old->primitive};
  stores_effects(&body, &b);
  for (uint32_t i = 0; i < body.row.calls_count; i++)
    call_effects(&body, body.row.calls_first + i, &b);
  kept_effects(&body, &b);
  uint64_t generic = generic_params(&body);
  b.uses = measures(f) ? 0 : generic ? used_params(&body) : ~(uint64_t)0;
  b.may_free &= generic;
  b.frees &= b.may_free & ~b.uses;
  find_returned(&body, &b);
  find_outs(&body, &b);
  if (round >= WIDEN)
    widen(cca__eval_arena(eval), old, &b);
  if (behaviour_equal(&b, old))
    return false;

  if (b.number)
    b.number = cca_size_copy(&model->arena, b.number);
  if (b.returned) {
    struct cca_origins *kept = cca_arena_zalloc(&model->arena, 1, sizeof *kept);
    kept->count = b.returned->count;
    for (uint32_t i = 0; i < kept->count; i++)
      kept->items[i] = keep_origin(model, b.returned->items[i]);
    b.returned = kept;
  }
  if (b.out_count) {
    const struct cca_out *outs = b.outs;
    b.outs = cca_arena_zalloc(&model->arena, b.out_count, sizeof *b.outs);
    for (uint32_t i = 0; i < b.out_count; i++) {
      b.outs[i] = outs[i];
      b.outs[i].origin = keep_origin(model, outs[i].origin);
    }
  }
  *old = b;
  return true;
}

/* ---- Components, callees first ---- */

struct frame {
  uint32_t function, call, target; /* the edge that comes next */
};

struct tarjan {
  struct cca_model *model;
  struct cca_eval *eval;
  uint32_t *index, *low; /* by function; 0: not seen yet */
  bool *on_stack;
  uint32_t clock, *evaluated, *changed; /* by function: when last */
  struct cca_vec(uint32_t) stack;
  struct cca_vec(struct frame) frames;
  uint32_t next, scc;
};

static void enter(struct tarjan *t, uint32_t function) {
  t->index[function] = t->low[function] = ++t->next;
  t->on_stack[function] = true;
  cca_vec_push(&t->stack, function);
  cca_vec_push(&t->frames, ((struct frame){function, 0, 0}));
}

/* The next callee of FRAME's function, or CCA_NONE. */
static uint32_t next_callee(const struct cca_model *model,
                            struct frame *frame) {
  const struct cca_function *f = &model->functions.items[frame->function];
  if (!f->defined)
    return CCA_NONE;
  for (; frame->call < f->call_count; frame->call++, frame->target = 0) {
    uint32_t number = f->first_call + frame->call;
    uint32_t first = model->targets_first[number];
    if (first + frame->target < model->targets_first[number + 1])
      return model->targets[first + frame->target++];
  }
  return CCA_NONE;
}

/* Has a callee of FUNCTION changed since it was evaluated last? */
static bool is_stale(const struct tarjan *t, uint32_t function) {
  struct frame edge = {function, 0, 0};
  if (!t->evaluated[function])
    return true;
  for (uint32_t callee; (callee = next_callee(t->model, &edge)) != CCA_NONE;)
    if (t->changed[callee] > t->evaluated[function])
      return true;
  return false;
}

/*
 * FUNCTION is the root of a component: evaluate all of it, those that were
 * found last first, since they are nearest to the leaves.
 */
static void close_component(struct tarjan *t, uint32_t function) {
  size_t first = t->stack.count;
  do {
    uint32_t member = t->stack.items[--first];
    t->on_stack[member] = false;
    t->model->behaviours[member].scc = t->scc;
  } while (t->stack.items[first] != function);

  bool changed = true;
  for (int round = 0; changed && round < ROUNDS; round++) {
    changed = false;
    for (size_t i = t->stack.count; i-- > first;) {
      uint32_t member = t->stack.items[i];
      if (!is_stale(t, member))
        continue;
      t->evaluated[member] = ++t->clock;
      if (compose_function(t->model, t->eval, member, round)) {
        t->changed[member] = ++t->clock;
        changed = true;
      }
    }
  }
  t->scc++;
  t->stack.count = first;
}

static void visit(struct tarjan *t, uint32_t root) {
  enter(t, root);
  while (t->frames.count) {
    struct frame *frame = &t->frames.items[t->frames.count - 1];
    uint32_t function = frame->function;
    uint32_t callee = next_callee(t->model, frame);
    if (callee != CCA_NONE) {
      if (!t->index[callee])
        enter(t, callee);
      else if (t->on_stack[callee] && t->index[callee] < t->low[function])
        t->low[function] = t->index[callee];
      continue;
    }
    if (t->low[function] == t->index[function])
      close_component(t, function);
    t->frames.count--;
    if (t->frames.count) {
      uint32_t parent = t->frames.items[t->frames.count - 1].function;
      if (t->low[function] < t->low[parent])
        t->low[parent] = t->low[function];
    }
  }
}

void cca__compose(struct cca_model *model) {
  size_t count = model->functions.count;
  struct tarjan t = {.model = model, .eval = cca__eval_new(model)};
  model->behaviours =
      cca_arena_zalloc(&model->arena, count, sizeof *model->behaviours);
  t.index = cca_calloc(count, sizeof *t.index);
  t.low = cca_calloc(count, sizeof *t.low);
  t.on_stack = cca_calloc(count, sizeof *t.on_stack);
  t.evaluated = cca_calloc(count, sizeof *t.evaluated);
  t.changed = cca_calloc(count, sizeof *t.changed);
  for (uint32_t i = 0; i < count; i++) {
    const struct cca_function *f = &model->functions.items[i];
    model->behaviours[i].primitive = f->primitive;
    if (!f->defined && !measures(f))
      model->behaviours[i].uses = ~(uint64_t)0;
  }
  for (uint32_t i = 0; i < count; i++)
    if (!t.index[i])
      visit(&t, i);
  cca__eval_free(t.eval);
  free(t.index);
  free(t.low);
  free(t.on_stack);
  free(t.evaluated);
  free(t.changed);
  cca_vec_release(&t.stack);
  cca_vec_release(&t.frames);
}
