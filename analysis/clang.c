/* SPDX-License-Identifier: MIT */
/*
 * clang.c -- clang, in a process of its own, fed and read through pipes.
 *
 * Both directions go through one poll loop, since clang begins to write before
 * it has read everything and either side would block the other for ever.
 *
 * The clang that is linked into us runs in a forked child, which is spared an
 * execve(), the loader and LLVM's constructors, and nothing else: what holds for
 * one process holds for the other.
 *
 * What stands in clang's place may be anything: a program that sleeps, a script
 * that is done while its child still holds our pipe.  So the loop ends with the
 * process and not with the pipes, and at a time when nobody waits any longer;
 * and the process has a group, which ends with it.
 */
#include "analysis/clang.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/own-clang.h"

enum {
  CPU_SECONDS = 120,
  SECONDS = 600, /* of the clock, for all runs of this process together */
  TICK = 500,    /* milliseconds between two looks whether it has ended */
  OUT_MAX = 1 << 30,
  ERR_MAX = 1 << 20,
  NO_CLANG = 127
};

/* The clang that the user has named, or NULL. */
static const char *named_clang(void) {
  const char *path = getenv("CC_ALLOCS_CLANG");
  return path && *path ? path : NULL;
}

/* These make a compiler write files, or change what it is asked to do. */
static void clean_environment(void) {
  static const char *const names[] = {
      "DEPENDENCIES_OUTPUT",     "SUNPRO_DEPENDENCIES",
      "CCC_OVERRIDE_OPTIONS",    "CC_PRINT_OPTIONS",
      "CC_PRINT_OPTIONS_FILE",   "CC_PRINT_HEADERS",
      "CC_PRINT_HEADERS_FILE",   "CC_LOG_DIAGNOSTICS",
      "CC_LOG_DIAGNOSTICS_FILE", "CC_PRINT_PROC_STAT",
      "CC_PRINT_PROC_STAT_FILE", "COMPILER_PATH",
      "GCC_EXEC_PREFIX",         "CLANG_CONFIG_FILE_USER_DIR",
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    unsetenv(names[i]);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static long limit_in_seconds(void) {
  const char *text = getenv("CC_ALLOCS_SECONDS");
  long seconds = text ? strtol(text, NULL, 10) : 0;
  return seconds > 0 && seconds < SECONDS ? seconds : SECONDS;
}

/* When, in the time of now(), all clangs of this process must have ended. */
static int64_t deadline(void) {
  static int64_t at;
  if (!at)
    at = now() + limit_in_seconds() * 1000;
  return at;
}

static void close_if_open(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

/* The read and the write end of each of the three standard streams. */
struct pipes {
  int in[2], out[2], err[2];
};

static int open_pipes(struct pipes *p) {
  *p = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}};
  return pipe2(p->in, O_CLOEXEC) || pipe2(p->out, O_CLOEXEC) ||
         pipe2(p->err, O_CLOEXEC);
}

static void close_pipes(struct pipes *p) {
  for (int i = 0; i < 2; i++) {
    close_if_open(&p->in[i]);
    close_if_open(&p->out[i]);
    close_if_open(&p->err[i]);
  }
}

/* In the child: become clang, with the COUNT words of ARGV; the first is free
 * for its name. */
static _Noreturn void become_clang(const struct pipes *p, const char **argv,
                                   size_t count, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) /* it died before that */
    _exit(NO_CLANG);
  struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS + 5}, core = {0, 0};
  setrlimit(RLIMIT_CPU, &cpu);
  setrlimit(RLIMIT_CORE, &core);
  setpgid(0, 0);
  clean_environment();
  signal(SIGPIPE, SIG_DFL);
  dup2(p->in[0], 0);
  dup2(p->out[1], 1);
  dup2(p->err[1], 2);
  close_range(3, ~0u, 0);
  argv[0] = named_clang();
  if (!argv[0]) {
    argv[0] = CCA_CLANG;
    /* Its headers are the installed one's. */
    if (cca_own_clang && access(CCA_CLANG, X_OK) == 0)
      cca_own_clang((int)count, argv);
  }
  execv(argv[0], (char *const *)argv);
  _exit(NO_CLANG);
}

/* Read what there is; closes FD at its end. */
static void drain(int *fd, struct cca_text *to, size_t max) {
  char buffer[65536];
  ssize_t got = read(*fd, buffer, sizeof buffer);
  if (got > 0 && to->len < max)
    cca_text_add(to, buffer, (size_t)got);
  else if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
    close_if_open(fd);
}

static bool has_ended(pid_t child) {
  siginfo_t info = {0}; /* WNOWAIT: its number must stay its own */
  return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == child;
}

/* Write IN and read both outputs, whichever is ready, until all are closed, or
 * CHILD has ended and there is nothing left to read.  NULL, or why no more is
 * to be waited for. */
