/* SPDX-License-Identifier: MIT */
/*
 * hooks.h -- the hooks, seen from the rest of the runtime.
 */
#ifndef CCA_HOOKS_H
#define CCA_HOOKS_H

#include <stdbool.h>

/* Are objects recorded?  False before the first call of malloc(), and if the
 * runtime stands aside. */
bool cca_hooks_ready(void);

/* Find the malloc below, as the first call would. */
void cca_hooks_wake(void);

/* From now on clients are told what happens to objects (clients.h), or not any
 * more.  Does nothing unless objects are recorded. */
void cca_hooks_watch(bool watched);

#endif
