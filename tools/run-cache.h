/* SPDX-License-Identifier: MIT */
/*
 * run-cache.h -- the caches of `allocs run` (docs/caches.md).
 */
#ifndef CCA_RUN_CACHE_H
#define CCA_RUN_CACHE_H

#include <stdbool.h>

struct cca_run_cache_options {
  bool off;
  const char *folder; /* --cache; NULL: the usual one */
  const char *when;   /* --cache-write; NULL: exit */
  int signal;         /* 0: none */
  bool show;          /* what became of it */
};

/* Is WORD one of --cache-write? */
bool cca_run_cache_is_when(const char *word);

/* Say to the runtime, by the environment, where caches are.  Negative: the
 * folder of OPTIONS is none, and that has been said. */
int cca_run_cache_prepare(const struct cca_run_cache_options *options);

/* What of that concerns symbols: the folders, and whether to write into the
 * first.  After cca_run_cache_prepare(). */
struct cca_run_symbols_options;
void cca_run_cache_of_symbols(const struct cca_run_cache_options *options,
                              struct cca_run_symbols_options *symbols);

/* When the program has ended: say on standard error what the processes left in
 * FOLDER of that, if it is asked for. */
void cca_run_cache_say(const struct cca_run_cache_options *options,
                       const char *folder);

/* When all is written: remove what was used longest ago. */
void cca_run_cache_trim(void);

#endif
