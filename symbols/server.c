/* SPDX-License-Identifier: MIT */
/*
 * server.c -- the symbol server: who asks, what for, and what is kept.
 *
 * In:    connections, each with one module (docs/symserver.md).
 * Out:   to each, the module's table or why there is none.
 * Holds: one process makes each table, however many ask for it; a client that
 *        goes, hangs or sends nonsense costs its own connection; no read of a
 *        module's bytes happens here.
 *
 * One thread and poll().  An *entry* is a module, as its file is at one time:
 * to be made, being made, there, or failed.  A *client* waits for one entry.
 */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"
#include "module.h"
#include "protocol.h"
#include "summaries/error.h"
#include "worker.h"

enum { MAX_CLIENTS = 4000, MAX_KEPT = 1000, SILENT_SECONDS = 10 };

enum state { TO_MAKE, MAKING, THERE, FAILED };

struct entry {
  enum state state;
  struct stat file; /* which it is */
  char *path;       /* owned */
  int module;       /* until it is made */
  struct cca_worker worker;
  time_t deadline; /* of the worker */
  int memory;      /* when it is there */
  uint64_t size;
  struct cca_error err; /* when it failed */
  uint64_t used;        /* when it was last asked for */
};

struct client {
  int socket;          /* -1: it is done with */
  struct entry *entry; /* NULL: it has not asked yet */
  time_t since;
};

struct server {
  const struct cca_server_options *options;
  int listener, signals;
  struct cca_vec(struct entry *) entries;
  struct cca_vec(struct client) clients;
  struct cca_vec(struct pollfd) polls;
  uint64_t asked; /* counts requests */
  time_t busy;    /* when there last was a client */
  const char *path;
  struct stat socket; /* that is there, as it was made */
};

static time_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

static bool is_waited_for(const struct server *server,
                          const struct entry *entry) {
  for (size_t i = 0; i < server->clients.count; i++)
    if (server->clients.items[i].socket >= 0 &&
        server->clients.items[i].entry == entry)
      return true;
  return false;
}

static void remove_entry(struct server *server, size_t i) {
  struct entry *entry = server->entries.items[i];
  if (entry->module >= 0)
    close(entry->module);
  if (entry->memory >= 0)
    close(entry->memory);
  free(entry->path);
  free(entry);
  server->entries.items[i] = server->entries.items[--server->entries.count];
}

/* Let those go that were asked for longest ago, until what is kept fits: the
 * bytes of tables, and the number of tables (each is an open file) and of
 * failures. */
static void make_room(struct server *server) {
  for (;;) {
    uint64_t bytes = 0;
    size_t count[2] = {0, 0}, oldest[2];
    for (size_t i = 0; i < server->entries.count; i++) {
      const struct entry *entry = server->entries.items[i];
      if (entry->state != THERE && entry->state != FAILED)
        continue;
      int failed = entry->state == FAILED;
      bytes += entry->size;
      if (!count[failed]++ ||
          entry->used < server->entries.items[oldest[failed]]->used)
        oldest[failed] = i;
    }
    if (bytes > server->options->memory || count[0] > MAX_KEPT)
      remove_entry(server, oldest[0]);
    else if (count[1] > MAX_KEPT)
      remove_entry(server, oldest[1]);
    else
      return;
  }
}

static void drop(struct client *client) {
  if (client->socket >= 0)
    close(client->socket);
  client->socket = -1;
  client->entry = NULL;
}

/* ENTRY is there or has failed: tell all who wait for it. */
static void reply(struct server *server, const struct entry *entry) {
  struct cca_symbols_reply packet = {.magic = CCA_SYMBOLS_REPLY,
                                     .version = CCA_SYMBOLS_VERSION};
  bool there = entry->state == THERE;
  packet.status = there ? CCA_OK : entry->err.status;
  packet.size = entry->size;
  if (!there)
    snprintf(packet.text, sizeof packet.text, "%s", entry->err.text);
  for (size_t i = 0; i < server->clients.count; i++) {
    struct client *client = &server->clients.items[i];
    if (client->socket < 0 || client->entry != entry)
      continue;
    /* A socket to which nothing was sent has room, unless its owner is gone. */
    cca_symbols_send(client->socket, &packet, sizeof packet,
                     there ? entry->memory : -1);
    drop(client);
  }
}

