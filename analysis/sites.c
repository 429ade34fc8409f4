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
 * Without debug information calls are matched by (function, callee) in order.
 * Functions in between may have been inlined: ways through them count as well.
 * That is sure where there is but one way, or where the whole function has the
 * very calls of the source in the source's order, and a call does not stand in
 * one of two like stretches of them; of lua's parser at -O2, order alone got 65
 * of 400 calls wrong.  If the code calls a function more often than the source,
 * some of these calls are copies, or were rewritten: their rows are guesses,
 * and say so.
 *
 * In a linked module functions of several units may have one name.  Such a name
 * is qualified by the unit, on both sides; a call's callee by the unit of the
 * caller, which is the one that means it.
 */
#include "sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "code.h"
#include "lines.h"

enum { INDIRECT = 0, UNKNOWN = UINT32_MAX - 1 }; /* numbers of callees */
enum { SEVERAL = 0 };                            /* units have a function */
/* Calls through inlined functions; ways to a callee; calls of a function. */
enum { MAX_WAY = 4, MAX_WAYS = 256, MAX_SEQUENCE = 16384 };

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
  struct index by_source;     /* function, number of the call, callee */
  bool *is_callee;            /* by number */
  bool *taken;                /* by call: some want has its very key */
  struct wants wants, orders; /* orders: without a line */
  struct cca_map code_counts; /* of orders, by (function, callee) */
  struct cca_map units;       /* numbers of the calls' units, from 1 */
  struct cca_map owners;      /* of functions: the unit, or SEVERAL */
  struct cca_text text;
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

static uint32_t number(struct joiner *j, const char *name, size_t len) {
  bool is_new;
  uint32_t *slot = cca_map_at(&j->numbers, name, len, &is_new);
  if (is_new)
    *slot = (uint32_t)j->numbers.count;
  return *slot;
}

/* The name of a function of UNIT, LEN bytes at NAME, as no other unit has it.
 */
static void qualify(struct joiner *j, const char *name, size_t len,
                    const char *unit) {
  j->text.len = 0;
  cca_text_add(&j->text, name, len);
  cca_text_add(&j->text, "", 1);
  cca_text_adds(&j->text, unit);
}

/* Note which functions of UNIT the calls know; those whose name another unit
 * has too are called by their own name and the unit's. */
static void note_function(struct joiner *j, const struct cca_site_call *call) {
  if (!call->unit)
    return;
  bool is_new;
  uint32_t *unit =
      cca_map_at(&j->units, call->unit, strlen(call->unit), &is_new);
  if (is_new)
    *unit = (uint32_t)j->units.count;
  uint32_t *owner =
      cca_map_at(&j->owners, call->function, strlen(call->function), &is_new);
  if (is_new)
    *owner = *unit;
  else if (*owner != *unit)
    *owner = SEVERAL;
}

/* The number of function NAME, LEN bytes, as UNIT (may be NULL) knows it; 0:
 * it is one of several, and we cannot tell which. */
static uint32_t function_number(struct joiner *j, const char *name, size_t len,
                                const char *unit, bool add) {
  const uint32_t *owner = cca_map_find(&j->owners, name, len), *found;
  if (owner && *owner == SEVERAL) {
    if (!unit)
      return 0;
    qualify(j, name, len, unit);
    name = j->text.data;
    len = j->text.len;
  }
  if (add)
    return number(j, name, len);
  found = cca_map_find(&j->numbers, name, len);
  return found ? *found : 0;
}

/* The number of a symbol of the code in UNIT (may be NULL), which may be a
 * clone of the source's function, f.constprop.0, f.isra.0, f.part.0, f.cold, or
 * have a version. */
static uint32_t find_number(struct joiner *j, const char *symbol,
                            const char *unit) {
  size_t len = strcspn(symbol, "@");
  uint32_t found = function_number(j, symbol, len, unit, false);
  const char *dot = memchr(symbol, '.', len);
  if (!found && dot && dot != symbol)
    found = function_number(j, symbol, (size_t)(dot - symbol), unit, false);
  return found ? found : UNKNOWN;
}

static struct index make_index(const struct joiner *j, unsigned a, unsigned b,
                               unsigned c, const uint32_t (*fields)[4]) {
  struct index index = {cca_calloc(j->count, sizeof(struct entry)), j->count};
  for (uint32_t i = 0; i < j->count; i++)
    index.items[i] = (struct entry){
        {fields[i][a], fields[i][b], fields[i][c]}, j->calls[i].column, i};
  if (j->count)
    qsort(index.items, j->count, sizeof(struct entry), compare_entries);
  return index;
}

/* The number of what CALL calls.  If several units have a function of that
 * name, it is the caller's unit that says which is meant. */
static uint32_t callee_number(struct joiner *j,
                              const struct cca_site_call *call) {
  return function_number(j, call->callee, strlen(call->callee), call->unit,
                         true);
}

