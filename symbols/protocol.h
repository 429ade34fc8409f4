/* SPDX-License-Identifier: MIT */
/*
 * protocol.h -- what client and server of symbols say to each other
 * (docs/symserver.md).
 */
#ifndef CCA_SYMBOLS_PROTOCOL_H
#define CCA_SYMBOLS_PROTOCOL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

enum {
  CCA_SYMBOLS_REQUEST = 0x63637371,
  CCA_SYMBOLS_REPLY = 0x63637361,
  CCA_SYMBOLS_VERSION = 1,
};

struct cca_symbols_request {
  uint32_t magic, version;
  char path[PATH_MAX]; /* sent as far as its zero */
};

struct cca_symbols_reply {
  uint32_t magic, version;
  int32_t status;
  uint32_t reserved;
  uint64_t size;
  char text[160];
};

/*
 * The address of the server's socket: PATH, or the usual one if that is NULL or
 * empty.  MAKE: its folder is made, if it is not there.  Returns NULL, or what
 * is wrong: a path that is too long, or a folder that others can write to.
 */
const char *cca_symbols_address(const char *path, bool make,
                                struct sockaddr_un *address);

/* Does the process at the other end of SOCKET run as the user that we are? */
bool cca_symbols_is_own(int socket);

/*
 * Send LEN bytes as one packet, with FILE if it is not negative.  False, and
 * errno: EAGAIN if it would have to wait.
 */
bool cca_symbols_send(int socket, const void *bytes, size_t len, int file);

/*
 * Receive a packet of at most LEN bytes, without waiting.  Returns its length,
 * 0 at the end of the connection, or -1 and errno (EPROTO: it was longer).
 * *FILE is the one file descriptor that came with it, which the caller closes,
 * or -1: none came, or several, which were closed.
 */
ssize_t cca_symbols_receive(int socket, void *bytes, size_t len, int *file);

#endif
