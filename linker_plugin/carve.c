/* SPDX-License-Identifier: MIT */
/*
 * carve.c -- pieces of memory that was held before.
 *
 * Input:     origins of what a function hands out.
 * Output:    the same, with pieces that it cuts off turned into fresh blocks
 *            of the piece's size.
 *
 * A pool shows itself by what it stores, whatever its fields are called:
 *
 *   bump    returns p, and stores p + size where it found p (or moves the end
 *           down and returns it);
 *   refill  returns a place in a new block, and stores the place behind it;
 *   index   returns elements + size * n, and stores n + 1 where it found n; or
 *           chunk + n, and stores n + size there;
 *   down    returns start + n, and stores n - size where it found n, in the
 * same object; nobody ever adds to it, which would make it a stack.
 */
#include "model.h"

enum { MOVES = 4 };

/* SIZE is less than nothing: what was cut off is behind, not before.  What a
 * caller or an object brings decides, in whichever alternative it is; types and
 * numbers are headers. */
static bool is_negative(struct cca_model *model, const struct cca_size *size) {
  int64_t bytes = 0;
  for (uint32_t i = 0; i < size->alt_count; i++)
    for (uint32_t t = 0; !size->alts[i].bag && t < size->alts[i].term_count;
         t++) {
      struct cca_term term = size->alts[i].terms[t];
      int64_t one = term.factor;
      for (uint32_t k = 0; k < term.atom_count; k++) {
        if (!cca_atom_is_sizeof(term.atoms[k]))
          return term.factor < 0;
        if (__builtin_mul_overflow(
                one, cca_atom_bytes(term.atoms[k], cca__type_bytes, model),
                &one))
          one = 0;
      }
      if (!i && __builtin_add_overflow(bytes, one, &bytes))
        bytes = 0;
    }
  return bytes < 0;
}

static bool depends(const struct cca_size *size) {
  return cca_size_params(size) != 0 || cca_size_has(size, CCA_ATOM_FIELD);
}

static struct cca_store store_at(const struct cca_body *body, uint32_t i) {
  return cca_store_at(body->unit->table, body->row.stores_first + i);
}

static void set_carved(const struct cca_body *body, struct cca_origin *origin,
                       const struct cca_size *size, uint32_t line) {
  struct cca_arena *arena = cca__eval_arena(body->eval);
  struct cca_block *block = cca_arena_zalloc(arena, 1, sizeof *block);
  block->size = size;
  block->flags = CCA_BLOCK_CARVED;
  block->call = block->callee = block->kept = CCA_NONE;
  block->param = block->source = CCA_NO_ROOT;
  block->line = line;
  *origin = (struct cca_origin){.kind = CCA_ORIGIN_FRESH,
                                .root = CCA_NO_ROOT,
                                .offset = cca_size_constant(arena, 0),
                                .block = block,
                                .loc = CCA_NONE};
}

/* What lies between ORIGIN and BY, which is stored as the next free place. What
 * is behind that was loaded again, after the move. */
static const struct cca_size *piece(const struct cca_body *body,
                                    const struct cca_origin *origin,
                                    const struct cca_size *by) {
  struct cca_model *model = body->model;
  struct cca_arena *arena = cca__eval_arena(body->eval);
  const struct cca_size *zero = cca_size_constant(arena, 0);
  const struct cca_size *start = origin->offset, *size;
  bool up = !is_negative(model, by);
  for (int moves = 0;; moves++) {
    size = cca_size_rebase(arena, by, start, cca__type_bytes, model);
    if (!up || moves == MOVES || !is_negative(model, size))
      break;
    start = cca_size_rebase(arena, start, by, cca__type_bytes, model);
  }
  if (cca_size_equal(size, zero))
    size = by;
  return is_negative(model, size) ? cca_size_sub(arena, zero, size) : size;
}

