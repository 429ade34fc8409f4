/* SPDX-License-Identifier: MIT */
/*
 * blocks.c -- what happens to a fresh block before it is handed out.
 *
 * Input:     origins of what a body hands out.
 * Output:    the same, each fresh block with what the body does with it: sets
 *            it to zero, copies an argument's content into it, fills it
 *            otherwise, sets members, keeps it, resizes it.
 *
 * What lies before the result's offset is a header and counts for nothing.
 */
#include "model.h"

static bool has_call(const struct cca_origins *origins, uint32_t call,
                     const struct cca_size **offset) {
  const struct cca_origin *fresh = cca__fresh_by(origins, call);
  if (fresh)
    *offset = fresh->offset;
  return fresh != NULL;
}

struct use {
  uint16_t flags;
  uint8_t source;
  bool direct; /* source points to what is copied, not to where it is kept */
  bool cut;    /* a constant is put at a place that is searched for */
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

/* A pointer that a loop moves on: one of its values is from the turn before. */
static bool moves(const struct cca_table *t, uint32_t node) {
  struct cca_node n = cca_node_at(t, node);
  for (uint32_t i = 0; n.op == CCA_OP_EITHER && i < n.b; i++) {
    struct cca_node one = cca_node_at(t, cca_operand_at(t, n.a + i).node);
    if (one.op == CCA_OP_OPAQUE && one.a == CCA_OPAQUE_WHY_LOOP)
      return true;
  }
  return false;
}

/* Is the store one of content, not of a constant or of a place in the block
 * itself, as where a chunk is threaded? */
static bool is_content(const struct cca_body *body, uint32_t call,
                       const struct cca_store *store) {
  const struct cca_size *offset;
  return cca_node_at(body->unit->table, store->value).op != CCA_OP_CONSTANT &&
         !has_call(cca__eval_origins(body->eval, store->value), call, &offset);
}

/* START is where the result points to: what is before it is a header.  If that
 * is COMPUTED, it is at least START. */
static void note_stores(const struct cca_body *body, uint32_t call,
                        int64_t start, bool computed, struct use *use) {
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + i);
    struct cca_loc loc = cca_loc_at(body->unit->table, store.loc);
    const struct cca_size *offset;
    int64_t fixed;
    bool local = cca_node_at(body->unit->table, loc.base).op == CCA_OP_LOCAL;
    if (!local &&
        has_call(cca__eval_origins(body->eval, loc.base), call, &offset)) {
      bool is_fixed = cca_size_is_constant(offset, &fixed);
      bool element = is_fixed && loc.flags & CCA_LOC_FLAGS_ELEMENT;
      if (element && (start > 0 || computed) && loc.record != CCA_NONE)
        continue; /* a header that is aligned to end where the result begins */
      bool moving =
          is_fixed ? moves(body->unit->table, loc.base) : !is_place(offset);
      use->cut |= !is_fixed && cca_size_has(offset, CCA_ATOM_OPAQUE);
      if (element || (moving && is_content(body, call, &store)))
        use->flags |= CCA_BLOCK_CONTENT;
      else if (is_fixed && fixed + loc.offset >= start)
        use->flags |= CCA_BLOCK_BUILT;
    }
    uint32_t location = body->unit->locations[store.loc];
    if (local && location == CCA_NONE)
      continue;
    if (!has_call(cca__eval_origins(body->eval, store.value), call, &offset) ||
        cca__all_fresh(cca__eval_origins(body->eval, loc.base)))
      continue; /* not kept, or only in something else that is fresh */
    if (!local)
      use->flags |= CCA_BLOCK_SHARED;
    if (location != CCA_NONE) {
      use->flags |= CCA_BLOCK_KEPT;
      use->kept = location;
    }
  }
}

/* Does the body put anything else where it keeps what CALL made: the next of a
 * list, a place further on? */
static void note_passing(const struct cca_body *body, uint32_t call,
                         struct use *use) {
  if (!(use->flags & CCA_BLOCK_KEPT))
    return;
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + i);
    const struct cca_size *offset;
    int64_t fixed;
    if (body->unit->locations[store.loc] != use->kept ||
        cca_node_at(body->unit->table, store.value).op == CCA_OP_CONSTANT)
      continue;
    if (!has_call(cca__eval_origins(body->eval, store.value), call, &offset) ||
        !cca_size_is_constant(offset, &fixed) || fixed)
      use->flags |= CCA_BLOCK_PASSING;
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
    if (value.op == CCA_OP_CONSTANT && !value.a && !value.b)
      use->flags |= CCA_BLOCK_ZEROED;
    else if (value.op == CCA_OP_PARAM)
      use->flags |= CCA_BLOCK_CONTENT; /* a pattern for debugging is none */
  } else if (p->copies < call->args_count) {
    uint32_t from = cca_operand_at(t, call->args_first + p->copies).node;
    uint8_t source = cca__eval_source(body->eval, from, false);
    use->flags |= source == CCA_NO_ROOT ? CCA_BLOCK_CONTENT : CCA_BLOCK_COPIED;
    use->direct |= cca__eval_source(body->eval, from, true) != CCA_NO_ROOT;
    if (source != CCA_NO_ROOT)
      use->source = source;
  } else
    use->flags |= CCA_BLOCK_CONTENT;
}

