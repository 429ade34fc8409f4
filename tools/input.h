/* SPDX-License-Identifier: MIT */
/*
 * input.h -- the files on a command line, and the tables in them.
 *
 * A file is a carrier (summaries/carrier.h) or a bare table file, as `allocs
 * assemble` writes it.
 *
 *     struct cca_input input = {0};
 *     size_t first = cca_input_add(&input, "libfoo.a");
 *     for (size_t i = first; i < input.count; i++) use(input.items[i]);
 *     cca_input_release(&input);
 *
 * Memory: base/memory.h.  Items and tables belong to the input.
 */
#ifndef CCA_INPUT_H
#define CCA_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/text.h"
#include "summaries/carrier.h"

struct cca_input {
  struct cca_carrier_item *items;
  size_t count, room;
  struct cca_carrier *carrier;
  struct cca_text *images; /* of bare table files */
  size_t image_count;
  struct cca_arena arena;
};

/* Add the tables of the file PATH, or one item that says why there is none.
 * Returns the number of its first item; there may be no item at all.  PATH is
 * borrowed. */
size_t cca_input_add(struct cca_input *input, const char *path);

void cca_input_release(struct cca_input *input);

/* Is this item about a file that is unreadable or broken, rather than one
 * without anything for us? */
bool cca_input_is_broken(const struct cca_carrier_item *item);

/* What the user can do about a missing item: "" or "; compile it with ...". */
const char *cca_input_advice(const struct cca_carrier_item *item);

#endif
