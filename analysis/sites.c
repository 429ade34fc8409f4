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
 *  - at the same line and column, whatever is called there: compilers make
 *    malloc(n) of realloc(NULL, n), calloc() of malloc() and memset();
 *  - among the arguments of the call at that place, if one alone calls the
 *    callee: gcc gives an argument the line of the call that it is passed to;
 *  - on the same line, if the compiler knows the target of a pointer;
 *  - for a function that the summary does not know, by line and callee alone.
 * The line decides: a call of the callee on another line is another call, and
 * a call that fits nowhere has no row, for a wrong type is worse than none.
 *
 * Without debug information calls are matched by (function, callee) in order:
 * sites-order.c.
 */
#include "sites.h"

#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "lines.h"
#include "sites-join.h"

/* ----------------------------------------------------------------- wants */

/* The number of the target, of whose aliases the summary knows one; the one
 * that FUNCTION calls if there are several. */
static uint32_t find_callee(struct joiner *j, const struct cca_code *code,
                            const struct cca_code_call *call, const char *unit,
                            uint32_t function) {
  uint32_t best = call->count ? UNKNOWN : INDIRECT;
  for (uint32_t i = 0; i < call->count; i++) {
    uint32_t n =
        cca__sites_find_number(j, code->names.items[call->first + i], unit);
    if (n == UNKNOWN || !j->is_callee[n])
      continue;
    struct range here = cca__sites_any_third(&j->by_callee, function, n);
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
  uint32_t own = cca__sites_find_number(j, call->function, place->unit);
  struct want want = {.code = i, .call = CCA_NONE};
  want.function =
      frame ? cca__sites_find_number(j, frame->function, frame->unit) : own;
  want.line = place->line;
  want.column = place->column;
  want.callee = find_callee(j, code, call, frame ? frame->unit : place->unit,
                            want.function);
  if (!place->line && !frame) {
    if (want.function != UNKNOWN && want.callee != UNKNOWN &&
        !(call->tail && want.callee == INDIRECT))
      cca_vec_push(&j->orders, want);
    return;
  }
  if (call->tail) { /* most jumps are no calls */
    struct range rows =
        cca__sites_exactly(&j->by_place, want.function, want.line, want.callee);
    if (want.callee == UNKNOWN ||
        (want.callee == INDIRECT && rows.first == rows.end))
      return;
  }
  for (;;) {
    cca_vec_push(&j->wants, want);
    if (!frame)
      break;
    const char *inlined = frame->function;
    want.line = frame->line;
    want.column = frame->column;
    frame = frame->outer;
    want.function =
        frame ? cca__sites_find_number(j, frame->function, frame->unit) : own;
    want.callee =
        cca__sites_find_number(j, inlined, frame ? frame->unit : place->unit);
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
  struct range rows = cca__sites_exactly(&j->by_place, wants[0].function,
                                         wants[0].line, wants[0].callee);
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
    if (columns > candidates) {
      /* Other calls of the line are calls of this callee now. */
      while (r < candidates && entries[r].column != wants[i].column)
        r++;
      if (r == candidates)
        continue;
    } else if (same) {
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

/* The only call on the want's line that no code was found for; or CCA_NONE. */
static uint32_t only_one_left(const struct joiner *j, const struct want *want,
                              bool indirect_only) {
  uint32_t found = CCA_NONE;
  struct range rows =
      cca__sites_any_third(&j->by_place, want->function, want->line);
  for (uint32_t r = rows.first; r < rows.end; r++) {
    const struct entry *entry = &j->by_place.items[r];
    if (j->taken[entry->call] || (indirect_only && entry->key[2] != INDIRECT))
      continue;
    if (found != CCA_NONE)
      return CCA_NONE;
    found = entry->call;
  }
  return found;
}

/* Does call A stand behind call B in the source? */
static bool is_behind(const struct joiner *j, uint32_t a, uint32_t b) {
  const struct cca_site_call *x = &j->calls[a], *y = &j->calls[b];
  return x->line != y->line ? x->line > y->line : x->column > y->column;
}

/* The calls among the arguments of a call, called before it and behind it in
 * the source, that no code was found for. */
struct arguments {
  uint32_t count, others; /* of the wanted callee; of another one */
  uint32_t call, other;   /* one of each; CCA_NONE: none */
};

static void add_arguments(const struct joiner *j, struct arguments *arguments,
                          uint32_t outer, const struct want *want) {
  const struct entry *entries = j->by_source.items;
  for (uint32_t r = cca__sites_lower(&j->by_source, want->function, outer, 0);
       r-- > 0;) {
    uint32_t call = entries[r].call;
    if (entries[r].key[0] != want->function || !is_behind(j, call, outer))
      break;
    bool same = entries[r].key[2] == want->callee;
    uint32_t *last = same ? &arguments->call : &arguments->other;
    if (j->taken[call] || call == *last)
      continue;
    *last = call;
    ++*(same ? &arguments->count : &arguments->others);
  }
}

/*
 * The call of the source that WANT, one of COUNT, is, though the compiler calls
 * another function there or says another line; or CCA_NONE.  If a call starts
 * at the very column and no code was found for it, it was rewritten, as
 * realloc(NULL, n) is to malloc(n).  If WANT is one of a call's arguments, it
 * has that call's place.  Where both might be, we do not know.
 */
static uint32_t find_rewritten(const struct joiner *j, const struct want *want,
                               size_t count) {
  struct range rows =
      cca__sites_any_third(&j->by_place, want->function, want->line);
  const struct entry *entries = j->by_place.items;
  struct arguments arguments = {.call = CCA_NONE, .other = CCA_NONE};
  uint32_t left = CCA_NONE, at_column = 0;
  for (uint32_t r = rows.first; r < rows.end; r++)
    at_column += want->column && entries[r].column == want->column;
  for (uint32_t r = rows.first; r < rows.end; r++) {
    if (at_column && entries[r].column != want->column)
      continue;
    if (at_column == 1 && !j->taken[entries[r].call])
      left = entries[r].call;
    add_arguments(j, &arguments, entries[r].call, want);
  }
  uint32_t found = arguments.count + arguments.others;
  if (left != CCA_NONE && want->depth == 0)
    return found ? CCA_NONE : left;
  if (arguments.count == 1 && want->callee != UNKNOWN &&
      (count == 1 || !arguments.others))
    return arguments.call;
  return found == 1 && at_column == 1 && want->depth == 0 ? arguments.other
                                                          : CCA_NONE;
}

/* Was no code found for a call on the want's line? */
static bool misses_some(const struct joiner *j, const struct want *want) {
  struct range rows =
      cca__sites_any_third(&j->by_place, want->function, want->line);
  for (uint32_t r = rows.first; r < rows.end; r++)
    if (!j->taken[j->by_place.items[r].call])
      return true;
  return false;
}

/* COUNT equal wants, but for their columns; match_group() left some.  It took
 * those at another column than their call's for copies, of which one may be
 * another call of the line. */
static void match_loosely(struct joiner *j, struct want *wants, size_t count) {
  struct range rows =
      cca__sites_any_third(&j->by_line, wants[0].line, wants[0].callee);
  struct range exact = cca__sites_exactly(&j->by_place, wants[0].function,
                                          wants[0].line, wants[0].callee);
  bool doubtful = count > exact.end - exact.first && misses_some(j, &wants[0]);
  for (size_t i = 0; i < count; i++) {
    struct want *want = &wants[i];
    if (want->call != CCA_NONE) {
      if (doubtful && want->depth == 0 &&
          j->calls[want->call].column != want->column)
        want->call = CCA_NONE;
      continue;
    }
    if (want->function == UNKNOWN) {
      if (want->callee != UNKNOWN && rows.end - rows.first == 1)
        want->call = j->by_line.items[rows.first].call;
      continue;
    }
    want->call = find_rewritten(j, want, count);
    if (want->call == CCA_NONE && want->depth == 0)
      want->call = only_one_left(j, want, want->callee != INDIRECT);
  }
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
    /* An inlined wrapper calls something that the summary does not mention, or
     * jumps: that is no place where the wrapper's result comes from. */
    if (want->depth == 0)
      stranger =
          want->call == CCA_NONE && (want->callee == UNKNOWN || call->tail);
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
  if (elf.type != ET_REL && elf.type != ET_EXEC && elf.type != ET_DYN)
    return "neither an object nor a linked module";
  if (count >= UINT32_MAX)
    return "too many calls";

  struct joiner j = {.calls = calls, .count = (uint32_t)count};
  struct cca_code code;
  cca_code_read(&code, &elf);
  cca__sites_index(&j);

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
  cca__sites_match_sequences(&j);
  for_each_group(&j, &j.orders, cca__sites_match_in_order);

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
  free(j.by_source.items);
  free(j.is_callee);
  free(j.taken);
  cca_vec_release(&j.wants);
  cca_vec_release(&j.orders);
  cca_map_release(&j.code_counts);
  cca_map_release(&j.numbers);
  cca_map_release(&j.units);
  cca_map_release(&j.owners);
  cca_text_release(&j.text);
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
