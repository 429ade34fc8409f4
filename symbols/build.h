/* SPDX-License-Identifier: MIT */
/*
 * build.h -- make the symbol table of a module (docs/symbols-format.md).
 */
#ifndef CCA_SYMBOLS_BUILD_H
#define CCA_SYMBOLS_BUILD_H

#include "base/text.h"
#include "ccallocs/error.h"

/*
 * Add the symbol table of the executable or shared object PATH to OUT, or that
 * which the file PATH is.  Returns
 * CCA_OK, or CCA_ERR_IO or CCA_ERR_NOT_ELF with *ERR filled, and OUT as before;
 * of a table that is broken CCA_ERR_CORRUPT or CCA_ERR_VERSION. A module
 * without symbols or debug information has a table that says so.
 *
 * Memory: base/memory.h and elfutils: without memory the process ends.
 * Threads: one at a time for one PATH; elfutils keeps nothing between calls.
 */
int cca_symbols_build(const char *path, struct cca_text *out,
                      struct cca_error *err);

/* The same of the module FILE, which is closed in any case, at PATH: beside
 * that files of debug information are looked for. */
int cca_symbols_build_file(int file, const char *path, struct cca_text *out,
                           struct cca_error *err);

#endif
