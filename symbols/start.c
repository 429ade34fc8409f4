/* SPDX-License-Identifier: MIT */
/*
 * start.c -- a symbol server for those who find none.
 *
 * In:    a program, and where it is to serve.
 * Out:   a process that nobody has to wait for.
 * Holds: the process that we are in notices nothing: it has no child, gets no
 *        SIGCHLD, and runs none of its handlers of fork().
 *
 * We may be a library in anybody's process, which may wait for all of its
 * children.  So a helper, which sends no signal when it ends and is seen by
 * nobody who does not ask for such (__WCLONE), starts the server, and ends; the
 * server is then init's.  Both are made by the system call itself.  What they
 * need is prepared before: they allocate nothing.
 *
 * Any number of clients may do this at once.  The servers agree among
 * themselves by the lock beside the socket; those that do not get it end.
 */
#include "start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol.h"

extern char **environ;

/* How long it stays without anybody who asks. */
#define IDLE_SECONDS "300"

/* Where PROGRAM is; false, and errno. */
static bool find_program(const char *program, char path[PATH_MAX]) {
  const char *folders = getenv("PATH");
  if (getauxval(AT_SECURE)) { /* the environment is another user's */
    errno = EPERM;
    return false;
  }
  if (strchr(program, '/')) {
    snprintf(path, PATH_MAX, "%s", program);
    return access(path, X_OK) == 0;
  }
  for (const char *at = folders ? folders : ""; *at;) {
    size_t len = strcspn(at, ":");
    if (*at == '/' && len < PATH_MAX &&
        snprintf(path, PATH_MAX, "%.*s/%s", (int)len, at, program) < PATH_MAX &&
        access(path, X_OK) == 0)
      return true;
    at += len + (at[len] == ':');
  }
  errno = ENOENT;
  return false;
}

/* The environment less what would make the server a part of a run that its
 * client belongs to; owned, the strings are not.  NULL: no memory. */
static char **clean_environment(void) {
  size_t count = 0, kept = 0;
  while (environ && environ[count])
    count++;
  char **clean = malloc((count + 1) * sizeof *clean);
  for (size_t i = 0; clean && i < count; i++)
    if (strncmp(environ[i], "LD_PRELOAD=", 11) &&
        strncmp(environ[i], "CC_ALLOCS_HEAP", 14))
      clean[kept++] = environ[i];
  if (clean)
    clean[kept] = NULL;
  return clean;
}

static pid_t fork_with(unsigned long end_signal) {
  return (pid_t)syscall(SYS_clone, end_signal, 0, 0, 0, 0);
}

/* The server's process, until it is the server. */
__attribute__((noreturn)) static void become(const char *path, char **argv,
                                             char **environment, int out) {
  sigset_t none;
  setsid();
  for (int i = 1; i < NSIG; i++)
    signal(i, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int nothing = open("/dev/null", O_RDWR);
  out = fcntl(out, F_DUPFD, 3); /* not one that is about to be replaced */
  nothing = fcntl(nothing, F_DUPFD, 3);
  if (chdir("/") || out < 0 || nothing < 0 || dup2(nothing, 0) < 0 ||
      dup2(out, 1) < 0 || dup2(nothing, 2) < 0)
    _exit(1);
  close_range(3, ~0u, 0);
  execve(path, argv, environment);
  _exit(1);
}

int cca_symbols_start(const char *program, const char *socket) {
  char path[PATH_MAX];
  char *argv[] = {(char *)"allocs",
                  (char *)"symserver",
                  (char *)"--socket",
                  (char *)(uintptr_t)socket,
                  (char *)"--idle",
                  (char *)IDLE_SECONDS,
                  NULL};
  int ends[2], status = -1;
  if (!find_program(program, path))
    return -1;
  char **environment = clean_environment();
  if (!environment || pipe2(ends, O_CLOEXEC) < 0) {
    free(environment);
    return -1;
  }
  pid_t helper = fork_with(0);
  if (helper == 0) {
    pid_t server = fork_with(SIGCHLD);
    if (server == 0)
      become(path, argv, environment, ends[1]);
    _exit(server < 0);
  }
  if (helper > 0)
    while (waitpid(helper, &status, __WCLONE) < 0 && errno == EINTR)
      ;
  close(ends[1]);
  free(environment);
  if (status == 0)
    return ends[0];
  close(ends[0]);
  errno = EAGAIN;
  return -1;
}

bool cca_symbols_is_served(const struct sockaddr_un *address) {
  char name[sizeof address->sun_path + 5];
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  snprintf(name, sizeof name, "%s.lock", address->sun_path);
  int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  bool held = file >= 0 && fcntl(file, F_OFD_GETLK, &lock) == 0 &&
              lock.l_type != F_UNLCK;
  if (file >= 0)
    close(file);
  return held;
}