/* Failures that say nothing about the file are not kept. */
static void finish(struct server *server, size_t i, int status) {
  struct entry *entry = server->entries.items[i];
  entry->size = cca_worker_finish(&entry->worker, status, &entry->err);
  entry->state = entry->size ? THERE : FAILED;
  entry->memory = entry->size ? entry->worker.memory : -1;
  close(entry->module);
  entry->module = -1;
  reply(server, entry);
  if (entry->state == FAILED && (entry->err.status == CCA_ERR_MEMORY ||
                                 entry->err.status == CCA_ERR_TIMED_OUT))
    remove_entry(server, i);
  make_room(server);
}

static void start(struct server *server, size_t i) {
  struct entry *entry = server->entries.items[i];
  const struct cca_server_options *options = server->options;
  if (cca_worker_start(&entry->worker, entry->module, entry->path,
                       options->worker_bytes, options->seconds)) {
    entry->state = MAKING;
    entry->deadline = now() + 2 * (time_t)options->seconds;
    return;
  }
  entry->state = FAILED;
  cca_error_set(&entry->err, CCA_ERR_MEMORY, 0, "no process for it: %s",
                strerror(errno));
  reply(server, entry);
  remove_entry(server, i);
}

/* Begin what nobody works on, as long as there may be more workers; what
 * nobody waits for any more is not begun. */
static void start_workers(struct server *server) {
  unsigned working = 0;
  for (size_t i = 0; i < server->entries.count; i++)
    working += server->entries.items[i]->state == MAKING;
  for (size_t i = 0; i < server->entries.count;) {
    struct entry *entry = server->entries.items[i];
    if (entry->state != TO_MAKE || working >= server->options->workers) {
      i++;
    } else if (!is_waited_for(server, entry)) {
      remove_entry(server, i);
    } else {
      start(server, i);
      working++;
    }
  }
}

static void reap(struct server *server) {
  int status;
  for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;)
    for (size_t i = 0; i < server->entries.count; i++)
      if (server->entries.items[i]->state == MAKING &&
          server->entries.items[i]->worker.process == process) {
        finish(server, i, status);
        break;
      }
}

/* Workers that sleep use no CPU time, and clients may say nothing. */
static void check_times(struct server *server) {
  time_t time = now();
  for (size_t i = 0; i < server->entries.count; i++) {
    struct entry *entry = server->entries.items[i];
    if (entry->state == MAKING && time > entry->deadline)
      kill(entry->worker.process, SIGKILL);
  }
  for (size_t i = 0; i < server->clients.count; i++) {
    struct client *client = &server->clients.items[i];
    if (!client->entry && time > client->since + SILENT_SECONDS)
      drop(client);
  }
}

/* The entry of the module MODULE, which is its own from here on. */
static struct entry *find_entry(struct server *server, int module,
                                const char *path) {
  struct stat file;
  if (fstat(module, &file) < 0)
    file = (struct stat){0};
  for (size_t i = 0; i < server->entries.count; i++)
    if (cca_file_is_same(&server->entries.items[i]->file, &file)) {
      close(module);
      return server->entries.items[i];
    }
  struct entry *entry = cca_calloc(1, sizeof *entry);
  *entry = (struct entry){.state = TO_MAKE,
                          .file = file,
                          .path = strdup(path),
                          .module = module,
                          .memory = -1};
  cca_vec_push(&server->entries, entry);
  return entry;
}

/* CLIENT has said something, or gone. */
static void hear(struct server *server, struct client *client) {
  struct cca_symbols_request request;
  int module;
  ssize_t len =
      cca_symbols_receive(client->socket, &request, sizeof request, &module);
  if (len < 0 && errno == EAGAIN)
    return;
  size_t head = offsetof(struct cca_symbols_request, path);
  bool good =
      !client->entry && module >= 0 && len > (ssize_t)head &&
      request.magic == CCA_SYMBOLS_REQUEST &&
      request.version == CCA_SYMBOLS_VERSION && request.path[0] == '/' &&
      memchr(request.path, 0, (size_t)len - head) == (char *)&request + len - 1;
  if (!good) {
    if (module >= 0)
      close(module);
    drop(client);
    return;
  }
  client->entry = find_entry(server, module, request.path);
  client->entry->used = ++server->asked;
  if (client->entry->state == THERE || client->entry->state == FAILED)
    reply(server, client->entry);
}

static void welcome(struct server *server) {
  int socket =
      accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) {
    if (errno != EAGAIN)
      poll(NULL, 0, 10); /* no descriptor is free: not again at once */
    return;
  }
  if (!cca_symbols_is_own(socket) || server->clients.count >= MAX_CLIENTS)
    close(socket);
  else
    cca_vec_push(&server->clients, ((struct client){socket, NULL, now()}));
}

