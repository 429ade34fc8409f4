/* SPDX-License-Identifier: MIT */
/*
 * join.c -- one numbering for all units of a link.
 *
 * Input:     summaries in link order.
 * Output:    functions, variables, types and locations of the whole program,
 *            and for each unit the number of each of its rows.
 * Invariant: numbers depend on link order alone.
 *
 * Symbols join by the rules of ELF as far as a summary shows them: internal
 * ones belong to their unit; of several definitions a strong one wins over a
 * weak one over an inline body, the first over later ones.  Archives, versions
 * and visibility were settled by whoever chose the inputs.  --wrap and
 * --defsym rename references before they are looked up.
 *
 * Types join by identity, which the analyser computes from their layout.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

static int rank(uint32_t linkage) {
  switch (linkage) {
  case CCA_LINKAGE_EXTERNAL:
  case CCA_LINKAGE_INTERNAL:
    return 4;
  case CCA_LINKAGE_COMMON:
    return 3;
  case CCA_LINKAGE_WEAK:
    return 2;
  case CCA_LINKAGE_AVAILABLE:
    return 1;
  default:
    return 0;
  }
}

/* What a reference to SYMBOL refers to; new names go into ARENA. */
static const char *referenced(const struct cca_model *model,
                              struct cca_arena *arena, const char *symbol) {
  const struct cca_solver_request *request = model->request;
  for (size_t i = 0; i < request->wrap_count; i++) {
    if (strcmp(symbol, request->wraps[i]) == 0)
      return cca_arena_printf(arena, "__wrap_%s", symbol);
    if (strncmp(symbol, "__real_", 7) == 0 &&
        strcmp(symbol + 7, request->wraps[i]) == 0)
      return symbol + 7;
  }
  for (size_t i = 0; i < request->defsym_count; i++)
    if (strcmp(symbol, request->defsyms[2 * i]) == 0)
      return request->defsyms[2 * i + 1];
  return symbol;
}

enum { SLOT_AHEAD = 16, KEY_AHEAD = 8, RECENT = 1024, CALLS_TOGETHER = 256 };

struct location_key {
  uint32_t type, variable, offset;
};

struct names {
  struct cca_map functions, variables, types, locations; /* to number + 1 */
  struct cca_arena wrapped_functions, wrapped_variables; /* names of them */
  /* Locations that were asked for last, by hash: a unit names few, often. */
  struct recent {
    struct location_key key;
    uint32_t number; /* 0: free */
  } recent[RECENT];
};

static void join_function(struct cca_model *model, struct names *names,
                          uint32_t u, uint32_t row) {
  struct cca_input *unit = &model->units[u];
  struct cca_func f = cca_func_at(unit->table, row);
  const char *symbol = cca_table_string(unit->table, f.symbol);
  bool internal = f.linkage == CCA_LINKAGE_INTERNAL;
  if (!rank(f.linkage))
    symbol = referenced(model, &names->wrapped_functions, symbol);

  uint32_t number = (uint32_t)model->functions.count;
  bool is_new = true;
  if (!internal) {
    uint32_t *slot =
        cca_map_at(&names->functions, symbol, strlen(symbol), &is_new);
    if (is_new)
      *slot = number + 1;
    number = *slot - 1;
  }
  if (is_new)
    cca_vec_push(
        &model->functions,
        ((struct cca_function){
            .symbol = symbol, .unit = u, .row = row, .linkage = f.linkage}));
  struct cca_function *function = &model->functions.items[number];
  if (!is_new && rank(f.linkage) > rank(function->linkage)) {
    function->unit = u;
    function->row = row;
    function->linkage = (uint8_t)f.linkage;
  }
  function->defined |= rank(f.linkage) > 0;
  function->address_taken |= (f.flags & CCA_FUNC_FLAGS_ADDRESS_TAKEN) != 0;
  unit->functions[row] = number;
}

