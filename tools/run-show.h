/* SPDX-License-Identifier: MIT */
/*
 * run-show.h -- what the processes of a run left, in the form that was asked
 * for.
 */
#ifndef CCA_RUN_SHOW_H
#define CCA_RUN_SHOW_H

#include "heap.h"
#include "run-symbols.h"

#include <sys/types.h>

enum cca_heap_format {
  CCA_HEAP_TEXT,
  CCA_HEAP_JSON,
  CCA_HEAP_HTML,
  CCA_HEAP_FOLDED, /* this and the next: the last snapshot of each process */
  CCA_HEAP_PPROF,
  CCA_HEAP_FORMATS
};

struct cca_show {
  struct cca_heap_options heap;
  enum cca_heap_format format;
  bool diff; /* each snapshot less the one before of its process */
  pid_t program;
  int exit_status;
};

/*
 * Write the heaps that lie in FOLDER to the descriptor FILE, those of the
 * program itself first, with what SYMBOLS know of their addresses.  What cannot
 * be read is complained about and left out.  *ERROR is errno's value where
 * writing failed; if it is not 0 before, nothing is written.  False: the
 * program left none.
 */
bool cca_run_show(const char *folder, const struct cca_show *show,
                  struct cca_run_symbols *symbols,
                  const struct cca_screen *screen, int file, int *error);

#endif
