/* SPDX-License-Identifier: MIT */
/*
 * client-cache.h -- what clients keep in caches, seen from start.c and
 * cache-write.c; include/ccallocs/client.h, "Caches".
 */
#ifndef CCA_CLIENT_CACHE_H
#define CCA_CLIENT_CACHE_H

#include "cache-image.h"
#include "clients.h"

enum { CCA_MAX_BLOBS = 16 * 16 }; /* of all clients */

struct cca_registered;

/* All libraries are registered: say so to the cache, ask each about the one
 * that is there, and let them have their areas; then those that the program has
 * registered by then.  Called once, by one thread. */
void cca_client_cache_begin(void);

/* The program has registered CLIENT: the same for it alone.  The caller holds
 * the lock of the registry, and is in an event. */
void cca_client_cache_join(struct cca_registered *client);

/* Of a cache that is written: the clients of its key, and their areas. */
struct cca_client_content {
  struct cca_cache_tool tools[CCA_CLIENTS_MAX];
  uint32_t tool_count, blob_count;
  struct cca_cache_blob blobs[CCA_MAX_BLOBS];
};

/* Ask all what they want to keep; what late clients kept that did not come this
 * time stays.  OUT is good until the release.  False: nobody can be asked now.
 */
bool cca_client_cache_collect(struct cca_client_content *out);
void cca_client_cache_release(void);

/* Has a client something new? */
bool cca_client_cache_is_new(void);

/* May what is known of the calls with LABEL be kept? */
bool cca_client_cache_takes(uint32_t label);

#endif
