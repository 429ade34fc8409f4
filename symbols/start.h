/* SPDX-License-Identifier: MIT */
/*
 * start.h -- a symbol server for those who find none.
 */
#ifndef CCA_SYMBOLS_START_H
#define CCA_SYMBOLS_START_H

#include <stdbool.h>
#include <sys/un.h>

/*
 * Start PROGRAM, which is `allocs`, as a server at SOCKET; a name without a
 * slash is looked for in PATH.  It is no child of this process, ends when
 * nobody has asked it for a while, and is not waited for: if there is another
 * one by then, it ends at once.
 *
 * Returns a pipe, the caller's to close, from which something comes when it
 * serves, and which ends when it ends; or -1, and errno.
 *
 * Threads: any; no signal comes of it, and no lock is taken but malloc's.
 */
int cca_symbols_start(const char *program, const char *socket);

/* Does a process serve at ADDRESS, or begin to? */
bool cca_symbols_is_served(const struct sockaddr_un *address);

#endif
