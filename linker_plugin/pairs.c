/* SPDX-License-Identifier: MIT */
/*
 * pairs.c -- which deallocation function gets whose blocks?
 *
 * Input:     verdicts.
 * Output:    pairs of an allocation function and a deallocation function, and
 *            how many calls of the one get what the other made.
 *
 * Only what is seen counts.  A call's block is known where the pointer is the
 * result of a call in the same function, or is loaded from a place in which
 * nothing is ever stored but null and the results of one allocation function.
 * A factory's blocks are those of what it calls, if that is one, and unless it
 * returns a place inside.  libc's functions count, too.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { MANY_VALUES = 8, CHAIN = 12 };

/* What one thread finds, in consecutive units. */
struct finder {
  const struct cca_model *model;
  const char **kept; /* by location: who made all that is there; see MANY */
  struct cca_arena names; /* becomes the model's */
  struct cca_map seen;    /* of pairs: to index + 1 */
  struct cca_pairs pairs;
};

/* In finder.kept: several, or not known. */
static const char MANY[] = "";

static const char *name_of(struct finder *f, uint32_t call, uint32_t target) {
  const struct cca_model *model = f->model;
  struct cca_call c = cca__call(model, call);
  uint32_t location =
      c.target == CCA_NONE ? CCA_NONE : cca__call_location(model, call);
  return location != CCA_NONE && location
             ? cca__location_name(model, location, &f->names)
             : model->functions.items[target].symbol;
}

/* Are there blocks of several calls among ORIGINS? */
static bool makes_several(const struct cca_origins *origins) {
  const struct cca_block *first = NULL;
  for (uint32_t i = 0; origins && i < origins->count; i++) {
    const struct cca_block *block = origins->items[i].block;
    if (origins->items[i].kind != CCA_ORIGIN_FRESH)
      continue;
    if (first && (first->call != block->call || first->callee != block->callee))
      return true;
    first = block;
  }
  return false;
}

/* Who made what CALL returns, or NULL. */
static const char *maker(struct finder *f, uint32_t call) {
  const struct cca_model *model = f->model;
  uint32_t target;
  int64_t start;
  const struct cca_verdict *v = cca__call_verdict(model, call, &target);
  for (int depth = 0; v && depth < CHAIN; depth++) {
    if (v->role == CCA_ROLE_ALLOCATES)
      return v->via == CCA_VIA_RETURN ? name_of(f, call, target) : NULL;
    if (v->role != CCA_ROLE_FACTORY || !v->block ||
        v->block->call == CCA_NONE ||
        !cca_size_is_constant(v->offset, &start) || start ||
        makes_several(model->behaviours[target].returned))
      return NULL;
    call = v->block->call;
    target = v->block->callee;
    v = &model->verdicts[target];
  }
  return NULL;
}

/* Who made what NODE of UNIT is, if that is one: else NULL, or MANY. */
static const char *maker_of(struct finder *f, const struct cca_input *unit,
                            uint32_t node, bool load) {
  struct cca_node n = cca_node_at(unit->table, node);
  const char *found = NULL;
  switch (n.op) {
  case CCA_OP_CONSTANT:
    return NULL;
  case CCA_OP_CALL:
    found = maker(f, unit->first_call + n.a);
    return found ? found : MANY;
  case CCA_OP_LOAD:
    if (!load || unit->locations[n.a] == CCA_NONE)
      return MANY;
    return f->kept[unit->locations[n.a]];
  case CCA_OP_EITHER:
    if (n.b > MANY_VALUES)
      return MANY;
    for (uint32_t i = 0; i < n.b; i++) {
      uint32_t one = cca_operand_at(unit->table, n.a + i).node;
      enum cca_op op = cca_node_at(unit->table, one).op;
      const char *now =
          op == CCA_OP_EITHER ? MANY : maker_of(f, unit, one, load);
      if (now && found && now != found && strcmp(now, found) != 0)
        return MANY;
      found = now ? now : found;
    }
    return found;
  default:
    return MANY;
  }
}