/* Does NODE, OFFSET behind the block's begin, point to a member of what is
 * before START? */
static bool is_header(const struct cca_body *body, uint32_t node,
                      const struct cca_size *offset, int64_t start) {
  int64_t fixed;
  struct cca_node n = cca_node_at(body->unit->table, node);
  if (cca_size_is_constant(offset, &fixed) && fixed < start)
    return true;
  return start > 0 && n.op == CCA_OP_ADDRESS &&
         cca_loc_at(body->unit->table, n.a).record != CCA_NONE;
}

static void note_calls(const struct cca_body *body, uint32_t call,
                       int64_t start, struct use *use) {
  struct cca_model *model = body->model;
  for (uint32_t c = 0; c < body->row.calls_count; c++) {
    uint32_t row = body->row.calls_first + c;
    uint32_t number = body->unit->first_call + row;
    struct cca_call other = cca_call_at(body->unit->table, row);
    if (number == call || model->target_rule[number] > CCA_RULE_STORED)
      continue;
    for (uint32_t a = 0; a < other.args_count && a < 64; a++) {
      const struct cca_size *offset;
      int64_t fixed;
      uint32_t node =
          cca_operand_at(body->unit->table, other.args_first + a).node;
      if (!has_call(cca__eval_origins(body->eval, node), call, &offset) ||
          is_header(body, node, offset, start))
        continue;
      for (uint32_t t = model->targets_first[number];
           t < model->targets_first[number + 1]; t++) {
        uint32_t callee = model->targets[t];
        const struct cca_primitive *p = model->behaviours[callee].primitive;
        if (p && p->writes == a)
          note_fill(body, &other, p, use);
        else if (model->behaviours[callee].writes & cca__bit(a))
          use->flags |= CCA_BLOCK_CONTENT;
        else if (model->behaviours[callee].builds & cca__bit(a))
          use->flags |= CCA_BLOCK_BUILT;
        if (((p && cca__reads(p, a)) ||
             model->behaviours[callee].reads & cca__bit(a)) &&
            cca_size_is_constant(offset, &fixed) && fixed == start)
          use->flags |= CCA_BLOCK_READ;
        if (model->behaviours[callee].keeps & cca__bit(a))
          use->flags |= CCA_BLOCK_SHARED;
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

/*
 * Is local object LOCAL given to a function to work on?  One that is a POINTER
 * only may be set, or freed at the end: what counts then is a function that
 * fills what it points to, or that nobody sees.
 */
static bool is_lent(const struct cca_body *body, uint32_t local, bool pointer) {
  const struct cca_model *model = body->model;
  const struct cca_table *t = body->unit->table;
  for (uint32_t c = 0; c < body->row.calls_count; c++) {
    struct cca_call call = cca_call_at(t, body->row.calls_first + c);
    uint32_t callee =
        call.callee == CCA_NONE ? CCA_NONE : body->unit->functions[call.callee];
    if (callee != CCA_NONE && model->behaviours[callee].primitive)
      continue;
    bool blind = callee == CCA_NONE ||
                 model->traits[callee] & CCA_TRAIT_IMPORTED || !pointer;
    for (uint32_t a = 0; a < call.args_count; a++)
      if ((blind || model->behaviours[callee].deep & cca__bit(a)) &&
          local_object(t, cca_operand_at(t, call.args_first + a).node) == local)
        return true;
  }
  return false;
}

/* Is the object that parameter ROOT points to given to what fills what it finds
 * there, or to what nobody sees? */
static bool is_worked_on(const struct cca_body *body, uint8_t root) {
  const struct cca_model *model = body->model;
  const struct cca_table *t = body->unit->table;
  for (uint32_t c = 0; root != CCA_NO_ROOT && c < body->row.calls_count; c++) {
    struct cca_call call = cca_call_at(t, body->row.calls_first + c);
    uint32_t callee =
        call.callee == CCA_NONE ? CCA_NONE : body->unit->functions[call.callee];
    if (callee == CCA_NONE || model->behaviours[callee].primitive)
      continue;
    bool hidden = model->traits[callee] & CCA_TRAIT_IMPORTED;
    for (uint32_t a = 0; a < call.args_count; a++)
      if ((hidden || model->behaviours[callee].deep & cca__bit(a)) &&
          cca__eval_root(body->eval,
                         cca_operand_at(t, call.args_first + a).node,
                         true) == root)
        return true;
  }
  return false;
}

/* A block kept in a local record or pointer that other functions work on, a
 * buffer or a cursor, is filled by them; and so is a copy that is put where a
 * parameter's object has such a place. */
static void note_lending(const struct cca_body *body, uint32_t call,
                         struct use *use) {
  const struct cca_size *offset;
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store =
        cca_store_at(body->unit->table, body->row.stores_first + i);
    struct cca_loc loc = cca_loc_at(body->unit->table, store.loc);
    uint32_t local = local_object(body->unit->table, loc.base);
    bool copy = use->flags & CCA_BLOCK_COPIED;
    if ((local != CCA_NONE || copy) &&
        has_call(cca__eval_origins(body->eval, store.value), call, &offset) &&
        (local != CCA_NONE
             ? is_lent(body, local, loc.record == CCA_NONE)
             : is_worked_on(body, cca__eval_root(body->eval, loc.base, true))))
      use->flags |= CCA_BLOCK_CONTENT;
  }
}

/* Does B, of a function that returns a number, say more of its parameter A than
 * how long it is?  A length may be 0, but not less. */
static bool is_judgement(const struct cca_behaviour *b, uint32_t a) {
  bool length = false, less = false;
  for (uint32_t i = 0; b->number && i < b->number->alt_count; i++) {
    const struct cca_alt *alt = &b->number->alts[i];
    less |= alt->term_count == 1 && !alt->bag && !alt->terms[0].atom_count &&
            alt->terms[0].factor < 0;
    for (uint32_t t = 0; t < alt->term_count; t++)
      for (uint32_t k = 0; k < alt->terms[t].atom_count; k++)
        length |= alt->terms[t].atoms[k].root == a;
  }
  return b->number && (less || !length);
}

/* Is parameter SOURCE, which is copied, looked at by a function that returns a
 * number, which is not its length?  Then it is not copied whatever it is. */
static bool is_judged(const struct cca_body *body, uint8_t source) {
  const struct cca_model *model = body->model;
  const struct cca_table *t = body->unit->table;
  for (uint32_t c = 0; source != CCA_NO_ROOT && c < body->row.calls_count;
       c++) {
    struct cca_call call = cca_call_at(t, body->row.calls_first + c);
    uint32_t callee =
        call.callee == CCA_NONE ? CCA_NONE : body->unit->functions[call.callee];
    if (callee == CCA_NONE)
      continue;
    const struct cca_behaviour *b = &model->behaviours[callee];
    for (uint32_t a = 0; a < call.args_count && a < 64; a++) {
      struct cca_node n =
          cca_node_at(t, cca_operand_at(t, call.args_first + a).node);
      if (n.op == CCA_OP_PARAM && n.a == source && is_judgement(b, a))
        return true;
    }
  }
  return false;
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
                                           : cca_atom_bytes(term->atoms[0],
                                                            cca__type_bytes,
                                                            body->model);
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
        record |= !type || cca__is_record(cca__type(body->model, atom.index));
      }
    entered |= enters;
    if (enters || record)
      kept->alts[kept->alt_count++] = size->alts[i];
  }
  return entered ? kept : size;
}

/* Add to FRESH origins what the function does with the block. */
void cca__describe_blocks(const struct cca_body *body,
                          struct cca_origins *origins, uint64_t may_free) {
  for (uint32_t i = 0; i < origins->count; i++) {
    struct cca_origin *origin = &origins->items[i];
    if (origin->kind != CCA_ORIGIN_FRESH || origin->block->call == CCA_NONE)
      continue;
    struct use use = {.source = CCA_NO_ROOT, .kept = CCA_NONE};
    int64_t start = least(body, origin->offset);
    int64_t fixed;
    note_stores(body, origin->block->call, start,
                !cca_size_is_constant(origin->offset, &fixed), &use);
    note_passing(body, origin->block->call, &use);
    note_calls(body, origin->block->call, start, &use);
    note_lending(body, origin->block->call, &use);
    struct cca_block *block =
        cca_arena_alloc(cca__eval_arena(body->eval), sizeof *block);
    *block = *origin->block;
    block->size = without_floors(body, block->size);
    block->flags |= use.flags;
    if (use.cut && block->flags & (CCA_BLOCK_COPIED | CCA_BLOCK_DUP) &&
        !cca_size_has(block->size, CCA_ATOM_OPAQUE))
      block->flags |= CCA_BLOCK_CONTENT; /* what is behind it is lost */
    block->kept = use.kept;
    if (use.source != CCA_NO_ROOT) {
      block->source = use.source;
      if (use.direct &&
          may_free & cca__bit(use.source)) { /* allocate, copy, free */
        block->flags |= CCA_BLOCK_RESIZED;
        block->param = use.source;
      }
    }
    if (block->flags & CCA_BLOCK_COPIED && is_judged(body, block->source))
      block->flags |= CCA_BLOCK_CONTENT;
    origin->block = block;
  }
}