static const char *pump(struct pipes *p, pid_t child, const char *in,
                        size_t in_len, struct cca_text *out,
                        struct cca_text *err) {
  fcntl(p->in[1], F_SETFL, O_NONBLOCK);
  for (;;) {
    if (!in_len)
      close_if_open(&p->in[1]);
    struct pollfd ready[] = {
        {p->in[1], POLLOUT, 0}, {p->out[0], POLLIN, 0}, {p->err[0], POLLIN, 0}};
    bool open = p->in[1] >= 0 || p->out[0] >= 0 || p->err[0] >= 0;
    if (!open && has_ended(child))
      return NULL;
    if (now() >= deadline())
      return "its time was up";
    if (out->len > OUT_MAX)
      return "it had written a gibibyte";
    int count = poll(ready, 3, open ? TICK : 1);
    if (count < 0 && errno != EINTR)
      return strerror(errno);
    if (count == 0 && has_ended(child))
      return NULL;
    if (count <= 0)
      continue;
    if (ready[0].revents) {
      ssize_t put = write(p->in[1], in, in_len);
      if (put > 0) {
        in += put;
        in_len -= (size_t)put;
      } else if (errno != EAGAIN && errno != EINTR) {
        close_if_open(&p->in[1]); /* it wants no more */
      }
    }
    if (ready[1].revents)
      drain(&p->out[0], out, SIZE_MAX);
    if (ready[2].revents)
      drain(&p->err[0], err, ERR_MAX);
  }
}

static void explain(int status, const struct cca_text *err,
                    struct cca_text *reason) {
  struct cca_clang_error error;
  size_t at = 0;
  if (WIFSIGNALED(status)) {
    cca_text_addf(reason, "clang was ended by signal %d (%s)", WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) == NO_CLANG && !err->len) {
    cca_text_adds(reason, "clang could not be started");
  } else if (cca_clang_next_error(err, &at, &error)) {
    const char *name = error.file;
    size_t len = error.file_len;
    if (len && *name == '/') { /* summaries hold no absolute paths */
      const char *slash = memrchr(name, '/', len);
      len -= (size_t)(slash + 1 - name);
      name = slash + 1;
    }
    if (error.line)
      cca_text_addf(reason, "%.*s:%u: ", (int)len, name, error.line);
    else /* of the command, not of the source */
      cca_text_adds(reason, "clang: ");
    cca_text_add(reason, error.message, error.message_len);
  } else {
    cca_text_addf(reason, "clang exited with status %d", WEXITSTATUS(status));
  }
}

int cca_clang_run(const struct cca_clang_args *args, const char *in,
                  size_t in_len, struct cca_text *out, struct cca_text *err,
                  struct cca_text *reason) {
  struct cca_vec(const char *) argv = {0};
  cca_vec_push(&argv, NULL);
  for (size_t i = 0; i < args->list.count; i++)
    cca_vec_push(&argv, args->list.items[i]);
  cca_vec_push(&argv, NULL);

  struct pipes p;
  pid_t parent = getpid(), child = -1;
  if (open_pipes(&p) == 0)
    child = fork();
  if (child == 0)
    become_clang(&p, argv.items, argv.count - 1, parent);
  cca_vec_release(&argv);
  if (child < 0) {
    cca_text_addf(reason, "clang could not be started: %s", strerror(errno));
    close_pipes(&p);
    return -1;
  }
  close_if_open(&p.in[0]);
  close_if_open(&p.out[1]);
  close_if_open(&p.err[1]);

  struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
  sigaction(SIGPIPE, &ignore, &before);
  const char *stopped = pump(&p, child, in, in_len, out, err);
  sigaction(SIGPIPE, &before, NULL);
  close_pipes(&p);
  kill(-child, SIGKILL); /* what it has left behind */
  if (stopped)
    kill(child, SIGKILL);

  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!stopped && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return 0;
  if (stopped)
    cca_text_addf(reason, "clang was ended: %s", stopped);
  else
    explain(status, err, reason);
  return -1;
}

/* FILE:LINE:COLUMN: [fatal ]error: MESSAGE, or of the command line, without the
 * place or with the program's name instead of it. */
static bool parse_error(const char *line, const char *end,
                        struct cca_clang_error *out) {
  static const char tag[] = "error: ";
  const char *message = memmem(line, (size_t)(end - line), tag, strlen(tag));
  if (!message)
    return false;
  const char *p = message;
  message += strlen(tag);
  *out = (struct cca_clang_error){.message = message,
                                  .message_len = (size_t)(end - message)};
  if (p - line >= 6 && !memcmp(p - 6, "fatal ", 6))
    p -= 6;
  if (p != line && (p - line < 2 || memcmp(p - 2, ": ", 2)))
    return false;
  if (p != line)
    p -= 2;
  unsigned numbers[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    const char *stop = p;
    while (p > line && p[-1] >= '0' && p[-1] <= '9')
      p--;
    if (p == stop || p == line || p[-1] != ':') {
      p = stop;
      break;
    }
    numbers[i] = (unsigned)strtoul(p, NULL, 10);
    p--;
  }
  out->file = line;
  out->file_len = (size_t)(p - line);
  out->line = numbers[1];
  return true;
}

bool cca_clang_next_error(const struct cca_text *err, size_t *at,
                          struct cca_clang_error *out) {
  while (*at < err->len) {
    const char *line = err->data + *at;
    const char *end = memchr(line, '\n', err->len - *at);
    if (!end)
      end = err->data + err->len;
    *at = (size_t)(end - err->data) + 1;
    if (parse_error(line, end, out))
      return true;
  }
  return false;
}
