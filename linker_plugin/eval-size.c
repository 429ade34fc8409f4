/* SPDX-License-Identifier: MIT */
/*
 * eval-size.c -- integers: the size (domain.h) that a node evaluates to, in
 * terms of its function's parameters.  eval.c says how evaluation ends.
 */
#include "eval-state.h"

struct substitution {
  struct cca_eval *eval;
  const struct cca_call *call;
};

static const struct cca_size *argument_for(struct cca_atom atom,
                                           void *payload) {
  struct substitution *s = payload;
  if (atom.kind == CCA_ATOM_PARAM) {
    uint32_t node = cca__eval_argument(s->eval, s->call, atom.index);
    return node == CCA_NONE ? cca_size_none() : cca__eval_size(s->eval, node);
  }
  if ((atom.kind == CCA_ATOM_FIELD || atom.kind == CCA_ATOM_CONTENT) &&
      atom.root < CCA_DEEP_ROOT) {
    uint32_t node = cca__eval_argument(s->eval, s->call, atom.root);
    atom.root =
        node == CCA_NONE ? CCA_NO_ROOT : cca__eval_field_root(s->eval, node);
    if (atom.kind == CCA_ATOM_FIELD && !atom.index &&
        atom.root >= CCA_DEEP_ROOT)
      return cca__eval_opaque(
          s->eval); /* what a pointer leads to, of no known place */
    return cca_size_atom(&s->eval->arena, 1, atom);
  }
  return NULL;
}

const struct cca_size *cca__eval_put_in(struct cca_eval *eval,
                                        const struct cca_call *call,
                                        const struct cca_size *size) {
  struct substitution s = {eval, call};
  return cca_size_substitute(&eval->arena, size, argument_for, &s);
}

const struct cca_size *cca__eval_at_call(struct cca_eval *eval, uint32_t call,
                                         const struct cca_size *size) {
  struct cca_call row = cca__call(eval->model, call);
  return cca__eval_put_in(eval, &row, size);
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

/* What the function stores exactly where row LOC is. */
static const struct cca_size *stored_size(struct cca_eval *eval, uint32_t loc) {
  const struct cca_size *size = cca_size_none();
  uint32_t value;
  for (uint32_t i = 0; (i = cca__eval_next_store(eval, loc, i, &value));)
    size = cca_size_join(&eval->arena, size, cca__eval_size(eval, value));
  return size;
}

static const struct cca_size *loaded_size(struct cca_eval *eval,
                                          struct cca_node n) {
  struct cca_loc loc = cca_loc_at(eval->unit->table, n.a);
  if (cca__eval_node_at(eval, loc.base).op == CCA_OP_LOCAL) {
    const struct cca_size *size = stored_size(eval, n.a);
    return size->alt_count ? size : cca__eval_opaque(eval);
  }
  uint8_t root = cca__eval_field_root(eval, loc.base);
  uint32_t location = eval->unit->locations[n.a];
  if (location == CCA_NONE) {
    if (root >= CCA_DEEP_ROOT)
      return cca__eval_opaque(eval);
    location = 0; /* what a parameter points to */
  }
  return cca_size_atom(&eval->arena, 1,
                       (struct cca_atom){.kind = CCA_ATOM_FIELD,
                                         .root = root,
                                         .index = location});
}

/* The length of what the pointer NODE (or CCA_NONE) points to. */
const struct cca_size *cca__eval_length_of(struct cca_eval *eval,
                                           uint32_t node) {
  struct cca_atom atom = {.kind = CCA_ATOM_CONTENT, .root = CCA_NO_ROOT};
  if (node != CCA_NONE)
    atom.root = cca__eval_field_root(eval, node);
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
    const struct cca_size *one = cca__eval_opaque(eval);
    if (p && p->length != CCA_NO_ROOT) {
      one =
          cca__eval_length_of(eval, cca__eval_argument(eval, &call, p->length));
    } else if (b->number && b->number->alt_count)
      one = cca__eval_put_in(eval, &call, b->number);
    size = cca_size_join(&eval->arena, size, one);
  }
  return size->alt_count ? size : cca__eval_opaque(eval);
}

static bool has_negative(const struct cca_size *size) {
  for (uint32_t i = 0; i < size->alt_count; i++)
    for (uint32_t t = 0; t < size->alts[i].term_count; t++)
      if (size->alts[i].terms[t].factor < 0)
        return true;
  return false;
}

const struct cca_size *cca__eval_unrounded(struct cca_eval *eval,
                                           const struct cca_size *size,
                                           uint32_t mask) {
  struct cca_node n = cca__eval_node_at(eval, mask);
  if (n.op != CCA_OP_MIX || n.b != 1) /* ~m */
    return size;
  const struct cca_size *without = cca_size_sub(
      &eval->arena, size,
      cca__eval_size(eval, cca_operand_at(eval->unit->table, n.a).node));
  return has_negative(without) ? size : without;
}

