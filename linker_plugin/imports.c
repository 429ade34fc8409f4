/* SPDX-License-Identifier: MIT */
/*
 * imports.c -- which types' sizes leave the module?
 *
 * Input:     the resolved and composed program.
 * Output:    each sizeof that a call gives a function that is defined nowhere
 *            here, in the order of function, parameter and type.
 */
#include "model.h"

#include <stdlib.h>

static int import_order(const void *a, const void *b) {
  const struct cca_import_sizeof *x = a, *y = b;
  if (x->function != y->function)
    return x->function < y->function ? -1 : 1;
  if (x->param != y->param)
    return x->param < y->param ? -1 : 1;
  return x->type < y->type ? -1 : x->type > y->type;
}

/* The sizeofs in what argument A of a call gives FUNCTION. */
static void import_sizeofs(const struct cca_size *size, uint32_t function,
                           uint32_t a, struct cca_imports *found) {
  for (uint32_t s = 0; s < size->alt_count; s++)
    for (uint32_t t = 0; t < size->alts[s].term_count; t++)
      for (uint32_t k = 0; k < size->alts[s].terms[t].atom_count; k++)
        if (cca_atom_is_sizeof(size->alts[s].terms[t].atoms[k]))
          cca_vec_push(
              found, ((struct cca_import_sizeof){
                         function, a, size->alts[s].terms[t].atoms[k].index}));
}

/* The sizeofs that call I of unit U gives FUNCTION.  What is given to `...` is
 * printed. */
static void import_call(struct cca_eval *eval, const struct cca_model *model,
                        uint32_t u, uint32_t i, uint32_t function,
                        struct cca_imports *found) {
  const struct cca_table *t = model->units[u].table;
  struct cca_call call = cca_call_at(t, i);
  const struct cca_function *f = &model->functions.items[function];
  uint32_t named = f->variadic ? f->param_count : call.args_count;
  bool entered = false;
  for (uint32_t a = 0; a < call.args_count && a < named; a++) {
    uint32_t node = cca_operand_at(t, call.args_first + a).node;
    enum cca_op op = cca_node_at(t, node).op;
    if (op != CCA_OP_CALL && !cca__is_computed(op))
      continue;
    if (!entered)
      cca__eval_enter_body(eval, u, call.func);
    entered = true;
    import_sizeofs(cca__eval_size(eval, node), function, a, found);
  }
}

/* What one thread finds, in consecutive units. */
struct part {
  struct cca_model *model;
  struct cca_imports found;
};

/* All calls of functions that are defined nowhere here. */
static void find_imports(void *parts, size_t thread, size_t first, size_t end) {
  struct part *part = (struct part *)parts + thread;
  struct cca_model *model = part->model;
  struct cca_eval *eval = cca__eval_new(model);
  for (uint32_t u = (uint32_t)first; u < end; u++) {
    const struct cca_input *unit = &model->units[u];
    uint32_t count = unit->table ? cca_call_count(unit->table) : 0;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t number = unit->first_call + i;
      for (uint32_t t = model->targets_first[number];
           t < model->targets_first[number + 1]; t++)
        if (model->traits[model->targets[t]] & CCA_TRAIT_IMPORTED)
          import_call(eval, model, u, i, model->targets[t], &part->found);
    }
  }
  cca__eval_free(eval);
}

void cca__imports(struct cca_model *model, struct cca_imports *found) {
  struct part parts[CCA_THREADS_MAX] = {0};
  size_t threads = cca__threads(model, model->functions.count);
  for (size_t i = 0; i < threads; i++)
    parts[i].model = model;
  cca_parallel(threads, model->unit_count, find_imports, parts);
  for (size_t i = 0; i < threads; i++)
    cca_vec_join(found, &parts[i].found);
  if (found->count)
    qsort(found->items, found->count, sizeof *found->items, import_order);
}