static bool bump(const struct cca_body *body, struct cca_origin *origin) {
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store = store_at(body, i);
    if (origin->loc == CCA_NONE ||
        !cca__eval_same_place(body->eval, origin->loc, store.loc))
      continue;
    const struct cca_origins *value =
        cca__eval_origins(body->eval, store.value);
    for (uint32_t k = 0; k < value->count; k++) {
      const struct cca_origin *v = &value->items[k];
      int64_t fixed;
      if (v->kind != CCA_ORIGIN_LOADED || v->loc == CCA_NONE ||
          !cca__eval_same_place(body->eval, v->loc, origin->loc) ||
          cca_size_is_constant(v->offset, &fixed))
        continue;
      const struct cca_size *size = piece(body, origin, v->offset);
      if (depends(size)) {
        set_carved(body, origin, size, store.line);
        return true;
      }
    }
  }
  return false;
}

static bool refill(const struct cca_body *body, struct cca_origin *origin) {
  int64_t start;
  if (cca_size_is_constant(origin->offset, &start) && !start)
    return false; /* the block itself, with places in it: a constructor */
  const struct cca_size *whole =
      cca_size_rebase(cca__eval_arena(body->eval), origin->block->size,
                      origin->offset, cca__type_bytes, body->model);
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store = store_at(body, i);
    if (body->unit->locations[store.loc] == CCA_NONE)
      continue;
    const struct cca_origins *value =
        cca__eval_origins(body->eval, store.value);
    for (uint32_t k = 0; k < value->count; k++) {
      const struct cca_origin *v = &value->items[k];
      if (v->kind != CCA_ORIGIN_FRESH || v->block->call != origin->block->call)
        continue;
      const struct cca_size *size =
          cca_size_rebase(cca__eval_arena(body->eval), v->offset,
                          origin->offset, cca__type_bytes, body->model);
      if (cca_size_params(size) && !is_negative(body->model, size) &&
          !cca_size_equal(size, whole)) {
        set_carved(body, origin, size, store.line);
        return true;
      }
    }
  }
  return false;
}

/* If VALUE is what LOCATION holds and something more, the latter. */
static const struct cca_size *step_of(const struct cca_body *body,
                                      const struct cca_size *value,
                                      struct cca_atom *counter,
                                      uint32_t location) {
  struct cca_arena *arena = cca__eval_arena(body->eval);
  if (value->alt_count != 1 || value->alts[0].bag)
    return NULL;
  for (uint32_t t = 0; t < value->alts[0].term_count; t++) {
    const struct cca_term *term = &value->alts[0].terms[t];
    if (term->atom_count != 1 || term->factor != 1 ||
        term->atoms[0].kind != CCA_ATOM_FIELD ||
        term->atoms[0].index != location)
      continue;
    *counter = term->atoms[0];
    return cca_size_sub(arena, value, cca_size_atom(arena, 1, *counter));
  }
  return NULL;
}

struct replacement {
  struct cca_atom counter;
  const struct cca_size *step;
};

static const struct cca_size *step_for(struct cca_atom atom, void *payload) {
  const struct replacement *r = payload;
  return atom.kind == CCA_ATOM_FIELD && atom.index == r->counter.index ? r->step
                                                                       : NULL;
}

/* Does what STORE writes lie in the very chunk that ORIGIN is a place in? */
static bool in_chunk(const struct cca_body *body, struct cca_store store,
                     const struct cca_origin *origin) {
  const struct cca_origins *base = cca__eval_origins(
      body->eval, cca_loc_at(body->unit->table, store.loc).base);
  if (origin->kind == CCA_ORIGIN_FRESH)
    return cca__fresh_by(base, origin->block->call) != NULL;
  for (uint32_t i = 0; origin->loc != CCA_NONE && i < base->count; i++)
    if (base->items[i].kind == CCA_ORIGIN_LOADED &&
        base->items[i].loc == origin->loc)
      return true;
  return false;
}

/* Do nodes A and B point to one object? */
static bool same_object(const struct cca_body *body, uint32_t a, uint32_t b) {
  struct cca_node x = cca_node_at(body->unit->table, a),
                  y = cca_node_at(body->unit->table, b);
  return a == b || (x.op == y.op && x.a == y.a && x.op == CCA_OP_PARAM) ||
         (x.op == CCA_OP_LOAD && y.op == CCA_OP_LOAD &&
          cca__eval_same_place(body->eval, x.a, y.a));
}

