/* SPDX-License-Identifier: MIT */
/*
 * client-cache.h -- what clients keep in caches, seen from start.c and
 * cache-write.c; include/ccallocs/client.h, "Caches".
 */
#ifndef CCA_CLIENT_CACHE_H
#define CCA_CLIENT_CACHE_H

#include "cache-image.h"

enum { CCA_MAX_BLOBS = 16 * 16 }; /* of all clients */

/* All libraries are registered: say so to the cache, ask each about the one
 * that is there, and let them have their areas.  Called once, by one thread. */
void cca_client_cache_begin(void);

/* Ask all what they want to keep: up to CCA_MAX_BLOBS, in OUT, which live until
 * the release.  Returns how many, or -1: nobody can be asked now. */
int cca_client_cache_collect(struct cca_cache_blob *out);
void cca_client_cache_release(void);

/* Has a client something new? */
bool cca_client_cache_is_new(void);

/* May what is known of the calls with LABEL be kept? */
bool cca_client_cache_takes(uint32_t label);

#endif
