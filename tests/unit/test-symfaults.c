/* libs: cca_symbols_server */
/* SPDX-License-Identifier: MIT */
/*
 * test-symfaults.c -- server, worker and client killed between any two of their
 * steps, and without room for what they make: whoever is left has the right
 * answer or none, in time, and the next one who asks has the right one.
 *
 * A step is a system call, between which nothing happens that others could see.
 * One run for each: the process is stopped where it enters its Nth, and killed.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ccallocs/symbols.h"
#include "check.h"
#include "symbols/protocol.h"
#include "symbols/server.h"

int function_of_test(int x);
__attribute__((noinline)) int function_of_test(int x) { return x * 3; }

static char folder[] = "/tmp/cca-symfaults.XXXXXX";
static char path[100], module_path[4096];
static int ready_pipe[2];

/* What a client's process ends with. */
enum { RIGHT = 10, WRONG, GONE, LATE, NO_MEMORY, NOT_READ, OTHER };

/* ---- The processes ---- */

static int ask(int timeout_ms) {
  struct cca_symbols_options options = {.size = sizeof options,
                                        .server = path,
                                        .timeout_ms = timeout_ms,
                                        .start = ""};
  struct cca_symbols *symbols;
  struct cca_symbols_module *module;
  struct cca_symbol_info symbol = {0};
  struct cca_frame frame = {0};
  size_t count;
  cca_symbols_open(&symbols, &options, NULL);
  int status = cca_symbols_load(symbols, module_path, NULL, &module, NULL);
  switch (status) {
  case CCA_OK:
    return cca_symbols_lookup(module, "function_of_test", &symbol, 1, &count) ==
                       CCA_OK &&
                   cca_symbols_find(module, symbol.offset, &frame, 1, &count) ==
                       CCA_OK &&
                   !strcmp(frame.name, "function_of_test") && frame.line &&
                   strstr(frame.file, "test-symfaults.c")
               ? RIGHT
               : WRONG;
  case CCA_ERR_SERVER_GONE:
    return GONE;
  case CCA_ERR_TIMED_OUT:
    return LATE;
  case CCA_ERR_MEMORY:
    return NO_MEMORY;
  case CCA_ERR_NOT_ELF:
    return NOT_READ;
  default:
    return OTHER;
  }
}

/* A process that waits to be traced first, if TRACED. */
static pid_t split(bool traced) {
  pid_t pid = fork();
  if (pid)
    return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (traced) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
  }
  return 0;
}

static pid_t start_client(bool traced) {
  pid_t pid = split(traced);
  if (!pid) {
    alarm(30); /* who hangs is ended by a signal, and ends the test */
    _exit(ask(20000));
  }
  return pid;
}

static void ready(const char *at) {
  (void)at;
  if (write(ready_pipe[1], "", 1) == 1)
    close(ready_pipe[1]);
}

/* A server, which ends with 1 if it cannot be the one. */
static pid_t start_server(bool traced) {
  CHECK_U(pipe2(ready_pipe, O_NONBLOCK), 0);
  pid_t pid = split(traced);
  if (!pid) {
    struct cca_server_options options = {.socket = path,
                                         .memory = 1 << 30,
                                         .workers = 2,
                                         .seconds = 60,
                                         .worker_bytes = 1ull << 32};
    close(ready_pipe[0]);
    _exit(cca_server_run(&options, ready) != NULL);
  }
  close(ready_pipe[1]);
  return pid;
}

static bool is_ready(void) {
  char byte;
  return read(ready_pipe[0], &byte, 1) == 1;
}

