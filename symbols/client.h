/* SPDX-License-Identifier: MIT */
/*
 * client.h -- one module's table from a server.
 */
#ifndef CCA_SYMBOLS_CLIENT_H
#define CCA_SYMBOLS_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include "ccallocs/error.h"
#include "summaries/table.h"

/* How long a server may take from its start to its first connection, in ms: a
 * test may know better how long that is.  To be set before there are threads. */
extern int cca_table_client_start_ms;

struct cca_table_client {
  int socket; /* -1: the server was not asked yet, or answered */
  pid_t asker;
  void *image; /* mapped; NULL: it is not there */
  size_t len;

  /* Until the server was asked. */
  struct sockaddr_un address;
  int file;        /* the module; -1: it was asked */
  char *module;    /* its path; owned */
  int starting;    /* a pipe from the server that we started; -1: none */
  int64_t give_up; /* when one that was started will not come any more, in ms;
                      0: none was */
};

/*
 * Ask the server at PATH (NULL, empty: the usual one) for the table of the
 * module that FILE is, at the absolute path MODULE.  If none is there, START is
 * started as one (start.h), unless that is NULL.  Does not wait.  Returns
 * CCA_ERR_NOT_READY: it was asked, or will be when it is there; or
 * CCA_ERR_SERVER_GONE, CCA_ERR_NO_MODULE or CCA_ERR_MEMORY, with *ERR filled.
 * CLIENT is to be released in any case.
 */
int cca_table_client_ask(struct cca_table_client *client, const char *path,
                         const char *start, const char *module, int file,
                         struct cca_error *err);

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
