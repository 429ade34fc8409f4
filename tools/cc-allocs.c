/* SPDX-License-Identifier: MIT */
/*
 * cc-allocs -- the user's compiler, and beside it the analysis.
 *
 * Whatever it is asked, it runs the user's compiler with the user's arguments
 * and ends as that ended; nothing of ours is ever printed.  Beside that,
 *
 *   compile  (-c)        cca-analyze summarises each C source while the
 *                        compiler works, and attaches the summary to the object
 *                        when the compiler has succeeded;
 *   build    (a.c -o a)  the summaries go into a private folder, which
 *                        ld.allocs finds through CC_ALLOCS_UNITS;
 *   link     (a.o -o a)  COMPILER_PATH leads the compiler driver to ld.allocs;
 *   pass                 anything else: the compiler is executed in our place.
 *
 * cca-analyze waits on its standard input for one byte, which says that the
 * object is there and new.  The end of that file without it says that there is
 * nothing to do any more, and it comes of itself if we die.
 *
 * The folder holds N.summary for the Nth source of the command, counted from 0
 * over sources of all languages, since each becomes one temporary object; and
 * `lock`, on which we hold an exclusive flock() until the last analysis is
 * over.  Whoever reads the folder takes a shared one first.
 *
 * A failing analysis, a full disk, a missing shim, no memory: every one of them
 * costs a summary, never the build.
 */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/attach.h"
#include "analysis/command.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/pages.h"
#include "base/text.h"
#include "tools/compiler.h"
#include "tools/log.h"

extern char **environ;

enum { DEPTH_MAX = 8, NOT_FOUND = 127 };

struct run {
  struct cca_compiler compiler;
  struct cca_command command;
  char **argv; /* of the compiler */
  char *analyzer;
  struct stat *before;     /* COMPILE: what lay where the objects will be */
  struct cca_folder units; /* BUILD: the private folder */
  int lock;

  time_t begin;  /* COMPILE: when this was */
  size_t next;   /* source to be analysed next */
  pid_t analyst; /* the running analysis, or 0 */
  int go;        /* the end of its pipe that we hold, or -1 */
  size_t source; /* which source it is at */
};

/* The compiler while it runs, and -1 afterwards; the running analysis; the
 * signal that came when the compiler was done. */
static volatile sig_atomic_t compiler_pid, analyst_pid, late_signal;
static int compiler_status;

/* ---- the compiler ---- */

/* The way out whenever we are of no use: the compiler in our place. */
static _Noreturn void run_plain(struct run *r) {
  execv(r->compiler.path, r->argv);
  fprintf(stderr, "cc-allocs: cannot run %s: %s\n", r->compiler.path,
          strerror(errno));
  _exit(NOT_FOUND);
}

/* End as the compiler ended. */
static _Noreturn void end_with(int status) {
  int number = WIFSIGNALED(status) ? WTERMSIG(status) : late_signal;
  if (number) {
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(number, SIG_DFL);
    raise(number);
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : NOT_FOUND);
}

static struct run *plain; /* for the handler below */

/* From wherever we are, the compiler alone.  There is nothing before `plain`
 * that allocates. */
static void out_of_memory(size_t wanted) {
  (void)wanted;
  if (analyst_pid > 0)
    kill((pid_t)analyst_pid, SIGTERM);
  if (plain->lock >= 0)
    close(plain->lock);
  while (compiler_pid > 0 &&
         waitpid((pid_t)compiler_pid, &compiler_status, 0) < 0 &&
         errno == EINTR)
    ;
  cca_folder_remove(&plain->units);
  if (!compiler_pid)
    run_plain(plain);
  end_with(compiler_status);
}

/* Is PID a child that works?  One that has ended, and perhaps is waited for
 * just now, does not hear of signals. */
static bool is_at_work(pid_t pid) {
  siginfo_t ended = {0};
  return waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0;
}

