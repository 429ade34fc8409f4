/* SPDX-License-Identifier: MIT */
/*
 * ld.allocs -- the shim in front of the linker.
 *
 * The compiler driver runs it in the linker's place (docs/link.md says how it
 * comes to that).  It runs the real linker with the arguments unchanged but
 * for a few of ours in front, and ends as that one ended.  GNU ld and gold get
 * our plugin, which runs the solver in the middle of the link; for lld and
 * mold the solver runs before.  After a good link the return addresses are
 * filled into the output.  A relocatable link has no arguments of ours; only
 * if it has made code of bitcode or GIMPLE, the output gets the summaries that
 * were lost with them.
 *
 * All our own work is done by `allocs solve` in processes of their own.  When
 * one of them fails, when there is no room for files or hardly any for the
 * output, whatever happens: the link is the one that it would have been without
 * us.  So is one that is stopped: who is told to end, we or the linker, ends,
 * and nothing is begun any more; only a linker that has crashed gets a second
 * chance, alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"
#include "linker_plugin/find.h"
#include "linker_plugin/job.h"
#include "linker_plugin/line.h"

enum { FILES = 32 }; /* that are to be left */

static char linker[PATH_MAX]; /* the real one */
static char **arguments;
static volatile sig_atomic_t running, caught;
static struct cca_job job; /* of zeros until it begins */
static bool linked;        /* the linker has ended, with ... */
static int link_status;

/* The way out whenever we are of no use. */
static _Noreturn void run_plain(void) {
  arguments[0] = linker;
  execv(linker, arguments);
  fprintf(stderr, "ld.allocs: cannot run %s: %s\n", linker, strerror(errno));
  _exit(127);
}

/* End as the linker ended.  If it has succeeded, or there was none, and we are
 * told to end, that is not too late; if it has caught the signal and failed,
 * that is its answer. */
static _Noreturn void end_with(int status) {
  int number = WIFSIGNALED(status) ? WTERMSIG(status) : caught;
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    number = 0;
  if (number != 0) {
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(number, SIG_DFL);
    raise(number);
  }
  exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Nothing is allocated while a program runs. */
static void out_of_memory(size_t wanted) {
  (void)wanted;
  cca_folder_remove(&job.folder);
  if (linked)
    end_with(link_status);
  run_plain();
}

static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

static void pass_on(int number) {
  caught = number;
  if (running > 0)
    kill((pid_t)running, number);
}

static void stop_passing_on(void) {
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
    struct sigaction action;
    if (sigaction(passed[i], NULL, &action) == 0 &&
        action.sa_handler == pass_on)
      signal(passed[i], SIG_DFL);
  }
}

/* Can so few files be open that those of ours might be too many?  GNU ld has
 * some more for a plugin. */
static bool has_few_files(void) {
  struct rlimit files;
  int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (lowest >= 0)
    close(lowest);
  return lowest < 0 || (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
                        files.rlim_cur < (rlim_t)lowest + FILES);
}

/* Might what we add be too much where OUTPUT will be? */
static bool is_tight(const char *output) {
  char folder[PATH_MAX] = ".";
  const char *slash = strrchr(output, '/');
  if (slash && slash - output < PATH_MAX - 1)
    snprintf(folder, sizeof folder, "%.*s", (int)(slash + 1 - output), output);
  return !cca_folder_has_room(folder);
}

/* In the child: become ARGV, and end when PARENT does, as a linker that is
 * stopped without a word is no longer there. */
static _Noreturn void become(char **argv, bool silent, const sigset_t *mask,
                             pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) /* it died before that */
    _exit(127);
  if (silent) {
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
      _exit(127);
    if (null > 2)
      close(null);
  }
  stop_passing_on();
  sigprocmask(SIG_SETMASK, mask, NULL);
  execv(argv[0], argv);
  if (!silent) /* ours may be too much */
    run_plain();
  _exit(127);
}

/* Has the linker, whose wait status this is, stumbled itself, perhaps over what
 * we added, and was not stopped by somebody? */
static bool has_crashed(int status) {
  static const int faults[] = {SIGABRT, SIGBUS,  SIGFPE,  SIGILL, SIGSEGV,
                               SIGSYS,  SIGTRAP, SIGXCPU, SIGXFSZ};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (WIFSIGNALED(status) && WTERMSIG(status) == faults[i])
      return true;
  return false;
}

/* Run ARGV to its end; silent programs have no output.  Returns its wait
 * status, or -1: it was not started, since we are to end or it cannot be. */
static int run(char **argv, bool silent) {
  sigset_t all, before;
  pid_t parent = getpid();
  int status = -1;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  pid_t pid = caught ? -1 : fork();
  if (pid == 0)
    become(argv, silent, &before, parent);
  if (pid > 0)
    running = (sig_atomic_t)pid;
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (pid < 0)
    return -1;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  running = 0;
  return status;
}

int main(int argc, char **argv) {
  const char *slash = strrchr(argv[0], '/');
  const char *name = slash ? slash + 1 : argv[0];
  if (strcmp(name, "ld.allocs") == 0)
    name = getenv("CC_ALLOCS_LD") ? getenv("CC_ALLOCS_LD") : "ld";
  if (strchr(name, '/')) {
    snprintf(linker, sizeof linker, "%s", name);
  } else if (!cca_linker_find(linker, name, argv[0])) {
    fprintf(stderr,
            "ld.allocs: there is no other %s in COMPILER_PATH or PATH\n"
            "Install the linker, or name it in CC_ALLOCS_LD.\n",
            name);
    return 127;
  }
  arguments = argv;
  cca_memory_set_handler(out_of_memory);
  if (getenv("CC_ALLOCS_LINKING")) /* a link inside a link is not for us */
    run_plain();

  struct cca_line line;
  cca_line_parse(&line, (size_t)argc - 1, (const char *const *)argv + 1);
  enum cca_linker_kind kind =
      line.why_untouched ? CCA_LINKER_UNKNOWN : cca_linker_kind(linker);
  if (kind == CCA_LINKER_UNKNOWN || has_few_files() || is_tight(line.output) ||
      cca_job_begin(&job, &line, kind, argc - 1, argv + 1) != 0)
    run_plain();

  /* From here on there are files of ours, and signals must not leave them. */
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
    struct sigaction old, action = {.sa_handler = pass_on};
    if (sigaction(passed[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(passed[i], &action, NULL);
  }
  setenv("CC_ALLOCS_LINKING", "1", 1);

  int has_note = 0;
  if (!cca_linker_has_plugins(kind) && !line.is_relocatable)
    has_note = run(job.solve, true) == 0;
  link_status = run(cca_job_link(&job, linker, has_note), false);
  linked = caught || (link_status != -1 && !has_crashed(link_status));
  if (link_status == 0)
    run(line.is_relocatable ? job.keep : job.patch, true);
  cca_job_clean(&job);
  cca_job_end(&job);
  stop_passing_on();
  if (!linked && !caught)
    run_plain();
  end_with(link_status);
}
