/* SPDX-License-Identifier: MIT */
/*
 * server.h -- the symbol server (docs/symserver.md).
 */
#ifndef CCA_SYMBOLS_SERVER_H
#define CCA_SYMBOLS_SERVER_H

#include <stddef.h>
#include <stdint.h>

struct cca_server_options {
  const char *socket;    /* NULL: the usual one */
  uint64_t memory;       /* bytes of all tables that are kept */
  unsigned workers;      /* processes at once */
  unsigned seconds;      /* that a table may take */
  uint64_t worker_bytes; /* of memory that a worker may use */
  unsigned idle;         /* seconds without a client after which it ends; 0:
                            none */
};

/*
 * Serve until a SIGTERM or SIGINT, which are blocked from here on; until it was
 * idle for long enough; or until its socket is not there any more.  READY is
 * called with the path of the socket once there is one.  Returns NULL then, or
 * what prevents it from serving (static).
 *
 * Memory: base/memory.h.
 */
const char *cca_server_run(const struct cca_server_options *options,
                           void (*ready)(const char *path));

#endif
