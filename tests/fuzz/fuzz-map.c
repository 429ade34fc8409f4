/* libs: cca_link */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-map.c -- link maps: every slice lies inside the text, on one line, and
 * is not empty; each kind of map is tried.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linker_plugin/map.h"

struct text {
  const char *at, *end;
};

static void check_slice(const struct text *text, const char *slice,
                        size_t len) {
  if (slice < text->at || slice > text->end ||
      len > (size_t)(text->end - slice) || len == 0 ||
      memchr(slice, '\n', len) != NULL)
    abort();
}

static void see_entry(void *context, const struct cca_link_map_entry *entry) {
  check_slice(context, entry->object, entry->object_len);
  check_slice(context, entry->section, entry->section_len);
  if (entry->address == 0)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct text text = {(const char *)data, (const char *)data + size};
  for (int kind = CCA_LINKER_BFD; kind <= CCA_LINKER_MOLD; kind++)
    cca_link_map_read((enum cca_linker_kind)kind, text.at, size, see_entry,
                      &text);
  return 0;
}