static void find_kept(struct finder *f) {
  const struct cca_model *model = f->model;
  for (uint32_t l = 1; l < model->locations.count; l++)
    for (uint32_t i = model->stores_first[l];
         i < model->stores_first[l + 1] && f->kept[l] != MANY; i++) {
      const struct cca_input *unit = &model->units[model->stores[i].unit];
      struct cca_store store = cca_store_at(unit->table, model->stores[i].row);
      const char *now =
          store.func == CCA_NONE ? NULL : maker_of(f, unit, store.value, false);
      if (now && f->kept[l] && strcmp(now, f->kept[l]) != 0)
        now = MANY;
      f->kept[l] = now ? now : f->kept[l];
    }
}

static void add_pair(struct finder *f, struct cca_pair pair) {
  char *key =
      cca_arena_printf(&f->names, "%s\n%s", pair.allocator, pair.deallocator);
  uint32_t *slot = cca_map_at(&f->seen, key, strlen(key), NULL);
  if (!*slot) {
    cca_vec_push(&f->pairs, pair);
    *slot = (uint32_t)f->pairs.count;
  } else
    f->pairs.items[*slot - 1].calls += pair.calls;
}

/* What CALL of UNIT, number NUMBER, gives back. */
static void find_pair(struct finder *f, const struct cca_input *unit,
                      uint32_t row, uint32_t number) {
  const struct cca_model *model = f->model;
  for (uint32_t t = model->targets_first[number];
       t < model->targets_first[number + 1]; t++) {
    uint32_t target = model->targets[t];
    uint64_t frees = model->traits[target] & CCA_TRAIT_TOUCHES
                         ? model->verdicts[target].frees
                         : 0;
    if (!frees)
      continue;
    struct cca_call call = cca_call_at(unit->table, row);
    uint32_t a = (uint32_t)__builtin_ctzll(frees);
    const char *made =
        a < call.args_count
            ? maker_of(f, unit,
                       cca_operand_at(unit->table, call.args_first + a).node,
                       true)
            : NULL;
    if (made && made != MANY)
      add_pair(f, (struct cca_pair){made, name_of(f, number, target), 1});
    return;
  }
}

static int by_calls(const void *a, const void *b) {
  const struct cca_pair *x = a, *y = b;
  if (x->calls != y->calls)
    return x->calls < y->calls ? 1 : -1;
  int order = strcmp(x->allocator, y->allocator);
  return order ? order : strcmp(x->deallocator, y->deallocator);
}

static void find_pairs(void *finders, size_t thread, size_t first, size_t end) {
  struct finder *f = (struct finder *)finders + thread;
  for (size_t u = first; u < end; u++) {
    const struct cca_input *unit = &f->model->units[u];
    for (uint32_t i = 0; unit->table && i < cca_call_count(unit->table); i++)
      if (f->model->target_rule[unit->first_call + i] <= CCA_RULE_STORED)
        find_pair(f, unit, i, unit->first_call + i);
  }
}

void cca__pairs(const struct cca_model *model, struct cca_arena *arena,
                struct cca_pairs *pairs) {
  struct finder finders[CCA_THREADS_MAX] = {0}, *all = &finders[0];
  size_t threads = cca__threads(model, model->functions.count);
  const char **kept = cca_calloc(model->locations.count, sizeof *kept);
  for (size_t i = 0; i < threads; i++)
    finders[i] = (struct finder){.model = model, .kept = kept};
  find_kept(all);
  cca_parallel(threads, model->unit_count, find_pairs, finders);
  for (size_t i = threads; i-- > 0;) {
    struct finder *f = &finders[i];
    for (size_t k = 0; f != all && k < f->pairs.count; k++)
      add_pair(all, f->pairs.items[k]);
    if (f != all)
      cca_vec_release(&f->pairs);
    cca_map_release(&f->seen);
    cca_arena_join(arena, &f->names);
  }
  *pairs = all->pairs;
  if (pairs->count)
    qsort(pairs->items, pairs->count, sizeof *pairs->items, by_calls);
  free(kept);
}
