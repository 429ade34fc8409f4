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
 * Components go by their height above the leaves to whichever thread is free;
 * it waits for what they call.  Within one, functions are evaluated until
 * nothing changes.  Origins and sizes only gain alternatives over a finite set,
 * and both are capped; what still changes after WIDEN rounds, a size that grows
 * by a term on each turn of a recursion, becomes a bag, and ROUNDS cuts what is
 * left.
 */
#include "model.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEN = 5, ROUNDS = 8 };

/* ---- One function ---- */

static void merge_origins(struct cca_origins *to,
                          const struct cca_origins *from) {
  for (uint32_t i = 0; i < from->count; i++) {
    bool there = false;
    for (uint32_t k = 0; k < to->count && !there; k++) {
      const struct cca_origin *a = &to->items[k], *b = &from->items[i];
      there = a->kind == b->kind && a->taken == b->taken &&
              a->index == b->index && a->root == b->root &&
              a->block == b->block && cca_size_equal(a->offset, b->offset);
    }
    if (!there && to->count < CCA_ORIGINS)
      to->items[to->count++] = from->items[i];
  }
}

/* What a function returns that cannot be followed, but whose callers agree. */
static void believe_callers(const struct cca_body *body,
                            struct cca_origins *origins) {
  const struct cca_model *model = body->model;
  struct cca_arena *arena = cca__eval_arena(body->eval);
  uint8_t size = model->agreed ? model->agreed[body->function] : CCA_NO_ROOT;
  if (size == CCA_NO_ROOT || cca__any_fresh(origins))
    return;
  struct cca_block *block = cca_arena_zalloc(arena, 1, sizeof *block);
  *block = (struct cca_block){
      .size = cca_size_atom(arena, 1,
                            (struct cca_atom){.kind = CCA_ATOM_PARAM,
                                              .root = CCA_NO_ROOT,
                                              .index = size}),
      .flags = CCA_BLOCK_CARVED | CCA_BLOCK_AGREED,
      .param = CCA_NO_ROOT,
      .source = CCA_NO_ROOT,
      .call = CCA_NONE,
      .callee = CCA_NONE,
      .kept = CCA_NONE};
  origins->count = 1;
  origins->items[0] = (struct cca_origin){.kind = CCA_ORIGIN_FRESH,
                                          .root = CCA_NO_ROOT,
                                          .offset = cca_size_constant(arena, 0),
                                          .block = block,
                                          .loc = CCA_NONE,
                                          .call = CCA_NONE};
}

static void find_returned(const struct cca_body *body,
                          struct cca_behaviour *b) {
  struct cca_arena *arena = cca__eval_arena(body->eval);
  char result = body->model->functions.items[body->function].result;
  struct cca_origins *origins = NULL;
  if (result == 'p') {
    origins = cca_arena_alloc(arena, sizeof *origins);
    origins->count = 0;
  }
  for (uint32_t i = 0; i < body->row.returns_count; i++) {
    struct cca_return ret =
        cca_return_at(body->unit->table, body->row.returns_first + i);
    if (result == 'p') {
      merge_origins(origins, cca__eval_origins(body->eval, ret.value));
      cca__eval_add_elements(body->eval, ret.value, origins);
    } else if (result == 'l' || result == 'i')
      b->number = cca_size_join(arena, b->number ? b->number : cca_size_none(),
                                cca__eval_size(body->eval, ret.value));
  }
  if (origins) {
    cca__carve(body, origins);
    believe_callers(body, origins);
    cca__describe_blocks(body, origins, b->may_free);
    cca__note_taken(body, origins);
  }
  b->returned = origins;
}

/* Does any call of the function hand out fresh memory? */
static bool gets_fresh(const struct cca_body *body) {
  const struct cca_model *model = body->model;
  uint32_t call = body->unit->first_call + body->row.calls_first;
  uint32_t end = model->targets_first[call + body->row.calls_count];
  for (uint32_t t = model->targets_first[call]; t < end; t++)
    if (model->traits[model->targets[t]] & CCA_TRAIT_HANDS_OUT)
      return true;
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
    if (!cca__any_fresh(&origins))
      continue;
    cca__describe_blocks(body, &origins, b->may_free);
    if (!b->outs)
      b->outs = cca_arena_zalloc(cca__eval_arena(body->eval), CCA_OUTS,
                                 sizeof *b->outs);
    for (uint32_t k = 0; k < origins.count && b->out_count < CCA_OUTS; k++)
      if (origins.items[k].kind == CCA_ORIGIN_FRESH)
        b->outs[b->out_count++] = (struct cca_out){.param = (uint8_t)base.a,
                                                   .origin = origins.items[k]};
  }
}

/* Out of the evaluator's arena into KEPT. */
static struct cca_origin keep_origin(struct cca_arena *kept,
                                     struct cca_origin origin) {
  origin.offset = cca_size_copy(kept, origin.offset);
  origin.loc = CCA_NONE;
  if (origin.kind == CCA_ORIGIN_FRESH) {
    struct cca_block *block = cca_arena_alloc(kept, sizeof *block);
    *block = *origin.block;
    block->size = cca_size_copy(kept, block->size);
    origin.block = block;
  }
  return origin;
}