/* make and terminals stop us; the compiler must know, and clean up. */
static void pass_on(int number) {
  int error = errno;
  if (number == SIGPIPE)
    return; /* an analysis that has ended cannot be told anything */
  if (compiler_pid > 0 && is_at_work((pid_t)compiler_pid)) {
    kill((pid_t)compiler_pid, number);
  } else {
    late_signal = number;
    if (analyst_pid > 0)
      kill((pid_t)analyst_pid, SIGTERM);
  }
  errno = error;
}

static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};

/* Handlers, since what is ignored would stay so in the compiler. */
static void catch_signals(void) {
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
    struct sigaction old, action = {.sa_handler = pass_on};
    if (sigaction(passed[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(passed[i], &action, NULL);
  }
}

/* Start the compiler; its id, or -1.  It ends when we do, also when we are
 * stopped without a word: who was told that it is gone may begin anew. */
static pid_t start_compiler(struct run *r) {
  sigset_t all, before;
  pid_t parent = getpid();
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before that */
      _exit(NOT_FOUND);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
      struct sigaction action;
      if (sigaction(passed[i], NULL, &action) == 0 &&
          action.sa_handler == pass_on)
        signal(passed[i], SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    run_plain(r);
  }
  if (pid > 0) /* before any signal can come */
    compiler_pid = (sig_atomic_t)pid;
  sigprocmask(SIG_SETMASK, &before, NULL);
  return pid;
}

/* ---- the analysis ---- */

/* Start the analyser, with ACTIONS; its id, or -1. */
static pid_t spawn_analyst(struct run *r, char **argv,
                           posix_spawn_file_actions_t *actions) {
  sigset_t all, before;
  posix_spawnattr_t attributes;
  pid_t pid;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &before);
  char **own = cca_pages_environment(environ);
  if (posix_spawn(&pid, r->analyzer, actions, &attributes, argv,
                  own ? own : environ) != 0)
    pid = -1;
  else /* before any signal can come */
    analyst_pid = (sig_atomic_t)pid;
  sigprocmask(SIG_SETMASK, &before, NULL);
  posix_spawnattr_destroy(&attributes);
  free(own);
  return pid;
}

/* Start the analyser with a pipe of ours as its standard input. */
static bool start_analyst(struct run *r, char **argv) {
  int ends[2];
  pid_t pid = -1;
  posix_spawn_file_actions_t actions;
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  posix_spawn_file_actions_init(&actions);
  if (posix_spawn_file_actions_adddup2(&actions, ends[0], 0) == 0 &&
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) ==
          0 &&
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ==
          0)
    pid = spawn_analyst(r, argv, &actions);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (pid < 0) {
    close(ends[1]);
    return false;
  }
  r->analyst = pid;
  r->go = ends[1];
  return true;
}

/* Begin the next analysis that there is to do, if none is running.  When there
 * is none any more, the linker may read the summaries. */
static void start_analysis(struct run *r) {
  const struct cca_command *c = &r->command;
  while (r->next < c->sources.count &&
         c->sources.items[r->next].language == CCA_COMMAND_OTHER)
    r->next++;
  if (r->analyst || late_signal)
    return;
  if (r->next == c->sources.count) {
    if (r->lock >= 0)
      close(r->lock);
    r->lock = -1;
    return;
  }
  const struct cca_command_source *source = &c->sources.items[r->next];
  r->source = r->next++;

  struct cca_arena arena = {0};
  struct cca_vec(const char *) argv = {0};
  cca_vec_push(&argv, r->analyzer);
  cca_vec_push(&argv,
               source->language == CCA_COMMAND_C ? "--c" : "--cpp-output");
  cca_vec_push(&argv, r->units.path[0] ? "--summary" : "--object");
  cca_vec_push(&argv, r->units.path[0]
                          ? cca_arena_printf(&arena, "%s/%zu.summary",
                                             r->units.path, r->source)
                          : source->object);
  cca_vec_push(&argv, source->path);
  if (r->compiler.triple)
    cca_vec_push(&argv,
                 cca_arena_printf(&arena, "--target=%s", r->compiler.triple));
  if (r->compiler.standard)
    cca_vec_push(&argv,
                 cca_arena_printf(&arena, "-std=%s", r->compiler.standard));
  for (size_t i = 0; i < c->args.count; i++)
    cca_vec_push(&argv, c->args.items[i]);
  cca_vec_push(&argv, NULL);

  if (!start_analyst(r, (char **)argv.items))
    cca_log("cc-allocs: %s: the analysis cannot be started", source->path);
  cca_vec_release(&argv);
  cca_arena_release(&arena);
  if (!r->analyst)
    start_analysis(r);
}

