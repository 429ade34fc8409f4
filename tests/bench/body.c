/* SPDX-License-Identifier: MIT */
/*
 * body.c -- what each function of a generated program does.
 *
 * Out:   its calls, stores, returns, and the nodes that they need.
 * Holds: where a body must be found out as an allocation function, a factory
 *        or a deallocation function, or a call as a typed site, it is counted;
 *        all else passes nothing fresh on, and frees no parameter for sure.
 */
#include "unit.h"

#include <string.h>

/* ---- Chance ---- */

static bool chance(struct unit_maker *m, uint32_t percent) {
  return bench_below(m, 100) < percent;
}

/* How many functions of a thousand have so many of something. */
struct share {
  uint32_t share, least, most;
};

static uint32_t draw(struct unit_maker *m, const struct share *shares) {
  uint32_t at = bench_below(m, 1000);
  while (at >= shares->share)
    at -= shares++->share;
  return shares->least + bench_below(m, shares->most - shares->least + 1);
}

static const struct share call_shares[] = {
    {135, 0, 0},  {215, 1, 1},  {310, 2, 4},  {190, 5, 9},
    {80, 10, 19}, {53, 20, 49}, {12, 50, 99}, {5, 100, 400}};
static const struct share store_shares[] = {
    {495, 0, 0},  {145, 1, 1},  {215, 2, 4}, {90, 5, 9},
    {33, 10, 19}, {17, 20, 49}, {3, 50, 99}, {2, 100, 300}};

/* ---- Rows ---- */

uint32_t bench_node(struct unit_maker *m, enum cca_op op, uint32_t a,
                    uint32_t b) {
  return cca_node_add(m->out, (struct cca_node){op, a, b});
}

static uint32_t constant(struct unit_maker *m, uint32_t value) {
  return bench_node(m, CCA_OP_CONSTANT, value, 0);
}

static uint32_t param(struct unit_maker *m, uint32_t i) {
  if (m->params[i] == CCA_NONE)
    m->params[i] = bench_node(m, CCA_OP_PARAM, i, 0);
  return m->params[i];
}

uint32_t bench_place(struct unit_maker *m, uint32_t base, uint32_t record,
                     uint32_t member) {
  struct cca_loc loc = cca_loc_init();
  loc.base = base;
  loc.offset = (int32_t)(8 * member);
  loc.record = loc.outer = record;
  loc.field = loc.outer_field = 8 * member;
  loc.size = 8;
  return cca_loc_add(m->out, loc);
}

static uint32_t load(struct unit_maker *m, uint32_t base, uint32_t record,
                     uint32_t member) {
  return bench_node(m, CCA_OP_LOAD, bench_place(m, base, record, member), 0);
}

static uint32_t size_of(struct unit_maker *m, uint32_t record) {
  return bench_node(m, CCA_OP_SIZEOF, record, 8 * MEMBERS);
}

static uint32_t either(struct unit_maker *m, uint32_t a, uint32_t b) {
  uint32_t first = cca_operand_add(m->out, (struct cca_operand){a});
  cca_operand_add(m->out, (struct cca_operand){b});
  return bench_node(m, CCA_OP_EITHER, first, 2);
}

static void store(struct unit_maker *m, uint32_t loc, uint32_t value) {
  if (!m->func.stores_count++)
    m->func.stores_first = cca_store_added(m->out);
  cca_store_add(m->out, (struct cca_store){m->row, loc, value, m->line});
}

static void give(struct unit_maker *m, uint32_t value) {
  if (!m->func.returns_count++)
    m->func.returns_first = cca_return_added(m->out);
  cca_return_add(m->out, (struct cca_return){m->row, value, m->line});
}