/* … all that B says. */
static void keep_behaviour(struct cca_arena *kept, struct cca_behaviour *b) {
  if (b->number)
    b->number = cca_size_copy(kept, b->number);
  if (b->returned) {
    /* as many as there are: most functions have one or two */
    const struct cca_origins *from = b->returned;
    struct cca_origins *to =
        cca_arena_alloc(kept, offsetof(struct cca_origins, items) +
                                  from->count * sizeof to->items[0]);
    to->count = from->count;
    for (uint32_t i = 0; i < from->count; i++)
      to->items[i] = keep_origin(kept, from->items[i]);
    b->returned = to;
  }
  if (b->out_count) {
    const struct cca_out *from = b->outs;
    b->outs = cca_arena_zalloc(kept, b->out_count, sizeof *b->outs);
    for (uint32_t i = 0; i < b->out_count; i++)
      b->outs[i] =
          (struct cca_out){from[i].param, keep_origin(kept, from[i].origin)};
  }
}

static bool origin_equal(const struct cca_origin *a,
                         const struct cca_origin *b) {
  if (a->kind != b->kind || a->index != b->index || a->root != b->root ||
      a->taken != b->taken || !cca_size_equal(a->offset, b->offset))
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
      a->writes != b->writes || a->reads != b->reads || a->uses != b->uses ||
      a->builds != b->builds || a->deep != b->deep || a->links != b->links ||
      a->keeps != b->keeps || a->takes != b->takes ||
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

static uint64_t resized(const struct cca_origins *origins) {
  uint64_t params = 0;
  for (uint32_t i = 0; origins && i < origins->count; i++) {
    const struct cca_block *block = origins->items[i].block;
    if (block && block->flags & CCA_BLOCK_RESIZED)
      params |= cca__bit(block->param);
  }
  return params;
}

static uint8_t traits_of(const struct cca_behaviour *b) {
  uint8_t traits = 0;
  if ((b->primitive && b->primitive->allocates) || b->out_count ||
      cca__any_fresh(b->returned))
    traits |= CCA_TRAIT_HANDS_OUT;
  if (b->primitive || b->writes | b->builds | b->deep | b->frees | b->may_free |
                          b->resizes | b->keeps | b->takes)
    traits |= CCA_TRAIT_TOUCHES;
  return traits;
}

/* Have what is known of F's callees fetched from memory, all at once. */
static void ask_for_callees(const struct cca_model *model,
                            const struct cca_function *f) {
  uint32_t end = model->targets_first[f->first_call + f->call_count];
  for (uint32_t t = model->targets_first[f->first_call]; t < end; t++) {
    const struct cca_behaviour *b = &model->behaviours[model->targets[t]];
    __builtin_prefetch(b);
    __builtin_prefetch(&b->uses);
    __builtin_prefetch(&model->functions.items[model->targets[t]].param_count);
  }
}

/* What one thread has for itself. */
struct worker {
  struct cca_eval *eval;
  struct cca_arena kept; /* becomes the model's */
};

/* Evaluate FUNCTION anew, for the ROUND-th time; true if its behaviour
 * changed. */
static bool compose_function(struct cca_model *model, struct worker *worker,
                             uint32_t function, int round) {
  struct cca_eval *eval = worker->eval;
  struct cca_function *f = &model->functions.items[function];
  struct cca_behaviour *old = &model->behaviours[function];
  if (!f->defined)
    return false;
  ask_for_callees(model, f);
  cca__eval_enter(eval, function);
  struct cca_body body = {model, eval, &model->units[f->unit],
                          cca_func_at(model->units[f->unit].table, f->row),
                          function};
  struct cca_behaviour b = {.primitive = old->primitive};
  cca__effects(&body, &b);
  find_returned(&body, &b);
  find_outs(&body, &b);
  if (round >= WIDEN)
    widen(cca__eval_arena(eval), old, &b);
  if (behaviour_equal(&b, old))
    return false;

  keep_behaviour(&worker->kept, &b);
  b.resizes = resized(b.returned);
  *old = b;
  model->traits[function] = traits_of(&b);
  return true;
}

/* ---- Evaluation in that order ---- */

/* How far a function is: below DONE, which thread's recursion it is part of, or
 * 0. */
enum { DONE = 255, TOGETHER = 32 };

struct composer {
  struct cca_model *model;
  struct cca_components components;
  _Atomic size_t next;  /* place in their by_level */
  _Atomic uint8_t *far; /* by function */
  _Atomic int waiting;  /* threads */
  pthread_mutex_t lock;
  pthread_cond_t done;
  struct worker workers[CCA_THREADS_MAX];
  uint32_t *evaluated, *changed; /* by function of the recursion at hand: when
                                    last; 0 when it is done */
};

/* Until all that FUNCTION calls is done, or part of the recursion that OWN is
 * at; DONE: it is part of none. */
static void wait_for_callees(struct composer *c, uint32_t function,
                             uint8_t own) {
  struct cca_edges edges = cca__edges(c->model, function);
  for (uint32_t i = edges.first; i < edges.end; i++) {
    _Atomic uint8_t *far = &c->far[c->model->targets[i]];
    if (*far == DONE || *far == own)
      continue;
    pthread_mutex_lock(&c->lock);
    c->waiting++;
    while (*far != DONE)
      pthread_cond_wait(&c->done, &c->lock);
    c->waiting--;
    pthread_mutex_unlock(&c->lock);
  }
}

static void note_done(struct composer *c, uint32_t function) {
  c->far[function] = DONE;
  if (!c->waiting)
    return;
  pthread_mutex_lock(&c->lock);
  pthread_cond_broadcast(&c->done);
  pthread_mutex_unlock(&c->lock);
}

/* Has a callee of FUNCTION changed since it was evaluated last? */
static bool is_stale(const struct composer *c, uint32_t function) {
  struct cca_edges edges = cca__edges(c->model, function);
  if (!c->evaluated[function])
    return true;
  for (uint32_t i = edges.first; i < edges.end; i++)
    if (c->changed[c->model->targets[i]] > c->evaluated[function])
      return true;
  return false;
}

/* The COUNT functions of a recursion: until nothing changes. */
static void compose_recursion(struct composer *c, size_t thread,
                              const uint32_t *members, size_t count) {
  bool changed = true;
  uint32_t clock = 0;
  uint8_t own = (uint8_t)(thread + 1);
  for (size_t i = 0; i < count; i++)
    c->far[members[i]] = own;
  for (size_t i = 0; i < count; i++)
    wait_for_callees(c, members[i], own);
  for (int round = 0; changed && round < ROUNDS; round++) {
    changed = false;
    for (size_t i = 0; i < count; i++) {
      if (!is_stale(c, members[i]))
        continue;
      c->evaluated[members[i]] = ++clock;
      if (compose_function(c->model, &c->workers[thread], members[i], round)) {
        c->changed[members[i]] = ++clock;
        changed = true;
      }
    }
  }
  for (size_t i = 0; i < count; i++) {
    c->changed[members[i]] = 0; /* callers ask for their own recursion's */
    note_done(c, members[i]);
  }
}

static void compose_component(struct composer *c, size_t thread,
                              const struct cca_component *one) {
  const uint32_t *members = &c->components.order[one->first];
  if (one->recursive) {
    compose_recursion(c, thread, members, one->count);
    return;
  }
  wait_for_callees(c, *members, DONE);
  compose_function(c->model, &c->workers[thread], *members, 0);
  note_done(c, *members);
}

/* What one thread does.  It takes several at a time, since what is beside them
 * in memory is theirs; whoever has the first that is not done can go on. */
static void compose_components(void *arg, size_t thread, size_t first,
                               size_t end) {
  struct composer *c = arg;
  const struct cca_components *all = &c->components;
  size_t count = all->list.count;
  (void)first;
  (void)end;
  for (size_t i; (i = atomic_fetch_add(&c->next, TOGETHER)) < count;)
    for (size_t k = i; k < i + TOGETHER && k < count; k++)
      compose_component(c, thread, &all->list.items[all->by_level[k]]);
}

/* What is known before anything is evaluated. */
static void start(struct cca_model *model) {
  size_t count = model->functions.count;
  model->behaviours =
      cca_arena_zalloc(&model->arena, count, sizeof *model->behaviours);
  model->traits = cca_arena_zalloc(&model->arena, count, 1);
  for (uint32_t i = 0; i < count; i++) {
    const struct cca_function *f = &model->functions.items[i];
    model->behaviours[i].primitive = f->primitive;
    if (!f->defined && !cca__measures(f))
      model->behaviours[i].uses = ~(uint64_t)0;
    model->traits[i] = traits_of(&model->behaviours[i]);
    if (!f->defined && !f->primitive)
      model->traits[i] |= CCA_TRAIT_IMPORTED;
  }
}

/* Neither needs the other, so that there may be a thread for each. */
static void begin(void *composer, bool second) {
  struct composer *c = composer;
  if (second)
    cca__components_find(c->model, &c->components);
  else
    start(c->model);
}

void cca__compose(struct cca_model *model) {
  size_t count = model->functions.count;
  struct composer c = {.model = model,
                       .lock = PTHREAD_MUTEX_INITIALIZER,
                       .done = PTHREAD_COND_INITIALIZER};
  size_t threads = cca__threads(model, count);
  cca_parallel_both(threads > 1, begin, &c);
  c.far = cca_calloc(count, sizeof *c.far);
  c.evaluated = cca_calloc(count, sizeof *c.evaluated);
  c.changed = cca_calloc(count, sizeof *c.changed);
  for (size_t i = 0; i < threads; i++)
    c.workers[i].eval = cca__eval_new(model);
  cca_parallel(threads, threads, compose_components, &c);
  for (size_t i = 0; i < threads; i++) {
    cca__eval_free(c.workers[i].eval);
    cca_arena_join(&model->arena, &c.workers[i].kept);
  }
  free(c.far);
  free(c.evaluated);
  free(c.changed);
  cca__components_release(&c.components);
}
