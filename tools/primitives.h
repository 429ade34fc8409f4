/* SPDX-License-Identifier: MIT */
/*
 * primitives.h -- where the tools find the data file of primitives.
 */
#ifndef CCA_PRIMITIVES_H
#define CCA_PRIMITIVES_H

#include <stddef.h>

#include "base/text.h"
#include "summaries/table.h"

struct cca_primitives_text {
  struct cca_text text;   /* of all files, one after another; owned */
  size_t installed_lines; /* of these, so many come from the installed file */
};

/*
 * Read the installed share/cc-allocs/primitives.txt, and after it the file that
 * the environment's CC_ALLOCS_PRIMITIVES names, if it names one, into a zeroed
 * *PRIMITIVES.  Returns 0, or -1 after having said on standard error, for
 * COMMAND, what is wrong.
 */
int cca_primitives_read(const char *command,
                        struct cca_primitives_text *primitives);

/* Say in which file and line the solver found what ERR says. */
void cca_primitives_complain(const char *command,
                             const struct cca_primitives_text *primitives,
                             const struct cca_table_error *err);

void cca_primitives_release(struct cca_primitives_text *primitives);

#endif
