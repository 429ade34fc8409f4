/* SPDX-License-Identifier: MIT */
/*
 * refused.h -- options of the user's compiler that clang refuses.
 */
#ifndef CCA_REFUSED_H
#define CCA_REFUSED_H

#include <stdbool.h>

#include "base/text.h"

struct cca_refused {
  struct cca_text options;   /* owned; those dropped, with blanks between */
  struct cca_text of_layout; /* owned; of these, what says how types lie */
};

/*
 * Drop from ARGS, which end with NULL and are moved together, the options that
 * the errors in ERR name: clang's, of its command line and not of a source.
 * False if none is dropped, and asking again would be of no use; so whoever
 * asks until then asks once for each argument at most.
 *
 * REFUSED gets the names; zeroed, it has none.  Release it.
 */
bool cca_refused_drop(const char **args, const struct cca_text *err,
                      struct cca_refused *refused);
void cca_refused_release(struct cca_refused *refused);

#endif
