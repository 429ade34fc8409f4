/* SPDX-License-Identifier: MIT */
/*
 * cache.h -- what an earlier process with the same modules concluded, and what
 * this one leaves for the next; docs/caches.md.
 *
 * The environment says where:
 *
 *   CC_ALLOCS_CACHE         the user's folder
 *   CC_ALLOCS_CACHE_SHARED  another one, which is only read, asked if the first
 *                           has nothing
 *   CC_ALLOCS_CACHE_WRITE   `exit' (without it, too), `asked' (by a signal or
 *                           cca_cache_save()), or `never'
 *   CC_ALLOCS_CACHE_SIGNAL  the number of a signal that asks
 *
 * Whatever is wrong with a file, the process concludes by itself, and the same.
 *
 * Threads: where not said otherwise, any.  Signals: any.  errno is kept.
 * Memory:  the runtime's own pages.
 */
#ifndef CCA_CACHE_H
#define CCA_CACHE_H

#include "bindings.h"
#include "cache-image.h"
#include "modules.h"

/* Does this process use caches?  If not, nothing below does anything. */
bool cca_cache_is_wanted(void);

/* The first COUNT modules are those at start: look for their cache.  The caller
 * has the lock of modules.c, as for the next. */
void cca_cache_begin(uint32_t count);

/*
 * Is MODULE one that the cache knows?  Then it is classified, its table is open
 * without being checked again, and its labels are there if they came with the
 * cache; else first_label is 0.
 */
bool cca_cache_adopt(struct cca_loaded *module);

/* What is known of a return address. */
struct cca_kept_call {
  uint32_t unwind;          /* bits 32-63 of a fact */
  uint32_t site;            /* row, or CCA_NONE */
  uint32_t through;         /* the site of BINDING */
  enum cca_binding binding; /* CCA_BINDING_UNMET: nothing depends on any */
  const struct cca_loaded *definer;
  bool is_ambiguous;
};

/* Does the cache know the call that returns to ADDRESS in MODULE, and is it
 * bound to what it was? */
bool cca_cache_find(const struct cca_loaded *module, uintptr_t address,
                    struct cca_kept_call *call);

/* An address was found out about without the cache. */
void cca_cache_missed(void);

/* WORD (addresses.h) is what was found out about the call of MODULE that
 * returns to ADDRESS: remember it for the cache, if MODULE is one that may be
 * closed before that is written. */
void cca_cache_met(const struct cca_loaded *module, uintptr_t address,
                   uint64_t word);

/* Which build MODULE is, as CACHE_CLIENT.build_id has it. */
void cca_cache_build(const struct cca_loaded *module,
                     char out[2 * CCA_BUILD_ID_MAX + 1]);

/* The clients of this process are CLIENTS, sorted by id: those of the cache
 * have to be the same, or it is not used from now on.  They are borrowed. */
void cca_cache_clients(const struct cca_cache_tool *clients, uint32_t count);

/* The cache is not used from now on, because of CLIENT, for REASON; if that is
 * CCA_CACHE_UNIDENTIFIED, none is written either. */
void cca_cache_refuse(enum cca_cache_reason reason, uint32_t client);

/* The signal that asks for a cache to be written; 0: none.  Read once. */
int cca_cache_signal(void);

/* Write what is known by now; false: it was not.  At the end of a process only
 * if CC_ALLOCS_CACHE_WRITE has it so and there is enough that the file does not
 * have; and say in FOLDER/PID.cache, if FOLDER is not NULL, what became of the
 * cache. */
bool cca_cache_write(void);
void cca_cache_end(const char *folder);

/* In a forked child, which leaves it to its parent to write at the end. */
void cca_cache_after_fork(void);

#endif
