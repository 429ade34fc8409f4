/* libs: cca_symbols_server */
/* SPDX-License-Identifier: MIT */
/*
 * test-symserver.c -- tables from a server: the same answers, every result, and
 * what becomes of clients when the server is stopped, killed and started again.
 *
 * The server is a child of this process, and the module this very program.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ccallocs/symbols.h"
#include "check.h"
#include "symbols/protocol.h"
#include "symbols/server.h"

#ifdef __SANITIZE_ADDRESS__
enum { LIMITED = 0 };
#else
enum { LIMITED = 1 };
#endif

int function_of_test(int x);
__attribute__((noinline)) int function_of_test(int x) { return x * 3; }

static char folder[] = "/tmp/cca-symserver.XXXXXX";
static char path[100], program[4096], copy[200];
static pid_t server;
static int started[2];

static void ready(const char *at) {
  CHECK_STR(at, path);
  CHECK_U(write(started[1], "", 1), 1);
}

/* Start a server and wait until it listens. */
static void start(struct cca_server_options options) {
  char byte;
  options.socket = path;
  options.workers = 2;
  options.seconds = 60;
  if (!options.worker_bytes)
    options.worker_bytes = 1ull << 32;
  CHECK_U(pipe(started), 0);
  server = fork();
  if (!server) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(cca_server_run(&options, ready) != NULL);
  }
  CHECK_U(read(started[0], &byte, 1), 1);
  close(started[0]);
  close(started[1]);
}

/* Until it goes on, the server does nothing: what is not there yet is not,
 * however slow the client is. */
static void stop(void) {
  int status;
  kill(server, SIGSTOP);
  CHECK_U(waitpid(server, &status, WUNTRACED), server);
  CHECK(WIFSTOPPED(status));
}

static void go_on(void) { kill(server, SIGCONT); }

static void end(int signal) {
  int status;
  kill(server, signal);
  waitpid(server, &status, 0);
  CHECK(signal == SIGTERM ? WIFEXITED(status) && !WEXITSTATUS(status)
                          : WIFSIGNALED(status));
}

static struct cca_symbols *use(int timeout_ms) {
  struct cca_symbols_options options = {
      .size = sizeof options,
      .server = path,
      .timeout_ms = timeout_ms,
      .start = ""};
  struct cca_symbols *symbols;
  CHECK_U(cca_symbols_open(&symbols, &options, NULL), CCA_OK);
  return symbols;
}

/* Load FILE within TIMEOUT_MS, which has to come to WANT. */
static struct cca_symbols_module *load(const char *file, int timeout_ms,
                                       int want) {
  struct cca_symbols *symbols = use(timeout_ms);
  struct cca_symbols_module *module = (void *)-1;
  struct cca_error err = {.text = ""};
  int got = cca_symbols_load(symbols, file, NULL, &module, &err);
  if (!check_report(got == want, __FILE__, __LINE__))
    fprintf(stderr, "%s: %d, not %d: %s\n", file, got, want, err.text);
  CHECK((module != NULL) == (want == CCA_OK || want == CCA_ERR_NOT_READY ||
                             want == CCA_ERR_TIMED_OUT));
  cca_symbols_close(symbols);
  return module;
}

/* All queries of MODULE come to WANT, and nothing is in it. */
static void check_state(const struct cca_symbols_module *module, int want) {
  struct cca_frame frame;
  struct cca_symbol_info symbol;
  size_t count[3] = {9, 9, 9};
  CHECK(cca_symbols_find(module, 0x1000, &frame, 1, &count[0]) == want);
  CHECK(cca_symbols_lookup(module, "main", &symbol, 1, &count[1]) == want);
  CHECK(cca_symbols_match(module, "*", &symbol, 1, &count[2]) == want);
  CHECK_U(count[0] + count[1] + count[2], 0);
  CHECK_U(cca_symbols_count(module), 0);
  CHECK_U(cca_symbols_line_count(module), 0);
  CHECK_STR(cca_symbols_build_id(module), "");
}