static void close_go(struct run *r) {
  if (r->go >= 0)
    close(r->go);
  r->go = -1;
}

/* Is the object of the source under analysis a regular file that was not there
 * before, or not so? */
static bool object_is_new(const struct run *r) {
  struct stat now;
  if (stat(r->command.sources.items[r->source].object, &now) != 0 ||
      !S_ISREG(now.st_mode))
    return false;
  return !cca_file_is_same(&r->before[r->source], &now);
}

/* The compiler has succeeded: let the running analysis finish its work. */
static void let_go(struct run *r) {
  if (!r->analyst || r->go < 0)
    return;
  if (!r->units.path[0] && !object_is_new(r)) {
    cca_log("cc-allocs: %s: no new object",
            r->command.sources.items[r->source].path);
  } else {
    ssize_t put = write(r->go, "g", 1);
    (void)put; /* it may have ended already; then there is nobody to tell */
  }
  close_go(r);
}

/* ---- what surrounds them ---- */

static void look_at_objects(struct run *r) {
  size_t count = r->command.sources.count;
  r->before = cca_calloc(count + 1, sizeof *r->before);
  for (size_t i = 0; i < count; i++)
    if (stat(r->command.sources.items[i].object, &r->before[i]) != 0)
      memset(&r->before[i], 0, sizeof r->before[i]);
}