static void join_variable(struct cca_model *model, struct names *names,
                          uint32_t u, uint32_t row) {
  struct cca_input *unit = &model->units[u];
  struct cca_global g = cca_global_at(unit->table, row);
  const char *symbol = cca_table_string(unit->table, g.symbol);
  if (!rank(g.linkage))
    symbol = referenced(model, &names->wrapped_variables, symbol);

  uint32_t number = (uint32_t)model->variables.count;
  bool is_new = true;
  if (g.linkage != CCA_LINKAGE_INTERNAL) {
    uint32_t *slot =
        cca_map_at(&names->variables, symbol, strlen(symbol), &is_new);
    if (is_new)
      *slot = number + 1;
    number = *slot - 1;
  }
  if (is_new)
    cca_vec_push(
        &model->variables,
        ((struct cca_variable){.symbol = symbol, .unit = u, .row = row}));
  struct cca_variable *variable = &model->variables.items[number];
  if (!variable->defined && rank(g.linkage)) {
    variable->unit = u;
    variable->row = row;
    variable->defined = true;
  }
  unit->variables[row] = number;
}

/* A complete type replaces what was known of an incomplete one. */
static void join_type(struct cca_model *model, struct names *names, uint32_t u,
                      uint32_t row) {
  struct cca_input *unit = &model->units[u];
  struct cca_type t = cca_type_at(unit->table, row);
  bool is_new;
  uint32_t *slot =
      cca_map_at(&names->types, &t.identity, sizeof t.identity, &is_new);
  if (is_new) {
    *slot = (uint32_t)model->types.count + 1;
    cca_vec_push(&model->types, ((struct cca_type_place){u, row}));
  }
  struct cca_type_place *place = &model->types.items[*slot - 1];
  if (!is_new && t.members_count &&
      !cca_type_at(model->units[place->unit].table, place->row).members_count)
    *place = (struct cca_type_place){u, row};
  unit->types[row] = *slot - 1;
}

static uint32_t *numbers(struct cca_model *model, uint32_t count) {
  return cca_arena_alloc(&model->arena, (size_t)count * sizeof(uint32_t));
}

/*
 * A unit that accesses a record without debug information for it knows its
 * name and size only.  If one complete type of the program has both, it is
 * that one.
 */
static void adopt_bare_records(struct cca_model *model) {
  struct cca_map complete = {0}; /* name and size to type + 1; many: 0 */
  uint32_t *number = numbers(model, (uint32_t)model->types.count);
  struct cca_text key = {0};
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < model->types.count; i++) {
      struct cca_type t = cca__type(model, i);
      number[i] = i;
      if (!cca__is_record(t))
        continue;
      key.len = 0;
      cca_text_add(&key, &t.size, sizeof t.size);
      cca_text_adds(&key, cca__type_name(model, i, false));
      if (!pass && t.members_count) {
        bool is_new;
        uint32_t *slot = cca_map_at(&complete, key.data, key.len, &is_new);
        *slot = is_new ? i + 1 : 0;
      } else if (pass && !t.members_count) {
        const uint32_t *found = cca_map_find(&complete, key.data, key.len);
        if (found && *found)
          number[i] = *found - 1;
      }
    }
  for (uint32_t u = 0; u < model->unit_count; u++)
    for (uint32_t i = 0;
         model->units[u].table && i < cca_type_count(model->units[u].table);
         i++)
      model->units[u].types[i] = number[model->units[u].types[i]];
  cca_text_release(&key);
  cca_map_release(&complete);
}

/* The variable that a pointer moves in: `table + i * 8` is an element. */
static bool variable_base(const struct cca_table *t, uint32_t node,
                          uint32_t *variable, bool *element) {
  for (int depth = 0; depth < 8; depth++) {
    struct cca_node n = cca_node_at(t, node);
    if (n.op == CCA_OP_GLOBAL) {
      *variable = n.a;
      return true;
    }
    if (n.op == CCA_OP_ADDRESS) {
      struct cca_loc loc = cca_loc_at(t, n.a);
      *element |= loc.offset != 0 || loc.flags & CCA_LOC_FLAGS_ELEMENT;
      node = loc.base;
    } else if (n.op == CCA_OP_ADD) {
      *element = true;
      node = n.a;
    } else
      return false;
  }
  return false;
}

/* The innermost record of TYPE that has a member at OFFSET, and the member's
 * offset in it. */
static bool innermost(const struct cca_table *t, uint32_t type, uint32_t offset,
                      uint32_t *record, uint32_t *field) {
  bool found = false;
  for (int depth = 0; type != CCA_NONE && depth < 16; depth++) {
    struct cca_type row = cca_type_at(t, type);
    struct cca_member at = {0, 0, CCA_NONE};
    bool inside = false;
    for (uint32_t i = 0; i < row.members_count; i++) {
      struct cca_member m = cca_member_at(t, row.members_first + i);
      if (m.offset <= offset && (!inside || m.offset > at.offset)) {
        at = m;
        inside = true;
      }
    }
    if (!inside)
      break;
    *record = type;
    *field = offset;
    found = at.offset == offset;
    offset -= at.offset;
    type = at.of;
  }
  return found;
}

