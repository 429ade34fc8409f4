/* SPDX-License-Identifier: MIT */
/*
 * clients-state.h -- who is registered.  Private to clients.c and
 * client-cache.c.
 */
#ifndef CCA_CLIENTS_STATE_H
#define CCA_CLIENTS_STATE_H

#include "clients.h"
#include "modules.h"

enum { CCA_MAX_CLIENT_NAME = 63, CCA_MAX_AREAS = 16 };

/* What a client has to do with caches: docs/clients.md, "Caches". */
struct cca_client_cache {
  uint32_t row; /* of CACHE_CLIENT; CCA_NONE: it has no part */
  bool is_open; /* keep() is being asked */
  uint32_t count;
  struct {
    char name[CCA_MAX_CLIENT_NAME + 1];
    uint32_t kind;
    size_t size;
    void *bytes; /* pages of ours */
  } areas[CCA_MAX_AREAS];
};

struct cca_registered {
  struct cca_client client; /* a copy; functions that it does not have: NULL */
  char id[CCA_MAX_CLIENT_NAME + 1], version[CCA_MAX_CLIENT_NAME + 1];
  void *data;
  struct cca_client_cache cache;
  uint8_t told[CCA_MAX_MODULES];
};

extern struct cca_registered cca_registry[CCA_CLIENTS_MAX];
extern uint32_t cca_registered_count; /* 0 ... this - 1 */

/* Is NAME one to 63 printable characters without spaces? */
bool cca_client_is_name(const char *name);

/* Begin what is told to clients, and end it; false: this thread is in an event.
 * Between the two errno is in *SAVED. */
bool cca_clients_enter(int *saved);
void cca_clients_leave(int saved);

#endif