/* MODULE answers as this program's table does. */
static void check_answers(const struct cca_symbols_module *module) {
  struct cca_frame frame = {0};
  struct cca_symbol_info symbol = {0};
  size_t count;
  CHECK_U(cca_symbols_lookup(module, "function_of_test", &symbol, 1, &count),
          CCA_OK);
  CHECK_U(cca_symbols_find(module, symbol.offset, &frame, 1, &count), CCA_OK);
  CHECK_STR(frame.name, "function_of_test");
  CHECK_U(frame.start, symbol.offset);
  CHECK(frame.file && strstr(frame.file, "test-symserver.c"));
}

/* The inodes of the tables that are mapped here. */
static size_t mapped(unsigned long inodes[4]) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[5000];
  size_t count = 0;
  while (fgets(line, sizeof line, maps))
    if (strstr(line, "memfd:symbols") && count < 4) {
      char access[5];
      CHECK_U(sscanf(line, "%*s %4s %*s %*s %lu", access, &inodes[count++]), 2);
      CHECK_STR(access, "r--s");
    }
  fclose(maps);
  return count;
}

static void write_copy(size_t len) {
  static char bytes[1 << 24];
  FILE *from = fopen(program, "rb"), *to = fopen(copy, "wb");
  size_t all = fread(bytes, 1, sizeof bytes, from);
  CHECK_U(fwrite(bytes, 1, len < all ? len : all, to), len < all ? len : all);
  fclose(from);
  fclose(to);
}

static void test_no_server(void) {
  load(program, -1, CCA_ERR_SERVER_GONE);
  load("/nonexistent/module", -1, CCA_ERR_NO_MODULE);
}

static void test_answers(void) {
  start((struct cca_server_options){.memory = 1 << 30});
  stop();
  struct cca_symbols_module *one = load(program, 0, CCA_ERR_NOT_READY);
  check_state(one, CCA_ERR_NOT_READY);
  go_on();
  CHECK_U(cca_symbols_wait(one, -1, NULL), CCA_OK);
  CHECK_U(cca_symbols_wait(one, 0, NULL), CCA_OK);
  check_answers(one);

  /* Whoever asks for the same module has the same memory. */
  unsigned long inodes[4] = {0};
  struct cca_symbols_module *two = load(program, -1, CCA_OK);
  CHECK_U(mapped(inodes), 2);
  CHECK_U(inodes[0], inodes[1]);
  check_answers(two);
  cca_symbols_unload(one);
  check_answers(two);
  cca_symbols_unload(two);
  CHECK_U(mapped(inodes), 0);
}

static void test_failures(void) {
  struct cca_symbols *symbols = use(-1);
  struct cca_symbols_module *module;
  struct cca_error err;
  CHECK(cca_symbols_load(symbols, program, "00", &module, &err) ==
        CCA_ERR_STALE);
  CHECK(module == NULL && strstr(err.text, ", not 00"));
  CHECK(cca_symbols_load(symbols, "/dev/null", NULL, &module, &err) ==
        CCA_ERR_NOT_ELF);
  CHECK_STR(err.text, "not an ELF file");
  cca_symbols_close(symbols);

  /* A file that failed, and then changed; and one that was good. */
  write_copy(60);
  load(copy, -1, CCA_ERR_NOT_ELF);
  load(copy, -1, CCA_ERR_NOT_ELF);
  write_copy(SIZE_MAX);
  module = load(copy, -1, CCA_OK);
  check_answers(module);
  write_copy(1000);
  CHECK(cca_symbols_check(module) == CCA_ERR_STALE);
  struct cca_symbols_module *changed = load(copy, -1, CCA_OK);
  CHECK_U(cca_symbols_count(changed), 0);
  check_answers(module);
  cca_symbols_unload(module);
  cca_symbols_unload(changed);
}