/* The private folder, with its lock held.  False if there is no room. */
static bool make_units(struct run *r) {
  char lock[PATH_MAX];
  if (!cca_folder_make(&r->units, "cc-allocs"))
    return false;
  if (snprintf(lock, sizeof lock, "%s/lock", r->units.path) < PATH_MAX)
    r->lock = open(lock, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (r->lock >= 0 && flock(r->lock, LOCK_EX) == 0)
    return true;
  cca_folder_remove(&r->units);
  return false;
}

/* What the analysis of SOURCE cost, clang's part of it included. */
static void log_cost(const char *source, const struct rusage *used) {
  long ms = (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000 +
            (used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1000;
  cca_log("cc-allocs: %s: analysed in %ld ms, %ld KiB", source, ms,
          used->ru_maxrss);
}

/* Compiler and analyses side by side; fills in compiler_status. */
static void run_both(struct run *r) {
  bool compiling = true;
  pid_t compiler = start_compiler(r);
  if (compiler < 0) {
    cca_folder_remove(&r->units);
    run_plain(r); /* and say why it cannot be */
  }
  start_analysis(r);
  while (compiling || r->analyst) {
    int status;
    struct rusage used;
    pid_t ended = wait4(-1, &status, 0, &used);
    if (ended < 0 && errno != EINTR)
      break;
    if (ended > 0 && ended == compiler) {
      compiling = false;
      compiler_status = status;
      compiler_pid = -1;
      if (status != 0) {
        r->next = r->command.sources.count;
        close_go(r);
        if (r->analyst)
          kill(r->analyst, SIGTERM);
      } else {
        let_go(r);
      }
    } else if (ended > 0 && ended == r->analyst) {
      if (status != 0 && compiler_status == 0) /* else we have stopped it */
        cca_log("cc-allocs: %s: the analysis ended with %s %d",
                r->command.sources.items[r->source].path,
                WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
      if (WIFSIGNALED(status) && !r->units.path[0])
        cca_attach_clean(r->command.sources.items[r->source].object, ended,
                         r->begin);
      log_cost(r->command.sources.items[r->source].path, &used);
      r->analyst = 0;
      analyst_pid = 0;
      close_go(r);
      if (late_signal)
        break;
      start_analysis(r);
      if (!compiling)
        let_go(r);
    }
  }
}

/* Lead the compiler driver to ld.allocs, if it is installed. */
static void set_shim(void) {
  char *shim = cca_file_beside_program("../lib/cc-allocs/shim");
  struct cca_text path = {0};
  cca_text_addf(&path, "%s/ld", shim ? shim : "");
  if (shim && access(path.data, X_OK) == 0) {
    const char *old = getenv("COMPILER_PATH");
    path.len = 0;
    cca_text_addf(&path, "%s%s%s", shim, old && *old ? ":" : "",
                  old ? old : "");
    setenv("COMPILER_PATH", path.data, 1);
  }
  cca_text_release(&path);
  free(shim);
}

/* g++ takes a file for C++, whatever its name is. */
static void leave_cplusplus(struct cca_command *c) {
  for (size_t i = 0; i < c->sources.count; i++)
    c->sources.items[i].language = CCA_COMMAND_OTHER;
  if (c->mode == CCA_COMMAND_COMPILE) {
    c->mode = CCA_COMMAND_PASS;
    c->why = "no C source";
  } else if (c->mode == CCA_COMMAND_BUILD) {
    c->mode = CCA_COMMAND_LINK;
  }
}

/* A compiler that calls us again is left alone, and one that never stops doing
 * so is stopped.  Returns how often that was. */
static int count_depth(void) {
  const char *old = getenv("CC_ALLOCS_DEPTH");
  int depth = old ? atoi(old) : 0;
  char text[16];
  if (depth < 0 || depth >= DEPTH_MAX) {
    fprintf(stderr, "cc-allocs: the compiler calls cc-allocs again and again\n"
                    "Name the real one in CC_ALLOCS_CC.\n");
    _exit(NOT_FOUND);
  }
  snprintf(text, sizeof text, "%d", depth + 1);
  setenv("CC_ALLOCS_DEPTH", text, 1);
  return depth;
}

int main(int argc, char **argv) {
  struct run r = {.lock = -1, .go = -1};
  int depth = count_depth();
  cca_compiler_find(&r.compiler, argc, argv);
  if (!r.compiler.path) {
    fprintf(stderr, "cc-allocs: the compiler %s: %s\n", r.compiler.words[0],
            r.compiler.why);
    return NOT_FOUND;
  }
  /* The kernel has let our own arguments take a quarter of the stack at most,
   * so that these fit. */
  size_t own = r.compiler.word_count, count = 0;
  r.argv = alloca((own + (size_t)argc + 1) * sizeof *r.argv);
  for (size_t i = 0; i < own; i++)
    r.argv[count++] = (char *)r.compiler.words[i];
  for (int i = 1 + r.compiler.consumed; i < argc; i++)
    r.argv[count++] = argv[i];
  r.argv[count] = NULL;
  plain = &r; /* from here on, the compiler runs whatever happens */
  cca_memory_set_handler(out_of_memory);

  if (depth)
    run_plain(&r);
  cca_command_parse(&r.command, (const char *const *)r.argv + own, count - own);
  if (r.compiler.cplusplus)
    leave_cplusplus(&r.command);
  r.analyzer = cca_file_beside_program("../lib/cc-allocs/cca-analyze");

  switch (r.command.mode) {
  case CCA_COMMAND_PASS:
    cca_log("cc-allocs: nothing to do: %s", r.command.why);
    run_plain(&r);
  case CCA_COMMAND_LINK:
    set_shim();
    run_plain(&r);
  case CCA_COMMAND_BUILD:
    set_shim();
    if (!r.analyzer || !make_units(&r))
      run_plain(&r);
    setenv("CC_ALLOCS_UNITS", r.units.path, 1);
    break;
  case CCA_COMMAND_COMPILE:
    if (!r.analyzer)
      run_plain(&r);
    look_at_objects(&r);
    r.begin = time(NULL);
    break;
  }
  catch_signals();
  run_both(&r);
  cca_folder_remove(&r.units);
  end_with(compiler_status);
}
