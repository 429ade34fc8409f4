/* SPDX-License-Identifier: MIT */
/*
 * start.c -- when the runtime is loaded, when the process forks, and when it
 * ends.
 *
 * What `allocs run` wants comes in the environment:
 *
 *   CC_ALLOCS_HEAP         a folder, for snapshots; none are written without it
 *   CC_ALLOCS_CLIENTS      libraries of clients, one a line: LIBRARY or
 *                          LIBRARY:OPTIONS
 *   CC_ALLOCS_HEAP_SIGNAL  the number of a signal that asks for a snapshot
 *   CC_ALLOCS_CACHE...     caches: cache.h
 *
 * A program that runs with other rights than its user's ignores all of them.
 */
#include "addresses.h"
#include "cache.h"
#include "client-cache.h"
#include "clients.h"
#include "hooks.h"
#include "labels.h"
#include "modules.h"
#include "recorder.h"
#include "walk.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t process;      /* that the clients are in */
static const char *folder; /* of CC_ALLOCS_HEAP; NULL: none */
static uint32_t ended;

/* Not by a vfork()ed child, which has our memory and another number. */
static bool is_ours(void) { return cca_hooks_ready() && getpid() == process; }

static void on_signal(int signal) {
  (void)signal;
  if (is_ours())
    cca_clients_snapshot();
}

static void on_cache_signal(int signal) {
  (void)signal;
  if (is_ours())
    cca_cache_write();
}

static void at_end(void) {
  if (!is_ours() || __atomic_exchange_n(&ended, 1, __ATOMIC_RELAXED))
    return;
  cca_cache_end(folder);
  cca_clients_end();
}

static void in_child(void) {
  process = getpid();
  ended = 0;
  cca_facts_after_fork();
  cca_modules_after_fork();
  cca_cache_after_fork();
  if (cca_hooks_ready())
    cca_labels_after_fork();
  cca_clients_forked();
}

static void catch_signal(int signal, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, NULL);
}

static void catch_named(const char *value) {
  char *end;
  long signal = strtol(value, &end, 10);
  if (*end == 0 && signal > 0 && signal < NSIG)
    catch_signal((int)signal, on_signal);
}

/* Ours is the first client; what the others bring is not yet there then. */
static void read_environment(void) {
  if (getauxval(AT_SECURE))
    return;
  folder = getenv("CC_ALLOCS_HEAP");
  const char *libraries = getenv("CC_ALLOCS_CLIENTS"),
             *signal = getenv("CC_ALLOCS_HEAP_SIGNAL");
  if (folder && cca_client_register(&cca_recorder, folder, NULL) < 0)
    folder = NULL;
  if (libraries)
    cca_clients_load(libraries, folder);
  cca_client_cache_begin();
  if (signal && (folder || libraries))
    catch_named(signal);
  if (cca_cache_signal())
    catch_signal(cca_cache_signal(), on_cache_signal);
}

__attribute__((constructor)) static void start(void) {
  cca_hooks_wake();
  cca_modules_allow();
  cca_walk_link_map_changed();
  process = getpid();
  pthread_atfork(NULL, NULL, in_child);
  read_environment();
}

__attribute__((destructor)) static void finish(void) { at_end(); }

/* Those that end without destructors. */
__attribute__((visibility("default"), noreturn)) void _exit(int status) {
  at_end();
  for (;;)
    syscall(SYS_exit_group, status);
}
__attribute__((visibility("default"), noreturn)) void _Exit(int status) {
  _exit(status);
}