static uint32_t location_number(struct cca_model *model, struct names *names,
                                const struct cca_location *location) {
  struct location_key key = {location->type, location->variable,
                             location->offset};
  struct recent *recent =
      &names->recent[(key.type * 31 + key.variable * 17 + key.offset) % RECENT];
  if (recent->number && memcmp(&recent->key, &key, sizeof key) == 0)
    return recent->number;
  bool is_new;
  uint32_t *slot = cca_map_at(&names->locations, &key, sizeof key, &is_new);
  if (is_new) {
    *slot = (uint32_t)model->locations.count;
    cca_vec_push(&model->locations, *location);
  }
  *recent = (struct recent){key, *slot};
  return *slot;
}

/*
 * A location is named by its innermost record, else by its variable.  A unit
 * that only declares a variable may not know its record: the definition does.
 */
static void join_location(struct cca_model *model, struct names *names,
                          uint32_t u, uint32_t row) {
  struct cca_input *unit = &model->units[u];
  struct cca_loc loc = cca_loc_at(unit->table, row);
  bool element = loc.flags & CCA_LOC_FLAGS_ELEMENT;
  uint32_t variable;
  struct cca_location location = {CCA_NONE, CCA_NONE, 0, CCA_NONE};
  unit->locations[row] = CCA_NONE;
  if (loc.record != CCA_NONE) {
    location.type = unit->types[loc.record];
    location.offset = loc.field;
  } else if (variable_base(unit->table, loc.base, &variable, &element)) {
    location.variable = unit->variables[variable];
    location.offset = element ? CCA_ANY_ELEMENT : (uint32_t)loc.offset;
    const struct cca_variable *v = &model->variables.items[location.variable];
    const struct cca_input *home = &model->units[v->unit];
    uint32_t of = cca_global_at(home->table, v->row).of, record, field;
    if (!element && loc.offset >= 0 &&
        innermost(home->table, of, (uint32_t)loc.offset, &record, &field))
      location = (struct cca_location){home->types[record], CCA_NONE, field,
                                       CCA_NONE};
  } else
    return;
  unit->locations[row] = location_number(model, names, &location);
}

/* The symbols that come after row I will be looked up all over memory: have
 * slots, then keys and functions, brought here meanwhile. */
static void fetch_ahead(const struct cca_model *model,
                        const struct names *names, const struct cca_table *t,
                        uint32_t i) {
  uint32_t count = cca_func_count(t);
  if (i + SLOT_AHEAD < count) {
    const char *symbol =
        cca_table_string(t, cca_func_at(t, i + SLOT_AHEAD).symbol);
    cca_map_expect(&names->functions, symbol, strlen(symbol));
  }
  if (i + KEY_AHEAD < count) {
    const char *symbol =
        cca_table_string(t, cca_func_at(t, i + KEY_AHEAD).symbol);
    uint32_t number = cca_map_guess(&names->functions, symbol, strlen(symbol));
    if (number)
      __builtin_prefetch(&model->functions.items[number - 1].linkage);
  }
}

/* Room for the numbers of what unit U has. */
static void count_unit(struct cca_model *model, uint32_t u) {
  struct cca_input *unit = &model->units[u];
  const struct cca_table *t = unit->table;
  unit->functions = numbers(model, cca_func_count(t));
  unit->variables = numbers(model, cca_global_count(t));
  unit->types = numbers(model, cca_type_count(t));
  unit->locations = numbers(model, cca_loc_count(t));
  model->call_count += cca_call_count(t);
  model->local_count += cca_local_count(t);
}

static void join_functions(struct cca_model *model, struct names *names) {
  for (uint32_t u = 0; u < model->unit_count; u++) {
    const struct cca_table *t = model->units[u].table;
    for (uint32_t i = 0; t && i < cca_func_count(t); i++) {
      fetch_ahead(model, names, t, i);
      join_function(model, names, u, i);
    }
  }
}