/* Field NUMBER of the server's /proc/PID/stat. */
static unsigned long long stat_of_server(int number) {
  char name[64], line[1000];
  snprintf(name, sizeof name, "/proc/%d/stat", server);
  FILE *stat = fopen(name, "r");
  CHECK(fgets(line, sizeof line, stat) != NULL);
  fclose(stat);
  const char *at = strrchr(line, ')');
  for (int i = 2; i < number; i++)
    at = strchr(at + 1, ' ');
  return strtoull(at, NULL, 10);
}

/* What its workers, as far as they have ended, had of pages: it grows with each
 * of them. */
static unsigned long long workers(void) { return stat_of_server(11); }

/* What was made is not made again, nor what failed, until its file changes. */
static void test_made_once(void) {
  write_copy(SIZE_MAX);
  unsigned long long before = workers();
  cca_symbols_unload(load(copy, -1, CCA_OK));
  unsigned long long made = workers();
  CHECK(made > before);
  cca_symbols_unload(load(copy, -1, CCA_OK));
  CHECK_U(workers(), made);
  write_copy(60);
  load(copy, -1, CCA_ERR_NOT_ELF);
  unsigned long long failed = workers();
  CHECK(failed > made);
  load(copy, -1, CCA_ERR_NOT_ELF);
  CHECK_U(workers(), failed);
  write_copy(61);
  load(copy, -1, CCA_ERR_NOT_ELF);
  CHECK(workers() > failed);
}

/* Another file takes the module's place after it was asked for, and before the
 * server has looked at it: what is answered is of the one that was asked for.
 */
static void test_replaced(void) {
  char other[220];
  snprintf(other, sizeof other, "%s.new", copy);
  write_copy(SIZE_MAX);
  stop();
  struct cca_symbols_module *module = load(copy, 0, CCA_ERR_NOT_READY);
  FILE *file = fopen(other, "wb");
  CHECK_U(fwrite("no module", 1, 9, file), 9);
  fclose(file);
  CHECK_U(rename(other, copy), 0);
  go_on();
  CHECK_U(cca_symbols_wait(module, -1, NULL), CCA_OK);
  check_answers(module);
  CHECK(cca_symbols_check(module) == CCA_ERR_STALE);
  cca_symbols_unload(module);
  load(copy, -1, CCA_ERR_NOT_ELF); /* the one that is there now */
}

/* The reply to a request for FILE, which is said to be at AT. */
static struct cca_symbols_reply reply_to(int file, const char *at) {
  struct cca_symbols_request request = {CCA_SYMBOLS_REQUEST,
                                        CCA_SYMBOLS_VERSION, ""};
  struct cca_symbols_reply reply = {0};
  struct sockaddr_un address;
  CHECK_STR(cca_symbols_address(path, false, &address), NULL);
  int client = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  CHECK_U(connect(client, (void *)&address, sizeof address), 0);
  strcpy(request.path, at);
  CHECK(cca_symbols_send(
      client, &request,
      offsetof(struct cca_symbols_request, path) + strlen(at) + 1, file));
  CHECK_U((size_t)recv(client, &reply, sizeof reply, 0), sizeof reply);
  close(client);
  return reply;
}

/* The server reads what its client has opened, whatever is at the path. */
static void test_by_descriptor(void) {
  write_copy(SIZE_MAX);
  int file = open(copy, O_RDONLY);
  CHECK_U((unsigned)reply_to(file, "/nonexistent/module").status, CCA_OK);
  close(file);
  write_copy(62);
  file = open(copy, O_RDONLY);
  CHECK(reply_to(file, program).status == CCA_ERR_NOT_ELF);
  close(file);
}

/* The KiB that this process has for itself: of no file, and of no table that is
 * shared. */
static unsigned long own_memory(void) {
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  char line[200];
  unsigned long all = 0, one;
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "Anonymous: %lu", &one) == 1)
      all += one;
  fclose(file);
  return all;
}

