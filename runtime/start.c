/* SPDX-License-Identifier: MIT */
/*
 * start.c -- when the runtime is loaded, when the process forks, and when it
 * ends.
 *
 * What `allocs run` wants comes in the environment:
 *
 *   CC_ALLOCS_HEAP         a folder, for snapshots; none are written without it
 *   CC_ALLOCS_HEAP_SIGNAL  the number of a signal that asks for a snapshot
 *
 * A program that runs with other rights than its user's ignores both.
 */
#include "addresses.h"
#include "debugger.h"
#include "hooks.h"
#include "labels.h"
#include "modules.h"
#include "snapshot.h"
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[PATH_MAX]; /* empty: nowhere */
static pid_t process;         /* whose counts these are */
static uint32_t number;       /* of the next snapshot */
static uint32_t ended;

/* Not by a vfork()ed child, which has our memory and another number. */
static bool is_ours(void) {
  return *folder && cca_hooks_ready() && getpid() == process;
}

static void write_snapshot(enum cca_moment moment) {
  const struct cca_snapshot snapshot = {
      process, getppid(), __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED),
      moment};
  cca_snapshot_write(folder, &snapshot);
}

static void on_signal(int signal) {
  (void)signal;
  if (is_ours())
    write_snapshot(CCA_MOMENT_SIGNAL);
}

static void at_end(void) {
  if (is_ours() && !__atomic_exchange_n(&ended, 1, __ATOMIC_RELAXED))
    write_snapshot(CCA_MOMENT_EXIT);
}

/* For who looks from outside: where our tables are, in FOLDER/PID.at. */
static void say_where(void) {
  char path[PATH_MAX + 32], text[64];
  int saved = errno;
  if (!*folder || !cca_hooks_ready())
    return;
  snprintf(path, sizeof path, "%s/%ld.at", folder, (long)process);
  int len = snprintf(text, sizeof text, "%p %ld\n", (const void *)&cca_debugger,
                     (long)getppid());
  int file =
      open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file >= 0) {
    if (write(file, text, (size_t)len) != len)
      unlink(path);
    close(file);
  }
  errno = saved;
}

static void in_child(void) {
  process = getpid();
  number = 0;
  ended = 0;
  cca_facts_after_fork();
  cca_modules_after_fork();
  if (cca_hooks_ready())
    cca_labels_after_fork();
  say_where();
}

static void read_environment(void) {
  const char *value = getenv("CC_ALLOCS_HEAP");
  if (!value || getauxval(AT_SECURE) || *value != '/' ||
      strlen(value) >= sizeof folder)
    return;
  strcpy(folder, value);
  say_where();
  value = getenv("CC_ALLOCS_HEAP_SIGNAL");
  char *end = NULL;
  long signal = value ? strtol(value, &end, 10) : 0;
  if (value && *end == 0 && signal > 0 && signal < NSIG) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction((int)signal, &action, NULL);
  }
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