static int exit_of(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Nobody is traced: a server can be started, and answers rightly. */
static void check_next(void) {
  pid_t server = start_server(false);
  while (!is_ready()) {
    int status;
    usleep(1000);
    if (waitpid(server, &status, WNOHANG) == server) {
      /* A worker of the one before was about to end. */
      close(ready_pipe[0]);
      server = start_server(false);
    }
  }
  CHECK_U((unsigned)exit_of(start_client(false)), RIGHT);
  kill(server, SIGTERM);
  CHECK_U((unsigned)exit_of(server), 0);
  close(ready_pipe[0]);
}

/* ---- Killing ---- */

enum who { SERVER, WORKER, CLIENT };

/*
 * One request, during which WHO is killed where it enters its Nth system call.
 * *KILLED: that was reached.  Returns what the client ended with.
 */
static int run(enum who who, unsigned n, bool *killed) {
  unsigned calls = 0;
  bool inside = false;
  pid_t server = start_server(true), client = 0, victim = 0;
  int status, result = 0;
  *killed = false;
  waitpid(server, &status, 0);
  ptrace(PTRACE_SETOPTIONS, server, 0,
         PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL |
             (who == WORKER ? PTRACE_O_TRACEFORK : 0));
  if (who == SERVER)
    victim = server;
  ptrace(who == SERVER ? PTRACE_SYSCALL : PTRACE_CONT, server, 0, 0);
  while (!result) {
    if (!client && (is_ready() || (*killed && who == SERVER))) {
      client = start_client(who == CLIENT);
      if (who == CLIENT) {
        waitpid(client, &status, 0);
        ptrace(PTRACE_SETOPTIONS, client, 0,
               PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
        ptrace(PTRACE_SYSCALL, client, 0, 0);
        victim = client;
      }
    }
    pid_t pid = waitpid(-1, &status, client ? __WALL : __WALL | WNOHANG);
    if (pid <= 0) {
      usleep(100);
      continue;
    }
    if (!WIFSTOPPED(status)) {
      if (pid == client)
        result = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      continue;
    }
    int signal = WSTOPSIG(status);
    bool call = signal == (SIGTRAP | 0x80), event = status >> 16;
    if (call && pid == victim) {
      inside = !inside;
      if (inside && ++calls == n) {
        *killed = true;
        kill(pid, SIGKILL);
        continue;
      }
    }
    if (who == WORKER && pid != server && !victim)
      victim = pid;
    if (call || event || signal == SIGSTOP)
      signal = 0;
    ptrace(pid == victim ? PTRACE_SYSCALL : PTRACE_CONT, pid, 0, signal);
  }
  kill(server, SIGKILL);
  while (waitpid(-1, &status, __WALL) > 0)
    ;
  close(ready_pipe[0]);
  return result;
}

/* All steps of WHO; RESULTS has how often a client came to which. */
static unsigned sweep(enum who who, unsigned results[OTHER + 1]) {
  unsigned n = 1, step = 1;
  for (bool killed = true; killed; n += step) {
    int result = run(who, n, &killed);
    if (who == CLIENT && killed && result == -SIGKILL)
      result = GONE;
    if (result < RIGHT || result > OTHER) {
      fprintf(stderr, "the client ended with %d, at step %u\n", result, n);
      result = OTHER;
    }
    results[result]++;
    CHECK(killed || result == RIGHT);
    check_next();
    if (who == WORKER && n > 40)
      step = 7; /* it reads and allocates, for long */
  }
  return n;
}

static bool can_trace(void) {
  pid_t pid = split(true);
  int status;
  if (!pid)
    _exit(0);
  waitpid(pid, &status, 0);
  if (!WIFSTOPPED(status))
    return false;
  bool can = !ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD);
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  return can;
}

static void test_server_killed(void) {
  unsigned results[OTHER + 1] = {0};
  CHECK(sweep(SERVER, results) > 30);
  CHECK(results[GONE] > 20 && results[RIGHT] > 0);
  CHECK_U(results[WRONG] + results[LATE] + results[NO_MEMORY] +
              results[NOT_READ] + results[OTHER],
          0);
}

static void test_worker_killed(void) {
  unsigned results[OTHER + 1] = {0};
  CHECK(sweep(WORKER, results) > 50);
  CHECK(results[LATE] > 20 && results[RIGHT] > 0);
  CHECK_U(results[WRONG] + results[GONE] + results[NO_MEMORY] +
              results[NOT_READ] + results[OTHER],
          0);
}

static void test_client_killed(void) {
  unsigned results[OTHER + 1] = {0};
  CHECK(sweep(CLIENT, results) > 15);
  CHECK_U(results[WRONG] + results[LATE] + results[NO_MEMORY] +
              results[NOT_READ] + results[OTHER],
          0);
  CHECK_U(results[RIGHT], 1); /* the last one, that was not killed */
}

/* ---- No room ---- */

/* The address space that this process has. */
static rlim_t address_space(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK_U(fscanf(file, "%lu", &pages), 1);
  fclose(file);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Ask while the server may have no more than VALUE of WHAT; 0: while the client
 * may have no more address space than it has, and a bit. */
static int with_limit(int what, rlim_t value) {
  struct rlimit before, limit = {value, value};
  getrlimit(what, &before);
  prlimit(0, what, value ? &(struct rlimit){value, before.rlim_max} : &before,
          NULL);
  pid_t server = start_server(false), client;
  if (value)
    prlimit(server, what, &limit, NULL);
  prlimit(0, what, &before, NULL);
  while (!is_ready())
    usleep(1000);
  client = split(false);
  if (!client) {
    alarm(30);
    limit.rlim_cur = limit.rlim_max = address_space() + (1 << 16);
    if (!value)
      setrlimit(what, &limit);
    _exit(ask(20000));
  }
  int result = exit_of(client);
  /* It is still there, whatever it had no room for. */
  CHECK_U((unsigned)kill(server, SIGTERM), 0);
  CHECK_U((unsigned)exit_of(server), 0);
  close(ready_pipe[0]);
  return result;
}

static void test_no_room(void) {
  /* The memory of a table is a file. */
  CHECK_U((unsigned)with_limit(RLIMIT_FSIZE, 4096), NO_MEMORY);
  CHECK_U((unsigned)with_limit(RLIMIT_FSIZE, 1 << 26), RIGHT);
  /* Its process, and its memory, need descriptors. */
  CHECK_U((unsigned)with_limit(RLIMIT_NOFILE, 9), NO_MEMORY);
  CHECK_U((unsigned)with_limit(RLIMIT_NOFILE, 64), RIGHT);
  /* The client has no room to map it. */
#ifndef __SANITIZE_ADDRESS__
  CHECK_U((unsigned)with_limit(RLIMIT_AS, 0), NO_MEMORY);
#endif
}

int main(void) {
  char program[4096] = "", name[120];
  CHECK(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/symbols", folder);
  snprintf(module_path, sizeof module_path, "%s", program);
  RUN(test_no_room);
  if (can_trace()) {
    RUN(test_server_killed);
    RUN(test_worker_killed);
    RUN(test_client_killed);
  } else {
    puts("not killed at every step: nobody may be traced here");
  }
  snprintf(name, sizeof name, "%s.lock", path);
  unlink(name);
  unlink(path);
  CHECK_U(rmdir(folder), 0);
  return check_done();
}