/* A call of the function CALLEE, or through the pointer TARGET; its result. */
static uint32_t call(struct unit_maker *m, uint32_t callee, uint32_t target,
                     const char *shape, const uint32_t *args, uint32_t flags) {
  struct cca_call row = cca_call_init();
  row.func = m->row;
  row.file = m->func.file;
  row.line = ++m->line;
  row.callee = callee;
  row.target = target;
  if (target != CCA_NONE) {
    row.signature = bench_signature_of(shape);
    row.shape = cca_builder_string(m->out, shape);
  }
  row.args_first = cca_operand_added(m->out);
  row.args_count = (uint32_t)strlen(shape) - 1;
  for (uint32_t i = 0; i < row.args_count; i++)
    cca_operand_add(m->out, (struct cca_operand){args[i]});
  row.flags = flags;
  if (!m->func.calls_count++)
    m->func.calls_first = cca_call_added(m->out);
  uint32_t number = cca_call_add(m->out, row);
  if (callee != CCA_NONE) {
    struct cca_site site = {number, cca_builder_string(m->out, ".text"), 1,
                            16 * number + 5, 0};
    cca_site_add(m->out, site);
  }
  return bench_node(m, CCA_OP_CALL, number, 0);
}

/* The row of function I of UNIT, defined elsewhere perhaps. */
static uint32_t function_row(struct unit_maker *m, uint32_t unit, uint32_t i) {
  if (unit == m->unit)
    return i;
  uint32_t key[2] = {unit, i};
  bool is_new;
  uint32_t *row = cca_map_at(&m->rows, key, sizeof key, &is_new);
  if (is_new) {
    struct description d = bench_describe(unit, i, m->sizes[unit]);
    struct cca_func func = cca_func_init();
    func.symbol = bench_symbol_of(m, unit, i);
    func.signature = bench_signature_of(d.shape);
    func.shape = cca_builder_string(m->out, d.shape);
    *row = cca_func_add(m->out, func);
  }
  return *row;
}

/* A function that no unit defines: of libc, by NAME, or number NUMBER. */
static uint32_t undefined_row(struct unit_maker *m, const char *name,
                              uint32_t number, const char *shape) {
  uint32_t symbol = bench_text(m, name, number, 0);
  uint32_t key[2] = {CCA_NONE, symbol};
  bool is_new;
  uint32_t *row = cca_map_at(&m->rows, key, sizeof key, &is_new);
  if (is_new) {
    struct cca_func func = cca_func_init();
    func.symbol = symbol;
    func.signature = bench_signature_of(shape);
    func.shape = cca_builder_string(m->out, shape);
    *row = cca_func_add(m->out, func);
  }
  return *row;
}

/* A call of libc's NAME. */
static uint32_t call_libc(struct unit_maker *m, const char *name,
                          const char *shape, uint32_t a, uint32_t b,
                          uint32_t c) {
  uint32_t args[] = {a, b, c};
  return call(m, undefined_row(m, name, 0, shape), CCA_NONE, shape, args,
              CCA_CALL_FLAGS_ALWAYS);
}

/* A call of one of the module's own wrappers. */
static uint32_t call_memory(struct unit_maker *m, enum kind kind, uint32_t a,
                            uint32_t b, uint32_t flags) {
  uint32_t home = bench_module_of(m->unit) * MODULE_UNITS;
  uint32_t i = kind == INLINE_NEW ? 0 : 2 + (kind - MALLOC);
  uint32_t unit = kind == INLINE_NEW ? m->unit : home;
  uint32_t args[] = {a, b};
  struct description d = bench_describe(unit, i, m->sizes[unit]);
  return call(m, function_row(m, unit, i), CCA_NONE, d.shape, args, flags);
}

/* ---- Values ---- */

static uint32_t some_record(struct unit_maker *m) {
  return m->records[bench_below(m, RECORDS)];
}

