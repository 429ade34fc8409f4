/* SPDX-License-Identifier: MIT */
/*
 * sites.c -- join the calls of the code with the calls of the summary.
 *
 * Input:     code.h's calls, lines.h's places and inlined functions, and the
 *            summary's calls.
 * Output:    rows of SITE: this call's return address is that place.
 * Invariant: a row without the flag `ambiguous` is the only one that fits.
 *
 * A call of the code is *wanted* in the summary as (function, line, callee);
 * where functions were inlined, the call of each of them, outwards, is wanted
 * at the same place.  Wants with equal keys are matched with the summary's
 * calls of that key together: one call takes them all (they are copies), and
 * as many calls as there are columns are matched in the order of columns,
 * which agrees between compilers though the numbers do not.
 *
 * What finds no such call is looked for less strictly:
 *  - on the same line, if the compiler knows the target of a pointer, or calls
 *    calloc() for malloc() and memset();
 *  - on the next line of the function that has an unmatched call of the callee:
 *    gcc gives an argument the line of the call that it is passed to;
 *  - for a function that the summary does not know, by line and callee alone.
 *
 * Without debug information calls are matched by (function, callee) in order.
 * Where the code has more of them than the source, a function in between was
 * inlined; if the summary has just as many such detours, they are it.
 */
#include "sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "code.h"
#include "lines.h"

enum { INDIRECT = 0, UNKNOWN = UINT32_MAX - 1 }; /* numbers of callees */

/* A call of the summary under a key of three numbers. */
struct entry {
  uint32_t key[3], column, call;
};
struct index {
  struct entry *items;
  uint32_t count;
};

/* A call of the code that ought to be in the summary. */
struct want {
  uint32_t code;  /* index of the code's call */
  uint32_t depth; /* 0: itself; n: of the n-th inlined function around it */
  uint32_t function, line, callee, column;
  uint32_t call; /* answer; CCA_NONE: none */
  bool ambiguous;
};
struct wants cca_vec(struct want);

struct joiner {
  const struct cca_site_call *calls;
  uint32_t count;
  struct cca_map numbers;     /* of names, from 1 */
  struct index by_place;      /* function, line, callee */
  struct index by_callee;     /* function, callee, line */
  struct index by_line;       /* line, callee, function */
  bool *is_callee;            /* by number */
  bool *taken;                /* by call: some want has its very key */
  struct wants wants, orders; /* orders: without a line */
};

/* ----------------------------------------------------------------- index */

static int compare_entries(const void *pa, const void *pb) {
  const struct entry *a = pa, *b = pb;
  for (unsigned i = 0; i < 3; i++)
    if (a->key[i] != b->key[i])
      return a->key[i] < b->key[i] ? -1 : 1;
  if (a->column != b->column)
    return a->column < b->column ? -1 : 1;
  return a->call < b->call ? -1 : a->call > b->call;
}

