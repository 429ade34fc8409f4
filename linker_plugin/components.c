/* SPDX-License-Identifier: MIT */
/*
 * components.c -- the strongly connected components of the call graph.
 *
 * Input:     the resolved call graph.
 * Output:    recursions and single functions, by their height above the
 *            leaves.
 * Invariant: a component calls itself, and what comes before it.
 *
 * Tarjan 1972, without recursion.  Each edge is a cache miss or two, and so
 * what is known of a function is kept together and asked for ahead.
 */
#include "model.h"

#include <stdlib.h>

/* What is known of a function, together: each edge is a cache miss. */
struct vertex {
  uint32_t index, low; /* 0: not seen yet */
  uint32_t level;      /* above all that it calls and that is closed */
  bool on_stack, calls_itself;
};

struct frame {
  uint32_t function;
  struct cca_edges left; /* to come */
};

struct tarjan {
  const struct cca_model *model;
  struct vertex *vertices; /* by function */
  struct cca_vec(uint32_t) stack;
  struct cca_vec(struct frame) frames;
  uint32_t next;
  struct cca_components *found;
};

static void enter(struct tarjan *t, uint32_t function) {
  struct vertex *v = &t->vertices[function];
  struct cca_edges edges = cca__edges(t->model, function);
  v->index = v->low = ++t->next;
  v->on_stack = true;
  for (uint32_t i = edges.first; i < edges.end; i++) {
    uint32_t callee = t->model->targets[i];
    __builtin_prefetch(&t->vertices[callee]);
    __builtin_prefetch(&t->model->functions.items[callee].first_call);
  }
  cca_vec_push(&t->stack, function);
  cca_vec_push(&t->frames, ((struct frame){function, edges}));
}

/* FUNCTION is the root of a component: those that were found last come first,
 * since they are nearest to the leaves. */
static void close_component(struct tarjan *t, uint32_t function) {
  struct cca_components *found = t->found;
  struct cca_component new = {.first = found->ordered,
                              .recursive = t->stack.items[t->stack.count - 1] !=
                                               function ||
                                           t->vertices[function].calls_itself};
  uint32_t member;
  do {
    member = t->stack.items[--t->stack.count];
    t->vertices[member].on_stack = false;
    if (t->vertices[member].level > new.level)
      new.level = t->vertices[member].level;
    found->order[found->ordered++] = member;
  } while (member != function);
  new.count = found->ordered - new.first;
  for (uint32_t i = new.first; i < found->ordered; i++)
    t->vertices[found->order[i]].level = new.level;
  if (new.level >= found->levels)
    found->levels = new.level + 1;
  cca_vec_push(&found->list, new);
}

/* CALLEE of FUNCTION is in a component by now, or in FUNCTION's own. */
static void note_callee(struct tarjan *t, uint32_t function, uint32_t callee) {
  struct vertex *v = &t->vertices[function], *to = &t->vertices[callee];
  v->calls_itself |= callee == function;
  if (to->on_stack)
    v->low = to->low < v->low ? to->low : v->low;
  else if (to->level >= v->level)
    v->level = to->level + 1;
}

static void visit(struct tarjan *t, uint32_t root) {
  enter(t, root);
  while (t->frames.count) {
    struct frame *frame = &t->frames.items[t->frames.count - 1];
    uint32_t function = frame->function;
    if (frame->left.first < frame->left.end) {
      uint32_t callee = t->model->targets[frame->left.first++];
      if (t->vertices[callee].index)
        note_callee(t, function, callee);
      else
        enter(t, callee);
      continue;
    }
    if (t->vertices[function].low == t->vertices[function].index)
      close_component(t, function);
    t->frames.count--;
    if (t->frames.count)
      note_callee(t, t->frames.items[t->frames.count - 1].function, function);
  }
}

/* By level, those of one in the order found. */
static uint32_t *sort_by_level(const struct cca_components *components) {
  size_t count = components->list.count;
  uint32_t *sorted = cca_calloc(count, sizeof *sorted);
  uint32_t *next = cca_calloc(components->levels + 1, sizeof *next);
  for (size_t i = 0; i < count; i++)
    next[components->list.items[i].level + 1]++;
  for (uint32_t i = 1; i < components->levels; i++)
    next[i] += next[i - 1];
  for (uint32_t i = 0; i < count; i++)
    sorted[next[components->list.items[i].level]++] = i;
  free(next);
  return sorted;
}

void cca__components_find(const struct cca_model *model,
                          struct cca_components *found) {
  size_t count = model->functions.count;
  struct tarjan t = {.model = model, .found = found};
  *found = (struct cca_components){0};
  found->order = cca_calloc(count, sizeof *found->order);
  t.vertices = cca_calloc(count, sizeof *t.vertices);
  for (uint32_t i = 0; i < count; i++)
    if (!t.vertices[i].index)
      visit(&t, i);
  found->by_level = sort_by_level(found);
  free(t.vertices);
  cca_vec_release(&t.stack);
  cca_vec_release(&t.frames);
}

void cca__components_release(struct cca_components *components) {
  free(components->order);
  free(components->by_level);
  cca_vec_release(&components->list);
}