/* Wait for something to happen; false if that was a signal to end. */
static bool turn(struct server *server) {
  struct signalfd_siginfo signal;
  size_t kept = 0;
  for (size_t i = 0; i < server->clients.count; i++)
    if (server->clients.items[i].socket >= 0)
      server->clients.items[kept++] = server->clients.items[i];
  server->clients.count = kept;

  server->polls.count = 0;
  cca_vec_push(&server->polls, ((struct pollfd){server->signals, POLLIN, 0}));
  cca_vec_push(&server->polls, ((struct pollfd){server->listener, POLLIN, 0}));
  for (size_t i = 0; i < kept; i++)
    cca_vec_push(&server->polls,
                 ((struct pollfd){server->clients.items[i].socket, POLLIN, 0}));
  if (poll(server->polls.items, server->polls.count, 1000) < 0 &&
      errno != EINTR)
    return false;
  for (size_t i = 0; i < kept; i++)
    if (server->polls.items[i + 2].revents &&
        server->clients.items[i].socket >= 0)
      hear(server, &server->clients.items[i]);
  if (server->polls.items[1].revents)
    welcome(server);
  while (read(server->signals, &signal, sizeof signal) == sizeof signal)
    if (signal.ssi_signo != SIGCHLD)
      return false;
  reap(server);
  check_times(server);
  start_workers(server);
  return true;
}

/* Is what lies at our path our own socket?  Folders of temporary files are
 * cleaned up, and others may serve there then. */
static bool is_reachable(const struct server *server) {
  struct stat file;
  return lstat(server->path, &file) == 0 &&
         file.st_dev == server->socket.st_dev &&
         file.st_ino == server->socket.st_ino;
}

static void remove_socket(const struct server *server) {
  if (is_reachable(server))
    unlink(server->path);
}

/* Has nobody asked for long enough, or will nobody any more?  From here on
 * nobody finds the socket; who has connected by now is still heard. */
static bool is_over(struct server *server) {
  unsigned idle = server->options->idle;
  if (server->clients.count)
    server->busy = now();
  if (server->clients.count ||
      (is_reachable(server) && !(idle && now() >= server->busy + idle)))
    return false;
  remove_socket(server);
  welcome(server);
  return !server->clients.count;
}

/* Become the one server at ADDRESS; what is wrong, or NULL. */
static const char *begin(struct server *server, struct sockaddr_un *address,
                         int *lock) {
  char name[sizeof address->sun_path + 5];
  snprintf(name, sizeof name, "%s.lock", address->sun_path);
  *lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (*lock < 0)
    return "the lock beside its socket cannot be opened";
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(*lock, F_OFD_SETLK, &whole) < 0) /* start.c looks at it */
    return "another one is running";
  unlink(address->sun_path); /* of one that died: we have the lock */
  server->listener =
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (server->listener < 0 ||
      bind(server->listener, (void *)address, sizeof *address) < 0 ||
      lstat(address->sun_path, &server->socket) < 0 ||
      listen(server->listener, 1024) < 0)
    return "its socket cannot be made";
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  server->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (server->signals < 0)
    return "signals cannot be waited for";
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  return NULL;
}

const char *cca_server_run(const struct cca_server_options *options,
                           void (*ready)(const char *path)) {
  struct server server = {.options = options, .listener = -1, .signals = -1};
  struct sockaddr_un address;
  int lock = -1;
  const char *wrong = cca_symbols_address(options->socket, true, &address);
  if (!wrong)
    wrong = begin(&server, &address, &lock);
  if (!wrong) {
    server.path = address.sun_path;
    server.busy = now();
    ready(address.sun_path);
    while (turn(&server) && !is_over(&server))
      ;
    remove_socket(&server);
  }
  for (size_t i = 0; i < server.clients.count; i++)
    drop(&server.clients.items[i]);
  for (size_t i = server.entries.count; i > 0; i--) {
    if (server.entries.items[i - 1]->state == MAKING)
      kill(server.entries.items[i - 1]->worker.process, SIGKILL);
    remove_entry(&server, i - 1);
  }
  cca_vec_release(&server.entries);
  cca_vec_release(&server.clients);
  cca_vec_release(&server.polls);
  if (server.listener >= 0)
    close(server.listener);
  if (server.signals >= 0)
    close(server.signals);
  if (lock >= 0)
    close(lock);
  return wrong;
}
