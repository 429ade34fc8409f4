/* SPDX-License-Identifier: MIT */
/*
 * client.h -- one module's table from a server.
 */
#ifndef CCA_SYMBOLS_CLIENT_H
#define CCA_SYMBOLS_CLIENT_H

#include <stddef.h>
#include <sys/types.h>

#include "ccallocs/error.h"
#include "summaries/table.h"

struct cca_table_client {
  int socket; /* -1: nothing is waited for */
  pid_t asker;
  void *image; /* mapped; NULL: it is not there */
  size_t len;
};

/*
 * Ask the server at PATH (NULL, empty: the usual one) for the table of the
 * module that FILE is, at the absolute path MODULE.  Does not wait.  Returns
 * CCA_ERR_NOT_READY: it was asked; or CCA_ERR_SERVER_GONE, with *ERR filled.
 * CLIENT is to be released in any case.
 */
int cca_table_client_ask(struct cca_table_client *client, const char *path,
                         const char *module, int file, struct cca_error *err);

/*
 * Wait for the table, at most TIMEOUT_MS milliseconds (0: look; negative: as
 * long as it takes).  Returns CCA_OK with *TABLE open; CCA_ERR_NOT_READY if
 * TIMEOUT_MS is 0, or CCA_ERR_TIMED_OUT; CCA_ERR_SERVER_GONE; or what the
 * server said, with *ERR filled.
 */
int cca_table_client_wait(struct cca_table_client *client, int timeout_ms,
                          struct cca_table *table, struct cca_error *err);

void cca_table_client_release(struct cca_table_client *client);

#endif