/* Does anybody put there what was there and something more? */
static bool counts_up(const struct cca_model *model, uint32_t location) {
  for (uint32_t i = model->stores_first[location];
       i < model->stores_first[location + 1]; i++) {
    const struct cca_input *unit = &model->units[model->stores[i].unit];
    struct cca_node value = cca_node_at(
        unit->table, cca_store_at(unit->table, model->stores[i].row).value);
    if (value.op != CCA_OP_ADD)
      continue;
    struct cca_node a = cca_node_at(unit->table, value.a),
                    b = cca_node_at(unit->table, value.b);
    if ((a.op == CCA_OP_LOAD && unit->locations[a.a] == location) ||
        (b.op == CCA_OP_LOAD && unit->locations[b.a] == location))
      return true;
  }
  return false;
}

static bool counts_down(const struct cca_body *body,
                        const struct cca_origin *origin, uint32_t loc,
                        const struct cca_size *step) {
  const struct cca_table *t = body->unit->table;
  return origin->loc != CCA_NONE && depends(step) &&
         is_negative(body->model, step) &&
         same_object(body, cca_loc_at(t, origin->loc).base,
                     cca_loc_at(t, loc).base) &&
         !counts_up(body->model, body->unit->locations[loc]);
}

static bool index_by_count(const struct cca_body *body,
                           struct cca_origin *origin) {
  struct cca_arena *arena = cca__eval_arena(body->eval);
  if (!cca_size_has(origin->offset, CCA_ATOM_FIELD))
    return false;
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store = store_at(body, i);
    uint32_t location = body->unit->locations[store.loc];
    struct replacement r;
    if (location == CCA_NONE)
      continue;
    r.step = step_of(body, cca__eval_size(body->eval, store.value), &r.counter,
                     location);
    if (!r.step)
      continue;
    for (uint32_t a = 0; a < origin->offset->alt_count; a++)
      for (uint32_t t = 0; t < origin->offset->alts[a].term_count; t++) {
        struct cca_term term = origin->offset->alts[a].terms[t];
        bool counts = false;
        for (uint32_t k = 0; k < term.atom_count; k++)
          counts |= term.atoms[k].kind == CCA_ATOM_FIELD &&
                    term.atoms[k].index == location;
        struct cca_size only = {1, {{false, 1, &term}}};
        if (counts && term.atom_count == 1 && term.factor == 1 &&
            counts_down(body, origin, store.loc, r.step)) {
          set_carved(body, origin,
                     cca_size_sub(arena, cca_size_constant(arena, 0), r.step),
                     store.line);
          return true;
        }
        if (!counts || (term.atom_count < 2 &&
                        (!depends(r.step) || !in_chunk(body, store, origin))))
          continue;
        const struct cca_size *size =
            cca_size_substitute(arena, &only, step_for, &r);
        if (is_negative(body->model, size))
          continue; /* taken off a stack */
        set_carved(body, origin, size, store.line);
        return true;
      }
  }
  return false;
}

/*
 * Pieces are cut from what LOC holds, as CARVED is.  A new chunk that is put
 * there when the old one is used up is handed out in pieces, too, the first
 * of which is where it begins.
 */
static void cut_chunks(const struct cca_body *body, struct cca_origins *origins,
                       const struct cca_origin *carved, uint32_t loc) {
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store = store_at(body, i);
    if (loc == CCA_NONE || !cca__eval_same_place(body->eval, loc, store.loc))
      continue;
    const struct cca_origins *value =
        cca__eval_origins(body->eval, store.value);
    for (uint32_t k = 0; k < origins->count; k++) {
      struct cca_origin *o = &origins->items[k];
      int64_t start;
      if (o->kind == CCA_ORIGIN_FRESH && o->block->call != CCA_NONE &&
          cca__fresh_by(value, o->block->call) &&
          cca_size_is_constant(o->offset, &start) && !start)
        set_carved(body, o, carved->block->size, carved->block->line);
    }
  }
}