/* A client has next to nothing of its own of a table; who makes one does. */
static void test_memory_of_a_client(void) {
  pid_t child = fork();
  if (!child) {
    struct cca_symbols *symbols;
    struct cca_symbols_module *module;
    cca_symbols_unload(load(program, -1, CCA_OK)); /* code, and malloc's own */
    unsigned long before = own_memory();
    load(program, -1, CCA_OK);
    unsigned long with_server = own_memory() - before;
    CHECK_U(cca_symbols_open(&symbols, NULL, NULL), CCA_OK);
    CHECK_U(cca_symbols_load(symbols, program, NULL, &module, NULL), CCA_OK);
    unsigned long in_process = own_memory() - before - with_server;
    CHECK(!LIMITED || with_server <= 64);
    CHECK(in_process >= 4 * with_server);
    _exit(check_failures != 0);
  }
  int status;
  waitpid(child, &status, 0);
  CHECK_U((unsigned)status, 0);
}

/* Packets that are no request end their connection, and nothing else. */
static void test_nonsense(void) {
  struct cca_symbols_request request = {CCA_SYMBOLS_REQUEST,
                                        CCA_SYMBOLS_VERSION, "/x"};
  size_t head = offsetof(struct cca_symbols_request, path);
  static const struct {
    size_t len;
    uint32_t magic, version;
    const char *path;
    int file;
  } packets[] = {
      {3, CCA_SYMBOLS_REQUEST, 1, "/x", 0},
      {0, CCA_SYMBOLS_REQUEST, 1, "/x", 0}, /* no path */
      {3, CCA_SYMBOLS_REQUEST, 1, "/x", -1},
      {3, 0, 1, "/x", 0},
      {3, CCA_SYMBOLS_REQUEST, 2, "/x", 0},
      {2, CCA_SYMBOLS_REQUEST, 1, "/x", 0}, /* no zero */
      {3, CCA_SYMBOLS_REQUEST, 1, "xx", 0}, /* not absolute */
      {4, CCA_SYMBOLS_REQUEST, 1, "/\0x", 0},
  };
  struct sockaddr_un address;
  CHECK_STR(cca_symbols_address(path, false, &address), NULL);
  for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
    char byte;
    int client = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    CHECK_U(connect(client, (void *)&address, sizeof address), 0);
    request.magic = packets[i].magic;
    request.version = packets[i].version;
    memcpy(request.path, packets[i].path, 3);
    CHECK(cca_symbols_send(client, &request, i == 0 ? 3 : head + packets[i].len,
                           packets[i].file));
    CHECK_U(recv(client, &byte, 1, 0), 0); /* the end, no reply */
    close(client);
  }
  cca_symbols_unload(load(program, -1, CCA_OK));
}

static void test_many(void) {
  pid_t clients[64];
  write_copy(SIZE_MAX); /* nobody has asked for this one */
  for (int i = 0; i < 64; i++)
    if (!(clients[i] = fork())) {
      struct cca_symbols_module *module = load(copy, -1, CCA_OK);
      if (module)
        check_answers(module);
      _exit(check_failures != 0 || !module);
    }
  for (int i = 0; i < 64; i++) {
    int status;
    waitpid(clients[i], &status, 0);
    CHECK_U((unsigned)status, 0);
  }
}

/* A child of fork() does not take its parent's table. */
static void test_fork(void) {
  write_copy(SIZE_MAX);
  stop();
  struct cca_symbols_module *module = load(copy, 0, CCA_ERR_NOT_READY);
  go_on();
  pid_t child = fork();
  int status;
  if (!child)
    _exit(cca_symbols_wait(module, -1, NULL) != CCA_ERR_SERVER_GONE);
  waitpid(child, &status, 0);
  CHECK_U((unsigned)status, 0);
  CHECK_U(cca_symbols_wait(module, -1, NULL), CCA_OK);
  check_answers(module);
  cca_symbols_unload(module);
}

