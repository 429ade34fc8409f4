/* libs: cca_symbols */
/* SPDX-License-Identifier: MIT */
/*
 * test-symstart.c -- a client that finds no symbol server starts one: one for
 * all that want it at the same time, again after it died, never where that was
 * ruled out; and whatever becomes of it, the client has its result in time and
 * notices nothing else.
 *
 * The module is this very program; the servers are found by their command line.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ccallocs/symbols.h"
#include "check.h"
#include "symbols/client.h"

/* A server that will come may take long on a busy machine; for one that never
 * does, nobody has to wait so long. */
enum { COMES_MS = 60000, NEVER_COMES_MS = 500 };

int function_of_test(int x);
__attribute__((noinline)) int function_of_test(int x) { return x * 3; }

static char folder[] = "/tmp/cca-symstart.XXXXXX";
static char path[100], program[4096], allocs[4096];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Load this program, which has to come to WANT; NULL if nothing was loaded. */
static struct cca_symbols_module *load(const char *start, int timeout_ms,
                                       int want, struct cca_error *err) {
  struct cca_symbols_options options = {.size = sizeof options,
                                        .server = path,
                                        .start = start,
                                        .timeout_ms = timeout_ms};
  struct cca_symbols *symbols;
  struct cca_symbols_module *module;
  struct cca_error own = {.text = ""};
  err = err ? err : &own;
  CHECK_U(cca_symbols_open(&symbols, &options, NULL), CCA_OK);
  int got = cca_symbols_load(symbols, program, NULL, &module, err);
  if (!check_report(got == want, __FILE__, __LINE__))
    fprintf(stderr, "%d, not %d: %s\n", got, want, err->text);
  cca_symbols_close(symbols);
  return module;
}

static void check_answers(const struct cca_symbols_module *module) {
  struct cca_symbol_info symbol = {0};
  struct cca_frame frame = {0};
  size_t count;
  CHECK_U(cca_symbols_lookup(module, "function_of_test", &symbol, 1, &count),
          CCA_OK);
  CHECK_U(cca_symbols_find(module, symbol.offset, &frame, 1, &count), CCA_OK);
  CHECK_STR(frame.name, "function_of_test");
}

static void load_and_check(const char *start) {
  struct cca_symbols_module *module = load(start, -1, CCA_OK, NULL);
  if (module)
    check_answers(module);
  cca_symbols_unload(module);
}

/* The processes whose command line has our socket in it. */
static size_t servers(pid_t *last) {
  DIR *proc = opendir("/proc");
  size_t count = 0;
  for (struct dirent *entry; (entry = readdir(proc));) {
    char name[300], line[8192] = "";
    pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    if (pid <= 0 || pid == getpid())
      continue;
    snprintf(name, sizeof name, "/proc/%d/cmdline", pid);
    FILE *file = fopen(name, "r");
    size_t len = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
      fclose(file);
    if (len && memmem(line, len, path, strlen(path))) {
      count++;
      *last = pid;
    }
  }
  closedir(proc);
  return count;
}

/* Servers that were not needed end; in the end there are as many as WANT. */
static pid_t settle(size_t want) {
  pid_t pid = 0;
  for (int i = 0; i < 6000 && servers(&pid) != want; i++)
    usleep(10000);
  CHECK_U(servers(&pid), want);
  return pid;
}

/* A process that ends loses its command line before its files are closed. */
static bool has_ended(pid_t pid) {
  char name[64], state = 'X';
  snprintf(name, sizeof name, "/proc/%d/stat", pid);
  FILE *file = fopen(name, "r");
  if (file) {
    (void)!fscanf(file, "%*d (%*[^)]) %c", &state);
    fclose(file);
  }
  return state == 'Z' || state == 'X';
}

static void end_server(int signal) {
  pid_t pid = settle(1);
  if (pid > 0)
    kill(pid, signal);
  settle(0);
  for (int i = 0; pid > 0 && i < 6000 && !has_ended(pid); i++)
    usleep(10000);
}

