/* SPDX-License-Identifier: MIT */
/*
 * clients-state.h -- who is registered.  Private to clients.c and
 * client-cache.c.
 *
 * Entries are written once, before the count says that they are there.
 */
#ifndef CCA_CLIENTS_STATE_H
#define CCA_CLIENTS_STATE_H

#include "clients.h"
#include "modules.h"

enum { CCA_MAX_CLIENT_NAME = 63, CCA_MAX_AREAS = 16 };

/* What a client has to do with caches: docs/clients.md, "Caches". */
struct cca_client_cache {
  bool takes_part;
  uint32_t row; /* of the cache in use; CCA_NONE: it has none there */
  bool is_open; /* keep() is being asked */
  uint32_t count;
  struct {
    char name[CCA_MAX_CLIENT_NAME + 1];
    uint32_t kind;
    size_t size;
    void *bytes; /* pages of ours */
  } areas[CCA_MAX_AREAS];
};

/* Who has registered it. */
enum cca_origin {
  CCA_ORIGIN_OURS,   /* the recorder */
  CCA_ORIGIN_LISTED, /* a library of CC_ALLOCS_CLIENTS */
  CCA_ORIGIN_PROGRAM
};

struct cca_registered {
  enum cca_origin origin;
  struct cca_client client; /* a copy; functions that it does not have: NULL */
  char id[CCA_MAX_CLIENT_NAME + 1], version[CCA_MAX_CLIENT_NAME + 1];
  void *data;
  struct cca_client_cache cache;
  uint8_t told[CCA_MAX_MODULES];
};

extern struct cca_registered cca_registry[CCA_CLIENTS_MAX];
extern uint32_t cca_registered_count; /* 0 ... this - 1 */
extern uint32_t cca_registry_lock;    /* one at a time registers */

/* Is NAME one to 63 printable characters without spaces? */
bool cca_client_is_name(const char *name);

/* An address in the module whose code CLIENT is: of a function, since its id
 * may have been put together elsewhere. */
uintptr_t cca_client_code(const struct cca_client *client);

/* Begin what is told to clients, and end it; false: this thread is in an event.
 * Between the two errno is in *SAVED. */
bool cca_clients_enter(int *saved);
void cca_clients_leave(int saved);

#endif