static void make_indices(struct joiner *j) {
  enum { FUNCTION, LINE, CALLEE, ORDER };
  uint32_t(*fields)[4] = cca_calloc(j->count, sizeof *fields);
  for (uint32_t i = 0; i < j->count; i++)
    note_function(j, &j->calls[i]);
  for (uint32_t i = 0; i < j->count; i++) {
    const struct cca_site_call *call = &j->calls[i];
    fields[i][FUNCTION] = function_number(
        j, call->function, strlen(call->function), call->unit, true);
    fields[i][LINE] = call->line;
    fields[i][CALLEE] = call->callee ? callee_number(j, call) : INDIRECT;
    fields[i][ORDER] = i;
  }
  j->is_callee = cca_calloc(j->numbers.count + 1, sizeof(bool));
  j->taken = cca_calloc(j->count, sizeof(bool));
  for (uint32_t i = 0; i < j->count; i++)
    j->is_callee[fields[i][CALLEE]] = true;
  const uint32_t(*f)[4] = (const uint32_t(*)[4])fields;
  j->by_place = make_index(j, FUNCTION, LINE, CALLEE, f);
  j->by_callee = make_index(j, FUNCTION, CALLEE, LINE, f);
  j->by_line = make_index(j, LINE, CALLEE, FUNCTION, f);
  j->by_source = make_index(j, FUNCTION, ORDER, CALLEE, f);
  free(fields);
}

/* ----------------------------------------------------------------- wants */

/* The number of the target, of whose aliases the summary knows one; the one
 * that FUNCTION calls if there are several. */
