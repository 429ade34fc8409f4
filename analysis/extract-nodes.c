/* SPDX-License-Identifier: MIT */
/*
 * extract-nodes.c -- building the value graph of one function, and its rows.
 *
 * Equal nodes and equal locations are one (hash-consing), so the graph is as
 * small as the function has distinct values; two loads of one location are one
 * node, whatever was stored between them.  Constants are folded, and brought
 * into one form: a constant operand stands on the right, `x - 3` is `x + -3`,
 * `x << 3` is `x * 8`, `x + (0 - y)` is `x - y`, alternatives of alternatives
 * are alternatives.
 *
 * Nodes are made for every value, since it costs less than to ask which are
 * needed.  In the end those that calls, stores and returns lead to become
 * rows, in their order, so that a row refers to earlier rows only.
 */
#include <string.h>

#include "analysis/extract-unit.h"

enum {
  MAX_LIST = 64, /* alternatives of one value */
  MAX_FLAT = 8,  /* of one of these, to be listed among the others: lists of
                    lists grow with the square of a long chain of choices */
};

/* Both indices are hash tables of numbers + 1, at most half full. */
static uint32_t *node_slot(struct body *b, struct node node) {
  size_t mask = b->node_index.count - 1;
  size_t at = (size_t)cca_hash(0, &node, sizeof node) & mask;
  for (uint32_t *slots = b->node_index.items; slots[at]; at = (at + 1) & mask)
    if (memcmp(&b->nodes.items[slots[at] - 1], &node, sizeof node) == 0)
      break;
  return &b->node_index.items[at];
}

static uint32_t *spot_slot(struct body *b, const struct spot *spot) {
  size_t mask = b->spot_index.count - 1;
  size_t at = (size_t)cca_hash(0, spot, sizeof *spot) & mask;
  for (uint32_t *slots = b->spot_index.items; slots[at]; at = (at + 1) & mask)
    if (memcmp(&b->spots.items[slots[at] - 1], spot, sizeof *spot) == 0)
      break;
  return &b->spot_index.items[at];
}

/* Make INDEX twice as large and empty; the caller fills it again. */
static void grow_index(uint32_t **slots, size_t *count, size_t *room) {
  *count = *count ? *count * 2 : 64;
  if (*room < *count) {
    *slots = cca_realloc(*slots, *count, sizeof **slots);
    *room = *count;
  }
  memset(*slots, 0, *count * sizeof **slots);
}

uint32_t cca__node(struct body *b, enum cca_op op, uint32_t x, uint32_t y) {
  if (b->node_index.count / 2 <= b->nodes.count) {
    grow_index(&b->node_index.items, &b->node_index.count,
               &b->node_index.room);
    for (uint32_t i = 0; i < b->nodes.count; i++)
      *node_slot(b, b->nodes.items[i]) = i + 1;
  }
  struct node node = {op, x, y};
  uint32_t *slot = node_slot(b, node);
  if (!*slot) {
    cca_vec_push(&b->nodes, node);
    *slot = (uint32_t)b->nodes.count;
  }
  return *slot - 1;
}

uint32_t cca__spot(struct body *b, struct spot spot) {
  if (b->spot_index.count / 2 <= b->spots.count) {
    grow_index(&b->spot_index.items, &b->spot_index.count,
               &b->spot_index.room);
    for (uint32_t i = 0; i < b->spots.count; i++)
      *spot_slot(b, &b->spots.items[i]) = i + 1;
  }
  uint32_t *slot = spot_slot(b, &spot);
  if (!*slot) {
    cca_vec_push(&b->spots, spot);
    *slot = (uint32_t)b->spots.count;
  }
  return *slot - 1;
}

uint32_t cca__node_constant(struct body *b, int64_t value) {
  return cca__node(b, CCA_OP_CONSTANT, (uint32_t)value,
                   (uint32_t)((uint64_t)value >> 32));
}

uint32_t cca__node_opaque(struct body *b, enum cca_opaque_why why) {
  return cca__node(b, CCA_OP_OPAQUE, why, 0);
}

bool cca__node_is_constant(const struct body *b, uint32_t node,
                           int64_t *value) {
  const struct node *n = &b->nodes.items[node];
  if (n->op != CCA_OP_CONSTANT)
    return false;
  *value = (int64_t)(n->a | (uint64_t)n->b << 32);
  return true;
}

/* Arithmetic modulo 2^64, which signed C arithmetic is not. */
static bool fold(enum cca_op op, int64_t x, int64_t y, int64_t *out) {
  uint64_t a = (uint64_t)x, c = (uint64_t)y;
  switch (op) {
  case CCA_OP_ADD:
    *out = (int64_t)(a + c);
    return true;
  case CCA_OP_SUB:
    *out = (int64_t)(a - c);
    return true;
  case CCA_OP_MUL:
    *out = (int64_t)(a * c);
    return true;
  case CCA_OP_AND:
    *out = (int64_t)(a & c);
    return true;
  case CCA_OP_DIV:
    if (y == 0 || x < 0 || y < 0)
      return false;
    *out = x / y;
    return true;
  default:
    return false;
  }
}