/* A - (n & (A - 1)), where A is the size or an offset in a type: padding. */
static bool is_padding(struct cca_eval *eval, struct cca_node n) {
  const struct cca_size *a = cca__eval_size(eval, n.a);
  struct cca_node rest = cca__eval_node_at(eval, n.b);
  if (rest.op != CCA_OP_AND || a->alt_count != 1 || a->alts[0].bag ||
      a->alts[0].term_count != 1 || a->alts[0].terms[0].atom_count != 1 ||
      a->alts[0].terms[0].factor != 1)
    return false;
  struct cca_atom atom = a->alts[0].terms[0].atoms[0];
  const struct cca_size *mask =
      cca_size_add(&eval->arena, cca__eval_size(eval, rest.b),
                   cca_size_constant(&eval->arena, 1));
  return cca_atom_is_sizeof(atom) && cca_size_equal(a, mask);
}

/* Are there sizes of types in SIZE that the low bits in MASK can hold? */
static bool fits_in(struct cca_eval *eval, const struct cca_size *size,
                    int64_t mask) {
  for (uint32_t i = 0; i < size->alt_count; i++)
    for (uint32_t t = 0; t < size->alts[i].term_count; t++) {
      const struct cca_term *term = &size->alts[i].terms[t];
      for (uint32_t k = 0; k < term->atom_count; k++) {
        int64_t bytes;
        if (term->atoms[k].kind == CCA_ATOM_SIZEOF && term->factor > 0 &&
            !__builtin_mul_overflow(
                cca__type_bytes(term->atoms[k].index, eval->model),
                term->factor, &bytes) &&
            bytes <= mask)
          return true;
      }
    }
  return false;
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
    return cca__eval_node_at(eval, n.b).op == CCA_OP_SUB ||
                   cca__eval_node_at(eval, n.b).op == CCA_OP_ADD
               ? cca_size_constant(&eval->arena, 0)
               : cca__eval_unrounded(eval, a, n.b);
  if (mask < 0)
    return cca_size_without_slack(&eval->arena, a, -mask);
  if (mask > 0xffff || fits_in(eval, a, mask))
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
  if (is_padding(eval, n))
    return cca_size_constant(&eval->arena, 0);
  uint8_t from = cca__eval_root(eval, n.b, true);
  if (from != CCA_NO_ROOT && cca__eval_root(eval, n.a, true) != CCA_NO_ROOT)
    return cca_size_atom(
        &eval->arena, 1,
        (struct cca_atom){.kind = CCA_ATOM_CONTENT, .root = from});
  return cca_size_sub(&eval->arena, cca__eval_size(eval, n.a),
                      cca__eval_size(eval, n.b));
}

/* Are there low bits of something in NODE, added to constants? */
static bool has_low_bits(const struct cca_eval *eval, uint32_t node,
                         int depth) {
  struct cca_node n = cca__eval_node_at(eval, node);
  if (n.op == CCA_OP_AND)
    return true;
  return depth && (n.op == CCA_OP_ADD || n.op == CCA_OP_SUB) &&
         (has_low_bits(eval, n.a, depth - 1) ||
          has_low_bits(eval, n.b, depth - 1));
}

/* NODE as a factor.  Low bits that are added to a size are padding, and
 * nothing; where there is nothing else, they are a count. */
static const struct cca_size *factor(struct cca_eval *eval, uint32_t node) {
  const struct cca_size *size = cca__eval_size(eval, node);
  int64_t fixed;
  return cca_size_is_constant(size, &fixed) && has_low_bits(eval, node, 3)
             ? cca__eval_opaque(eval)
             : size;
}

static const struct cca_size *compute_size(struct cca_eval *eval,
                                           uint32_t node) {
  struct cca_node n = cca__eval_node_at(eval, node);
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
    if (!eval->has_row || cca__eval_is_pointer_param(eval, n.a))
      return cca__eval_opaque(eval);
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
    return cca_size_mul(arena, factor(eval, n.a), factor(eval, n.b));
  case CCA_OP_DIV:
    return cca_size_div(arena, cca__eval_size(eval, n.a),
                        cca__eval_size(eval, n.b));
  case CCA_OP_AND:
    return masked_size(eval, n);
  case CCA_OP_EITHER:
  case CCA_OP_MIX:
    return operands_size(eval, n);
  default:
    return cca__eval_opaque(eval);
  }
}

const struct cca_size *cca__eval_size(struct cca_eval *eval, uint32_t node) {
  struct memo *memo = cca__eval_memo_of(eval, node);
  if (memo->size)
    return memo->size;
  if (memo->size_busy)
    return cca_size_none();
  if (eval->depth >= DEPTH)
    return cca__eval_opaque(eval);
  memo->size_busy = true;
  eval->depth++;
  const struct cca_size *size = compute_size(eval, node);
  eval->depth--;
  memo = cca__eval_memo_of(eval, node);
  memo->size_busy = false;
  memo->size = size;
  return size;
}
