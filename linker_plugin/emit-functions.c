/* SPDX-License-Identifier: MIT */
/*
 * emit-functions.c -- rows of functions and pointers that allocate or free.
 *
 * Input:     verdicts; sites that are rows already.
 * Output:    ALLOC with its chain, arguments and types; GIVEBACK.
 *
 * A function in a header is one row, whichever units include it.
 */
#include "emit-state.h"

#include <stdlib.h>
#include <string.h>

enum { CHAIN_MAX = 12 };

static void add_step(struct emitter *e, struct cca_alloc *row, const char *line,
                     uint32_t file, uint32_t number) {
  cca_step_add(e->out,
               (struct cca_step){cca__emit_text(e, line), file, number});
  row->chain_count++;
}

/* How FUNCTION comes by BLOCK, call by call, down to a primitive. */
static void emit_chain(struct emitter *e, struct cca_alloc *row,
                       const struct cca_block *block) {
  struct cca_model *model = e->model;
  row->chain_first = cca_step_added(e->out);
  for (int depth = 0; block && depth < CHAIN_MAX; depth++) {
    if (block->call == CCA_NONE) {
      add_step(e, row,
               block->flags & CCA_BLOCK_AGREED
                   ? "finds it in memory held before; its callers agree"
                   : "cuts it off memory held before",
               CCA_NONE, block->line);
      return;
    }
    struct cca_call_place place = cca__call_place(model, block->call);
    const struct cca_input *unit = &model->units[place.unit];
    struct cca_call call = cca_call_at(unit->table, place.row);
    const struct cca_function *callee = &model->functions.items[block->callee];
    const char *line =
        cca_arena_printf(&model->arena, "calls %s", callee->symbol);
    if (call.target != CCA_NONE) {
      uint32_t location = cca__call_location(model, block->call);
      static const char *const rules[] = {"", "", "which holds",
                                          "which by its type may be",
                                          "which by its shape may be"};
      line = cca_arena_printf(
          &model->arena, "calls %s, %s %s",
          location != CCA_NONE && location
              ? cca__location_name(model, location, &model->arena)
              : "a pointer",
          rules[model->target_rule[block->call]], callee->symbol);
    }
    add_step(e, row, line, cca__emit_file(e, unit->table, call.file),
             call.line);
    if (callee->primitive)
      return;
    block = model->verdicts[block->callee].block;
  }
}

/* Is VALUE, of UNIT, FUNCTION itself, or a choice between it and others? */
static bool is_function(const struct cca_input *unit, uint32_t value,
                        uint32_t function) {
  struct cca_node n = cca_node_at(unit->table, value);
  uint32_t count = n.op == CCA_OP_EITHER ? n.b : 1;
  for (uint32_t i = 0; i < count; i++) {
    struct cca_node one =
        n.op == CCA_OP_EITHER
            ? cca_node_at(unit->table,
                          cca_operand_at(unit->table, n.a + i).node)
            : n;
    if (one.op == CCA_OP_FUNC && unit->functions[one.a] == function)
      return true;
  }
  return false;
}

/* The file of STORE: its function's, or of the variable that it begins with. */
static uint32_t file_of_store(const struct cca_input *unit,
                              struct cca_store store) {
  if (store.func != CCA_NONE)
    return cca_func_at(unit->table, store.func).file;
  struct cca_node base =
      cca_node_at(unit->table, cca_loc_at(unit->table, store.loc).base);
  return base.op == CCA_OP_GLOBAL ? cca_global_at(unit->table, base.a).file
                                  : CCA_NONE;
}

/* LOCATION holds a primitive: there is no call to show, but the place where it
 * is put there, if that is done by its name. */
static void emit_holding(struct emitter *e, struct cca_alloc *row,
                         uint32_t location) {
  const struct cca_model *model = e->model;
  uint32_t p = model->pointees_first[location];
  while (model->verdicts[model->pointees[p]].role != CCA_ROLE_ALLOCATES ||
         model->verdicts[model->pointees[p]].kind !=
             model->pointers[location].kind)
    p++; /* there is one, whose verdict the location has */
  uint32_t function = model->pointees[p], file = CCA_NONE, line = 0;
  for (uint32_t i = model->stores_first[location];
       i < model->stores_first[location + 1] && !line; i++) {
    const struct cca_input *unit = &model->units[model->stores[i].unit];
    struct cca_store store = cca_store_at(unit->table, model->stores[i].row);
    if (!is_function(unit, store.value, function))
      continue;
    file = cca__emit_file(e, unit->table, file_of_store(unit, store));
    line = store.line;
  }
  row->chain_first = cca_step_added(e->out);
  add_step(e, row,
           cca_arena_printf(&e->model->arena, "holds %s",
                            model->functions.items[function].symbol),
           line ? file : CCA_NONE, line);
}