/* The first entry that is not before the key (A, B, C). */
static uint32_t lower(const struct index *index, uint32_t a, uint32_t b,
                      uint32_t c) {
  struct entry key = {.key = {a, b, c}};
  uint32_t low = 0, high = index->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare_entries(&index->items[middle], &key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct range {
  uint32_t first, end;
};

static struct range exactly(const struct index *index, uint32_t a, uint32_t b,
                            uint32_t c) {
  return (struct range){lower(index, a, b, c), lower(index, a, b, c + 1)};
}

static struct range any_third(const struct index *index, uint32_t a,
                              uint32_t b) {
  return (struct range){lower(index, a, b, 0), lower(index, a, b + 1, 0)};
}

static uint32_t number(struct joiner *j, const char *name) {
  bool is_new;
  uint32_t *slot = cca_map_at(&j->numbers, name, strlen(name), &is_new);
  if (is_new)
    *slot = (uint32_t)j->numbers.count;
  return *slot;
}

/* The number of a symbol of the code, which may be a clone of the source's
 * function: f.constprop.0, f.isra.0, f.part.0, f.cold. */
static uint32_t find_number(const struct joiner *j, const char *symbol) {
  const uint32_t *found = cca_map_find(&j->numbers, symbol, strlen(symbol));
  const char *dot = strchr(symbol, '.');
  if (!found && dot && dot != symbol)
    found = cca_map_find(&j->numbers, symbol, (size_t)(dot - symbol));
  return found ? *found : UNKNOWN;
}

static struct index make_index(const struct joiner *j, unsigned a, unsigned b,
                               unsigned c, const uint32_t (*fields)[3]) {
  struct index index = {cca_calloc(j->count, sizeof(struct entry)), j->count};
  for (uint32_t i = 0; i < j->count; i++)
    index.items[i] =
        (struct entry){{fields[i][a], fields[i][b], fields[i][c]},
                       j->calls[i].column,
                       i};
  if (j->count)
    qsort(index.items, j->count, sizeof(struct entry), compare_entries);
  return index;
}

static void make_indices(struct joiner *j) {
  enum { FUNCTION, LINE, CALLEE };
  uint32_t(*fields)[3] = cca_calloc(j->count, sizeof *fields);
  for (uint32_t i = 0; i < j->count; i++) {
    fields[i][FUNCTION] = number(j, j->calls[i].function);
    fields[i][LINE] = j->calls[i].line;
    fields[i][CALLEE] =
        j->calls[i].callee ? number(j, j->calls[i].callee) : INDIRECT;
  }
  j->is_callee = cca_calloc(j->numbers.count + 1, sizeof(bool));
  j->taken = cca_calloc(j->count, sizeof(bool));
  for (uint32_t i = 0; i < j->count; i++)
    j->is_callee[fields[i][CALLEE]] = true;
  const uint32_t(*f)[3] = (const uint32_t(*)[3])fields;
  j->by_place = make_index(j, FUNCTION, LINE, CALLEE, f);
  j->by_callee = make_index(j, FUNCTION, CALLEE, LINE, f);
  j->by_line = make_index(j, LINE, CALLEE, FUNCTION, f);
  free(fields);
}

/* ----------------------------------------------------------------- wants */

/* The number of the target, of whose aliases the summary knows one; the one
 * that FUNCTION calls if there are several. */
static uint32_t find_callee(const struct joiner *j, const struct cca_code *code,
                            const struct cca_code_call *call,
                            uint32_t function) {
  uint32_t best = call->count ? UNKNOWN : INDIRECT;
  for (uint32_t i = 0; i < call->count; i++) {
    uint32_t n = find_number(j, code->names.items[call->first + i]);
    if (n == UNKNOWN || !j->is_callee[n])
      continue;
    struct range here = any_third(&j->by_callee, function, n);
    if (here.first < here.end)
      return n;
    if (best == UNKNOWN)
      best = n;
  }
  return best;
}

static void add_wants(struct joiner *j, const struct cca_code *code, uint32_t i,
                      const struct cca_lines_place *place) {
  const struct cca_code_call *call = &code->calls.items[i];
  const struct cca_lines_frame *frame = place->frame;
  uint32_t own = find_number(j, call->function);
  struct want want = {.code = i, .call = CCA_NONE};
  want.function = frame ? find_number(j, frame->function) : own;
  want.line = place->line;
  want.column = place->column;
  want.callee = find_callee(j, code, call, want.function);
  if (!place->line && !frame) {
    if (want.function != UNKNOWN && want.callee != UNKNOWN &&
        !(call->tail && want.callee == INDIRECT))
      cca_vec_push(&j->orders, want);
    return;
  }
  if (call->tail) { /* most jumps are no calls */
    struct range rows =
        exactly(&j->by_place, want.function, want.line, want.callee);
    if (want.callee == UNKNOWN ||
        (want.callee == INDIRECT && rows.first == rows.end))
      return;
  }
  for (;;) {
    cca_vec_push(&j->wants, want);
    if (!frame)
      break;
    want.callee = find_number(j, frame->function);
    want.line = frame->line;
    want.column = frame->column;
    frame = frame->outer;
    want.function = frame ? find_number(j, frame->function) : own;
    want.depth++;
  }
}

static int compare_wants(const void *pa, const void *pb) {
  const struct want *a = pa, *b = pb;
  const uint32_t keys[][2] = {
      {a->function, b->function}, {a->line, b->line}, {a->callee, b->callee},
      {a->column, b->column},     {a->code, b->code}, {a->depth, b->depth},
  };
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

static int compare_by_place(const void *pa, const void *pb) {
  const struct want *a = pa, *b = pb;
  if (a->code != b->code)
    return a->code < b->code ? -1 : 1;
  return a->depth < b->depth ? -1 : a->depth > b->depth;
}

/* ---------------------------------------------------------- same function,
 * line and callee */

/* Is every column of the COUNT wants that of a call in ROWS? */
static bool same_columns(const struct joiner *j, const struct want *wants,
                         size_t count, struct range rows) {
  for (size_t i = 0; i < count; i++) {
    bool found = false;
    for (uint32_t r = rows.first; r < rows.end; r++)
      found |= j->by_place.items[r].column == wants[i].column;
    if (!found)
      return false;
  }
  return true;
}

static void match_group(struct joiner *j, struct want *wants, size_t count) {
  struct range rows = exactly(&j->by_place, wants[0].function, wants[0].line,
                              wants[0].callee);
  uint32_t candidates = rows.end - rows.first, columns = 1;
  const struct entry *entries = j->by_place.items + rows.first;
  for (uint32_t r = 0; r < candidates; r++)
    j->taken[entries[r].call] = true;
  if (!candidates)
    return;
  for (size_t i = 1; i < count; i++)
    columns += wants[i].column != wants[i - 1].column;
  bool same = columns != candidates && candidates > 1 &&
              same_columns(j, wants, count, rows);

  for (size_t i = 0, rank = 0; i < count; i++) {
    rank += i && wants[i].column != wants[i - 1].column;
    uint32_t r = 0;
    if (same) {
      while (entries[r].column != wants[i].column)
        r++;
    } else if (columns == candidates) {
      r = (uint32_t)rank;
    } else if (candidates > 1) {
      /* One column for all: a macro, or arguments of one call under gcc. */
      r = columns == 1 ? (uint32_t)i : (uint32_t)rank;
      r = r < candidates ? r : candidates - 1;
      wants[i].ambiguous = true;
    }
    wants[i].call = entries[r].call;
  }
}

/* ---------------------------------------------------------- less strictly */

static uint32_t distance(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

/* The only call on the want's line that no code was found for; or CCA_NONE. */
static uint32_t only_one_left(const struct joiner *j, const struct want *want,
                              bool indirect_only) {
  uint32_t found = CCA_NONE;
  struct range rows = any_third(&j->by_place, want->function, want->line);
  for (uint32_t r = rows.first; r < rows.end; r++) {
    const struct entry *entry = &j->by_place.items[r];
    if (j->taken[entry->call] ||
        (indirect_only && entry->key[2] != INDIRECT))
      continue;
    if (found != CCA_NONE)
      return CCA_NONE;
    found = entry->call;
  }
  return found;
}

/*
 * For COUNT equal wants: the next calls of the callee in the function, by
 * line, that no code was found for; else the nearest.
 */
static void match_nearest(const struct joiner *j, struct want *wants,
                          size_t count) {
  uint32_t line = wants[0].line;
  struct range rows =
      any_third(&j->by_callee, wants[0].function, wants[0].callee);
  const struct entry *near = NULL, *entries = j->by_callee.items;
  struct cca_vec(uint32_t) after = {0};
  for (uint32_t r = rows.first; r < rows.end; r++) {
    if (!j->taken[entries[r].call] && entries[r].key[2] >= line)
      cca_vec_push(&after, r);
    if (!near || distance(entries[r].key[2], line) <
                     distance(near->key[2], line))
      near = &entries[r];
  }
  /* One argument of a call on the line itself is sure. */
  struct range here = any_third(&j->by_place, wants[0].function, line);
  bool sure = rows.end - rows.first == 1 ||
              (count == 1 && after.count && here.first < here.end &&
               (after.count == 1 || entries[after.items[0]].key[2] !=
                                        entries[after.items[1]].key[2]));
  for (size_t i = 0; near && i < count; i++) {
    size_t next = i < after.count ? i : after.count - 1;
    wants[i].call =
        after.count ? entries[after.items[next]].call : near->call;
    wants[i].ambiguous = !sure;
  }
  cca_vec_release(&after);
}

/* COUNT equal wants, for which match_group() found nothing. */
static void match_loosely(struct joiner *j, struct want *wants, size_t count) {
  const struct want *first = &wants[0];
  uint32_t call = CCA_NONE;
  bool ambiguous = false;
  if (first->call != CCA_NONE)
    return;
  if (first->function == UNKNOWN) {
    struct range rows = any_third(&j->by_line, first->line, first->callee);
    if (first->callee != UNKNOWN && rows.end - rows.first == 1)
      call = j->by_line.items[rows.first].call;
  } else {
    if (first->callee != INDIRECT && first->depth == 0)
      call = only_one_left(j, first, true);
    if (call == CCA_NONE && first->callee != UNKNOWN) {
      match_nearest(j, wants, count);
      if (first->call != CCA_NONE)
        return;
    }
    if (call == CCA_NONE && first->depth == 0) {
      call = only_one_left(j, first, false);
      ambiguous = first->callee != INDIRECT;
    }
  }
  for (size_t i = 0; call != CCA_NONE && i < count; i++) {
    wants[i].call = call;
    wants[i].ambiguous = ambiguous;
  }
}

/* ------------------------------------------------- without debug information */

/* A way from FUNCTION to a call of CALLEE through at most one inlined function:
 * one call of the summary, or two. */
struct way {
  uint32_t inner, outer; /* outer: CCA_NONE, or the call of what was inlined */
};
struct ways cca_vec(struct way);

static int compare_ways(const void *pa, const void *pb) {
  const struct way *a = pa, *b = pb;
  uint32_t x = a->outer == CCA_NONE ? a->inner : a->outer;
  uint32_t y = b->outer == CCA_NONE ? b->inner : b->outer;
  if (x != y)
    return x < y ? -1 : 1;
  return a->inner < b->inner ? -1 : a->inner > b->inner;
}

/* How often the code of FUNCTION calls CALLEE. */
static size_t code_count(const struct joiner *j, uint32_t function,
                         uint32_t callee) {
  size_t count = 0;
  for (size_t i = 0; i < j->orders.count; i++)
    count += j->orders.items[i].function == function &&
             j->orders.items[i].callee == callee;
  return count;
}

static void find_ways(const struct joiner *j, uint32_t function,
                      uint32_t callee, bool detours, struct ways *ways) {
  struct range rows = any_third(&j->by_callee, function, callee);
  for (uint32_t r = rows.first; r < rows.end; r++)
    cca_vec_push(ways,
                 ((struct way){j->by_callee.items[r].call, CCA_NONE}));
  if (detours) {
    struct range all = {lower(&j->by_callee, function, 1, 0),
                        lower(&j->by_callee, function + 1, 0, 0)};
    for (uint32_t r = all.first; r < all.end;) {
      uint32_t through = j->by_callee.items[r].key[1], end = r;
      while (end < all.end && j->by_callee.items[end].key[1] == through)
        end++;
      struct range inner = any_third(&j->by_callee, through, callee);
      if (through != callee && inner.first < inner.end &&
          code_count(j, function, through) < end - r)
        for (uint32_t o = r; o < end; o++)
          for (uint32_t i = inner.first; i < inner.end; i++)
            cca_vec_push(ways, ((struct way){j->by_callee.items[i].call,
                                             j->by_callee.items[o].call}));
      r = end;
    }
  }
  if (ways->count)
    qsort(ways->items, ways->count, sizeof(struct way), compare_ways);
}

/* Match COUNT wants of one (function, callee), in the order of the code. */
static void match_in_order(struct joiner *j, struct want *wants, size_t count) {
  struct ways ways = {0};
  find_ways(j, wants[0].function, wants[0].callee, false, &ways);
  if (count > ways.count) {
    ways.count = 0;
    find_ways(j, wants[0].function, wants[0].callee,
              wants[0].callee != INDIRECT, &ways);
  }
  for (size_t i = 0; ways.count && i < count; i++) {
    struct way way = ways.items[i < ways.count ? i : ways.count - 1];
    struct want outer = wants[i];
    wants[i].call = way.inner;
    wants[i].ambiguous = outer.ambiguous =
        count != ways.count && ways.count > 1;
    if (way.outer != CCA_NONE) {
      outer.call = way.outer;
      outer.depth = 1;
      cca_vec_push(&j->wants, outer);
    }
    cca_vec_push(&j->wants, wants[i]);
  }
  cca_vec_release(&ways);
}

/* ------------------------------------------------------------------- join */

/* Call MATCH for each run of wants with equal keys. */
static void for_each_group(struct joiner *j, struct wants *wants,
                           void (*match)(struct joiner *, struct want *,
                                         size_t)) {
  if (wants->count)
    qsort(wants->items, wants->count, sizeof(struct want), compare_wants);
  for (size_t i = 0, end; i < wants->count; i = end) {
    const struct want *a = &wants->items[i];
    for (end = i + 1; end < wants->count; end++) {
      const struct want *b = &wants->items[end];
      if (a->function != b->function || a->line != b->line ||
          a->callee != b->callee)
        break;
    }
    match(j, &wants->items[i], end - i);
  }
}

static void emit(struct cca_sites *sites, const struct joiner *j,
                 const struct cca_elf *elf, const struct cca_code *code) {
  uint32_t last = CCA_NONE;
  bool stranger = false;
  for (size_t i = 0; i < j->wants.count; i++) {
    const struct want *want = &j->wants.items[i];
    const struct cca_code_call *call = &code->calls.items[want->code];
    struct cca_elf_section section;
    /* An inlined wrapper calls something that the summary does not mention:
     * that is no place where the wrapper's result comes from. */
    if (want->depth == 0)
      stranger = want->call == CCA_NONE && want->callee == UNKNOWN;
    if (stranger || want->call == CCA_NONE || call->offset > UINT32_MAX ||
        !cca_elf_section_at(elf, call->section, &section))
      continue;
    struct cca_site_row row = {
        .call = want->call,
        .section = section.name,
        .index = call->section,
        .offset = (uint32_t)call->offset,
        .flags = (want->depth ? CCA_SITE_FLAGS_INLINED : 0) |
                 (call->tail ? CCA_SITE_FLAGS_TAIL : 0) |
                 (want->ambiguous ? CCA_SITE_FLAGS_AMBIGUOUS : 0),
    };
    cca_vec_push(&sites->rows, row);
    sites->joined_calls += want->code != last;
    last = want->code;
  }
}

const char *cca_sites_join(struct cca_sites *sites, const void *object,
                           size_t len, const struct cca_site_call *calls,
                           size_t count) {
  struct cca_elf elf;
  *sites = (struct cca_sites){0};
  const char *wrong = cca_elf_open(&elf, object, len);
  if (wrong)
    return wrong;
  if (elf.type != ET_REL)
    return "not a relocatable object";
  if (count >= UINT32_MAX)
    return "too many calls";

  struct joiner j = {.calls = calls, .count = (uint32_t)count};
  struct cca_code code;
  cca_code_read(&code, &elf);
  make_indices(&j);

  size_t found = code.calls.count;
  struct cca_lines_place *places = cca_calloc(found, sizeof *places);
  for (size_t i = 0; i < found; i++) {
    places[i].section = code.calls.items[i].section;
    places[i].offset = code.calls.items[i].offset - 1; /* inside the call */
  }
  struct cca_lines *lines = cca_lines_open(&elf);
  if (lines)
    cca_lines_resolve(lines, places, found);
  for (size_t i = 0; i < found; i++)
    add_wants(&j, &code, (uint32_t)i, &places[i]);

  for_each_group(&j, &j.wants, match_group);
  for_each_group(&j, &j.wants, match_loosely);
  for_each_group(&j, &j.orders, match_in_order);

  /* Here every want has its call, if there is one. */
  if (j.wants.count)
    qsort(j.wants.items, j.wants.count, sizeof(struct want), compare_by_place);
  emit(sites, &j, &elf, &code);
  sites->code_calls = (uint32_t)found;

  cca_lines_close(lines);
  free(places);
  cca_code_release(&code);
  free(j.by_place.items);
  free(j.by_callee.items);
  free(j.by_line.items);
  free(j.is_callee);
  free(j.taken);
  cca_vec_release(&j.wants);
  cca_vec_release(&j.orders);
  cca_map_release(&j.numbers);
  return NULL;
}

void cca_site_calls_of_table(struct cca_site_calls *calls,
                             const struct cca_table *table) {
  uint32_t count = cca_call_count(table);
  for (uint32_t i = 0; i < count; i++) {
    struct cca_call row = cca_call_at(table, i);
    struct cca_site_call call = {
        .function =
            cca_table_string(table, cca_func_at(table, row.func).symbol),
        .line = row.line,
        .column = row.column,
    };
    if (row.callee != CCA_NONE)
      call.callee =
          cca_table_string(table, cca_func_at(table, row.callee).symbol);
    cca_vec_push(calls, call);
  }
}

void cca_sites_to_builder(const struct cca_sites *sites,
                          struct cca_builder *builder) {
  for (size_t i = 0; i < sites->rows.count; i++) {
    const struct cca_site_row *row = &sites->rows.items[i];
    struct cca_site site = {
        .call = row->call,
        .section = cca_builder_string(builder, row->section),
        .index = row->index,
        .offset = row->offset,
        .flags = row->flags,
    };
    cca_site_add(builder, site);
  }
}

void cca_sites_release(struct cca_sites *sites) {
  cca_vec_release(&sites->rows);
  *sites = (struct cca_sites){0};
}