static void join_data(struct cca_model *model, struct names *names) {
  for (uint32_t u = 0; u < model->unit_count; u++) {
    const struct cca_table *t = model->units[u].table;
    for (uint32_t i = 0; t && i < cca_type_count(t); i++)
      join_type(model, names, u, i);
    for (uint32_t i = 0; t && i < cca_global_count(t); i++)
      join_variable(model, names, u, i);
  }
  /* From here on every variable knows its definition, and types are final. */
  adopt_bare_records(model);
  for (uint32_t u = 0; u < model->unit_count; u++) {
    const struct cca_table *t = model->units[u].table;
    for (uint32_t i = 0; t && i < cca_loc_count(t); i++)
      join_location(model, names, u, i);
  }
}

struct joiner {
  struct cca_model *model;
  struct names *names;
};

/* Functions are one loop, data another: they have nothing in common but the
 * model's arena, which the former leaves alone. */
static void join_both(void *joiner, bool second) {
  const struct joiner *j = joiner;
  (second ? join_functions : join_data)(j->model, j->names);
}

/*
 * What can parameter I of F be?  A function's address is not passed as a
 * pointer to a record; what can be anything is a pointer to void, to bytes, or
 * to what nobody knows.  A parameter that is not described can be both.
 */
static void find_pointee(struct cca_function *f, const struct cca_table *t,
                         struct cca_param param, uint32_t i) {
  struct cca_type type = {.kind = CCA_TYPE_KIND_UNKNOWN};
  if (param.of != CCA_NONE)
    type = cca_type_at(t, param.of);
  bool pointer = param.kind == CCA_VALUE_KIND_POINTER;
  if (!pointer || cca__is_record(type))
    f->carriers &= ~cca__bit(i);
  if (pointer &&
      (type.kind == CCA_TYPE_KIND_VOID || type.kind == CCA_TYPE_KIND_UNKNOWN ||
       type.flags & CCA_TYPE_FLAGS_BYTES))
    f->generic |= cca__bit(i);
}

/* From here on every function knows its definition: read what it takes. */
static void finish_functions(struct cca_model *model) {
  for (size_t i = 0; i < model->functions.count; i++) {
    struct cca_function *f = &model->functions.items[i];
    const struct cca_table *t = model->units[f->unit].table;
    struct cca_func row = cca_func_at(t, f->row);
    const char *shape = cca_table_string(t, row.shape);
    size_t letters = strlen(shape);
    f->variadic = letters && shape[letters - 1] == '.';
    f->result = shape[0];
    f->first_call = model->units[f->unit].first_call + row.calls_first;
    f->call_count = row.calls_count;
    f->carriers = ~(uint64_t)0;
    for (uint32_t k = 0; k < row.params_count && k < 64; k++)
      find_pointee(f, t, cca_param_at(t, row.params_first + k), k);
    f->hidden = (row.flags & CCA_FUNC_FLAGS_HIDDEN) != 0;
    f->param_count = row.params_count;
    if (!f->param_count && letters > 1)
      f->param_count = (uint32_t)(letters - 1 - f->variadic);
    f->first_slot = model->param_slots;
    model->param_slots += f->param_count;
    if (!f->defined) {
      const uint32_t *found = cca_map_find(&model->primitives.by_name,
                                           f->symbol, strlen(f->symbol));
      if (found)
        f->primitive = &model->primitives.list.items[*found - 1];
    }
  }
}

/* From here on cca__call_place() can be asked. */
static void index_calls(struct cca_model *model) {
  uint32_t blocks = model->call_count / CALLS_TOGETHER + 1, block = 0;
  model->unit_of_calls = numbers(model, blocks);
  for (uint32_t u = 0; u < model->unit_count; u++)
    for (uint32_t end = u + 1 < model->unit_count
                            ? model->units[u + 1].first_call
                            : model->call_count + 1;
         block < blocks && block * CALLS_TOGETHER < end; block++)
      model->unit_of_calls[block] = u;
}