/* What function NUMBER is, if no other unit can name it: where it is defined,
 * which copies of a header's function have in common. */
static char *static_name(const struct emitter *e, uint32_t number) {
  const struct cca_function *f = &e->model->functions.items[number];
  const struct cca_input *unit = &e->model->units[f->unit];
  struct cca_func func = cca_func_at(unit->table, f->row);
  return cca_arena_printf(
      &e->model->arena, "f%s:%u:%s",
      func.file == CCA_NONE
          ? unit->name
          : cca_table_string(unit->table,
                             cca_file_at(unit->table, func.file).name),
      func.line, f->symbol);
}

static bool is_static(const struct cca_function *f) {
  return f->defined && f->linkage == CCA_LINKAGE_INTERNAL;
}

uint32_t cca__emit_callee(struct emitter *e, uint32_t function,
                          uint32_t location) {
  const struct cca_model *model = e->model;
  if (function == CCA_NONE)
    return (uint32_t)model->functions.count + location;
  if (!is_static(&model->functions.items[function]))
    return function;
  const char *name = static_name(e, function);
  uint32_t *first = cca_map_at(&e->statics, name, strlen(name), NULL);
  if (!*first)
    *first = function + 1;
  return *first - 1;
}

static int by_callee(const void *a, const void *b) {
  const struct called *x = a, *y = b;
  if (x->callee != y->callee)
    return x->callee < y->callee ? -1 : 1;
  return x->of < y->of ? -1 : x->of > y->of;
}

/* By callee, then most sites first; equals as they came. */
static int by_sites(const void *a, const void *b) {
  const struct called *x = a, *y = b;
  if (x->callee != y->callee || x->sites == y->sites)
    return by_callee(a, b);
  return x->sites < y->sites ? 1 : -1;
}

/* Count the types of all sites for each callee. */
void cca__emit_count_types(struct emitter *e) {
  struct cca_vec(struct called) all = {0};
  for (uint32_t i = 0; i < cca_allocsite_added(e->out); i++) {
    struct cca_allocsite site = cca_allocsite_get(e->out, i);
    uint32_t callee = e->row_callees.items[i];
    if (site.class == CCA_SITE_CLASS_OPEN)
      continue;
    for (uint32_t k = 0; k < site.types_count; k++) {
      struct cca_count one = cca_count_get(e->out, site.types_first + k);
      cca_vec_push(&all, ((struct called){callee, one.of, 1}));
    }
    if (!site.types_count && site.of != CCA_NONE)
      cca_vec_push(&all, ((struct called){callee, site.of, 1}));
  }
  if (all.count)
    qsort(all.items, all.count, sizeof *all.items, by_callee);
  for (size_t i = 0; i < all.count; i++) {
    size_t count = e->called.count;
    struct called *last = count ? &e->called.items[count - 1] : NULL;
    if (last && by_callee(last, &all.items[i]) == 0)
      last->sites++;
    else
      cca_vec_push(&e->called, all.items[i]);
  }
  if (e->called.count)
    qsort(e->called.items, e->called.count, sizeof *e->called.items, by_sites);
  for (size_t i = e->called.count; i-- > 0;)
    *cca_map_at(&e->counts, &e->called.items[i].callee, sizeof(uint32_t),
                NULL) = (uint32_t)i;
  cca_vec_release(&all);
}

static void emit_called_with(struct emitter *e, struct cca_alloc *row,
                             uint32_t callee) {
  const uint32_t *first = cca_map_find(&e->counts, &callee, sizeof callee);
  row->called_with_first = cca_count_added(e->out);
  for (size_t i = first ? *first : e->called.count;
       i < e->called.count && e->called.items[i].callee == callee; i++) {
    cca_count_add(e->out, (struct cca_count){e->called.items[i].of,
                                             e->called.items[i].sites});
    row->called_with_count++;
  }
}

static void emit_args(struct emitter *e, struct cca_alloc *row, uint64_t args) {
  row->args_first = cca_index_added(e->out);
  for (uint32_t i = 0; i < 64; i++)
    if (args >> i & 1) {
      cca_index_add(e->out, (struct cca_index){i});
      row->args_count++;
    }
}

