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
    if (result == 'p')
      merge_origins(origins, cca__eval_origins(body->eval, ret.value));
    else if (result == 'l' || result == 'i')
      b->number = cca_size_join(arena, b->number ? b->number : cca_size_none(),
                                cca__eval_size(body->eval, ret.value));
  }
  if (origins) {
    cca__carve(body, origins);
    believe_callers(body, origins);
    cca__describe_blocks(body, origins, b->may_free);
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
      a->deep != b->deep || a->links != b->links ||
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
  if (b->primitive || b->writes | b->builds | b->deep | b->frees |
                          b->may_free | b->resizes)
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

/* Evaluate FUNCTION anew, for the ROUND-th time; true if its behaviour
 * changed. */
static bool compose_function(struct cca_model *model, struct cca_eval *eval,
                             uint32_t function, int round) {
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

  if (b.number)
    b.number = cca_size_copy(&model->arena, b.number);
  if (b.returned) {
    /* as many as there are: most functions have one or two */
    struct cca_origins *kept = cca_arena_alloc(
        &model->arena, offsetof(struct cca_origins, items) +
                           b.returned->count * sizeof kept->items[0]);
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
  b.resizes = resized(b.returned);
  *old = b;
  model->traits[function] = traits_of(&b);
  return true;
}

/* ---- Components, callees first ---- */

struct frame {
  uint32_t function, call, target; /* the edge that comes next */
};

struct tarjan {
  const struct cca_model *model;
  uint32_t *index, *low; /* by function; 0: not seen yet */
  bool *on_stack;
  struct cca_vec(uint32_t) stack;
  struct cca_vec(struct frame) frames;
  uint32_t next;
  /* What is left of it: functions, component by component; a component's first
   * function is marked FIRST, and all of one that is a recursion RECURSIVE. */
  uint32_t *order, ordered;
  uint8_t *marks; /* by place in order */
};
enum { FIRST = 1, RECURSIVE = 2 };

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

static bool calls_itself(const struct cca_model *model, uint32_t function) {
  struct frame edge = {function, 0, 0};
  for (uint32_t callee; (callee = next_callee(model, &edge)) != CCA_NONE;)
    if (callee == function)
      return true;
  return false;
}

/* FUNCTION is the root of a component: those that were found last come first,
 * since they are nearest to the leaves. */
static void close_component(struct tarjan *t, uint32_t function) {
  bool recursive = t->stack.items[t->stack.count - 1] != function ||
                   calls_itself(t->model, function);
  uint32_t member, first = t->ordered;
  do {
    member = t->stack.items[--t->stack.count];
    t->on_stack[member] = false;
    t->marks[t->ordered] = recursive ? RECURSIVE : 0;
    t->order[t->ordered++] = member;
  } while (member != function);
  t->marks[first] |= FIRST;
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

/* Fills ORDER and MARKS, one of each for every function. */
static void find_components(const struct cca_model *model, uint32_t *order,
                            uint8_t *marks) {
  size_t count = model->functions.count;
  struct tarjan t = {.model = model, .order = order, .marks = marks};
  t.index = cca_calloc(count, sizeof *t.index);
  t.low = cca_calloc(count, sizeof *t.low);
  t.on_stack = cca_calloc(count, sizeof *t.on_stack);
  for (uint32_t i = 0; i < count; i++)
    if (!t.index[i])
      visit(&t, i);
  free(t.index);
  free(t.low);
  free(t.on_stack);
  cca_vec_release(&t.stack);
  cca_vec_release(&t.frames);
}

/* ---- Evaluation in that order ---- */

struct composer {
  struct cca_model *model;
  struct cca_eval *eval;
  uint32_t clock, *evaluated, *changed; /* by function: when last */
};

/* Has a callee of FUNCTION changed since it was evaluated last? */
static bool is_stale(const struct composer *c, uint32_t function) {
  struct frame edge = {function, 0, 0};
  if (!c->evaluated[function])
    return true;
  for (uint32_t callee; (callee = next_callee(c->model, &edge)) != CCA_NONE;)
    if (c->changed[callee] > c->evaluated[function])
      return true;
  return false;
}

/* The COUNT functions of a recursion: until nothing changes. */
static void compose_recursion(struct composer *c, const uint32_t *members,
                              size_t count) {
  bool changed = true;
  for (int round = 0; changed && round < ROUNDS; round++) {
    changed = false;
    for (size_t i = 0; i < count; i++) {
      if (!is_stale(c, members[i]))
        continue;
      c->evaluated[members[i]] = ++c->clock;
      if (compose_function(c->model, c->eval, members[i], round)) {
        c->changed[members[i]] = ++c->clock;
        changed = true;
      }
    }
  }
}

void cca__compose(struct cca_model *model) {
  size_t count = model->functions.count;
  struct composer c = {.model = model, .eval = cca__eval_new(model)};
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

  uint32_t *order = cca_calloc(count, sizeof *order);
  uint8_t *marks = cca_calloc(count, sizeof *marks);
  find_components(model, order, marks);
  c.evaluated = cca_calloc(count, sizeof *c.evaluated);
  c.changed = cca_calloc(count, sizeof *c.changed);
  for (size_t i = 0, next; i < count; i = next) {
    next = i + 1;
    while (next < count && !(marks[next] & FIRST))
      next++;
    if (marks[i] & RECURSIVE)
      compose_recursion(&c, &order[i], next - i);
    else
      compose_function(model, c.eval, order[i], 0);
  }
  cca__eval_free(c.eval);
  free(c.evaluated);
  free(c.changed);
  free(order);
  free(marks);
}
