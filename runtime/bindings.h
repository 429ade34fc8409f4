/* SPDX-License-Identifier: MIT */
/*
 * bindings.h -- what a call of another module's function is bound to, and
 * whether that module says that it allocates.
 *
 * A module's classification knows the functions that it imports by name. Which
 * function that is in this process, only the loader knows: it depends on the
 * order of modules, on versions, on who was opened how.  What it found is in
 * the word of memory through which the call goes.
 *
 * Threads, signals: any.  Takes no lock, allocates nothing.
 */
#ifndef CCA_BINDINGS_H
#define CCA_BINDINGS_H

#include "modules.h"

/*
 * What SITE of MODULE, which is imported, is bound to.  *DEFINER is the module
 * with that function, or NULL if there is none or it is not known.
 */
enum cca_binding cca_binding_find(const struct cca_loaded *module,
                                  const struct cca_allocsite *site,
                                  const struct cca_loaded **definer);

/* The word of MODULE through which its calls of NAME go; NULL: there is none
 * that we know. */
const uintptr_t *cca_binding_word(const struct cca_loaded *module,
                                  const char *name);

#endif
