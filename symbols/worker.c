/* SPDX-License-Identifier: MIT */
/*
 * worker.c -- one table, made by a process of its own.
 *
 * In:    a module, open.
 * Out:   memory with its table, sealed; or why there is none.
 * Holds: whatever the module's bytes do to elfutils or to us, this process
 * alone suffers: it has no descriptor but the module, the memory and the pipe,
 *        its memory and time are limited, and it dies with the server.
 */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "build.h"
#include "summaries/error.h"

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
enum { MODULE = 3, MEMORY = 4, RESULT = 5, OUT_OF_MEMORY = 71 };

static void limit(int what, uint64_t value) {
  struct rlimit limit = {value, value};
  setrlimit(what, &limit);
}

static bool write_all(int file, const char *bytes, size_t len) {
  while (len) {
    ssize_t done = write(file, bytes, len);
    if (done < 0 && errno != EINTR)
      return false;
    bytes += done > 0 ? done : 0;
    len -= done > 0 ? (size_t)done : 0;
  }
  return true;
}

static void end_without_memory(size_t wanted) {
  (void)wanted;
  _exit(OUT_OF_MEMORY);
}

/* The most address space that this process had; 0: unknown. */
static uint64_t peak_bytes(void) {
  char line[128];
  unsigned long long kib = 0;
  FILE *status = fopen("/proc/self/status", "re");
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "VmPeak: %llu", &kib) == 1)
      break;
  if (status)
    fclose(status);
  return kib << 10;
}

/* The worker itself.  What elfutils has no memory for it takes as not there, so
 * that an answer would be less than the truth.  It may have twice BYTES, and an
 * answer counts if it needed no more than that: then nothing was refused. */
__attribute__((noreturn)) static void work(const char *path, uint64_t bytes,
                                           pid_t server) {
  struct cca_text image = {0};
  struct cca_error err = {0};
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGXFSZ, SIG_IGN); /* writing says so, too */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != server)
    _exit(1);
  cca_memory_set_handler(end_without_memory);
  int status = cca_symbols_build_file(MODULE, path, &image, &err);
  if (!SANITIZED && peak_bytes() > bytes)
    end_without_memory(0);
  if (status == CCA_OK && !write_all(MEMORY, image.data, image.len))
    status = cca_error_set(&err, CCA_ERR_MEMORY, 0, "no memory for its table");
  if (status == CCA_OK)
    _exit(0);
  write_all(RESULT, (const char *)&err, sizeof err);
  _exit(1);
}

bool cca_worker_start(struct cca_worker *worker, int file, const char *path,
                      uint64_t bytes, unsigned seconds) {
  int result[2] = {-1, -1};
  pid_t server = getpid();
  *worker = (struct cca_worker){-1, -1, -1};
  worker->memory = memfd_create("symbols", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (worker->memory < 0 || pipe2(result, O_CLOEXEC | O_NONBLOCK) < 0)
    goto failed;
  worker->process = fork();
  if (worker->process == 0) {
    /* Out of the way of 3 to 5 first, so that none is lost to another. */
    int nothing = open("/dev/null", O_RDWR); /* for what libraries say */
    int files[] = {nothing,
                   nothing,
                   nothing,
                   fcntl(file, F_DUPFD, 10),
                   fcntl(worker->memory, F_DUPFD, 10),
                   fcntl(result[1], F_DUPFD, 10)};
    for (int i = 0; i <= RESULT; i++)
      if (files[i] < 0 || dup2(files[i], i) < 0)
        _exit(1);
    close_range(RESULT + 1, ~0u, 0);
    if (!SANITIZED) /* a sanitizer reserves more than all limits */
      limit(RLIMIT_AS, 2 * bytes);
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_CORE, 0);
    work(path, bytes, server);
  }
  close(result[1]);
  worker->result = result[0];
  if (worker->process > 0)
    return true;
failed:
  if (worker->memory >= 0)
    close(worker->memory);
  if (worker->result >= 0)
    close(worker->result);
  return false;
}

static int say_why(struct cca_worker *worker, int status,
                   struct cca_error *err) {
  if (WIFSIGNALED(status)) {
    int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGKILL)
      return cca_error_set(err, CCA_ERR_TIMED_OUT, 0,
                           "reading it took too much time");
    return cca_error_set(err, CCA_ERR_NOT_ELF, 0, "reading it crashed: %s",
                         strsignal(signal));
  }
  if (WEXITSTATUS(status) == OUT_OF_MEMORY)
    return cca_error_set(err, CCA_ERR_MEMORY, 0,
                         "reading it took too much memory");
  if (read(worker->result, err, sizeof *err) == sizeof *err &&
      err->status < 0) {
    err->text[sizeof err->text - 1] = 0;
    return err->status;
  }
  return cca_error_set(err, CCA_ERR_NOT_ELF, 0, "reading it failed");
}

uint64_t cca_worker_finish(struct cca_worker *worker, int status,
                           struct cca_error *err) {
  struct stat file;
  uint64_t size = 0;
  if (!WIFEXITED(status) || WEXITSTATUS(status)) {
    say_why(worker, status, err);
  } else if (fcntl(worker->memory, F_ADD_SEALS,
                   F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) <
                 0 ||
             fstat(worker->memory, &file) < 0 || file.st_size <= 0) {
    cca_error_set(err, CCA_ERR_MEMORY, 0, "no memory for its table");
  } else {
    size = (uint64_t)file.st_size;
  }
  close(worker->result);
  if (!size)
    close(worker->memory);
  worker->result = -1;
  worker->process = -1;
  return size;
}