static void end_all(void) {
  pid_t pid;
  while (servers(&pid) && !kill(pid, SIGKILL))
    usleep(10000);
}

/* A script that is started in the place of `allocs`. */
static const char *script(const char *text) {
  static char name[120];
  snprintf(name, sizeof name, "%s/script", folder);
  FILE *file = fopen(name, "w");
  fprintf(file, "#!/bin/sh\n%s\n", text);
  fclose(file);
  chmod(name, 0700);
  return name;
}

static volatile sig_atomic_t heard;
static void hear(int signal) {
  (void)signal;
  heard++;
}

static void test_never(void) {
  struct cca_error err;
  pid_t pid;
  load("", -1, CCA_ERR_SERVER_GONE, &err);
  CHECK_STR(err.text, "no symbol server: No such file or directory");
  CHECK_U(servers(&pid), 0);
}

/* The client has no child, gets no signal, and its process is not the server's
 * session; the server is no part of a run to which its client belongs. */
static void test_started(void) {
  struct sigaction action = {.sa_handler = hear};
  sigaction(SIGCHLD, &action, NULL);
  setenv("CC_ALLOCS_HEAP", "/nonexistent", 1);
  load_and_check(allocs);
  unsetenv("CC_ALLOCS_HEAP");
  CHECK_U(heard, 0);
  CHECK_U(waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD, 1);
  pid_t pid = settle(1);
  CHECK(getsid(pid) == pid);
  char name[64], text[65536];
  snprintf(name, sizeof name, "/proc/%d/environ", pid);
  FILE *file = fopen(name, "r");
  size_t len = fread(text, 1, sizeof text, file);
  fclose(file);
  CHECK(len > 0 && !memmem(text, len, "CC_ALLOCS_HEAP", 14));
  CHECK(memmem(text, len, "PATH=", 5) != NULL);
  signal(SIGCHLD, SIG_DFL);
  load_and_check(""); /* it serves others, who do not start any */
  CHECK(settle(1) == pid);
}

/* It died, and left its socket. */
static void test_died(void) {
  pid_t before = settle(1);
  end_server(SIGKILL);
  CHECK(access(path, F_OK) == 0);
  struct cca_error err;
  load("", -1, CCA_ERR_SERVER_GONE, &err);
  CHECK_STR(err.text, "no symbol server: Connection refused");
  load_and_check(allocs);
  CHECK(settle(1) != before);
  end_server(SIGTERM);
  CHECK(access(path, F_OK) < 0);
}

/* Its socket is cleaned away: it ends, and the next one is found. */
static void test_cleaned_away(void) {
  load_and_check(allocs);
  pid_t before = settle(1);
  CHECK_U(unlink(path), 0);
  load_and_check(allocs);
  pid_t after = settle(1);
  CHECK(after != before);
  load_and_check("");
  end_server(SIGTERM);
}

static void test_many(void) {
  pid_t clients[64];
  unsigned before = check_failures;
  int go[2];
  CHECK_U(pipe(go), 0);
  for (int i = 0; i < 64; i++)
    if (!(clients[i] = fork())) {
      char byte;
      close(go[1]);
      if (read(go[0], &byte, 1)) /* all at once */
        _exit(9);
      load_and_check(allocs);
      _exit(check_failures != before);
    }
  close(go[0]);
  close(go[1]);
  for (int i = 0; i < 64; i++) {
    int status;
    waitpid(clients[i], &status, 0);
    CHECK_U((unsigned)status, 0);
  }
  end_server(SIGKILL);
}

/* A server that is not there before let_go(). */
static char go[120];
static const char *waiting(void) {
  snprintf(go, sizeof go, "%s/go", folder);
  setenv("ALLOCS", allocs, 1);
  setenv("GO", go, 1);
  return script("for i in $(seq 1000); do\n"
                "[ ! -e \"$GO\" ] || break; sleep 0.02; done\n"
                "exec \"$ALLOCS\" \"$@\"");
}

