/* SPDX-License-Identifier: MIT */
/*
 * eval-origins.c -- pointers: where what a node evaluates to comes from, in
 * terms of its function's parameters.  eval.c says how evaluation ends.
 */
#include "eval-state.h"

static bool same_origin(const struct cca_origin *a,
                        const struct cca_origin *b) {
  if (a->kind != b->kind || a->root != b->root || a->index != b->index ||
      a->taken != b->taken || !cca_size_equal(a->offset, b->offset))
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

/* All of FROM, cut down with MASK. */
static void add_aligned(struct cca_eval *eval, struct cca_origins *to,
                        const struct cca_origins *from, uint32_t mask) {
  for (uint32_t i = 0; i < from->count; i++) {
    if (is_full_for(to, from->items[i].kind))
      continue;
    struct cca_origin origin = from->items[i];
    origin.offset = cca__eval_unrounded(eval, origin.offset, mask);
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
  block->size =
      p->kind == CCA_KIND_DUP
          ? cca__eval_length_of(eval, cca__eval_argument(eval, call, p->copies))
          : cca_size_constant(&eval->arena, 1);
  for (int i = 0; i < 2; i++)
    if (p->size[i] != CCA_NO_ROOT) {
      uint32_t node = cca__eval_argument(eval, call, p->size[i]);
      const struct cca_size *size = node == CCA_NONE
                                        ? cca__eval_opaque(eval)
                                        : cca__eval_size(eval, node);
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
    uint32_t node = cca__eval_argument(eval, call, p->copies);
    block->flags |= CCA_BLOCK_DUP | CCA_BLOCK_COPIED;
    if (node != CCA_NONE)
      block->source = cca__eval_source(eval, node, true);
  }
  if (p->block != CCA_NO_ROOT)
    set_resized(eval, block, cca__eval_argument(eval, call, p->block));
  if (call->flags & CCA_CALL_FLAGS_ALWAYS)
    block->flags |= CCA_BLOCK_ALWAYS;
  add_origin(origins,
             (struct cca_origin){.kind = CCA_ORIGIN_FRESH,
                                 .root = CCA_NO_ROOT,
                                 .offset = cca_size_constant(&eval->arena, 0),
                                 .block = block});
}

/* Is something among ORIGINS, which a callee returns, that stays where it is?
 */
static bool may_find(const struct cca_origins *origins) {
  for (uint32_t i = 0; origins && i < origins->count; i++)
    if (origins->items[i].kind == CCA_ORIGIN_LOADED && !origins->items[i].taken)
      return true;
  return false;
}

/* What one alternative of a size, behind a callee's result, consists of. */
struct part {
  bool asked;  /* for by a parameter */
  bool found;  /* in memory, or not known */
  bool record; /* a record's size is added: the object's type */
  bool own;    /* a type's size, or less: the callee's own business */
};

static struct part part_of(const struct cca_model *model,
                           const struct cca_term *term) {
  struct part part = {0};
  bool types = false, record = false, params = false, other = false;
  for (uint32_t k = 0; k < term->atom_count; k++) {
    struct cca_atom atom = term->atoms[k];
    bool type = cca_atom_is_sizeof(atom);
    types |= type;
    record |= type && (atom.kind == CCA_ATOM_PART ||
                       cca__is_record(cca__type(model, atom.index)));
    params |= atom.kind == CCA_ATOM_PARAM;
    other |= !type && atom.kind != CCA_ATOM_PARAM;
  }
  part.own = (types || term->factor < 0) && !params;
  part.record = record && term->factor > 0;
  part.asked = params && !types && !other && term->factor > 0;
  part.found = other && !part.own;
  return part;
}

/*
 * The size of what a callee returns, as far as its callers have to do with it:
 * of a block as large as they ask for, headers, trailers and floors are the
 * callee's own, and the types in them are no types of what is made.  A record
 * before what is asked for is the object itself.
 */
static const struct cca_size *asked_for(struct cca_eval *eval,
                                        const struct cca_size *size,
                                        const struct cca_size *offset) {
  struct cca_arena *arena = &eval->arena;
  if (!cca_size_params(size) || offset->alt_count != 1 ||
      !(size->alt_count > 1 || cca_size_has(size, CCA_ATOM_SIZEOF) ||
        cca_size_has(size, CCA_ATOM_PART)))
    return size;
  const struct cca_size *rest =
      cca_size_rebase(arena, size, offset, cca__type_bytes, eval->model);
  struct cca_size *kept = cca_arena_zalloc(arena, 1, sizeof *kept);
  bool any = false, own = false;
  for (uint32_t i = 0; i < rest->alt_count; i++) {
    const struct cca_alt *alt = &rest->alts[i];
    struct cca_alt *to = &kept->alts[kept->alt_count];
    struct part all = {0};
    to->terms =
        cca_arena_alloc(arena, (alt->term_count + 1) * sizeof *to->terms);
    to->term_count = 0;
    for (uint32_t t = 0; t < alt->term_count; t++) {
      struct part one = part_of(eval->model, &alt->terms[t]);
      all.asked |= one.asked;
      all.found |= one.found;
      all.record |= one.record;
      own |= one.own;
      if (!one.own)
        to->terms[to->term_count++] = alt->terms[t];
    }
    if (alt->bag || all.found || (all.asked && all.record))
      return size;
    any |= all.asked;
    own |= !all.asked; /* a floor */
    kept->alt_count += all.asked;
  }
  return any && own ? cca_size_add(arena, kept, offset) : size;
}

/* The callee's block, seen from here. */
static const struct cca_block *block_at_call(struct cca_eval *eval,
                                             const struct cca_call *call,
                                             uint32_t number, uint32_t callee,
                                             const struct cca_origin *origin) {
  const struct cca_block *inner = origin->block;
  struct cca_block *block = cca_arena_alloc(&eval->arena, sizeof *block);
  *block = *inner;
  block->size = cca__eval_put_in(eval, call,
                                 asked_for(eval, inner->size, origin->offset));
  block->call = number;
  block->callee = callee;
  block->kept = CCA_NONE;
  block->flags &=
      (uint16_t) ~(CCA_BLOCK_KEPT | CCA_BLOCK_PASSING | CCA_BLOCK_ALWAYS);
  bool lazy = inner->flags & CCA_BLOCK_SHARED &&
              !(inner->flags & CCA_BLOCK_ALWAYS) &&
              may_find(eval->model->behaviours[callee].returned);
  if (call->flags & CCA_CALL_FLAGS_ALWAYS && !lazy)
    block->flags |= CCA_BLOCK_ALWAYS;
  if (inner->flags & CCA_BLOCK_RESIZED)
    set_resized(eval, block, cca__eval_argument(eval, call, inner->param));
  if (inner->source != CCA_NO_ROOT) {
    uint32_t node = cca__eval_argument(eval, call, inner->source);
    block->source =
        node == CCA_NONE ? CCA_NO_ROOT : cca__eval_source(eval, node, true);
  }
  return block;
}

static void add_result(struct cca_eval *eval, struct cca_origins *origins,
                       const struct cca_call *call, uint32_t number,
                       uint32_t callee, const struct cca_origin *inner) {
  struct cca_origin origin = *inner;
  uint32_t node;
  origin.offset = cca__eval_put_in(eval, call, inner->offset);
  origin.loc = CCA_NONE;
  origin.call = number;
  switch (inner->kind) {
  case CCA_ORIGIN_PARAM:
    node = cca__eval_argument(eval, call, inner->index);
    if (node != CCA_NONE)
      add_all(eval, origins, cca__eval_origins(eval, node), origin.offset);
    return;
  case CCA_ORIGIN_LOADED:
    if (origin.root < CCA_DEEP_ROOT) {
      node = cca__eval_argument(eval, call, origin.root);
      origin.root =
          node == CCA_NONE ? CCA_NO_ROOT : cca__eval_field_root(eval, node);
    }
    break;
  case CCA_ORIGIN_FRESH:
    origin.block = block_at_call(eval, call, number, callee, inner);
    break;
  default:
    break;
  }
  add_origin(origins, origin);
}

static bool returns_fresh(const struct cca_model *model, uint32_t function) {
  const struct cca_behaviour *b = &model->behaviours[function];
  const struct cca_primitive *p = b->primitive;
  return (p && p->allocates && p->out == CCA_NO_ROOT) ||
         cca__any_fresh(b->returned);
}

/* Where only types tell the targets, believe them if most allocate. */
static bool believable(const struct cca_model *model, uint32_t call) {
  if (model->target_rule[call] <= CCA_RULE_STORED)
    return true;
  uint32_t yes = 0, all = 0;
  for (uint32_t i = model->targets_first[call];
       i < model->targets_first[call + 1]; i++, all++)
    yes += returns_fresh(model, model->targets[i]);
  return all <= VOTERS && 2 * yes > all;
}

bool cca__eval_maps_file(struct cca_eval *eval, const struct cca_call *call,
                         const struct cca_primitive *p) {
  int64_t value;
  uint32_t node = p->file == CCA_NO_ROOT
                      ? CCA_NONE
                      : cca__eval_argument(eval, call, p->file);
  return node != CCA_NONE &&
         !(cca_size_is_constant(cca__eval_size(eval, node), &value) &&
           (int32_t)value == -1);
}

/* What argument A of CALL points to, OFFSET further on. */
static void add_argument(struct cca_eval *eval, struct cca_origins *origins,
                         const struct cca_call *call, uint8_t a,
                         const struct cca_size *offset) {
  uint32_t node = cca__eval_argument(eval, call, a);
  if (node != CCA_NONE)
    add_all(eval, origins, cca__eval_origins(eval, node), offset);
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
      if (p && p->allocates && cca__eval_maps_file(eval, &call, p))
        continue;
      if (p && p->allocates && p->out == CCA_NO_ROOT)
        add_primitive(eval, origins, &call, number, callee, p);
      else if (p && p->returns != CCA_NO_ROOT)
        add_argument(eval, origins, &call, p->returns, NULL);
      else if (p && p->inside != CCA_NO_ROOT) {
        add_argument(eval, origins, &call, p->inside,
                     cca_size_atom(&eval->arena, 1,
                                   (struct cca_atom){.kind = CCA_ATOM_OPAQUE,
                                                     .root = CCA_NO_ROOT}));
        add_simple(eval, origins, CCA_ORIGIN_NULL, 0, CCA_NO_ROOT);
      } else if (inner)
        for (uint32_t k = 0; k < inner->count; k++)
          add_result(eval, origins, &call, number, callee, &inner->items[k]);
    }
  if (origins->count == before)
    add_simple(eval, origins,
               cca__calls_hook(model, eval->unit->table, &call, number)
                   ? CCA_ORIGIN_HOOK
                   : CCA_ORIGIN_UNKNOWN,
               0, CCA_NO_ROOT);
}

/* Does NODE point to where LOC is in its local object, or before that? */
static bool leads_to(const struct cca_eval *eval, uint32_t node,
                     const struct cca_loc *loc, bool exactly) {
  struct cca_node n = cca__eval_node_at(eval, node);
  int32_t offset = 0;
  if (n.op == CCA_OP_ADDRESS) {
    struct cca_loc address = cca_loc_at(eval->unit->table, n.a);
    offset = address.offset;
    n = cca__eval_node_at(eval, address.base);
  }
  return n.op == CCA_OP_LOCAL && n.a == cca__eval_node_at(eval, loc->base).a &&
         (exactly ? offset == loc->offset : offset <= loc->offset);
}

/* May CALL put anything at LOC, in a local object that it is given?  That is
 * not seen, or does not come from an allocation. */
static bool may_set(const struct cca_eval *eval, const struct cca_call *call,
                    uint32_t number, const struct cca_loc *loc) {
  const struct cca_model *model = eval->model;
  uint32_t first = model->targets_first[number];
  uint32_t end = model->targets_first[number + 1];
  for (uint32_t a = 0; a < call->args_count && a < 64; a++) {
    if (!leads_to(eval, cca__eval_argument(eval, call, a), loc, false))
      continue;
    if (first == end || model->target_rule[number] > CCA_RULE_STORED)
      return true;
    for (uint32_t t = first; t < end; t++) {
      const struct cca_behaviour *b = &model->behaviours[model->targets[t]];
      if (model->traits[model->targets[t]] & CCA_TRAIT_IMPORTED ||
          (b->builds | b->writes) & cca__bit(a))
        return true;
    }
  }
  return false;
}

/* What calls of the function store through a pointer to local object LOC. */
static void add_out_results(struct cca_eval *eval, struct cca_origins *origins,
                            const struct cca_loc *loc) {
  const struct cca_model *model = eval->model;
  bool unknown = false;
  for (uint32_t c = 0; eval->has_row && c < eval->row.calls_count; c++) {
    uint32_t row = eval->row.calls_first + c;
    uint32_t number = eval->unit->first_call + row;
    struct cca_call call = cca_call_at(eval->unit->table, row);
    bool set = false;
    for (uint32_t t = model->targets_first[number];
         t < model->targets_first[number + 1]; t++) {
      uint32_t callee = model->targets[t];
      const struct cca_primitive *p = model->behaviours[callee].primitive;
      const struct cca_behaviour *b = &model->behaviours[callee];
      bool primitive = p && p->allocates && p->out != CCA_NO_ROOT;
      for (uint32_t o = 0; o < b->out_count + primitive; o++) {
        uint32_t param = o < b->out_count ? b->outs[o].param : p->out;
        uint32_t node = cca__eval_argument(eval, &call, param);
        if (node == CCA_NONE || !leads_to(eval, node, loc, true))
          continue;
        set = true;
        if (o < b->out_count)
          add_result(eval, origins, &call, number, callee, &b->outs[o].origin);
        else
          add_primitive(eval, origins, &call, number, callee, p);
      }
    }
    unknown |= !set && !unknown && may_set(eval, &call, number, loc);
  }
  if (unknown)
    add_simple(eval, origins, CCA_ORIGIN_UNKNOWN, 0, CCA_NO_ROOT);
}

static void add_loaded(struct cca_eval *eval, struct cca_origins *origins,
                       uint32_t row) {
  struct cca_loc loc = cca_loc_at(eval->unit->table, row);
  bool local = cca__eval_node_at(eval, loc.base).op == CCA_OP_LOCAL;
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
  for (uint32_t i = 0; (i = cca__eval_next_store(eval, row, i, &value));)
    add_all(eval, origins, cca__eval_origins(eval, value), NULL);
  if (local) {
    add_out_results(eval, origins, &loc);
    if (!origins->count)
      add_simple(eval, origins, CCA_ORIGIN_UNKNOWN, 0, CCA_NO_ROOT);
  }
}

/* Can NODE be a pointer at all? */
static bool maybe_pointer(const struct cca_eval *eval, uint32_t node) {
  struct cca_node n = cca__eval_node_at(eval, node);
  switch (n.op) {
  case CCA_OP_CONSTANT:
  case CCA_OP_SIZEOF:
  case CCA_OP_OFFSETOF:
  case CCA_OP_MUL:
  case CCA_OP_DIV:
  case CCA_OP_MIX:
    return false;
  case CCA_OP_PARAM:
    return cca__eval_is_pointer_param(eval, n.a);
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
  struct cca_node n = cca__eval_node_at(eval, node);
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
                             ? cca__eval_opaque(eval)
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
    if (maybe_pointer(eval, n.a))
      add_aligned(eval, origins, cca__eval_origins(eval, n.a), n.b);
    else
      add_aligned(eval, origins, cca__eval_origins(eval, n.b), n.a);
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
  struct memo *memo = cca__eval_memo_of(eval, node);
  if (memo->origins)
    return memo->origins;
  if (memo->open) {
    if (memo->open < eval->reached)
      eval->reached = memo->open;
    return memo->partial;
  }
  if (eval->depth >= DEPTH)
    return &nothing;
  struct cca_origins *origins = cca_arena_alloc(&eval->arena, sizeof *origins);
  origins->count = 0;
  uint32_t outer = eval->reached, depth = ++eval->depth;
  memo->open = depth;
  memo->partial = origins;
  eval->reached = UINT32_MAX;
  compute_origins(eval, node, origins);
  memo = cca__eval_memo_of(eval, node);
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

/* Is FROM a load of an element of the array that STORE puts something in? */
static bool same_array(const struct cca_eval *eval, const struct cca_loc *from,
                       const struct cca_store *store) {
  struct cca_loc to = cca_loc_at(eval->unit->table, store->loc);
  if (!(to.flags & CCA_LOC_FLAGS_ELEMENT) || to.record != CCA_NONE ||
      to.size != from->size)
    return false;
  struct cca_node sum = cca__eval_node_at(eval, to.base);
  if (to.base == from->base || sum.op != CCA_OP_ADD)
    return to.base == from->base;
  struct cca_node a = cca__eval_node_at(eval, sum.a),
                  b = cca__eval_node_at(eval, from->base);
  return sum.a == from->base || (a.op == CCA_OP_LOAD && b.op == CCA_OP_LOAD &&
                                 cca__eval_same_place(eval, a.a, b.a));
}

/* Is call NUMBER made whatever is found? */
static bool is_always(const struct cca_eval *eval, uint32_t number) {
  uint32_t row = number - eval->unit->first_call;
  return row - eval->row.calls_first < eval->row.calls_count &&
         cca_call_at(eval->unit->table, row).flags & CCA_CALL_FLAGS_ALWAYS;
}

static void add_elements(struct cca_eval *eval, struct cca_origins *origins,
                         const struct cca_loc *loc) {
  enum { LOOKED_AT = 64 };
  uint32_t count = eval->has_row ? eval->row.stores_count : 0;
  for (uint32_t i = 0; i < count && i < LOOKED_AT; i++) {
    struct cca_store store =
        cca_store_at(eval->unit->table, eval->row.stores_first + i);
    if (!same_array(eval, loc, &store))
      continue;
    const struct cca_origins *made = cca__eval_origins(eval, store.value);
    for (uint32_t k = 0; k < made->count; k++) {
      struct cca_origin one = made->items[k];
      if (one.kind != CCA_ORIGIN_FRESH)
        continue;
      struct cca_block *block = cca_arena_alloc(&eval->arena, sizeof *block);
      *block = *one.block;
      if (!is_always(eval, block->call))
        block->flags |= CCA_BLOCK_PLACED;
      one.block = block;
      add_origin(origins, one);
    }
  }
}

void cca__eval_add_elements(struct cca_eval *eval, uint32_t node,
                            struct cca_origins *origins) {
  struct cca_node n = cca__eval_node_at(eval, node);
  uint32_t count = n.op == CCA_OP_EITHER ? n.b : 1;
  for (uint32_t i = 0; i < count && i < 64; i++) {
    struct cca_node one =
        n.op == CCA_OP_EITHER
            ? cca__eval_node_at(eval,
                                cca_operand_at(eval->unit->table, n.a + i).node)
            : n;
    if (one.op != CCA_OP_LOAD)
      continue;
    struct cca_loc loc = cca_loc_at(eval->unit->table, one.a);
    if (loc.flags & CCA_LOC_FLAGS_ELEMENT && loc.record == CCA_NONE)
      add_elements(eval, origins, &loc);
  }
}