static void test_stopped_and_killed(void) {
  struct cca_symbols_module *before = load(program, -1, CCA_OK);
  stop();
  struct cca_symbols_module *late = load(program, 50, CCA_ERR_TIMED_OUT);
  check_state(late, CCA_ERR_TIMED_OUT);
  CHECK(cca_symbols_wait(late, 0, NULL) == CCA_ERR_NOT_READY);
  CHECK(cca_symbols_wait(late, 20, NULL) == CCA_ERR_TIMED_OUT);
  go_on();
  CHECK_U(cca_symbols_wait(late, -1, NULL), CCA_OK); /* it came yet */
  check_answers(late);
  cca_symbols_unload(late);

  stop();
  late = load(program, 0, CCA_ERR_NOT_READY);
  end(SIGKILL);
  struct cca_error err = {.text = ""};
  CHECK(cca_symbols_wait(late, -1, &err) == CCA_ERR_SERVER_GONE);
  CHECK_STR(err.text, "no symbol server: it ended");
  check_state(late, CCA_ERR_SERVER_GONE);
  CHECK(cca_symbols_wait(late, -1, &err) == CCA_ERR_SERVER_GONE);
  cca_symbols_unload(late);
  check_answers(before); /* it has its table */
  cca_symbols_unload(before);
  load(program, -1, CCA_ERR_SERVER_GONE);

  /* The next one takes over the socket, and keeps no more than it may: of two
   * tables the one that was asked for last. */
  unsigned long inodes[4] = {0};
  write_copy(SIZE_MAX);
  start((struct cca_server_options){.memory = 1});
  before = load(program, -1, CCA_OK);
  CHECK_U(mapped(inodes), 1);
  cca_symbols_unload(load(copy, -1, CCA_OK));
  late = load(program, -1, CCA_OK);
  CHECK_U(mapped(inodes), 2);
  CHECK(inodes[0] != inodes[1]);
  check_answers(before);
  check_answers(late);
  cca_symbols_unload(before);
  cca_symbols_unload(late);

  /* Only one. */
  struct cca_server_options options = {.socket = path};
  CHECK_STR(cca_server_run(&options, ready), "another one is running");
  end(SIGTERM);
  CHECK(access(path, F_OK) < 0);
}

/* There is room for two tables of three: that goes which was asked for longest
 * ago, not the one that was made first. */
static void test_room_for_two(void) {
  char other[220];
  int file = open(program, O_RDONLY);
  start((struct cca_server_options){.memory = 1 << 30});
  uint64_t size = reply_to(file, program).size;
  close(file);
  end(SIGTERM);
  CHECK(size > 1000);
  snprintf(other, sizeof other, "%s.other", copy);
  write_copy(SIZE_MAX);
  CHECK_U(rename(copy, other), 0);
  write_copy(SIZE_MAX);
  start((struct cca_server_options){.memory = 2 * size + size / 2});
  cca_symbols_unload(load(program, -1, CCA_OK));
  cca_symbols_unload(load(copy, -1, CCA_OK));
  cca_symbols_unload(load(program, -1, CCA_OK)); /* asked for again */
  cca_symbols_unload(load(other, -1, CCA_OK));
  unsigned long long before = workers();
  cca_symbols_unload(load(program, -1, CCA_OK));
  cca_symbols_unload(load(other, -1, CCA_OK));
  CHECK_U(workers(), before);
  cca_symbols_unload(load(copy, -1, CCA_OK));
  CHECK(workers() > before);
  end(SIGTERM);
  unlink(other);
}

static void test_little_memory(void) {
  start((struct cca_server_options){.memory = 1 << 30, .worker_bytes = 4096});
  load(program, -1, CCA_ERR_MEMORY);
  load(program, -1, CCA_ERR_MEMORY);
  end(SIGTERM);
}

