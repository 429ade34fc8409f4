/* SPDX-License-Identifier: MIT */
/*
 * worker.h -- one table, made by a process of its own.
 */
#ifndef CCA_SYMBOLS_WORKER_H
#define CCA_SYMBOLS_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ccallocs/error.h"

struct cca_worker {
  pid_t process;
  int memory; /* memfd, in which the table will be */
  int result; /* a pipe: its struct cca_error, if it fails */
};

/*
 * Start a process that makes the table of the module FILE at PATH, with at most
 * BYTES of memory and SECONDS of CPU time.  False, and errno, if there can be
 * none.
 */
bool cca_worker_start(struct cca_worker *worker, int file, const char *path,
                      uint64_t bytes, unsigned seconds);

/*
 * The process has ended, with STATUS as waitpid() says.  Returns the size of
 * the table, which is then sealed in WORKER->memory, the caller's; or 0 with
 * *ERR filled.  The rest of WORKER is closed.
 */
uint64_t cca_worker_finish(struct cca_worker *worker, int status,
                           struct cca_error *err);

#endif
