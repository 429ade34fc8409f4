/* SPDX-License-Identifier: MIT */
/*
 * map.h -- read a link map: which section of which object went where?
 *
 * Memory: allocates nothing.
 */
#ifndef CCA_LINK_MAP_H
#define CCA_LINK_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "find.h"

/* One input section in the output.  Names are slices of the map's text. */
struct cca_link_map_entry {
  const char *object, *section;
  size_t object_len, section_len;
  uint64_t address, size;
};

/*
 * Call EACH for every input section that the map in the LEN bytes at TEXT, as
 * a linker of KIND writes it, shows in the output.  Lines that are something
 * else are skipped.
 */
void cca_link_map_read(enum cca_linker_kind kind, const char *text, size_t len,
                       void (*each)(void *context,
                                    const struct cca_link_map_entry *entry),
                       void *context);

#endif
