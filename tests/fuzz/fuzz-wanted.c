/* libs: cca_link */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-wanted.c -- a list of wanted calls that is accepted can be followed from
 * every unit to every call and place; an answer that is accepted reads back.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linker_plugin/wanted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
  if (!holds)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cca_wanted w;
  struct cca_founds found = {0}, back = {0};
  struct cca_text text = {0};
  size_t calls = 0, places = 0, letters = 0;
  if (cca_wanted_read(&w, (const char *)data, size) == 0)
    for (size_t u = 0; u < w.units.count; u++) {
      const struct cca_wanted_unit *unit = &w.units.items[u];
      must(unit->first_call == calls && unit->first_place == places);
      calls += unit->call_count;
      places += unit->place_count;
      must(calls <= w.calls.count && places <= w.places.count);
      letters += strlen(unit->source);
      for (uint32_t i = 0; i < unit->call_count; i++)
        letters += strlen(w.calls.items[unit->first_call + i].function);
      for (uint32_t i = 0; i < unit->place_count; i++)
        must(w.places.items[unit->first_place + i].call < unit->call_count);
    }
  must(letters <= size);
  if (cca_found_read(&found, (const char *)data, size) == 0) {
    for (size_t i = 0; i < found.count; i++)
      cca_found_write(&text, &found.items[i]);
    must(cca_found_read(&back, text.data, text.len) == 0);
    must(back.count == found.count);
    must(!back.count ||
         memcmp(back.items, found.items, back.count * sizeof *back.items) == 0);
  }
  cca_wanted_release(&w);
  cca_vec_release(&found);
  cca_vec_release(&back);
  cca_text_release(&text);
  return 0;
}