static uint32_t find_callee(struct joiner *j, const struct cca_code *code,
                            const struct cca_code_call *call, const char *unit,
                            uint32_t function) {
  uint32_t best = call->count ? UNKNOWN : INDIRECT;
  for (uint32_t i = 0; i < call->count; i++) {
    uint32_t n = find_number(j, code->names.items[call->first + i], unit);
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
  uint32_t own = find_number(j, call->function, place->unit);
  struct want want = {.code = i, .call = CCA_NONE};
  want.function = frame ? find_number(j, frame->function, frame->unit) : own;
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
        exactly(&j->by_place, want.function, want.line, want.callee);
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
    want.function = frame ? find_number(j, frame->function, frame->unit) : own;
    want.callee = find_number(j, inlined, frame ? frame->unit : place->unit);
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
  struct range rows =
      exactly(&j->by_place, wants[0].function, wants[0].line, wants[0].callee);
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
  struct range rows = any_third(&j->by_place, want->function, want->line);
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
  for (uint32_t r = lower(&j->by_source, want->function, outer, 0); r-- > 0;) {
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
  struct range rows = any_third(&j->by_place, want->function, want->line);
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
  struct range rows = any_third(&j->by_place, want->function, want->line);
  for (uint32_t r = rows.first; r < rows.end; r++)
    if (!j->taken[j->by_place.items[r].call])
      return true;
  return false;
}

/* COUNT equal wants, but for their columns; match_group() left some.  It took
 * those at another column than their call's for copies, of which one may be
 * another call of the line. */
static void match_loosely(struct joiner *j, struct want *wants, size_t count) {
  struct range rows = any_third(&j->by_line, wants[0].line, wants[0].callee);
  struct range exact =
      exactly(&j->by_place, wants[0].function, wants[0].line, wants[0].callee);
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

/* ------------------------------------------------- without debug information
 */

/* A way from a function to a call: its own call, or calls of functions that
 * were inlined into it, from outside inwards, and the call in the innermost. */
struct way {
  uint32_t count, calls[MAX_WAY];
};
struct ways cca_vec(struct way);

static int compare_ways(const void *pa, const void *pb) {
  const struct way *a = pa, *b = pb;
  for (uint32_t i = 0; i < a->count && i < b->count; i++)
    if (a->calls[i] != b->calls[i])
      return a->calls[i] < b->calls[i] ? -1 : 1;
  return a->count < b->count ? -1 : a->count > b->count;
}

/* How often the code of FUNCTION calls CALLEE. */
static uint32_t *code_count(struct joiner *j, uint32_t function,
                            uint32_t callee) {
  uint32_t key[2] = {function, callee};
  return cca_map_at(&j->code_counts, key, sizeof key, NULL);
}

/*
 * Add the ways on which WAY goes on, from FUNCTION, to calls of CALLEE.  OUTER
 * is the function whose code we look at: what it does not call as often as it
 * should was inlined, and may lie on the way.
 */
static void find_ways(struct joiner *j, struct ways *ways, struct way *way,
                      uint32_t outer, uint32_t function, uint32_t callee) {
  const struct entry *entries = j->by_callee.items;
  struct range rows = {lower(&j->by_callee, function, 0, 0),
                       lower(&j->by_callee, function + 1, 0, 0)};
  for (uint32_t r = rows.first, end; r < rows.end; r = end) {
    uint32_t through = entries[r].key[1];
    for (end = r + 1; end < rows.end && entries[end].key[1] == through;)
      end++;
    bool last = through == callee;
    if (!last && (through == INDIRECT || way->count + 1 == MAX_WAY ||
                  *code_count(j, outer, through) >= end - r))
      continue;
    for (uint32_t i = r; i < end && ways->count < MAX_WAYS; i++) {
      way->calls[way->count++] = entries[i].call;
      if (last)
        cca_vec_push(ways, *way);
      else
        find_ways(j, ways, way, outer, through, callee);
      way->count--;
    }
  }
}

/* WANT is answered by WAY: a row for each of its calls, inwards out. */
static void answer(struct joiner *j, struct want want, const struct way *way,
                   bool sure) {
  for (uint32_t d = 0; d < way->count; d++) {
    want.call = way->calls[way->count - 1 - d];
    want.depth = d;
    want.ambiguous = !sure;
    cca_vec_push(&j->wants, want);
  }
}

/* Match COUNT wants of one (function, callee), in the order of the code. */
static void match_in_order(struct joiner *j, struct want *wants, size_t count) {
  uint32_t function = wants[0].function, callee = wants[0].callee;
  struct range own = any_third(&j->by_callee, function, callee);
  struct ways ways = {0};
  struct way way = {0};
  find_ways(j, &ways, &way, function, function, callee);
  bool sure = ways.count == 1 && count == 1;
  if (count == own.end - own.first) { /* probably only these */
    size_t kept = 0;
    for (size_t i = 0; i < ways.count; i++)
      if (ways.items[i].count == 1)
        ways.items[kept++] = ways.items[i];
    ways.count = kept;
  }
  if (ways.count)
    qsort(ways.items, ways.count, sizeof(struct way), compare_ways);
  for (size_t i = 0; ways.count && i < count; i++)
    answer(j, wants[i], &ways.items[i < ways.count ? i : ways.count - 1], sure);
  cca_vec_release(&ways);
}

/* Add the ways to all calls that the code of OUTER must have, in the order of
 * the source, if what it does not call was inlined; of FUNCTION, on WAY. */
static void expand(struct joiner *j, struct ways *ways, struct way *way,
                   uint32_t outer, uint32_t function) {
  uint32_t end = lower(&j->by_source, function + 1, 0, 0);
  for (uint32_t r = lower(&j->by_source, function, 0, 0);
       r < end && ways->count < MAX_SEQUENCE; r++) {
    const struct entry *entry = &j->by_source.items[r];
    way->calls[way->count++] = entry->call;
    if (*code_count(j, outer, entry->key[2]))
      cca_vec_push(ways, *way);
    else if (entry->key[2] != INDIRECT && way->count < MAX_WAY)
      expand(j, ways, way, outer, entry->key[2]);
    way->count--;
  }
}

/*
 * Which of the COUNT wants of a function stand in a stretch of calls that is
 * followed by the same calls again?  The compiler may have moved one stretch
 * behind the other, which no sequence of callees shows; owned by the caller.
 */
static bool *find_repeated(const struct want *wants, size_t count) {
  bool *repeated = cca_calloc(count, sizeof *repeated);
  for (size_t period = 1; period <= count / 2; period++)
    for (size_t i = 0, run = 0; i + period < count; i++) {
      run = wants[i].callee == wants[i + period].callee ? run + 1 : 0;
      if (run == period)
        memset(repeated + (i + 1 - period), true, 2 * period);
      else if (run > period)
        repeated[i + period] = true;
    }
  return repeated;
}

/*
 * Match COUNT wants of one function, in the order of the code, if these are
 * the very calls of the source in the source's order; else leave them.
 */
static bool match_sequence(struct joiner *j, const struct want *wants,
                           size_t count) {
  struct ways ways = {0};
  struct way way = {0};
  expand(j, &ways, &way, wants[0].function, wants[0].function);
  bool same = ways.count == count;
  for (size_t i = 0; same && i < count; i++) {
    uint32_t call = ways.items[i].calls[ways.items[i].count - 1];
    const char *callee = j->calls[call].callee;
    same = wants[i].callee ==
           (callee ? callee_number(j, &j->calls[call]) : INDIRECT);
  }
  bool *repeated = same ? find_repeated(wants, count) : NULL;
  for (size_t i = 0; same && i < count; i++)
    answer(j, wants[i], &ways.items[i], !repeated[i]);
  free(repeated);
  cca_vec_release(&ways);
  return same;
}

static int compare_by_function(const void *pa, const void *pb) {
  const struct want *a = pa, *b = pb;
  if (a->function != b->function)
    return a->function < b->function ? -1 : 1;
  return a->code < b->code ? -1 : a->code > b->code;
}

static void match_sequences(struct joiner *j) {
  struct wants *orders = &j->orders;
  for (size_t i = 0; i < orders->count; i++)
    ++*code_count(j, orders->items[i].function, orders->items[i].callee);
  if (orders->count)
    qsort(orders->items, orders->count, sizeof(struct want),
          compare_by_function);
  size_t kept = 0, end;
  for (size_t i = 0; i < orders->count; i = end) {
    for (end = i + 1; end < orders->count &&
                      orders->items[end].function == orders->items[i].function;)
      end++;
    if (match_sequence(j, &orders->items[i], end - i))
      continue;
    memmove(&orders->items[kept], &orders->items[i],
            (end - i) * sizeof(struct want));
    kept += end - i;
  }
  orders->count = kept;
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
  match_sequences(&j);
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
