/* SPDX-License-Identifier: MIT */
/*
 * client.c -- one module's table from a server (docs/symserver.md).
 *
 * In:    the server's socket, the module.
 * Out:   the table, mapped and checked.
 * Holds: what is mapped can no longer change: the memory is sealed.  Nobody
 *        waits who did not ask to, and nobody longer than he said.
 *
 * Each module has a connection of its own until its table is there, so that
 * modules know nothing of each other, and a server that dies is seen by each.
 * Nothing is allocated but by the kernel.
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "protocol.h"
#include "summaries/error.h"

static int gone(struct cca_table_client *client, struct cca_error *err,
                const char *why) {
  if (client->socket >= 0)
    close(client->socket);
  client->socket = -1;
  return cca_error_set(err, CCA_ERR_SERVER_GONE, 0, "no symbol server: %s",
                       why);
}

int cca_table_client_ask(struct cca_table_client *client, const char *path,
                         const char *module, int file, struct cca_error *err) {
  struct cca_symbols_request request = {
      CCA_SYMBOLS_REQUEST, CCA_SYMBOLS_VERSION, {0}};
  struct sockaddr_un address;
  size_t len = strlen(module) + 1;
  *client = (struct cca_table_client){.socket = -1, .asker = getpid()};
  const char *wrong = cca_symbols_address(path, false, &address);
  if (wrong)
    return gone(client, err, wrong);
  if (len > sizeof request.path)
    return cca_error_set(err, CCA_ERR_NO_MODULE, 0, "its path is too long");
  memcpy(request.path, module, len);
  client->socket =
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (client->socket < 0 ||
      connect(client->socket, (void *)&address, sizeof address) < 0)
    return gone(client, err, strerror(errno));
  if (!cca_symbols_is_own(client->socket))
    return gone(client, err, "the server is another user's");
  if (!cca_symbols_send(client->socket, &request,
                        offsetof(struct cca_symbols_request, path) + len, file))
    return gone(client, err, strerror(errno));
  return CCA_ERR_NOT_READY;
}

/* Map FILE, of SIZE bytes, if nobody can change it any more. */
static bool map(struct cca_table_client *client, int file, uint64_t size) {
  const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  struct stat status;
  int sealed = fcntl(file, F_GET_SEALS);
  if (sealed < 0 || (sealed & seals) != seals || fstat(file, &status) < 0 ||
      status.st_size <= 0 || (uint64_t)status.st_size != size)
    return false;
  void *image = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
  if (image == MAP_FAILED)
    return false;
  client->image = image;
  client->len = size;
  return true;
}

/* The reply is there, or the end. */
static int take_reply(struct cca_table_client *client, struct cca_table *table,
                      struct cca_error *err) {
  struct cca_symbols_reply reply;
  struct cca_table_error wrong;
  int file, status;
  ssize_t got =
      cca_symbols_receive(client->socket, &reply, sizeof reply, &file);
  if (got < 0 && errno == EAGAIN)
    return CCA_ERR_NOT_READY;
  if (got <= 0)
    return gone(client, err,
                got && errno != ECONNRESET ? strerror(errno) : "it ended");
  if (got != sizeof reply || reply.magic != CCA_SYMBOLS_REPLY ||
      reply.version != CCA_SYMBOLS_VERSION || reply.status > 0) {
    status = gone(client, err, "its reply is none");
  } else if (reply.status < 0) {
    reply.text[sizeof reply.text - 1] = 0;
    status = cca_error_set(err, reply.status, 0, "%s", reply.text);
  } else if (file < 0 || !map(client, file, reply.size)) {
    status = gone(client, err, "its table cannot be mapped");
  } else if (cca_table_open(table, &cca_symbols_schema, client->image,
                            client->len, &wrong) < 0) {
    status = cca_error_set(err, CCA_ERR_CORRUPT, 0,
                           "a broken table, at byte %zu: %s", wrong.offset,
                           wrong.text);
  } else {
    status = CCA_OK;
  }
  if (file >= 0)
    close(file);
  if (client->socket >= 0)
    close(client->socket);
  client->socket = -1;
  return status;
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int cca_table_client_wait(struct cca_table_client *client, int timeout_ms,
                          struct cca_table *table, struct cca_error *err) {
  int64_t end = now_ms() + timeout_ms;
  /* The reply comes once, and a child of fork() has the connection too. */
  if (client->socket >= 0 && client->asker != getpid())
    return gone(client, err, "it was asked by another process");
  if (client->socket < 0)
    return cca_error_set(err, CCA_ERR_SERVER_GONE, 0,
                         "no symbol server: it was not asked");
  for (;;) {
    int status = take_reply(client, table, err);
    int64_t left = end - now_ms();
    if (status != CCA_ERR_NOT_READY)
      return status;
    if (timeout_ms >= 0 && left <= 0)
      return timeout_ms ? cca_error_set(err, CCA_ERR_TIMED_OUT, 0,
                                        "no table after %d ms", timeout_ms)
                        : cca_error_set(err, CCA_ERR_NOT_READY, 0,
                                        "its table is not there yet");
    struct pollfd wait = {client->socket, POLLIN, 0};
    poll(&wait, 1, timeout_ms < 0 ? -1 : (int)left);
  }
}

void cca_table_client_release(struct cca_table_client *client) {
  if (client->socket >= 0)
    close(client->socket);
  if (client->image)
    munmap(client->image, client->len);
  *client = (struct cca_table_client){.socket = -1};
}