static void emit_alloc(struct emitter *e, const struct cca_verdict *v,
                       struct cca_alloc row, const char *name,
                       uint32_t function, uint32_t location) {
  int64_t offset = 0;
  row.name = cca__emit_text(e, name);
  row.flags = v->flags;
  if (v->role != CCA_ROLE_NONE) {
    row.kind = v->kind;
    row.via = v->via;
    row.via_param = v->via_param;
    if (v->kind == CCA_KIND_REALLOC && v->via == CCA_VIA_RETURN && v->block &&
        v->block->flags & CCA_BLOCK_RESIZED)
      row.via_param = v->block->param;
    row.certainty = v->certainty;
    row.size = cca__emit_text(e, cca__size_text(e->model, function, v->size,
                                                false, &e->model->arena));
    emit_args(e, &row, v->size_args);
    if (v->offset && v->offset->alt_count &&
        !cca_size_is_constant(v->offset, &offset))
      for (uint32_t t = 0; t < v->offset->alts[0].term_count; t++) {
        const struct cca_term *term = &v->offset->alts[0].terms[t];
        if (term->atom_count == 1 && term->atoms[0].kind == CCA_ATOM_SIZEOF)
          offset +=
              term->factor * cca__type_bytes(term->atoms[0].index, e->model);
        else if (term->atom_count == 1 && term->atoms[0].kind == CCA_ATOM_PART)
          offset += term->atoms[0].detail;
        else if (!term->atom_count)
          offset += term->factor;
      }
    row.offset = offset;
    if (v->block)
      emit_chain(e, &row, v->block);
    emit_called_with(e, &row, cca__emit_callee(e, function, location));
  } else {
    row.kind = CCA_KIND_FREE;
    row.via = CCA_VIA_NONE;
    row.via_param = (uint32_t)__builtin_ctzll(v->frees);
  }
  cca_alloc_add(e->out, row);
}

void cca__emit_function(struct emitter *e, uint32_t number) {
  struct cca_model *model = e->model;
  const struct cca_function *f = &model->functions.items[number];
  const struct cca_verdict *v = &model->verdicts[number];
  if (!f->defined || (v->role == CCA_ROLE_NONE && !v->frees))
    return;
  const struct cca_input *unit = &model->units[f->unit];
  struct cca_func func = cca_func_at(unit->table, f->row);
  struct cca_alloc row = cca_alloc_init();
  row.unit = cca__emit_text(e, unit->name);
  row.file = cca__emit_file(e, unit->table, func.file);
  row.line = func.line;
  if (is_static(f)) {
    char *key = cca_arena_printf(&model->arena, "%s:%u:%u",
                                 static_name(e, number), v->role, v->kind);
    bool is_new;
    cca_map_at(&e->rows, key, strlen(key), &is_new);
    if (!is_new)
      return;
  }
  emit_alloc(e, v, row, f->symbol, number, CCA_NONE);
}

void cca__emit_pointer(struct emitter *e, uint32_t location) {
  struct cca_model *model = e->model;
  const struct cca_verdict *v = &model->pointers[location];
  struct cca_location l = model->locations.items[location];
  if (v->role == CCA_ROLE_NONE && !v->frees)
    return;
  struct cca_alloc row = cca_alloc_init();
  if (l.type != CCA_NONE) {
    struct cca_type_place place = model->types.items[l.type];
    const struct cca_input *unit = &model->units[place.unit];
    struct cca_type type = cca_type_at(unit->table, place.row);
    row.unit = cca__emit_text(e, unit->name);
    row.file = cca__emit_file(e, unit->table, type.file);
    row.line = type.line;
  } else {
    const struct cca_variable *variable = &model->variables.items[l.variable];
    const struct cca_input *unit = &model->units[variable->unit];
    struct cca_global global = cca_global_at(unit->table, variable->row);
    row.unit = cca__emit_text(e, unit->name);
    row.file = cca__emit_file(e, unit->table, global.file);
    row.line = global.line;
  }
  if (v->role != CCA_ROLE_NONE && !v->block)
    emit_holding(e, &row, location);
  emit_alloc(e, v, row, cca__location_name(model, location, &model->arena),
             CCA_NONE, location);
}

void cca__emit_pairs(struct emitter *e, const struct cca_pairs *pairs) {
  for (size_t i = 0; i < pairs->count; i++)
    cca_giveback_add(e->out, (struct cca_giveback){
                                 cca__emit_text(e, pairs->items[i].allocator),
                                 cca__emit_text(e, pairs->items[i].deallocator),
                                 pairs->items[i].calls});
}