static uint32_t pointer(struct unit_maker *m) {
  uint32_t r = bench_below(m, 100);
  if (r < 60)
    return param(m, 0);
  if (r < 85)
    return load(m, param(m, 0), some_record(m), bench_below(m, LINKS));
  if (r < 92)
    return bench_node(m, CCA_OP_OPAQUE, CCA_OPAQUE_WHY_STRING, 0);
  struct cca_local local = cca_local_init();
  local.func = m->row;
  local.name = cca_builder_string(m->out, "object");
  local.of = some_record(m);
  return bench_node(m, CCA_OP_LOCAL, cca_local_add(m->out, local), 0);
}

static uint32_t integer(struct unit_maker *m) {
  uint32_t r = bench_below(m, 100);
  if (r < 45)
    return constant(m, 1 + bench_below(m, 99));
  uint32_t value = load(m, param(m, 0), some_record(m),
                        LINKS + bench_below(m, MEMBERS - LINKS));
  if (r < 75)
    return value;
  if (r < 87)
    return either(m, value, constant(m, bench_below(m, 10)));
  if (r < 97)
    return bench_node(m, CCA_OP_ADD, value, constant(m, 1));
  return bench_node(m, CCA_OP_MUL, value, size_of(m, some_record(m)));
}

/* ---- Bodies ---- */

static void count_typed(struct unit_maker *m) {
  m->program->answer.typed_sites++;
}

/* p->data = one of the ways to allocate sizeof(struct some). */
static void allocate(struct unit_maker *m) {
  static const enum kind ways[] = {INLINE_NEW, INLINE_NEW, MALLOC, MALLOC,
                                   MALLOC,     MALLOC,     HEADER, CHAIN};
  uint32_t r = bench_below(m, 11), fresh;
  uint32_t size = size_of(m, some_record(m));
  count_typed(m);
  if (r < 8)
    fresh = call_memory(m, ways[r], size, 0, 0);
  else if (r < 9)
    fresh = call_memory(m, ARRAY, integer(m), size, 0);
  else if (r < 10)
    fresh = call_memory(m, CALLOC, constant(m, 1), size, 0);
  else {
    uint32_t base = bench_node(m, CCA_OP_GLOBAL, m->state_global, 0);
    fresh = call(m, CCA_NONE, load(m, base, m->state, 0), "pl", &size, 0);
  }
  store(m, bench_place(m, param(m, 0), some_record(m), 1), fresh);
}

static uint32_t call_virtual(struct unit_maker *m) {
  uint32_t method = bench_below(m, METHODS), args[CALL_MAX], i;
  for (i = 0; i + 1 < m->sizes[m->unit]; i++) /* any method's shape will do */
    if (bench_describe(m->unit, i, m->sizes[m->unit]).method == (int)method)
      break;
  struct description d = bench_describe(m->unit, i, m->sizes[m->unit]);
  if (d.method < 0)
    return constant(m, 0);
  for (uint32_t a = 0; d.shape[a + 1]; a++)
    args[a] = d.shape[a + 1] == 'p' ? pointer(m) : integer(m);
  uint32_t table = load(m, param(m, 0), some_record(m), 0);
  return call(m, CCA_NONE, load(m, table, m->class, method), d.shape, args, 0);
}

/* Somebody in the same unit, mostly further up; the same module; a library. */
static void choose(struct unit_maker *m, uint32_t *unit, uint32_t *i) {
  uint32_t r = bench_below(m, 100);
  *unit = m->unit;
  if (r >= 55 && m->unit % MODULE_UNITS)
    *unit -= 1 + bench_below(m, m->unit % MODULE_UNITS);
  if (r >= 85) {
    uint32_t a = bench_below(m, m->unit + 1), b = bench_below(m, m->unit + 1);
    *unit = a < b ? a : b;
  }
  bool upwards = *unit == m->unit && r >= 3;
  *i = bench_below(m, upwards && m->row ? m->row : m->sizes[*unit]);
}