/* Where others could put a socket of theirs, neither side goes. */
static void test_folder(void) {
  struct sockaddr_un address;
  const char *refused = "the socket's folder is not a folder of the user's "
                        "alone (mode 0700)";
  CHECK_U(chmod(folder, 0750), 0);
  CHECK_STR(cca_symbols_address(path, true, &address), refused);
  CHECK_U(chmod(folder, 0700), 0);
  CHECK_STR(cca_symbols_address(path, true, &address), NULL);
  char link[100], inner[120];
  snprintf(link, sizeof link, "%s/link", folder);
  snprintf(inner, sizeof inner, "%s/symbols", link);
  CHECK_U(symlink(folder, link), 0);
  CHECK_STR(cca_symbols_address(inner, true, &address), refused);
  unlink(link);
  CHECK_STR(cca_symbols_address("/symbols", true, &address),
            "the socket's path is not absolute, in a folder");
  CHECK_STR(cca_symbols_address("symbols", true, &address),
            "the socket's path is not absolute, in a folder");
}

static void become_another(void) {
  if (setgid(65534) || setuid(65534))
    _exit(2);
}

/* Another user who gets as far as to the socket, and asks for a file that is
 * open, is not heard; nor is a server that is another user's asked. */
static void test_other_client(void) {
  start((struct cca_server_options){.memory = 1 << 30});
  CHECK_U(chmod(folder, 0711), 0);
  CHECK_U(chmod(path, 0777), 0);
  pid_t child = fork();
  if (!child) {
    struct cca_symbols_request request = {CCA_SYMBOLS_REQUEST,
                                          CCA_SYMBOLS_VERSION, "/x"};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char byte;
    int module = open(program, O_RDONLY);
    strcpy(address.sun_path, path);
    int client = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    become_another();
    if (connect(client, (void *)&address, sizeof address))
      _exit(3);
    cca_symbols_send(client, &request,
                     offsetof(struct cca_symbols_request, path) + 3, module);
    _exit(recv(client, &byte, 1, 0) > 0); /* nothing, or it was closed before */
  }
  int status;
  waitpid(child, &status, 0);
  CHECK_U((unsigned)status, 0);
  CHECK_U(chmod(folder, 0700), 0);
  cca_symbols_unload(load(program, -1, CCA_OK)); /* the twin */
  end(SIGTERM);
}

static void test_other_server(void) {
  int listening[2];
  char byte;
  CHECK_U(pipe(listening), 0);
  CHECK_U(chmod(folder, 0777), 0);
  pid_t child = fork();
  if (!child) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    int socket_of = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    become_another();
    if (bind(socket_of, (void *)&address, sizeof address) ||
        listen(socket_of, 1) || write(listening[1], "", 1) != 1)
      _exit(3);
    pause();
  }
  CHECK_U(read(listening[0], &byte, 1), 1);
  CHECK_U(chmod(folder, 0700), 0);
  struct cca_symbols *symbols = use(0);
  struct cca_symbols_module *module;
  struct cca_error err = {.text = ""};
  CHECK(cca_symbols_load(symbols, program, NULL, &module, &err) ==
        CCA_ERR_SERVER_GONE);
  CHECK_STR(err.text, "no symbol server: the server is another user's");
  cca_symbols_close(symbols);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  unlink(path);
  close(listening[0]);
  close(listening[1]);
}

int main(void) {
  CHECK(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/symbols", folder);
  snprintf(copy, sizeof copy, "%s/copy", folder);
  RUN(test_no_server);
  RUN(test_answers);
  RUN(test_failures);
  RUN(test_made_once);
  RUN(test_replaced);
  RUN(test_by_descriptor);
  RUN(test_memory_of_a_client);
  RUN(test_nonsense);
  RUN(test_many);
  RUN(test_fork);
  RUN(test_stopped_and_killed);
  RUN(test_room_for_two);
  RUN(test_folder);
  if (LIMITED)
    RUN(test_little_memory);
  if (!geteuid()) { /* or nobody else can be played */
    RUN(test_other_client);
    RUN(test_other_server);
  }
  unlink(copy);
  snprintf(copy, sizeof copy, "%s.lock", path);
  unlink(copy);
  CHECK_U(rmdir(folder), 0);
  return check_done();
}
