/* SPDX-License-Identifier: MIT */
/*
 * clients.h -- those who are told what happens (ccallocs/client.h), seen from
 * the rest of the runtime.
 *
 * Threads, signals: any, unless a function says otherwise.  Nothing is told in
 *          an event of the same thread.  errno stays as it was.
 */
#ifndef CCA_CLIENTS_H
#define CCA_CLIENTS_H

#include "ccallocs/client.h"

/*
 * Load and register the libraries of LIST, lines of LIBRARY or
 * LIBRARY:OPTIONS, in their order.  Why one is refused is left in
 * FOLDER/PID.clients (docs/runtime.md); FOLDER may be NULL.  Called once, by
 * one thread.
 */
void cca_clients_load(const char *list, const char *folder);

enum { CCA_CLIENTS_MAX = 16 }; /* in a process */

/* What happens to objects; see struct cca_client. */
void cca_clients_allocated(const struct cca_client_object *object);
void cca_clients_freed(const struct cca_client_object *object);
void cca_clients_resizing(const struct cca_client_object *object);
void cca_clients_resized(const struct cca_client_object *before,
                         const struct cca_client_object *after);

/* Tell of modules that came and went since it was last told; before any other
 * event that is done anyway. */
void cca_clients_modules(void);

void cca_clients_snapshot(void);

/* The process ends: nothing is told afterwards. */
void cca_clients_end(void);

/* In a forked child, after all else is as it should be there. */
void cca_clients_forked(void);

#endif
