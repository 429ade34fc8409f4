/* SPDX-License-Identifier: MIT */
/*
 * eval.c -- what a value is, in terms of its function's parameters.
 *
 * Input:     nodes of one function, behaviours of what it calls.
 * Output:    for an integer its size (domain.h), for a pointer its origins.
 *
 * Nodes refer to earlier nodes only, so evaluation is a recursion with a memo;
 * the one way back is through the arguments of a call inside a loop (p =
 * realloc(p, n)), where a
 * value in progress counts for what has been found of it.  Depth is
 * bounded: beyond DEPTH a value is opaque.
 *
 * At a call, the callee's size and offsets have the arguments put in for its
 * parameters; a field of a parameter becomes a field reached through whatever
 * the argument points into.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 400, BUDGET = 200, ROOT_DEPTH = 24, VOTERS = 8 };

struct memo {
  uint32_t generation; /* of the function for which this holds */
  bool size_busy;
  uint32_t open; /* depth at which its origins are being computed, or 0 */
  const struct cca_size *size;
  const struct cca_origins *origins, *partial;
};

struct cca_eval {
  struct cca_model *model;
  struct cca_arena arena;
  uint32_t function;
  const struct cca_input *unit;
  struct cca_func row; /* of function, in unit */
  bool has_row;
  uint32_t generation, depth;
  uint32_t reached; /* least depth of an open value that was looked at */
  uint32_t budget;  /* results that may be computed again, see BUDGET */
  struct memo *memo; /* by node of the unit */
  size_t memo_room;

  /* Stores by place: made when the function's first load asks. */
  bool has_places;
  uint32_t *place_first; /* by hash; the next by store; numbers from 1 */
  uint32_t *place_next;
  uint32_t place_room, place_mask;
};

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
static struct memo *memo_of(struct cca_eval *eval, uint32_t node) {
  struct memo *memo = &eval->memo[node];
  if (memo->generation != eval->generation)
    *memo = (struct memo){.generation = eval->generation};
  return memo;
}

static struct cca_node node_at(const struct cca_eval *eval, uint32_t node) {
  return cca_node_at(eval->unit->table, node);
}

static uint32_t argument(const struct cca_eval *eval,
                         const struct cca_call *call, uint32_t i) {
  return i < call->args_count
             ? cca_operand_at(eval->unit->table, call->args_first + i).node
             : CCA_NONE;
}

static const struct cca_size *opaque(struct cca_eval *eval) {
  return cca_size_atom(
      &eval->arena, 1,
      (struct cca_atom){.kind = CCA_ATOM_OPAQUE, .root = CCA_NO_ROOT});
}

/* ---- Which parameter does a pointer point into? ---- */

static bool is_pointer_param(const struct cca_eval *eval, uint32_t i) {
  if (!eval->has_row || i >= eval->row.params_count)
    return eval->has_row;
  return cca_param_at(eval->unit->table, eval->row.params_first + i).kind ==
         CCA_VALUE_KIND_POINTER;
}

