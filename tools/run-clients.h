/* SPDX-License-Identifier: MIT */
/*
 * run-clients.h -- the clients of `allocs run --client`
 * (include/ccallocs/client.h).
 */
#ifndef CCA_RUN_CLIENTS_H
#define CCA_RUN_CLIENTS_H

#include "base/text.h"

/* Add the client WORD, LIBRARY or LIBRARY:OPTIONS, to LIST, which is
 * CC_ALLOCS_CLIENTS.  Negative: there is none, and that has been said. */
int cca_run_clients_add(struct cca_text *list, const char *word);

/* Say of each client that the processes which left records in FOLDER went on
 * without, why; once. */
void cca_run_clients_say(const char *folder);

#endif
