/* SPDX-License-Identifier: MIT */
/*
 * generate.c -- a program of any size, in the proportions of real ones.
 *
 * Out:   units whose rows stand to each other as those of redis, sqlite and
 *        git do: per function 6.6 calls and 16 nodes, 1.5 % of calls through
 *        pointers, a sixth of functions that return pointers, a fifth whose
 *        address is taken; a few functions with hundreds of calls, and now and
 *        then an interpreter with thousands.
 * Holds: what a function is, bench_describe() says from its unit and number
 *        alone, so that units are made one by one and agree on each other.
 *
 * Fifty units are a module: its first unit has the wrappers of malloc() that
 * all of it uses, a record that holds two of them, inline functions that each
 * unit repeats, and a table of methods.  Functions call downwards mostly, and
 * upwards through methods.  The last function of each unit calls the last of
 * the next, round the whole program: a component that grows with it.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char bench_primitives[] = "malloc   malloc size=0\n"
                                "calloc   calloc size=0*1 zeroed\n"
                                "realloc  realloc size=1 block=0\n"
                                "free     frees=0\n"
                                "strlen   length=0\n"
                                "memcpy   writes=0 copies=1 returns=0\n";

struct description bench_describe(uint32_t unit, uint32_t i, uint32_t count) {
  static const char *const memory_shapes[] = {"pl",  "pl", "pl", "pll", "ppl",
                                              "pll", "pp", "vp", "vp"};
  static const char *const method_shapes[METHODS] = {
      "ip", "vp", "ipl", "vpl", "ipp", "vpp", "ippl", "vppl"};
  static const char *const shapes[] = {"ip", "ipl", "ipp",  "ippl",
                                       "vp", "vpl", "vppl", "ipll"};
  struct description d = {ORDINARY, -1, "", false};
  uint64_t h = bench_mix((uint64_t)unit << 32 | i);
  uint32_t at = h % 100;
  const char *shape = "pp";
  if (i < 2) {
    d.kind = i ? INLINE_GET : INLINE_NEW;
    shape = i ? "pp" : "pl";
  } else if (unit % MODULE_UNITS == 0 && i <= 2 + INIT - MALLOC) {
    d.kind = MALLOC + (i - 2);
    shape = memory_shapes[i - 2];
  } else if (i + 1 == count) {
    d.kind = RING;
    shape = "ipl";
  } else if (unit % 250 == 7 && i == 12) {
    d.big = true;
    shape = "ipl";
  } else if (at < 2) {
    d.kind = APPLY;
    shape = "ipp";
  } else if (at < 9) {
    d.kind = GETTER;
  } else if (at < 14) {
    d.kind = FINDER;
  } else if (at < 17) {
    d.kind = FACTORY;
    shape = "pl";
  } else if (at < 20) {
    d.kind = DESTRUCTOR;
    shape = "vp";
  } else if (at < 22) {
    d.kind = GROWER;
    shape = "vpl";
  } else if (at < 42) {
    d.method = (int)(h >> 40) % METHODS;
    shape = method_shapes[d.method];
  } else {
    shape = shapes[(h >> 40) % (sizeof shapes / sizeof shapes[0])];
  }
  strcpy(d.shape, shape);
  return d;
}

bool bench_is_inline(enum kind kind) { return kind <= INLINE_GET; }

uint32_t bench_module_of(uint32_t unit) { return unit / MODULE_UNITS; }

uint32_t bench_text(struct unit_maker *m, const char *format, uint32_t a,
                    uint32_t b) {
  char buffer[64];
  snprintf(buffer, sizeof buffer, format, a, b);
  return cca_builder_string(m->out, buffer);
}

uint32_t bench_symbol_of(struct unit_maker *m, uint32_t unit, uint32_t i) {
  struct description d = bench_describe(unit, i, m->sizes[unit]);
  return bench_is_inline(d.kind)
             ? bench_text(m, "m%u_inline%u", bench_module_of(unit), i)
             : bench_text(m, "u%u_f%u", unit, i);
}

int64_t bench_signature_of(const char *shape) {
  return (int64_t)(cca_hash(1, shape, strlen(shape)) & 0xffffffff);
}

/* ---- Units ---- */