static uint8_t root_of(const struct cca_eval *eval, uint32_t node, bool direct,
                       int depth) {
  if (!depth)
    return CCA_NO_ROOT;
  struct cca_node n = node_at(eval, node);
  switch (n.op) {
  case CCA_OP_PARAM:
    return n.a < CCA_NO_ROOT && is_pointer_param(eval, n.a) ? (uint8_t)n.a
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

/* The root of what NODE points to: a member of the parameter's own object
 * is one thing, a member of something that the object leads to another. */
static uint8_t field_root(const struct cca_eval *eval, uint32_t node) {
  uint8_t root = cca__eval_root(eval, node, true);
  if (root == CCA_NO_ROOT && cca__eval_root(eval, node, false) != CCA_NO_ROOT)
    return CCA_DEEP_ROOT;
  return root;
}

/* ---- Integers ---- */

struct substitution {
  struct cca_eval *eval;
  const struct cca_call *call;
};

static const struct cca_size *argument_for(struct cca_atom atom,
                                           void *payload) {
  struct substitution *s = payload;
  if (atom.kind == CCA_ATOM_PARAM) {
    uint32_t node = argument(s->eval, s->call, atom.index);
    return node == CCA_NONE ? cca_size_none() : cca__eval_size(s->eval, node);
  }
  if ((atom.kind == CCA_ATOM_FIELD || atom.kind == CCA_ATOM_CONTENT) &&
      atom.root < CCA_DEEP_ROOT) {
    uint32_t node = argument(s->eval, s->call, atom.root);
    atom.root =
        node == CCA_NONE ? CCA_NO_ROOT : field_root(s->eval, node);
    return cca_size_atom(&s->eval->arena, 1, atom);
  }
  return NULL;
}

static const struct cca_size *at_call(struct cca_eval *eval,
                                      const struct cca_call *call,
                                      const struct cca_size *size) {
  struct substitution s = {eval, call};
  return cca_size_substitute(&eval->arena, size, argument_for, &s);
}

const struct cca_size *cca__eval_at_call(struct cca_eval *eval, uint32_t call,
                                         const struct cca_size *size) {
  struct cca_call row = cca__call(eval->model, call);
  return at_call(eval, &row, size);
}

static const struct cca_size *size_of_type(struct cca_eval *eval,
                                           struct cca_node n) {
  uint32_t type = eval->unit->types[n.a];
  struct cca_type row = cca__type(eval->model, type);
  int64_t factor = 1;
  for (int depth = 0; row.kind == CCA_TYPE_KIND_ARRAY && row.count > 0 &&
                      row.element != CCA_NONE && depth < 4;
       depth++) {
    if (__builtin_mul_overflow(factor, row.count, &factor))
      factor = 1;
    struct cca_type_place place = eval->model->types.items[type];
    type = eval->model->units[place.unit].types[row.element];
    row = cca__type(eval->model, type);
  }
  if (row.flags & CCA_TYPE_FLAGS_BYTES || row.kind == CCA_TYPE_KIND_VOID)
    return cca_size_constant(&eval->arena, (int64_t)n.b);
  return cca_size_atom(&eval->arena, factor,
                       (struct cca_atom){.kind = CCA_ATOM_SIZEOF,
                                         .root = CCA_NO_ROOT,
                                         .index = type});
}

bool cca__eval_same_place(const struct cca_eval *eval, uint32_t a, uint32_t b) {
  struct cca_loc x = cca_loc_at(eval->unit->table, a);
  struct cca_loc y = cca_loc_at(eval->unit->table, b);
  if (x.offset != y.offset)
    return false;
  if (x.base == y.base)
    return true;
  struct cca_node p = node_at(eval, x.base), q = node_at(eval, y.base);
  return p.op == q.op && p.a == q.a && p.b == q.b &&
         (p.op == CCA_OP_LOCAL || p.op == CCA_OP_PARAM ||
          p.op == CCA_OP_GLOBAL || p.op == CCA_OP_CALL);
}

/* Equal for the same places. */
static uint32_t place_hash(const struct cca_eval *eval, uint32_t loc) {
  struct cca_loc place = cca_loc_at(eval->unit->table, loc);
  struct cca_node base = node_at(eval, place.base);
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
static uint32_t next_store(struct cca_eval *eval, uint32_t loc, uint32_t i,
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

/* What the function stores exactly where row LOC is. */
static const struct cca_size *stored_size(struct cca_eval *eval, uint32_t loc) {
  const struct cca_size *size = cca_size_none();
  uint32_t value;
  for (uint32_t i = 0; (i = next_store(eval, loc, i, &value));)
    size = cca_size_join(&eval->arena, size, cca__eval_size(eval, value));
  return size;
}

static const struct cca_size *loaded_size(struct cca_eval *eval,
                                          struct cca_node n) {
  struct cca_loc loc = cca_loc_at(eval->unit->table, n.a);
  if (node_at(eval, loc.base).op == CCA_OP_LOCAL) {
    const struct cca_size *size = stored_size(eval, n.a);
    return size->alt_count ? size : opaque(eval);
  }
  uint8_t root = field_root(eval, loc.base);
  uint32_t location = eval->unit->locations[n.a];
  if (location == CCA_NONE) {
    if (root >= CCA_DEEP_ROOT)
      return opaque(eval);
    location = 0; /* what a parameter points to */
  }
  return cca_size_atom(&eval->arena, 1,
                       (struct cca_atom){.kind = CCA_ATOM_FIELD,
                                         .root = root,
                                         .index = location});
}

/* The length of what the pointer NODE (or CCA_NONE) points to. */
static const struct cca_size *length_of(struct cca_eval *eval, uint32_t node) {
  struct cca_atom atom = {.kind = CCA_ATOM_CONTENT, .root = CCA_NO_ROOT};
  if (node != CCA_NONE)
    atom.root = field_root(eval, node);
  return cca_size_atom(&eval->arena, 1, atom);
}

static const struct cca_size *called_size(struct cca_eval *eval,
                                          struct cca_node n) {
  const struct cca_model *model = eval->model;
  struct cca_call call = cca_call_at(eval->unit->table, n.a);
  uint32_t number = eval->unit->first_call + n.a;
  const struct cca_size *size = cca_size_none();
  uint32_t first = model->targets_first[number];
  uint32_t count = model->targets_first[number + 1] - first;
  for (uint32_t i = 0; i < count && count <= VOTERS; i++) {
    uint32_t callee = model->targets[first + i];
    const struct cca_primitive *p = model->behaviours[callee].primitive;
    const struct cca_behaviour *b = &model->behaviours[callee];
    const struct cca_size *one = opaque(eval);
    if (p && p->length != CCA_NO_ROOT) {
      one = length_of(eval, argument(eval, &call, p->length));
    } else if (b->number && b->number->alt_count)
      one = at_call(eval, &call, b->number);
    size = cca_size_join(&eval->arena, size, one);
  }
  return size->alt_count ? size : opaque(eval);
}

static const struct cca_size *masked_size(struct cca_eval *eval,
                                          struct cca_node n) {
  const struct cca_size *a = cca__eval_size(eval, n.a);
  const struct cca_size *b = cca__eval_size(eval, n.b);
  int64_t mask;
  if (cca_size_is_constant(a, &mask) && !cca_size_is_constant(b, &mask)) {
    const struct cca_size *swap = a;
    a = b;
    b = swap;
  }
  if (!cca_size_is_constant(b, &mask)) /* x & (A - 1), x & -A: unknown A */
    return node_at(eval, n.b).op == CCA_OP_SUB ||
                   node_at(eval, n.b).op == CCA_OP_ADD
               ? cca_size_constant(&eval->arena, 0)
               : a;
  if (mask < 0)
    return cca_size_without_slack(&eval->arena, a, -mask);
  if (mask > 0xffff || cca_size_has(a, CCA_ATOM_SIZEOF))
    return a;                                /* keeps all that a size needs */
  return cca_size_constant(&eval->arena, 0); /* the low bits: padding */
}

static const struct cca_size *operands_size(struct cca_eval *eval,
                                            struct cca_node n) {
  const struct cca_size *size = cca_size_none();
  for (uint32_t i = 0; i < n.b && i < 64; i++) {
    const struct cca_size *one =
        cca__eval_size(eval, cca_operand_at(eval->unit->table, n.a + i).node);
    size = n.op == CCA_OP_EITHER ? cca_size_join(&eval->arena, size, one)
                                 : cca_size_mix(&eval->arena, size, one);
  }
  return size;
}

/* A difference of pointers into one parameter is a length of its content. */
static const struct cca_size *difference(struct cca_eval *eval,
                                         struct cca_node n) {
  uint8_t from = cca__eval_root(eval, n.b, true);
  if (from != CCA_NO_ROOT && cca__eval_root(eval, n.a, true) != CCA_NO_ROOT)
    return cca_size_atom(
        &eval->arena, 1,
        (struct cca_atom){.kind = CCA_ATOM_CONTENT, .root = from});
  return cca_size_sub(&eval->arena, cca__eval_size(eval, n.a),
                      cca__eval_size(eval, n.b));
}

static const struct cca_size *compute_size(struct cca_eval *eval,
                                           uint32_t node) {
  struct cca_node n = node_at(eval, node);
  struct cca_arena *arena = &eval->arena;
  switch (n.op) {
  case CCA_OP_CONSTANT:
    return cca_size_constant(arena, (int64_t)((uint64_t)n.b << 32 | n.a));
  case CCA_OP_SIZEOF:
    return size_of_type(eval, n);
  case CCA_OP_OFFSETOF:
    return cca_size_atom(
        arena, 1,
        (struct cca_atom){.kind = CCA_ATOM_PART,
                          .root = CCA_NO_ROOT,
                          .detail = n.b > 0xffff ? 0xffff : (uint16_t)n.b,
                          .index = eval->unit->types[n.a]});
  case CCA_OP_PARAM:
    if (!eval->has_row || is_pointer_param(eval, n.a))
      return opaque(eval);
    return cca_size_atom(arena, 1,
                         (struct cca_atom){.kind = CCA_ATOM_PARAM,
                                           .root = CCA_NO_ROOT,
                                           .index = n.a});
  case CCA_OP_LOAD:
    return loaded_size(eval, n);
  case CCA_OP_CALL:
    return called_size(eval, n);
  case CCA_OP_ADD:
    return cca_size_add(arena, cca__eval_size(eval, n.a),
                        cca__eval_size(eval, n.b));
  case CCA_OP_SUB:
    return difference(eval, n);
  case CCA_OP_MUL:
    return cca_size_mul(arena, cca__eval_size(eval, n.a),
                        cca__eval_size(eval, n.b));
  case CCA_OP_DIV:
    return cca_size_div(arena, cca__eval_size(eval, n.a),
                        cca__eval_size(eval, n.b));
  case CCA_OP_AND:
    return masked_size(eval, n);
  case CCA_OP_EITHER:
  case CCA_OP_MIX:
    return operands_size(eval, n);
  default:
    return opaque(eval);
  }
}

const struct cca_size *cca__eval_size(struct cca_eval *eval, uint32_t node) {
  struct memo *memo = memo_of(eval, node);
  if (memo->size)
    return memo->size;
  if (memo->size_busy)
    return cca_size_none();
  if (eval->depth >= DEPTH)
    return opaque(eval);
  memo->size_busy = true;
  eval->depth++;
  const struct cca_size *size = compute_size(eval, node);
  eval->depth--;
  memo = memo_of(eval, node);
  memo->size_busy = false;
  memo->size = size;
  return size;
}

/* ---- Pointers ---- */

static bool same_origin(const struct cca_origin *a,
                        const struct cca_origin *b) {
  if (a->kind != b->kind || a->root != b->root || a->index != b->index ||
      !cca_size_equal(a->offset, b->offset))
    return false;
  if (a->kind != CCA_ORIGIN_FRESH)
    return true;
  return a->block->call == b->block->call &&
         a->block->callee == b->block->callee &&
         a->block->flags == b->block->flags &&
         a->block->param == b->block->param &&
         cca_size_equal(a->block->size, b->block->size);
}

static bool is_full_for(const struct cca_origins *origins, uint8_t kind) {
  return origins->count == CCA_ORIGINS && kind != CCA_ORIGIN_FRESH;
}

static void add_origin(struct cca_origins *origins, struct cca_origin origin) {
  if (is_full_for(origins, origin.kind))
    return;
  for (uint32_t i = 0; i < origins->count; i++)
    if (same_origin(&origins->items[i], &origin))
      return;
  if (origins->count < CCA_ORIGINS) {
    origins->items[origins->count++] = origin;
    return;
  }
  /* No room: a fresh block says more than anything else. */
  for (uint32_t i = 0; origin.kind == CCA_ORIGIN_FRESH && i < CCA_ORIGINS; i++)
    if (origins->items[i].kind != CCA_ORIGIN_FRESH) {
      origins->items[i] = origin;
      return;
    }
}

static void add_simple(struct cca_eval *eval, struct cca_origins *origins,
                       enum cca_origin_kind kind, uint32_t index,
                       uint8_t root) {
  add_origin(origins,
             (struct cca_origin){.kind = (uint8_t)kind,
                                 .root = root,
                                 .index = index,
                                 .offset = cca_size_constant(&eval->arena, 0),
                                 .loc = CCA_NONE,
                                 .call = CCA_NONE});
}

static void add_all(struct cca_eval *eval, struct cca_origins *to,
                    const struct cca_origins *from,
                    const struct cca_size *offset) {
  for (uint32_t i = 0; i < from->count; i++) {
    if (is_full_for(to, from->items[i].kind))
      continue;
    struct cca_origin origin = from->items[i];
    if (offset)
      origin.offset = cca_size_add(&eval->arena, origin.offset, offset);
    add_origin(to, origin);
  }
}

/* How the block that is resized was come by. */
static void set_resized(struct cca_eval *eval, struct cca_block *block,
                        uint32_t node) {
  block->flags &= (uint16_t) ~(CCA_BLOCK_RESIZED | CCA_BLOCK_GROWN);
  block->param = CCA_NO_ROOT;
  if (node == CCA_NONE)
    return;
  const struct cca_origins *from = cca__eval_origins(eval, node);
  for (uint32_t i = 0; i < from->count; i++)
    if (from->items[i].kind == CCA_ORIGIN_PARAM) {
      block->flags |= CCA_BLOCK_RESIZED;
      block->param = (uint8_t)from->items[i].index;
      return;
    }
  for (uint32_t i = 0; i < from->count; i++)
    if (from->items[i].kind != CCA_ORIGIN_NULL)
      block->flags |= CCA_BLOCK_GROWN;
}

static void add_primitive(struct cca_eval *eval, struct cca_origins *origins,
                          const struct cca_call *call, uint32_t number,
                          uint32_t callee, const struct cca_primitive *p) {
  struct cca_block *block = cca_arena_zalloc(&eval->arena, 1, sizeof *block);
  block->size = p->kind == CCA_KIND_DUP
                    ? length_of(eval, argument(eval, call, p->copies))
                    : cca_size_constant(&eval->arena, 1);
  for (int i = 0; i < 2; i++)
    if (p->size[i] != CCA_NO_ROOT) {
      uint32_t node = argument(eval, call, p->size[i]);
      const struct cca_size *size =
          node == CCA_NONE ? opaque(eval) : cca__eval_size(eval, node);
      if (p->kind == CCA_KIND_DUP)
        block->size = cca_size_join(&eval->arena, block->size, size);
      else
        block->size = cca_size_mul(&eval->arena, block->size, size);
    }
  block->call = number;
  block->callee = callee;
  block->kept = CCA_NONE;
  block->param = block->source = CCA_NO_ROOT;
  if (p->zeroed)
    block->flags |= CCA_BLOCK_ZEROED;
  if (p->kind == CCA_KIND_MEMALIGN)
    block->flags |= CCA_BLOCK_ALIGNED;
  if (p->copies != CCA_NO_ROOT) {
    uint32_t node = argument(eval, call, p->copies);
    block->flags |= CCA_BLOCK_DUP | CCA_BLOCK_COPIED;
    if (node != CCA_NONE)
      block->source = cca__eval_root(eval, node, true);
  }
  if (p->block != CCA_NO_ROOT)
    set_resized(eval, block, argument(eval, call, p->block));
  if (call->flags & CCA_CALL_FLAGS_ALWAYS)
    block->flags |= CCA_BLOCK_ALWAYS;
  add_origin(origins,
             (struct cca_origin){.kind = CCA_ORIGIN_FRESH,
                                 .root = CCA_NO_ROOT,
                                 .offset = cca_size_constant(&eval->arena, 0),
                                 .block = block});
}

/* The callee's block, seen from here. */
static const struct cca_block *block_at_call(struct cca_eval *eval,
                                             const struct cca_call *call,
                                             uint32_t number, uint32_t callee,
                                             const struct cca_block *inner) {
  struct cca_block *block = cca_arena_alloc(&eval->arena, sizeof *block);
  *block = *inner;
  block->size = at_call(eval, call, inner->size);
  block->call = number;
  block->callee = callee;
  block->kept = CCA_NONE;
  block->flags &= (uint16_t) ~(CCA_BLOCK_KEPT | CCA_BLOCK_ALWAYS);
  if (call->flags & CCA_CALL_FLAGS_ALWAYS)
    block->flags |= CCA_BLOCK_ALWAYS;
  if (inner->flags & CCA_BLOCK_RESIZED)
    set_resized(eval, block, argument(eval, call, inner->param));
  if (inner->source != CCA_NO_ROOT) {
    uint32_t node = argument(eval, call, inner->source);
    block->source =
        node == CCA_NONE ? CCA_NO_ROOT : cca__eval_root(eval, node, true);
  }
  return block;
}

static void add_result(struct cca_eval *eval, struct cca_origins *origins,
                       const struct cca_call *call, uint32_t number,
                       uint32_t callee, const struct cca_origin *inner) {
  struct cca_origin origin = *inner;
  uint32_t node;
  origin.offset = at_call(eval, call, inner->offset);
  origin.loc = CCA_NONE;
  origin.call = number;
  switch (inner->kind) {
  case CCA_ORIGIN_PARAM:
    node = argument(eval, call, inner->index);
    if (node != CCA_NONE)
      add_all(eval, origins, cca__eval_origins(eval, node), origin.offset);
    return;
  case CCA_ORIGIN_LOADED:
    if (origin.root < CCA_DEEP_ROOT) {
      node = argument(eval, call, origin.root);
      origin.root = node == CCA_NONE ? CCA_NO_ROOT : field_root(eval, node);
    }
    break;
  case CCA_ORIGIN_FRESH:
    origin.block = block_at_call(eval, call, number, callee, inner->block);
    break;
  default:
    break;
  }
  add_origin(origins, origin);
}

static bool allocates(const struct cca_model *model, uint32_t function) {
  const struct cca_primitive *p = model->behaviours[function].primitive;
  if (p && p->allocates && p->out == CCA_NO_ROOT)
    return true;
  const struct cca_origins *returned = model->behaviours[function].returned;
  for (uint32_t i = 0; returned && i < returned->count; i++)
    if (returned->items[i].kind == CCA_ORIGIN_FRESH)
      return true;
  return false;
}

/* Where only types tell the targets, believe them if most allocate. */
static bool believable(const struct cca_model *model, uint32_t call) {
  if (model->target_rule[call] <= CCA_RULE_STORED)
    return true;
  uint32_t yes = 0, all = 0;
  for (uint32_t i = model->targets_first[call];
       i < model->targets_first[call + 1]; i++, all++)
    yes += allocates(model, model->targets[i]);
  return all <= VOTERS && 2 * yes > all;
}

static void add_called(struct cca_eval *eval, struct cca_origins *origins,
                       uint32_t row) {
  const struct cca_model *model = eval->model;
  struct cca_call call = cca_call_at(eval->unit->table, row);
  uint32_t number = eval->unit->first_call + row;
  uint32_t before = origins->count;
  if (believable(model, number))
    for (uint32_t i = model->targets_first[number];
         i < model->targets_first[number + 1]; i++) {
      uint32_t callee = model->targets[i];
      const struct cca_primitive *p = model->behaviours[callee].primitive;
      const struct cca_origins *inner = model->behaviours[callee].returned;
      if (p && p->allocates && p->out == CCA_NO_ROOT)
        add_primitive(eval, origins, &call, number, callee, p);
      else if (p && p->returns != CCA_NO_ROOT) {
        uint32_t node = argument(eval, &call, p->returns);
        if (node != CCA_NONE)
          add_all(eval, origins, cca__eval_origins(eval, node), NULL);
      } else if (inner)
        for (uint32_t k = 0; k < inner->count; k++)
          add_result(eval, origins, &call, number, callee, &inner->items[k]);
    }
  if (origins->count == before)
    add_simple(eval, origins, CCA_ORIGIN_UNKNOWN, 0, CCA_NO_ROOT);
}

/* What calls of the function store through a pointer to local object LOC. */
static void add_out_results(struct cca_eval *eval, struct cca_origins *origins,
                            const struct cca_loc *loc) {
  const struct cca_model *model = eval->model;
  for (uint32_t c = 0; eval->has_row && c < eval->row.calls_count; c++) {
    uint32_t row = eval->row.calls_first + c;
    uint32_t number = eval->unit->first_call + row;
    struct cca_call call = cca_call_at(eval->unit->table, row);
    for (uint32_t t = model->targets_first[number];
         t < model->targets_first[number + 1]; t++) {
      uint32_t callee = model->targets[t];
      const struct cca_primitive *p = model->behaviours[callee].primitive;
      const struct cca_behaviour *b = &model->behaviours[callee];
      bool primitive = p && p->allocates && p->out != CCA_NO_ROOT;
      for (uint32_t o = 0; o < b->out_count + primitive; o++) {
        uint32_t param = o < b->out_count ? b->outs[o].param : p->out;
        uint32_t node = argument(eval, &call, param);
        if (node == CCA_NONE)
          continue;
        struct cca_node n = node_at(eval, node);
        struct cca_node base = node_at(eval, loc->base);
        int32_t offset = 0;
        if (n.op == CCA_OP_ADDRESS) {
          struct cca_loc address = cca_loc_at(eval->unit->table, n.a);
          offset = address.offset;
          n = node_at(eval, address.base);
        }
        if (n.op != CCA_OP_LOCAL || n.a != base.a || offset != loc->offset)
          continue;
        if (o < b->out_count)
          add_result(eval, origins, &call, number, callee, &b->outs[o].origin);
        else
          add_primitive(eval, origins, &call, number, callee, p);
      }
    }
  }
}

static void add_loaded(struct cca_eval *eval, struct cca_origins *origins,
                       uint32_t row) {
  struct cca_loc loc = cca_loc_at(eval->unit->table, row);
  bool local = node_at(eval, loc.base).op == CCA_OP_LOCAL;
  uint32_t location = eval->unit->locations[row];
  if (!local)
    add_origin(origins, (struct cca_origin){
                            .kind = CCA_ORIGIN_LOADED,
                            .root = cca__eval_root(eval, loc.base, false),
                            .index = location == CCA_NONE ? 0 : location,
                            .offset = cca_size_constant(&eval->arena, 0),
                            .loc = row,
                   .call = CCA_NONE});
  uint32_t value;
  for (uint32_t i = 0; (i = next_store(eval, row, i, &value));)
    add_all(eval, origins, cca__eval_origins(eval, value), NULL);
  if (local) {
    add_out_results(eval, origins, &loc);
    if (!origins->count)
      add_simple(eval, origins, CCA_ORIGIN_UNKNOWN, 0, CCA_NO_ROOT);
  }
}

/* Can NODE be a pointer at all? */
static bool maybe_pointer(const struct cca_eval *eval, uint32_t node) {
  struct cca_node n = node_at(eval, node);
  switch (n.op) {
  case CCA_OP_CONSTANT:
  case CCA_OP_SIZEOF:
  case CCA_OP_OFFSETOF:
  case CCA_OP_MUL:
  case CCA_OP_DIV:
  case CCA_OP_MIX:
    return false;
  case CCA_OP_PARAM:
    return is_pointer_param(eval, n.a);
  default:
    return true;
  }
}

static void add_sum(struct cca_eval *eval, struct cca_origins *origins,
                    struct cca_node n) {
  uint32_t pointer = n.a, number = n.b;
  if (n.op == CCA_OP_ADD && !maybe_pointer(eval, n.a)) {
    pointer = n.b;
    number = n.a;
  }
  const struct cca_size *offset = cca__eval_size(eval, number);
  if (n.op == CCA_OP_SUB)
    offset =
        cca_size_sub(&eval->arena, cca_size_constant(&eval->arena, 0), offset);
  add_all(eval, origins, cca__eval_origins(eval, pointer), offset);
}

static void compute_origins(struct cca_eval *eval, uint32_t node,
                            struct cca_origins *origins) {
  struct cca_node n = node_at(eval, node);
  struct cca_loc loc;
  switch (n.op) {
  case CCA_OP_CONSTANT:
    add_simple(eval, origins, CCA_ORIGIN_NULL, 0, CCA_NO_ROOT);
    return;
  case CCA_OP_PARAM:
    if (n.a < CCA_NO_ROOT)
      add_simple(eval, origins, CCA_ORIGIN_PARAM, n.a, (uint8_t)n.a);
    return;
  case CCA_OP_LOAD:
    add_loaded(eval, origins, n.a);
    return;
  case CCA_OP_ADDRESS:
    loc = cca_loc_at(eval->unit->table, n.a);
    add_all(eval, origins, cca__eval_origins(eval, loc.base),
            cca_size_add(&eval->arena,
                         cca_size_constant(&eval->arena, loc.offset),
                         loc.flags & CCA_LOC_FLAGS_ELEMENT
                             ? opaque(eval)
                             : cca_size_constant(&eval->arena, 0)));
    return;
  case CCA_OP_CALL:
    add_called(eval, origins, n.a);
    return;
  case CCA_OP_FUNC:
  case CCA_OP_GLOBAL:
  case CCA_OP_LOCAL:
    add_simple(eval, origins, CCA_ORIGIN_STATIC, 0, CCA_NO_ROOT);
    return;
  case CCA_OP_ADD:
  case CCA_OP_SUB:
    add_sum(eval, origins, n);
    return;
  case CCA_OP_AND: /* aligned up or down */
    add_all(eval, origins,
            cca__eval_origins(eval, maybe_pointer(eval, n.a) ? n.a : n.b),
            NULL);
    return;
  case CCA_OP_EITHER:
    for (uint32_t i = 0; i < n.b && i < 64; i++)
      add_all(eval, origins,
              cca__eval_origins(
                  eval, cca_operand_at(eval->unit->table, n.a + i).node),
              NULL);
    return;
  case CCA_OP_OPAQUE:
    if (n.a == CCA_OPAQUE_WHY_LOOP)
      return;
    if (n.a == CCA_OPAQUE_WHY_STRING) {
      add_simple(eval, origins, CCA_ORIGIN_STATIC, 0, CCA_NO_ROOT);
      return;
    }
    break;
  default:
    break;
  }
  add_simple(eval, origins, CCA_ORIGIN_UNKNOWN, 0, CCA_NO_ROOT);
}

const struct cca_origins *cca__eval_origins(struct cca_eval *eval,
                                            uint32_t node) {
  static const struct cca_origins nothing;
  struct memo *memo = memo_of(eval, node);
  if (memo->origins)
    return memo->origins;
  if (memo->open) {
    if (memo->open < eval->reached)
      eval->reached = memo->open;
    return memo->partial;
  }
  if (eval->depth >= DEPTH)
    return &nothing;
  struct cca_origins *origins =
      cca_arena_alloc(&eval->arena, sizeof *origins);
  origins->count = 0;
  uint32_t outer = eval->reached, depth = ++eval->depth;
  memo->open = depth;
  memo->partial = origins;
  eval->reached = UINT32_MAX;
  compute_origins(eval, node, origins);
  memo = memo_of(eval, node);
  memo->open = 0;
  /* What leans on a value further out that is not complete yet is not kept. */
  if (eval->reached >= depth || eval->budget == 0)
    memo->origins = origins;
  else
    eval->budget--;
  if (eval->reached >= depth || outer < eval->reached)
    eval->reached = outer;
  eval->depth--;
  return origins;
}