uint32_t cca__node_binary(struct body *b, enum cca_op op, uint32_t x,
                          uint32_t y) {
  int64_t left, right, folded;
  bool has_left = cca__node_is_constant(b, x, &left);
  bool has_right = cca__node_is_constant(b, y, &right);
  if (has_left && has_right && fold(op, left, right, &folded))
    return cca__node_constant(b, folded);

  bool commutes = op == CCA_OP_ADD || op == CCA_OP_MUL || op == CCA_OP_AND;
  if (has_left && !has_right && commutes)
    return cca__node_binary(b, op, y, x);
  if (has_right && op == CCA_OP_SUB && right != INT64_MIN)
    return cca__node_binary(b, CCA_OP_ADD, x, cca__node_constant(b, -right));

  if (has_right) {
    if (right == 0 && op == CCA_OP_ADD)
      return x;
    if (right == 1 && (op == CCA_OP_MUL || op == CCA_OP_DIV))
      return x;
    if (right == 0 && (op == CCA_OP_MUL || op == CCA_OP_AND))
      return y;
    /* (x + 3) + 4, (x * 3) * 4 */
    struct node inner = b->nodes.items[x];
    int64_t middle;
    if ((op == CCA_OP_ADD || op == CCA_OP_MUL) && inner.op == (uint32_t)op &&
        cca__node_is_constant(b, inner.b, &middle) &&
        fold(op, middle, right, &folded))
      return cca__node_binary(b, op, inner.a, cca__node_constant(b, folded));
  }

  if (op == CCA_OP_ADD)
    for (int side = 0; side < 2; side++) {
      struct node inner = b->nodes.items[side ? x : y];
      if (inner.op == CCA_OP_SUB &&
          cca__node_is_constant(b, inner.a, &left) && left == 0)
        return cca__node(b, CCA_OP_SUB, side ? y : x, inner.b);
    }
  if (op == CCA_OP_SUB && x == y)
    return cca__node_constant(b, 0);
  return cca__node(b, op, x, y);
}

struct unique {
  uint32_t nodes[MAX_LIST];
  size_t count;
};

static void unique_add(struct body *b, struct unique *u, uint32_t node) {
  for (size_t i = 0; i < u->count; i++)
    if (u->nodes[i] == node)
      return;
  if (u->count < MAX_LIST)
    u->nodes[u->count++] = node;
  else /* more than anybody can follow */
    u->nodes[MAX_LIST - 1] = cca__node_opaque(b, CCA_OPAQUE_WHY_UNKNOWN);
}

uint32_t cca__node_list(struct body *b, enum cca_op op, const uint32_t *nodes,
                        size_t count) {
  struct unique u = {.count = 0};
  for (size_t i = 0; i < count; i++) {
    struct node inner = b->nodes.items[nodes[i]];
    if (inner.op == CCA_OP_EITHER && op == CCA_OP_EITHER &&
        inner.b <= MAX_FLAT)
      for (uint32_t k = 0; k < inner.b; k++)
        unique_add(b, &u, b->operands.items[inner.a + k]);
    else
      unique_add(b, &u, nodes[i]);
  }
  const uint32_t *unique = u.nodes;
  size_t n = u.count;
  if (n == 0)
    return cca__node_opaque(b, CCA_OPAQUE_WHY_UNKNOWN);
  if (n == 1 && op == CCA_OP_EITHER)
    return unique[0];
  uint32_t first = (uint32_t)b->operands.count;
  for (size_t i = 0; i < n; i++)
    cca_vec_push(&b->operands, unique[i]);
  return cca__node(b, op, first, (uint32_t)n);
}

void cca__nodes_clear(struct body *b) {
  b->nodes.count = b->operands.count = b->spots.count = b->locals.count = 0;
  /* small tables for small functions: start again at the smallest */
  b->node_index.count = b->spot_index.count = 0;
}

static void need(struct body *b, uint32_t node) {
  b->node_rows.items[node] = 1;
}

/* Which nodes are needed: operands are earlier, so one walk backwards. */
static void mark_needed(struct body *b) {
  for (size_t i = 0; i < b->calls.count; i++) {
    const struct call_info *call = &b->calls.items[i];
    if (call->target != CCA_NONE)
      need(b, call->target);
    for (uint32_t k = 0; k < call->arg_count; k++)
      need(b, b->args.items[call->args + k]);
  }
  for (size_t i = 0; i < b->stores.count; i++) {
    need(b, b->spots.items[b->stores.items[i].spot].base);
    need(b, b->stores.items[i].value);
  }
  for (size_t i = 0; i < b->returns.count; i++)
    need(b, b->returns.items[i].value);

  for (size_t i = b->nodes.count; i-- > 0;) {
    if (!b->node_rows.items[i])
      continue;
    const struct node *node = &b->nodes.items[i];
    switch (node->op) {
    case CCA_OP_LOAD:
    case CCA_OP_ADDRESS:
      need(b, b->spots.items[node->a].base);
      break;
    case CCA_OP_ADD:
    case CCA_OP_SUB:
    case CCA_OP_MUL:
    case CCA_OP_DIV:
    case CCA_OP_AND:
      need(b, node->a);
      need(b, node->b);
      break;
    case CCA_OP_EITHER:
    case CCA_OP_MIX:
      for (uint32_t k = 0; k < node->b; k++)
        need(b, b->operands.items[node->a + k]);
      break;
    default:
      break;
    }
  }
}

