/* SPDX-License-Identifier: MIT */
/*
 * cache-state.h -- what cache.c has found, for cache-write.c and
 * client-cache.c.  Private to them.
 */
#ifndef CCA_CACHE_STATE_H
#define CCA_CACHE_STATE_H

#include "cache-file.h"
#include "labels.h"
#include "modules.h"
#include "pages.h"

#include <limits.h>

#define CCA_CACHE_RUNTIME_NAME "cc-allocs " CCA_VERSION
#define CCA_CACHE_LABELS "labels"

enum cca_cache_when { CCA_CACHE_NEVER, CCA_CACHE_ASKED, CCA_CACHE_AT_EXIT };

struct cca_cache_state {
  bool is_read, wanted, is_child;
  char folder[PATH_MAX], shared[PATH_MAX]; /* empty: none */
  enum cca_cache_when when;
  int signal;

  char name[CCA_CACHE_NAME];
  uint64_t options;
  uint32_t modules; /* that were there at start */

  enum cca_cache_reason reason;
  uint32_t which, which_client; /* that it is about */
  uint32_t in_use;              /* what is kept is believed */
  struct cca_cache_file file;   /* stays mapped */
  struct cca_cache cache;
  uint16_t loaded[CCA_MAX_MODULES]; /* by row: number of the module, or none */

  const struct cca_cache_tool *clients;
  uint32_t client_count;

  uint32_t used, stale, missed; /* calls: kept, kept and not as they were, not
                                   kept */
};

extern struct cca_cache_state cca_cache_state;

/* Are A and B of one path and build? */
bool cca_cache_is_same(const struct cca_identity *a,
                       const struct cca_identity *b);

/* Which build M is. */
void cca_cache_identity(const struct cca_loaded *m, struct cca_identity *out);

#endif