static uint32_t add_type(struct unit_maker *m, enum cca_type_kind kind,
                         uint32_t name, int64_t size, int64_t identity,
                         uint32_t flags) {
  struct cca_type type = cca_type_init();
  type.name = name;
  type.kind = kind;
  type.size = size;
  type.identity = (int64_t)bench_mix((uint64_t)identity);
  type.flags = flags;
  return cca_type_add(m->out, type);
}

/* A record whose first LINK members are pointers to itself. */
static uint32_t add_record(struct unit_maker *m, const char *name, uint32_t a,
                           uint32_t b, uint32_t links) {
  int64_t identity = (int64_t)cca_hash(a * 64 + b, name, strlen(name));
  uint32_t record = add_type(m, CCA_TYPE_KIND_STRUCT, bench_text(m, name, a, b),
                             8 * MEMBERS, identity, 0);
  uint32_t link = add_type(m, CCA_TYPE_KIND_POINTER,
                           bench_text(m, "pointer", 0, 0), 8, identity + 1, 0);
  struct cca_type row = cca_type_get(m->out, link);
  row.element = record;
  cca_type_set(m->out, link, row);
  row = cca_type_get(m->out, record);
  row.file = m->header;
  row.line = b + 1;
  row.members_first = cca_member_added(m->out);
  row.members_count = MEMBERS;
  cca_type_set(m->out, record, row);
  for (uint32_t i = 0; i < MEMBERS; i++)
    cca_member_add(m->out,
                   (struct cca_member){bench_text(m, "member%u", i, 0), 8 * i,
                                       i < links ? link : m->number});
  return record;
}

static void add_types(struct unit_maker *m) {
  uint32_t module = bench_module_of(m->unit);
  m->number =
      add_type(m, CCA_TYPE_KIND_BASE, bench_text(m, "long", 0, 0), 8, 1, 0);
  m->bytes = add_type(m, CCA_TYPE_KIND_BASE, bench_text(m, "char", 0, 0), 1, 2,
                      CCA_TYPE_FLAGS_BYTES);
  uint32_t start = bench_below(m, SHARED);
  for (uint32_t i = 0; i < SEEN; i++) {
    m->records[i] = add_record(m, "struct m%u_shared%u", module,
                               (start + i) % SHARED, LINKS);
    m->records[SEEN + i] = add_record(m, "struct u%u_own%u", m->unit, i, LINKS);
  }
  m->class = add_record(m, "struct m%u_class", module, 0, MEMBERS);
  m->state = add_record(m, "struct m%u_state", module, 0, MEMBERS);
}

static uint32_t add_global(struct unit_maker *m, const char *name, uint32_t a,
                           enum cca_linkage linkage, uint32_t of) {
  struct cca_global global = cca_global_init();
  global.symbol = bench_text(m, name, a, 0);
  global.linkage = linkage;
  global.of = of;
  return cca_global_add(m->out, global);
}

/* The unit's table of methods: the last of its functions of each shape. */
static void add_tables(struct unit_maker *m) {
  uint32_t table =
      add_global(m, "u%u_class", m->unit, CCA_LINKAGE_EXTERNAL, m->class);
  m->state_global = add_global(m, "m%u_state", bench_module_of(m->unit),
                               m->unit % MODULE_UNITS ? CCA_LINKAGE_UNDEFINED
                                                      : CCA_LINKAGE_EXTERNAL,
                               m->state);
  uint32_t base = bench_node(m, CCA_OP_GLOBAL, table, 0);
  for (uint32_t i = 0; i < m->sizes[m->unit]; i++) {
    struct description d = bench_describe(m->unit, i, m->sizes[m->unit]);
    if (d.method < 0)
      continue;
    struct cca_store row = {CCA_NONE,
                            bench_place(m, base, m->class, (uint32_t)d.method),
                            bench_node(m, CCA_OP_FUNC, i, 0), 1};
    cca_store_add(m->out, row);
  }
}