void cca__join(struct cca_model *model) {
  const struct cca_solver_request *request = model->request;
  struct names names = {0};
  model->unit_count = request->unit_count;
  model->units =
      cca_arena_zalloc(&model->arena, model->unit_count, sizeof *model->units);
  cca_vec_push(&model->locations,
               ((struct cca_location){CCA_NONE, CCA_NONE, 0, CCA_NONE}));

  for (uint32_t u = 0; u < model->unit_count; u++) {
    struct cca_input *unit = &model->units[u];
    unit->table = request->units[u].summary;
    unit->name = request->units[u].name;
    unit->first_call = model->call_count;
    unit->first_local = model->local_count;
    if (!unit->table)
      continue;
    const char *source =
        cca_table_string(unit->table, cca_unit_at(unit->table, 0).source);
    if (*source)
      unit->name = source;
    count_unit(model, u);
  }
  cca_parallel_both(cca__threads(model, model->call_count) > 1, join_both,
                    &(struct joiner){model, &names});
  finish_functions(model);
  index_calls(model);

  cca_arena_join(&model->arena, &names.wrapped_functions);
  cca_arena_join(&model->arena, &names.wrapped_variables);
  cca_map_release(&names.functions);
  cca_map_release(&names.variables);
  cca_map_release(&names.types);
  cca_map_release(&names.locations);
}

void cca__model_release(struct cca_model *model) {
  cca__flow_release(model);
  cca_vec_release(&model->primitives.list);
  cca_map_release(&model->primitives.by_name);
  cca_vec_release(&model->functions);
  cca_vec_release(&model->variables);
  cca_vec_release(&model->types);
  cca_vec_release(&model->locations);
  cca_arena_release(&model->arena);
}

size_t cca__threads(const struct cca_model *model, size_t count) {
  enum { WORTH = 256 }; /* some milliseconds, if they are functions */
  size_t asked = model->request->threads;
  if (!asked)
    return cca_threads_for(count, WORTH);
  return asked < CCA_THREADS_MAX ? asked : CCA_THREADS_MAX;
}

struct cca_call_place cca__call_place(const struct cca_model *model,
                                      uint32_t call) {
  uint32_t u = model->unit_of_calls[call / CALLS_TOGETHER];
  while (u + 1 < model->unit_count && model->units[u + 1].first_call <= call)
    u++;
  return (struct cca_call_place){u, call - model->units[u].first_call};
}

struct cca_call cca__call(const struct cca_model *model, uint32_t call) {
  struct cca_call_place place = cca__call_place(model, call);
  return cca_call_at(model->units[place.unit].table, place.row);
}

struct cca_type cca__type(const struct cca_model *model, uint32_t type) {
  struct cca_type_place place = model->types.items[type];
  return cca_type_at(model->units[place.unit].table, place.row);
}

int64_t cca__type_bytes(uint32_t type, void *model) {
  return cca__type(model, type).size;
}

const char *cca__type_name(const struct cca_model *model, uint32_t type,
                           bool plain) {
  struct cca_type_place place = model->types.items[type];
  const struct cca_table *table = model->units[place.unit].table;
  const char *name =
      cca_table_string(table, cca_type_at(table, place.row).name);
  static const char *const tags[] = {"struct ", "union ", "enum "};
  for (size_t i = 0; plain && i < sizeof tags / sizeof tags[0]; i++)
    if (strncmp(name, tags[i], strlen(tags[i])) == 0)
      return name + strlen(tags[i]);
  return name;
}

/* The member of TYPE at OFFSET, or NULL. */
static const char *member_name(const struct cca_model *model, uint32_t type,
                               uint32_t offset) {
  struct cca_type_place place = model->types.items[type];
  const struct cca_table *table = model->units[place.unit].table;
  struct cca_type row = cca_type_at(table, place.row);
  for (uint32_t i = 0; i < row.members_count; i++) {
    struct cca_member member = cca_member_at(table, row.members_first + i);
    const char *name = cca_table_string(table, member.name);
    if (member.offset == offset && *name)
      return name;
  }
  return NULL;
}

const char *cca__location_name(const struct cca_model *model, uint32_t location,
                               struct cca_arena *arena) {
  struct cca_location l = model->locations.items[location];
  if (l.type == CCA_NONE) {
    const char *name = model->variables.items[l.variable].symbol;
    if (l.offset == CCA_ANY_ELEMENT)
      return cca_arena_printf(arena, "%s[]", name);
    return l.offset ? cca_arena_printf(arena, "%s+%u", name, l.offset) : name;
  }
  const char *record = l.through != CCA_NONE && l.through != CCA_MANY
                           ? model->variables.items[l.through].symbol
                           : cca__type_name(model, l.type, true);
  const char *member = member_name(model, l.type, l.offset);
  return member ? cca_arena_printf(arena, "%s.%s", record, member)
                : cca_arena_printf(arena, "%s+%u", record, l.offset);
}
