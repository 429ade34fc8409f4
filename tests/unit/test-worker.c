/* libs: cca_symbols_server */
/* SPDX-License-Identifier: MIT */
/*
 * test-worker.c -- however a worker ends, the server knows what to say: a table
 * that nobody can change any more, or why there is none.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "symbols/worker.h"

/* A worker that writes LEN bytes, and ends by SIGNAL, or with STATUS. */
static struct cca_worker ended(size_t len, int signal, int exit_status,
                               int *status) {
  struct cca_worker worker;
  int result[2];
  CHECK_U(pipe(result), 0);
  worker.result = result[0];
  worker.memory = memfd_create("test", MFD_ALLOW_SEALING);
  worker.process = fork();
  if (!worker.process) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL); /* a sanitizer has its own */
    if (write(worker.memory, "12345678", len) != (ssize_t)len)
      _exit(99);
    if (signal)
      kill(getpid(), signal);
    _exit(exit_status);
  }
  waitpid(worker.process, status, 0);
  close(result[1]);
  return worker;
}

static void test_table(void) {
  int status;
  struct cca_error err = {.text = ""};
  struct cca_worker worker = ended(8, 0, 0, &status);
  CHECK_U(cca_worker_finish(&worker, status, &err), 8);
  CHECK_U(pwrite(worker.memory, "x", 1, 0) < 0, 1); /* sealed */
  CHECK_U(ftruncate(worker.memory, 4) < 0, 1);
  CHECK_U(ftruncate(worker.memory, 16) < 0, 1);
  CHECK_U(fcntl(worker.memory, F_ADD_SEALS, F_SEAL_WRITE) < 0, 1);
  close(worker.memory);
}

static void test_none(void) {
  static const struct {
    size_t len;
    int signal, status, want;
    const char *text;
  } ends[] = {
      {0, 0, 0, CCA_ERR_MEMORY, "no memory for its table"},
      {8, 0, 1, CCA_ERR_NOT_ELF, "reading it failed"},
      {8, 0, 71, CCA_ERR_MEMORY, "reading it took too much memory"},
      {8, SIGSEGV, 0, CCA_ERR_NOT_ELF,
       "reading it crashed: Segmentation fault"},
      {8, SIGBUS, 0, CCA_ERR_NOT_ELF, "reading it crashed: Bus error"},
      {8, SIGXCPU, 0, CCA_ERR_TIMED_OUT, "reading it took too much time"},
      {8, SIGKILL, 0, CCA_ERR_TIMED_OUT, "reading it took too much time"},
  };
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    int status;
    struct cca_error err = {.text = ""};
    struct cca_worker worker =
        ended(ends[i].len, ends[i].signal, ends[i].status, &status);
    CHECK_U(cca_worker_finish(&worker, status, &err), 0);
    CHECK_U((unsigned)err.status, (unsigned)ends[i].want);
    CHECK_STR(err.text, ends[i].text);
    CHECK_U(close(worker.memory) < 0, 1); /* it is closed */
  }
}

/* Memory that somebody could still change is no table. */
static void test_mapped_for_writing(void) {
  int status;
  struct cca_error err = {.text = ""};
  struct cca_worker worker = ended(8, 0, 0, &status);
  void *image =
      mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, worker.memory, 0);
  CHECK(image != MAP_FAILED);
  CHECK_U(cca_worker_finish(&worker, status, &err), 0);
  CHECK_U((unsigned)err.status, (unsigned)CCA_ERR_MEMORY);
  munmap(image, 8);
}

int main(void) {
  RUN(test_table);
  RUN(test_none);
  RUN(test_mapped_for_writing);
  return check_done();
}
