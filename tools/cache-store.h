/* SPDX-License-Identifier: MIT */
/*
 * cache-store.h -- the folder of caches, from outside (docs/caches.md).
 */
#ifndef CCA_CACHE_STORE_H
#define CCA_CACHE_STORE_H

#include <limits.h>

#include "base/text.h"
#include "runtime/cache-file.h"

/* Where a user's caches are, without an option: CC_ALLOCS_CACHE, else cc-allocs
 * in XDG_CACHE_HOME, else .cache/cc-allocs in HOME; NULL: nowhere.  Owned. */
char *cca_cache_home(void);

/* What everybody shares, if it is there: CC_ALLOCS_CACHE_SHARED, or
 * /var/cache/cc-allocs; NULL: nothing is.  Owned. */
char *cca_cache_home_shared(void);

/* Both for a command with the option --cache.  NAMED, which that gave, is
 * *OWN, is made if it is not there, and *SHARED is then NULL; NULL: it was not
 * given.  False: NAMED is no folder and cannot be made one; see errno. */
bool cca_cache_homes(const char *named, char **own, char **shared);

/* The bytes that a folder may have, if nobody says otherwise. */
enum { CCA_CACHE_STORE_MIB = 256 };

struct cca_cache_entry {
  char name[NAME_MAX + 1];
  uint64_t size;
  int64_t used; /* seconds since 1970: when it was last used, or written */
  bool is_part; /* what a writer has begun */
  enum cca_cache_reason
      reason; /* against it, whoever asks; or CCA_CACHE_USED */
  /* If it can be read: */
  char program[PATH_MAX];
  uint32_t modules, calls, clients, areas;
  bool symbols; /* it is the symbol table of PROGRAM, and nothing else */
};

struct cca_cache_list {
  struct cca_cache_entry *items; /* the last used first; owned */
  size_t count, room;
  enum cca_cache_reason folder; /* what is wrong with it, or CCA_CACHE_USED */
};

/* Look at all caches in FOLDER. */
void cca_cache_list_read(struct cca_cache_list *list, const char *folder,
                         enum cca_cache_trust trust);
void cca_cache_list_release(struct cca_cache_list *list);

/* Remove what was used longest ago from FOLDER until the rest has at most
 * BYTES, what nobody could use, and what a writer left behind an hour ago.  Of
 * each that is gone, SAY is called if it is not NULL; the number of them. */
size_t cca_cache_prune(const char *folder, uint64_t bytes,
                       void (*say)(const struct cca_cache_entry *entry));

/* The same, if FOLDER has more than CCA_CACHE_STORE_MIB, and in silence. */
void cca_cache_keep_small(const char *folder);

/* Which build the module at PATH is by now, as the runtime would say; false:
 * there is none that can be read. */
bool cca_cache_identify(const char *path, struct cca_identity *out);

#endif
