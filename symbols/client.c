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
 * A server that has to be started first is not waited for either: the request
 * is kept, and made when somebody waits and it is there.
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "protocol.h"
#include "start.h"
#include "summaries/error.h"

enum { LOOK_MS = 5 }; /* how often one that was started is looked for */

int cca_table_client_start_ms = 5000;

static void close_one(int *file) {
  if (*file >= 0)
    close(*file);
  *file = -1;
}

/* The server was asked, or will not be. */
static void forget_request(struct cca_table_client *client) {
  close_one(&client->file);
  close_one(&client->starting);
  free(client->module);
  client->module = NULL;
}

static int gone(struct cca_table_client *client, struct cca_error *err,
                const char *why) {
  close_one(&client->socket);
  forget_request(client);
  return cca_error_set(err, CCA_ERR_SERVER_GONE, 0, "no symbol server: %s",
                       why);
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Connect and ask.  CCA_OK: it was; CCA_ERR_NOT_FOUND: there is no server;
 * CCA_ERR_NOT_READY: there is one, with which others have to talk first; or
 * CCA_ERR_SERVER_GONE. */
static int try(struct cca_table_client *client, struct cca_error *err) {
  struct cca_symbols_request request = {
      CCA_SYMBOLS_REQUEST, CCA_SYMBOLS_VERSION, {0}};
  size_t len = strlen(client->module) + 1;
  memcpy(request.path, client->module, len);
  client->socket =
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (client->socket < 0)
    return gone(client, err, strerror(errno));
  if (connect(client->socket, (void *)&client->address,
              sizeof client->address) < 0) {
    int error = errno;
    close_one(&client->socket);
    if (error == EAGAIN)
      return CCA_ERR_NOT_READY;
    if (error == ENOENT || error == ECONNREFUSED)
      return cca_error_set(err, CCA_ERR_NOT_FOUND, 0, "no symbol server: %s",
                           strerror(error));
    return gone(client, err, strerror(error));
  }
  if (!cca_symbols_is_own(client->socket))
    return gone(client, err, "the server is another user's");
  if (!cca_symbols_send(client->socket, &request,
                        offsetof(struct cca_symbols_request, path) + len,
                        client->file)) {
    int error = errno;
    if (error != EPIPE && error != ECONNRESET)
      return gone(client, err, strerror(error));
    close_one(&client->socket); /* it was about to end */
    return cca_error_set(err, CCA_ERR_NOT_FOUND, 0,
                         "no symbol server: it ended");
  }
  forget_request(client);
  return CCA_OK;
}

int cca_table_client_ask(struct cca_table_client *client, const char *path,
                         const char *start, const char *module, int file,
                         struct cca_error *err) {
  struct cca_error none;
  err = err ? err : &none;
  *client = (struct cca_table_client){
      .socket = -1, .asker = getpid(), .file = -1, .starting = -1};
  const char *wrong = cca_symbols_address(path, start, &client->address);
  if (wrong)
    return gone(client, err, wrong);
  if (strlen(module) >= sizeof((struct cca_symbols_request *)0)->path)
    return cca_error_set(err, CCA_ERR_NO_MODULE, 0, "its path is too long");
  client->file = fcntl(file, F_DUPFD_CLOEXEC, 0);
  client->module = strdup(module);
  if (client->file < 0 || !client->module)
    return cca_error_set(err, CCA_ERR_MEMORY, 0, "%s", strerror(errno));
  int status = try(client, err);
  if (status == CCA_OK || status == CCA_ERR_NOT_READY)
    return CCA_ERR_NOT_READY;
  if (status != CCA_ERR_NOT_FOUND)
    return status;
  if (!start) {
    forget_request(client);
    err->status = CCA_ERR_SERVER_GONE;
    return CCA_ERR_SERVER_GONE;
  }
  if (!cca_symbols_is_served(&client->address)) {
    client->starting = cca_symbols_start(start, client->address.sun_path);
    if (client->starting < 0) {
      struct cca_error why;
      cca_error_set(&why, CCA_ERR_SERVER_GONE, 0, "%s cannot be started: %s",
                    start, strerror(errno));
      return gone(client, err, why.text);
    }
  }
  client->give_up = now_ms() + cca_table_client_start_ms;
  return CCA_ERR_NOT_READY;
}

/* Has the server that we started ended?  (What it says is that it serves.) */
static bool has_ended(struct cca_table_client *client) {
  struct pollfd start = {client->starting, POLLIN, 0};
  char text[PATH_MAX];
  if (client->starting < 0 || poll(&start, 1, 0) != 1)
    return false;
  if (read(client->starting, text, sizeof text) > 0)
    return false;
  close_one(&client->starting);
  return true;
}

/* Ask, if that is not done yet.  CCA_OK: it is; CCA_ERR_NOT_READY; or
 * CCA_ERR_SERVER_GONE. */
static int ask_at_last(struct cca_table_client *client, struct cca_error *err) {
  if (client->file < 0)
    return CCA_OK;
  /* Before it is looked for the last time.  One that we did not start has the
   * lock before it serves, and until it ends, its socket cleaned away or not. */
  bool ended = has_ended(client);
  bool was_served = cca_symbols_is_served(&client->address);
  struct cca_error tried;
  int status = try(client, &tried);
  if (status == CCA_ERR_SERVER_GONE)
    return cca_error_set(err, status, 0, "%s", tried.text);
  if (status != CCA_ERR_NOT_FOUND)
    return status;
  if (!client->give_up)
    return gone(client, err, "it ended");
  if (ended && !cca_symbols_is_served(&client->address))
    return gone(client, err, "the one that was started ended");
  if (!ended && client->starting < 0 && !was_served)
    return gone(client, err, "it ended");
  if (now_ms() > client->give_up)
    return gone(client, err, "the one that was started does not serve");
  return CCA_ERR_NOT_READY;
}

/* Map FILE, of SIZE bytes, if nobody can change it any more. */
static int map(struct cca_table_client *client, int file, uint64_t size,
               struct cca_error *err) {
  const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  struct stat status;
  int sealed = fcntl(file, F_GET_SEALS);
  if (sealed < 0 || (sealed & seals) != seals || fstat(file, &status) < 0 ||
      status.st_size <= 0 || (uint64_t)status.st_size != size)
    return gone(client, err, "its table is none");
  void *image = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
  if (image == MAP_FAILED)
    return cca_error_set(err, CCA_ERR_MEMORY, 0, "its table cannot be mapped");
  client->image = image;
  client->len = size;
  return CCA_OK;
}

/* The reply is there, or the end. */
static int take_reply(struct cca_table_client *client, struct cca_table *table,
                      struct cca_error *err) {
  struct cca_symbols_reply reply;
  struct cca_table_error wrong;
  int file, status = ask_at_last(client, err);
  if (status < 0)
    return status;
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
  } else if ((status = map(client, file, reply.size, err)) == CCA_OK &&
             cca_table_open(table, &cca_symbols_schema, client->image,
                            client->len, &wrong) < 0) {
    status = cca_error_set(err, CCA_ERR_CORRUPT, 0,
                           "a broken table, at byte %zu: %s", wrong.offset,
                           wrong.text);
  }
  close_one(&file);
  close_one(&client->socket);
  return status;
}

int cca_table_client_wait(struct cca_table_client *client, int timeout_ms,
                          struct cca_table *table, struct cca_error *err) {
  int64_t end = now_ms() + timeout_ms;
  /* The reply comes once, and a child of fork() has the connection too. */
  if ((client->socket >= 0 || client->file >= 0) && client->asker != getpid())
    return gone(client, err, "it was asked by another process");
  if (client->socket < 0 && client->file < 0)
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
    bool asked = client->socket >= 0;
    if (!asked && (timeout_ms < 0 || left > LOOK_MS))
      left = LOOK_MS;
    poll(&wait, asked, asked && timeout_ms < 0 ? -1 : (int)left);
  }
}

void cca_table_client_release(struct cca_table_client *client) {
  close_one(&client->socket);
  forget_request(client);
  if (client->image)
    munmap(client->image, client->len);
  client->image = NULL;
}