static bool is_at(const struct cca_body *body, const struct cca_origin *o,
                  uint32_t loc) {
  return o->kind == CCA_ORIGIN_LOADED && o->loc != CCA_NONE &&
         cca__eval_same_place(body->eval, o->loc, loc);
}

/* What is taken off a list, where the next of it is put, is as good as the
 * fresh block beside it; not if it is taken off to be freed. */
static void drop_stock(const struct cca_body *body,
                       struct cca_origins *origins) {
  for (uint32_t i = 0; i < body->row.stores_count; i++) {
    struct cca_store store = store_at(body, i);
    struct cca_node value = cca_node_at(body->unit->table, store.value);
    bool taken = false;
    if (value.op != CCA_OP_LOAD || body->unit->locations[value.a] == CCA_NONE)
      continue;
    for (uint32_t k = 0; k < origins->count; k++)
      taken |= is_at(body, &origins->items[k], store.loc);
    if (taken && cca__unlinks_to_free(body, origins))
      return;
    uint32_t kept = 0;
    for (uint32_t k = 0; taken && k < origins->count; k++)
      if (!is_at(body, &origins->items[k], store.loc) &&
          !is_at(body, &origins->items[k], value.a))
        origins->items[kept++] = origins->items[k];
    if (taken)
      origins->count = kept;
  }
}

/* Is WHOLE what PIECE is, and a header's size? */
static bool is_headed(const struct cca_body *body, const struct cca_size *whole,
                      const struct cca_size *piece) {
  const struct cca_size *rest =
      cca_size_sub(cca__eval_arena(body->eval), whole, piece);
  bool records = false;
  if (whole->alt_count != 1 || piece->alt_count != 1 || rest->alt_count != 1 ||
      rest->alts[0].bag || !depends(piece))
    return false;
  for (uint32_t t = 0; t < rest->alts[0].term_count; t++) {
    const struct cca_term *term = &rest->alts[0].terms[t];
    if (term->factor < 0 || term->atom_count > 1 ||
        (term->atom_count && !cca_atom_is_sizeof(term->atoms[0])))
      return false;
    records |= term->atom_count &&
               (term->atoms[0].kind == CCA_ATOM_PART ||
                cca__is_record(cca__type(body->model, term->atoms[0].index)));
  }
  return records;
}

/* Beside pieces of a size stands a block of the same size with a header, for
 * what no chunk has room for: to a caller it is a piece. */
static void drop_headers(const struct cca_body *body,
                         struct cca_origins *origins) {
  for (uint32_t i = 0; i < origins->count; i++) {
    const struct cca_origin *piece = &origins->items[i];
    if (piece->kind != CCA_ORIGIN_FRESH || piece->block->call != CCA_NONE ||
        !(piece->block->flags & CCA_BLOCK_CARVED))
      continue;
    for (uint32_t k = 0; k < origins->count; k++) {
      struct cca_origin *whole = &origins->items[k];
      if (whole->kind == CCA_ORIGIN_FRESH && whole->block->call != CCA_NONE &&
          is_headed(body, whole->block->size, piece->block->size))
        set_carved(body, whole, piece->block->size, piece->block->line);
    }
  }
}

void cca__carve(const struct cca_body *body, struct cca_origins *origins) {
  for (uint32_t i = 0; i < origins->count; i++) {
    struct cca_origin *origin = &origins->items[i];
    uint32_t loc = origin->loc;
    if (origin->kind == CCA_ORIGIN_LOADED) {
      if (bump(body, origin) || index_by_count(body, origin))
        cut_chunks(body, origins, origin, loc);
    } else if (origin->kind == CCA_ORIGIN_FRESH &&
               origin->block->call != CCA_NONE) {
      if (!refill(body, origin))
        index_by_count(body, origin);
    }
  }
  drop_headers(body, origins);
  if (cca__any_fresh(origins))
    drop_stock(body, origins);
}