static uint32_t call_someone(struct unit_maker *m) {
  uint32_t args[CALL_MAX], unit, i;
  if (chance(m, 20)) {
    uint32_t number = bench_below(m, EXTERNALS);
    args[0] = pointer(m);
    args[1] = integer(m);
    return call(m, undefined_row(m, "library_function_%u", number, "ipl"),
                CCA_NONE, "ipl", args, 0);
  }
  struct description d;
  do {
    choose(m, &unit, &i);
    d = bench_describe(unit, i, m->sizes[unit]);
  } while (d.kind == RING || (d.kind < ORDINARY && d.kind != INLINE_GET));
  if (d.kind == INLINE_GET)
    unit = m->unit; /* each has its own */
  for (uint32_t a = 0; d.shape[a + 1]; a++)
    args[a] = d.shape[a + 1] == 'p' ? pointer(m) : integer(m);
  if (d.kind == DESTRUCTOR)
    args[0] = load(m, param(m, 0), some_record(m), 1);
  if (d.kind == APPLY) {
    uint32_t k = bench_below(m, m->sizes[m->unit]);
    while (k && bench_describe(m->unit, k, m->sizes[m->unit]).method != 0)
      k--;
    if (!k)
      return integer(m);
    args[1] = bench_node(m, CCA_OP_FUNC, k, 0);
  }
  if (d.kind == FACTORY)
    count_typed(m);
  uint32_t flags =
      chance(m, 25) && d.kind != DESTRUCTOR ? CCA_CALL_FLAGS_ALWAYS : 0;
  return call(m, function_row(m, unit, i), CCA_NONE, d.shape, args, flags);
}

static void ordinary(struct unit_maker *m, const struct description *d) {
  uint32_t calls = d->big ? 800 : draw(m, call_shares);
  uint32_t stores = d->big ? 800 : draw(m, store_shares);
  uint32_t result = constant(m, 0);
  while (calls || stores) {
    if (bench_below(m, calls + stores) < calls) {
      calls--;
      uint32_t r = bench_below(m, 200);
      if (r < 12 && stores) {
        stores--;
        allocate(m);
      } else if (r < 20)
        call_memory(m, FREE, load(m, param(m, 0), some_record(m), 1), 0, 0);
      else if (r < 23)
        result = call_virtual(m);
      else
        result = call_someone(m);
    } else {
      stores--;
      bool link = chance(m, 30);
      store(m,
            bench_place(m, chance(m, 50) ? param(m, 0) : pointer(m),
                        some_record(m),
                        link ? 0 : LINKS + bench_below(m, MEMBERS - LINKS)),
            link ? pointer(m) : integer(m));
    }
  }
  if (d->shape[0] == 'i') {
    give(m, either(m, result, constant(m, 1)));
    if (chance(m, 50))
      give(m, integer(m));
  }
}