static void let_go(struct cca_symbols_module *module) {
  fclose(fopen(go, "w"));
  CHECK_U(cca_symbols_wait(module, -1, NULL), CCA_OK);
  unlink(go);
}

/* Who does not want to wait does not, not even for the start, which comes when
 * all of that was seen, however long it took. */
static void test_not_waited_for(void) {
  struct cca_symbols_module *module =
      load(waiting(), 0, CCA_ERR_NOT_READY, NULL);
  struct cca_frame frame;
  size_t count;
  CHECK(cca_symbols_find(module, 0, &frame, 1, &count) == CCA_ERR_NOT_READY);
  CHECK(cca_symbols_wait(module, 0, NULL) == CCA_ERR_NOT_READY);
  CHECK(cca_symbols_wait(module, 20, NULL) == CCA_ERR_TIMED_OUT);
  let_go(module);
  check_answers(module);
  cca_symbols_unload(module);
  end_server(SIGTERM);
}

static void test_fails(void) {
  struct cca_error err;
  load("/nonexistent/allocs", -1, CCA_ERR_SERVER_GONE, &err);
  CHECK_STR(err.text, "no symbol server: /nonexistent/allocs cannot be "
                      "started: No such file or directory");
  load("no-such-program", -1, CCA_ERR_SERVER_GONE, &err);
  CHECK_STR(err.text, "no symbol server: no-such-program cannot be started: "
                      "No such file or directory");
  load(script("exit 1"), -1, CCA_ERR_SERVER_GONE, &err);
  CHECK_STR(err.text, "no symbol server: the one that was started ended");

  /* One that does nothing, and says that it serves. */
  const char *idle = script("trap '' PIPE; echo; kill -STOP $$");
  cca_symbols_unload(load(idle, 50, CCA_ERR_TIMED_OUT, NULL));
  end_server(SIGKILL);
  cca_table_client_start_ms = NEVER_COMES_MS;
  double begin = now();
  load(idle, -1, CCA_ERR_SERVER_GONE, &err); /* after a second one */
  CHECK_STR(err.text,
            "no symbol server: the one that was started does not serve");
  CHECK(now() - begin >= 2 * NEVER_COMES_MS / 1000.0 - 0.01);
  cca_table_client_start_ms = COMES_MS;
  settle(2);
  end_all();
}

/* A child of fork() does not start one for its parent's request. */
static void test_fork(void) {
  struct cca_symbols_module *module =
      load(waiting(), 0, CCA_ERR_NOT_READY, NULL);
  pid_t child = fork();
  int status;
  if (!child)
    _exit(cca_symbols_wait(module, -1, NULL) != CCA_ERR_SERVER_GONE);
  waitpid(child, &status, 0);
  CHECK_U((unsigned)status, 0);
  let_go(module);
  cca_symbols_unload(module);
  end_server(SIGTERM);
}

static void test_idle(void) {
  const char *brief = script("shift 5\nexec \"$ALLOCS\" symserver --socket "
                             "\"$SOCKET\" --idle 1");
  setenv("SOCKET", path, 1);
  load_and_check(brief); /* it was there */
  settle(0);
  CHECK(access(path, F_OK) < 0);
}

int main(void) {
  const char *build = getenv("CCA_BUILD");
  if (!build) {
    puts("skip: CCA_BUILD is not set");
    return 77;
  }
  snprintf(allocs, sizeof allocs, "%s/bin/allocs", build);
  CHECK(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/own/symbols", folder);
  cca_table_client_start_ms = COMES_MS;
  RUN(test_fails);
  RUN(test_never);
  RUN(test_started);
  RUN(test_died);
  RUN(test_cleaned_away);
  RUN(test_many);
  RUN(test_not_waited_for);
  RUN(test_fork);
  RUN(test_idle);
  end_all();
  char name[120];
  snprintf(name, sizeof name, "%s.lock", path);
  unlink(name);
  unlink(path);
  unlink(script(""));
  snprintf(name, sizeof name, "%s/own", folder);
  CHECK_U(rmdir(name), 0);
  CHECK_U(rmdir(folder), 0);
  return check_done();
}