static void add_function(struct unit_maker *m, uint32_t i) {
  struct description d = bench_describe(m->unit, i, m->sizes[m->unit]);
  struct cca_func *f = &m->func;
  m->row = i;
  memset(m->params, 0xff, sizeof m->params);
  *f = cca_func_init();
  f->symbol = bench_symbol_of(m, m->unit, i);
  f->linkage =
      bench_is_inline(d.kind) ? CCA_LINKAGE_INTERNAL : CCA_LINKAGE_EXTERNAL;
  f->file = bench_is_inline(d.kind) ? m->header : m->file;
  if (bench_is_inline(d.kind))
    m->line = 1000 * (i + 1);
  f->line = ++m->line;
  f->signature = bench_signature_of(d.shape);
  f->shape = cca_builder_string(m->out, d.shape);
  if (d.method >= 0 || d.kind == MALLOC || d.kind == FREE)
    f->flags = CCA_FUNC_FLAGS_ADDRESS_TAKEN;
  f->params_first = cca_param_added(m->out);
  for (const char *letter = d.shape + 1; *letter; letter++) {
    bool is_pointer = *letter == 'p';
    bool generic = d.kind >= MALLOC && d.kind <= FREE;
    f->params_count++;
    cca_param_add(m->out,
                  (struct cca_param){bench_text(m, "p", 0, 0),
                                     is_pointer ? CCA_VALUE_KIND_POINTER
                                                : CCA_VALUE_KIND_INTEGER,
                                     !is_pointer ? m->number
                                     : generic   ? m->bytes
                                                 : m->records[0]});
  }
  if (d.shape[0] == 'p' && d.kind >= GETTER)
    f->result = m->records[0];
  bench_body(m, &d);
  cca_func_set(m->out, i, *f);
}

static void make_unit(struct unit_maker *m, struct cca_solver_unit *unit,
                      struct cca_table *table) {
  struct cca_unit row = cca_unit_init();
  struct cca_text image = {0};
  struct cca_table_error err;
  m->out = cca_builder_new(&cca_summary_schema);
  m->random = bench_mix(m->unit);
  m->line = 0;
  m->file = cca_file_add(m->out,
                         (struct cca_file){bench_text(m, "u%u.c", m->unit, 0)});
  m->header = cca_file_add(
      m->out,
      (struct cca_file){bench_text(m, "m%u.h", bench_module_of(m->unit), 0)});
  row.source = bench_text(m, "u%u.c", m->unit, 0);
  cca_unit_add(m->out, row);
  add_types(m);
  for (uint32_t i = 0; i < m->sizes[m->unit]; i++)
    cca_func_add(m->out, cca_func_init());
  add_tables(m);
  for (uint32_t i = 0; i < m->sizes[m->unit]; i++)
    add_function(m, i);
  m->program->functions += m->sizes[m->unit];
  m->program->calls += cca_call_added(m->out);
  m->program->nodes += cca_node_added(m->out);
  if (cca_builder_finish(m->out, &image, &err) < 0) {
    fprintf(stderr, "unit %u: %s\n", m->unit, err.text);
    abort();
  }
  cca_builder_free(m->out);
  cca_map_release(&m->rows);

  /* As much memory as the image has bytes. */
  image.data = cca_realloc(image.data, image.len, 1);
  m->program->bytes += image.len;
  cca_table_open(table, &cca_summary_schema, image.data, image.len, &err);
  unit->summary = table;
  unit->name = cca_table_string(table, cca_unit_at(table, 0).source);
}

void bench_generate(struct bench_program *program, uint32_t functions) {
  uint32_t *sizes = cca_calloc(functions / UNIT_MIN + 1, sizeof *sizes);
  uint32_t count = 0;
  for (uint32_t left = functions; left; count++) {
    uint32_t size =
        UNIT_MIN + (uint32_t)(bench_mix(~(uint64_t)count) % UNIT_SPREAD);
    if (left < size + UNIT_MIN)
      size = left;
    sizes[count] = size;
    left -= size;
  }
  *program = (struct bench_program){
      .unit_count = count,
      .units = cca_calloc(count, sizeof *program->units),
      .tables = cca_calloc(count, sizeof *program->tables)};
  struct unit_maker maker = {
      .program = program, .sizes = sizes, .unit_count = count};
  for (uint32_t u = 0; u < count; u++) {
    maker.unit = u;
    make_unit(&maker, &program->units[u], &program->tables[u]);
  }
  free(sizes);
}

void bench_program_release(struct bench_program *program) {
  for (size_t u = 0; u < program->unit_count; u++)
    free((void *)(uintptr_t)program->tables[u].image);
  free(program->units);
  free(program->tables);
  *program = (struct bench_program){0};
}