void bench_body(struct unit_maker *m, const struct description *d) {
  struct bench_answer *answer = &m->program->answer;
  uint32_t always = CCA_CALL_FLAGS_ALWAYS, record = some_record(m), fresh;
  uint32_t args[CALL_MAX], next = (m->unit + 1) % m->unit_count;
  bool first = m->unit % MODULE_UNITS == 0;
  answer->allocators +=
      d->kind == INLINE_NEW ? first : d->kind >= MALLOC && d->kind <= DUP;
  answer->factories += d->kind == FACTORY;
  answer->frees += d->kind == FREE;
  switch (d->kind) {
  case INLINE_NEW:
    give(m, call_memory(m, MALLOC, param(m, 0), 0, always));
    break;
  case MALLOC:
    give(m, call_libc(m, "malloc", "pl", param(m, 0), 0, 0));
    break;
  case HEADER: /* p = m_malloc(16 + n), p[0] = n; returns p + 16 */
    fresh = call_memory(m, MALLOC,
                        bench_node(m, CCA_OP_ADD, param(m, 0), constant(m, 16)),
                        0, always);
    store(m, bench_place(m, fresh, CCA_NONE, 0), param(m, 0));
    give(m, bench_node(m, CCA_OP_ADD, fresh, constant(m, 16)));
    break;
  case CHAIN:
    give(m, call_memory(m, HEADER, param(m, 0), 0, always));
    break;
  case CALLOC:
    give(m, call_libc(m, "calloc", "pll", param(m, 0), param(m, 1), 0));
    break;
  case REALLOC:
    give(m, call_libc(m, "realloc", "ppl", param(m, 0), param(m, 1), 0));
    break;
  case ARRAY:
    give(m, call_memory(m, MALLOC,
                        bench_node(m, CCA_OP_MUL, param(m, 0), param(m, 1)), 0,
                        always));
    break;
  case DUP:
    fresh = call_libc(m, "strlen", "lp", param(m, 0), 0, 0);
    fresh = bench_node(m, CCA_OP_ADD, fresh, constant(m, 1));
    args[0] = call_memory(m, MALLOC, fresh, 0, always);
    call_libc(m, "memcpy", "pppl", args[0], param(m, 0), fresh);
    give(m, args[0]);
    break;
  case FREE:
    call_libc(m, "free", "vp", param(m, 0), 0, 0);
    break;
  case INIT: /* state->alloc = m_malloc, state->free = m_free; calls both */
    store(m, bench_place(m, param(m, 0), m->state, 0),
          bench_node(m, CCA_OP_FUNC, 2, 0));
    store(m, bench_place(m, param(m, 0), m->state, 1),
          bench_node(m, CCA_OP_FUNC, 2 + FREE - MALLOC, 0));
    args[0] = param(m, 0);
    args[1] = size_of(m, record);
    call(m, CCA_NONE,
         load(m, bench_node(m, CCA_OP_GLOBAL, m->state_global, 0), m->state, 1),
         "vp", args, 0);
    call(m, CCA_NONE,
         load(m, bench_node(m, CCA_OP_GLOBAL, m->state_global, 0), m->state, 0),
         "pl", args + 1, 0);
    count_typed(m);
    answer->pointers++;
    answer->allocators++;
    answer->frees++;
    break;
  case INLINE_GET:
  case GETTER:
    give(m, load(m, param(m, 0), record, 0));
    break;
  case FINDER:
    give(m, constant(m, 0));
    give(m, load(m, param(m, 0), record, 0));
    args[0] = param(m, 0);
    give(m, call(m, 1, CCA_NONE, "pp", args, 0));
    break;
  case FACTORY: /* p = m_malloc(sizeof *p), p->number = n */
    fresh = call_memory(m, chance(m, 50) ? MALLOC : INLINE_NEW,
                        size_of(m, record), 0, 0);
    store(m, bench_place(m, fresh, record, LINKS), param(m, 0));
    store(m, bench_place(m, fresh, record, 0), constant(m, 0));
    give(m, fresh);
    count_typed(m);
    break;
  case DESTRUCTOR:
    call_memory(m, FREE, load(m, param(m, 0), record, 1), 0, always);
    call_memory(m, FREE, param(m, 0), 0, always);
    break;
  case GROWER: /* p->data = m_realloc(p->data, n * sizeof(struct record)) */
    args[0] = bench_place(m, param(m, 0), record, 1);
    fresh = call_memory(
        m, REALLOC, bench_node(m, CCA_OP_LOAD, args[0], 0),
        bench_node(m, CCA_OP_MUL, param(m, 1), size_of(m, record)), always);
    store(m, args[0], fresh);
    count_typed(m);
    break;
  case APPLY:
    args[0] = param(m, 0);
    give(m, either(m, call(m, CCA_NONE, param(m, 1), "ip", args, 0),
                   constant(m, 0)));
    break;
  case RING:
    args[0] = param(m, 0);
    args[1] = param(m, 1);
    fresh = call_someone(m);
    give(m, either(m, fresh,
                   call(m, function_row(m, next, m->sizes[next] - 1), CCA_NONE,
                        d->shape, args, 0)));
    break;
  case ORDINARY:
    ordinary(m, d);
    break;
  }
}
