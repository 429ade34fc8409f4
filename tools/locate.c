/* SPDX-License-Identifier: MIT */
/*
 * locate.c -- cca-analyze --locate: calls in the finished output.
 *
 * In:    the linked module; calls of units whose places no map could tell.
 * Out:   return addresses with the site that each is.
 * Holds: an address has one answer.
 *
 * Units whose object had code are looked for by the pattern of their calls
 * (analysis/fit.h), which is exact.  What the link has made itself is joined by
 * line, function and callee, as an object's code is after the compiler
 * (analysis/sites.h).  Two units by the same name cannot be told apart there,
 * and are left out.
 */
#include "locate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code.h"
#include "analysis/fit.h"
#include "analysis/sites.h"
#include "base/file.h"
#include "base/map.h"
#include "linker_plugin/wanted.h"
#include "tools/log.h"

enum { OUTPUT_MAX = 1 << 30 };

struct locator {
  struct cca_text output, text;
  struct cca_wanted wanted;
  bool *fitted; /* by unit */
  struct cca_founds found;
};

/* What the calls that meet at one address say, inwards out: the innermost one
 * with a class of its own is the object's type; one that passes through counts
 * if there is no other. */
struct choice {
  uint64_t address;
  uint32_t site, flags;
  bool says;
};

static void consider(struct locator *l, struct choice *choice, uint64_t address,
                     const struct cca_wanted_call *call, uint32_t flags) {
  if (address != choice->address && choice->site != CCA_NONE) {
    struct cca_found found = {choice->address, choice->site, choice->flags};
    cca_vec_push(&l->found, found);
  }
  if (address != choice->address)
    *choice = (struct choice){address, CCA_NONE, 0, false};
  if (call && call->site != CCA_NONE && !choice->says) {
    choice->site = call->site;
    choice->flags = flags;
    choice->says = call->says;
  }
}

/* The calls of the units with places, each address once. */
static void fit_units(struct locator *l, const struct cca_elf *elf) {
  struct cca_vec(struct cca_fit_call) calls = {0};
  struct cca_vec(uint32_t) first = {0}; /* of the places of a call */
  const struct cca_wanted *w = &l->wanted;
  for (uint32_t u = 0; u < w->units.count; u++) {
    const struct cca_wanted_unit *unit = &w->units.items[u];
    for (uint32_t i = 0; i < unit->place_count; i++) {
      uint32_t number = unit->first_place + i;
      const struct cca_wanted_place *place = &w->places.items[number];
      const struct cca_wanted_call *call =
          &w->calls.items[unit->first_call + place->call];
      const struct cca_fit_call *last =
          i > 0 ? &calls.items[calls.count - 1] : NULL;
      if (last && last->section == place->section &&
          last->offset == place->offset)
        continue;
      struct cca_fit_call fit = {.object = u,
                                 .section = place->section,
                                 .offset = place->offset,
                                 .function = call->function,
                                 .callee = call->callee,
                                 .tail = place->flags & CCA_SITE_FLAGS_TAIL};
      cca_vec_push(&calls, fit);
      cca_vec_push(&first, number);
    }
  }
  if (calls.count > 0) {
    struct cca_code code;
    cca_code_read(&code, elf);
    cca_fit(&code, elf, calls.items, calls.count);
    cca_code_release(&code);
  }
  for (size_t i = 0; i < calls.count; i++) {
    const struct cca_fit_call *fit = &calls.items[i];
    const struct cca_wanted_unit *unit = &w->units.items[fit->object];
    uint32_t end =
        i + 1 < calls.count && calls.items[i + 1].object == fit->object
            ? first.items[i + 1]
            : unit->first_place + unit->place_count;
    struct choice choice = {.site = CCA_NONE};
    for (uint32_t p = first.items[i]; fit->address && p < end; p++)
      consider(l, &choice, fit->address,
               &w->calls.items[unit->first_call + w->places.items[p].call],
               w->places.items[p].flags);
    consider(l, &choice, 0, NULL, 0);
    l->fitted[fit->object] |= fit->address != 0;
  }
  cca_vec_release(&calls);
  cca_vec_release(&first);
}

/* The rest by line, function and callee. */
static void join_units(struct locator *l, const struct cca_elf *elf) {
  const struct cca_wanted *w = &l->wanted;
  struct cca_map names = {0}; /* units of a name */
  struct cca_site_calls calls = {0};
  struct cca_vec(uint32_t) numbers = {0};
  for (size_t u = 0; u < w->units.count; u++)
    ++*cca_map_at(&names, w->units.items[u].source,
                  strlen(w->units.items[u].source), NULL);
  for (size_t u = 0; u < w->units.count; u++) {
    const struct cca_wanted_unit *unit = &w->units.items[u];
    if (l->fitted[u] ||
        *cca_map_at(&names, unit->source, strlen(unit->source), NULL) > 1)
      continue;
    for (uint32_t i = 0; i < unit->call_count; i++) {
      const struct cca_wanted_call *call =
          &w->calls.items[unit->first_call + i];
      struct cca_site_call joined = {call->function, call->line, call->column,
                                     call->callee, unit->source};
      cca_vec_push(&calls, joined);
      cca_vec_push(&numbers, unit->first_call + i);
    }
  }
  struct cca_sites sites;
  if (calls.count > 0 &&
      !cca_sites_join(&sites, elf->image, elf->len, calls.items, calls.count)) {
    struct choice choice = {.site = CCA_NONE};
    struct cca_elf_section section;
    for (size_t i = 0; i < sites.rows.count; i++) {
      const struct cca_site_row *row = &sites.rows.items[i];
      if (cca_elf_section_at(elf, row->index, &section))
        consider(l, &choice, section.address + row->offset,
                 &w->calls.items[numbers.items[row->call]], row->flags);
    }
    consider(l, &choice, 0, NULL, 0);
    cca_sites_release(&sites);
  }
  cca_map_release(&names);
  cca_vec_release(&calls);
  cca_vec_release(&numbers);
}

static int write_found(const struct locator *l, const char *path) {
  struct cca_text text = {0};
  for (size_t i = 0; i < l->found.count; i++)
    cca_found_write(&text, &l->found.items[i]);
  FILE *file = fopen(path, "wxe");
  bool ok = file && fwrite(text.data, 1, text.len, file) == text.len;
  if (file && fclose(file) != 0)
    ok = false;
  cca_text_release(&text);
  return ok ? 0 : 1;
}

int cca_locate(const char *output, const char *wanted, const char *found) {
  struct locator l = {0};
  struct cca_elf elf;
  int status = 1;
  if (cca_file_read(wanted, SIZE_MAX, &l.text) == 0 &&
      cca_wanted_read(&l.wanted, l.text.data, l.text.len) == 0 &&
      cca_file_read(output, OUTPUT_MAX, &l.output) == 0 &&
      !cca_elf_open(&elf, l.output.data, l.output.len)) {
    l.fitted = cca_calloc(l.wanted.units.count, sizeof *l.fitted);
    fit_units(&l, &elf);
    join_units(&l, &elf);
    status = write_found(&l, found);
    cca_log("cca-analyze: %s: %zu call sites found in the output", output,
            l.found.count);
  }
  free(l.fitted);
  cca_wanted_release(&l.wanted);
  cca_vec_release(&l.found);
  cca_text_release(&l.text);
  cca_text_release(&l.output);
  return status;
}