static uint32_t local_row(struct body *b, uint32_t local) {
  uint32_t *row = &b->local_rows.items[local];
  if (*row == CCA_NONE) {
    struct unit *u = b->unit;
    LLVMValueRef slot = b->locals.items[local];
    struct cca_local l = cca_local_init();
    l.func = b->func_row;
    l.of = CCA_NONE;
    uint32_t at = cca_numbers_find(&u->variable_of, slot);
    if (at) {
      di variable = u->variables.items[at - 1].variable;
      l.name = cca_builder_string(u->out, cca__di_name(u, variable));
      l.of = cca__type_used(u, cca__di_variable_type(u, variable));
    }
    *row = cca_local_add(u->out, l);
  }
  return *row;
}

uint32_t cca__spot_row(struct body *b, uint32_t spot) {
  uint32_t *row = &b->spot_rows.items[spot];
  if (*row == CCA_NONE) {
    struct unit *u = b->unit;
    struct spot s = b->spots.items[spot];
    struct cca_loc l = cca_loc_init();
    l.base = b->node_rows.items[s.base];
    l.offset = s.offset;
    l.record = cca__record_row(u, s.record);
    l.field = s.field;
    l.outer = cca__record_row(u, s.outer);
    l.outer_field = s.outer_field;
    l.size = s.size;
    l.flags = s.flags;
    *row = cca_loc_add(u->out, l);
  }
  return *row;
}

static struct cca_node node_row(struct body *b, struct node node,
                                uint32_t first_call) {
  struct unit *u = b->unit;
  struct cca_node row = {node.op, node.a, node.b};
  switch (node.op) {
  case CCA_OP_LOAD:
  case CCA_OP_ADDRESS:
    row.a = cca__spot_row(b, node.a);
    break;
  case CCA_OP_CALL:
    row.a += first_call;
    break;
  case CCA_OP_LOCAL:
    row.a = local_row(b, node.a);
    break;
  case CCA_OP_ADD:
  case CCA_OP_SUB:
  case CCA_OP_MUL:
  case CCA_OP_DIV:
  case CCA_OP_AND:
    row.a = b->node_rows.items[node.a];
    row.b = b->node_rows.items[node.b];
    break;
  case CCA_OP_EITHER:
  case CCA_OP_MIX:
    row.a = cca_operand_added(u->out);
    for (uint32_t k = 0; k < node.b; k++)
      cca_operand_add(
          u->out, (struct cca_operand){
                      b->node_rows.items[b->operands.items[node.a + k]]});
    break;
  default:
    break;
  }
  return row;
}

static void fill(uint32_t **items, size_t *count, size_t *room, size_t n,
                 uint32_t value) {
  if (*room < n) {
    *items = cca_realloc(*items, n, sizeof **items);
    *room = n;
  }
  *count = n;
  for (size_t i = 0; i < n; i++)
    (*items)[i] = value;
}

/* After this node_rows, spot_rows and local_rows hold rows. */
void cca__nodes_emit(struct body *b, uint32_t first_call) {
  fill(&b->node_rows.items, &b->node_rows.count, &b->node_rows.room,
       b->nodes.count, 0);
  fill(&b->spot_rows.items, &b->spot_rows.count, &b->spot_rows.room,
       b->spots.count, CCA_NONE);
  fill(&b->local_rows.items, &b->local_rows.count, &b->local_rows.room,
       b->locals.count, CCA_NONE);
  mark_needed(b);
  for (size_t i = 0; i < b->nodes.count; i++)
    if (b->node_rows.items[i])
      b->node_rows.items[i] =
          cca_node_add(b->unit->out,
                       node_row(b, b->nodes.items[i], first_call));
}

void cca__body_release(struct body *b) {
  cca_vec_release(&b->nodes);
  cca_vec_release(&b->operands);
  cca_vec_release(&b->spots);
  cca_vec_release(&b->locals);
  cca_vec_release(&b->node_index);
  cca_vec_release(&b->spot_index);
  cca_vec_release(&b->node_rows);
  cca_vec_release(&b->spot_rows);
  cca_vec_release(&b->local_rows);
  cca_numbers_release(&b->node_of);
  cca_numbers_release(&b->path_of);
  cca_vec_release(&b->paths);
  cca_numbers_release(&b->local_of);
  cca_vec_release(&b->blocks);
  cca_vec_release(&b->edges);
  cca_vec_release(&b->order);
  cca_vec_release(&b->spare);
  cca_vec_release(&b->spare2);
  cca_numbers_release(&b->block_of);
  cca_numbers_release(&b->call_of);
  cca_vec_release(&b->calls);
  cca_vec_release(&b->args);
  cca_vec_release(&b->stores);
  cca_vec_release(&b->returns);
  cca_vec_release(&b->copies);
  cca_vec_release(&b->copied);
}
