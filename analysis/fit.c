/* SPDX-License-Identifier: MIT */
/*
 * fit.c -- find the code of an object again in what it was linked into.
 *
 * In:    the calls of the linked code, in order of address; where the object's
 *        sections had calls.
 * Out:   for each call of the object its address.
 * Holds: a section's calls get addresses only if there is exactly one place at
 *        which all of them fit: a call at each offset, of the right callee, in
 *        the right function.
 *
 * Linkers move sections as a whole, so the distances between calls stay: they
 * are a pattern, which is looked for.  Wherever one call of the section fits,
 * the others are compared; the cost is, for each section, the calls of one
 * callee. Neither a map nor debug information is needed.  Equal sections fit in
 * each other's places, and then get no address.
 */
#include "fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

static uint64_t address_of(const struct cca_elf *elf,
                           const struct cca_code_call *call) {
  struct cca_elf_section section;
  return cca_elf_section_at(elf, call->section, &section)
             ? section.address + call->offset
             : 0;
}

/* Is SYMBOL, of the code, NAME or what compilers make of it: NAME.part.0,
 * NAME@VERSION? */
static bool is_name(const char *symbol, const char *name) {
  size_t len = strlen(name);
  return strncmp(symbol, name, len) == 0 &&
         (symbol[len] == '\0' || symbol[len] == '.' || symbol[len] == '@');
}

struct finder {
  const struct cca_code *code;
  struct cca_map heads; /* of callees: 1 + index in code->names */
  uint32_t *next;       /* 1 + index of another name that is equal */
  uint32_t *owner;      /* by name: the call of the code */
};

static size_t stem(const char *symbol) { return strcspn(symbol, ".@"); }

static void make_finder(struct finder *f, const struct cca_code *code) {
  *f = (struct finder){.code = code};
  f->next = cca_calloc(code->names.count, sizeof *f->next);
  f->owner = cca_calloc(code->names.count, sizeof *f->owner);
  for (uint32_t i = (uint32_t)code->calls.count; i-- > 0;) {
    const struct cca_code_call *call = &code->calls.items[i];
    for (uint32_t n = call->first; n < call->first + call->count; n++) {
      const char *name = code->names.items[n];
      uint32_t *head = cca_map_at(&f->heads, name, stem(name), NULL);
      f->owner[n] = i;
      f->next[n] = *head;
      *head = n + 1;
    }
  }
}

static void release_finder(struct finder *f) {
  cca_map_release(&f->heads);
  free(f->next);
  free(f->owner);
}

/* STRICT: in the very function.  A call of a function that was inlined is in
 * another one, of which the object's places say nothing. */
static bool fits(const struct cca_code *code, const struct cca_code_call *found,
                 const struct cca_fit_call *call, bool strict) {
  if (found->tail != call->tail || (strict && found->function[0] != '\0' &&
                                    !is_name(found->function, call->function)))
    return false;
  bool known = !call->callee || found->count == 0;
  for (uint32_t i = 0; !known && i < found->count; i++)
    known = is_name(code->names.items[found->first + i], call->callee);
  return known;
}

/* The call of SECTION that returns to OFFSET; NULL: none. */
static const struct cca_code_call *
find_call(const struct cca_code *code, uint32_t section, uint64_t offset) {
  size_t low = 0, high = code->calls.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct cca_code_call *call = &code->calls.items[middle];
    if (call->section < section ||
        (call->section == section && call->offset < offset))
      low = middle + 1;
    else
      high = middle;
  }
  if (low == code->calls.count)
    return NULL;
  const struct cca_code_call *call = &code->calls.items[low];
  return call->section == section && call->offset == offset ? call : NULL;
}

/* The calls of one section of the object, and where they fit. */
struct pattern {
  struct cca_fit_call *calls;
  size_t count, anchor; /* the anchor is the one that is looked for */
  bool strict;
  const struct cca_code_call *place; /* of the anchor */
  unsigned places;
};

/* Does the pattern fit if FOUND is its anchor? */
static void try_place(const struct cca_code *code, struct pattern *p,
                      const struct cca_code_call *found) {
  uint32_t anchor = p->calls[p->anchor].offset;
  if (found->offset < anchor || found == p->place)
    return;
  for (size_t i = 0; i < p->count; i++) {
    const struct cca_code_call *other = find_call(
        code, found->section, found->offset - anchor + p->calls[i].offset);
    if (!other || !fits(code, other, &p->calls[i], p->strict))
      return;
  }
  p->place = found;
  p->places++;
}

static void try_places(const struct finder *f, struct pattern *p) {
  const struct cca_code *code = f->code;
  const char *callee = p->calls[p->anchor].callee;
  p->places = 0;
  p->place = NULL;
  if (!callee) {
    for (size_t i = 0; i < code->calls.count && p->places < 2; i++)
      try_place(code, p, &code->calls.items[i]);
    return;
  }
  const uint32_t *head = cca_map_find(&f->heads, callee, stem(callee));
  for (uint32_t n = head ? *head : 0; n != 0 && p->places < 2;
       n = f->next[n - 1])
    try_place(code, p, &code->calls.items[f->owner[n - 1]]);
}

static void fit_section(const struct finder *f, const struct cca_elf *elf,
                        struct cca_fit_call *calls, size_t count) {
  struct pattern p = {.calls = calls, .count = count, .strict = true};
  while (p.anchor + 1 < count && !calls[p.anchor].callee)
    p.anchor++;
  try_places(f, &p);
  if (p.places == 0) {
    p.strict = false;
    try_places(f, &p);
  }
  uint64_t address = p.places == 1 ? address_of(elf, p.place) : 0;
  for (size_t i = 0; i < count; i++)
    calls[i].address =
        address ? address - calls[p.anchor].offset + calls[i].offset : 0;
}

void cca_fit(const struct cca_code *code, const struct cca_elf *elf,
             struct cca_fit_call *calls, size_t count) {
  struct finder finder;
  make_finder(&finder, code);
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && calls[end].object == calls[i].object &&
                      calls[end].section == calls[i].section;)
      end++;
    fit_section(&finder, elf, &calls[i], end - i);
  }
  release_finder(&finder);
}
