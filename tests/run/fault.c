/* SPDX-License-Identifier: MIT */
/*
 * fault.c -- preloaded: something goes wrong at the Nth chance.
 *
 * In:   CCA_FAULT="PROGRAM KIND N": in the program of that file name, or in
 *       what a shared object of that name calls,
 *         memory    allocation N fails
 *         memory+   allocation N and all that follow
 *         fail      call N below fails, with ENOSPC
 *         break     the same, with EIO
 *         kill      the process is killed just before call N
 *       and CCA_FAULT_HIT, a file that is made when it has happened, so that a
 *       sweep knows its end.
 * Holds: a child that fork() makes is spared, and so is every other program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static struct {
  char program[64], kind[16];
  long at, count;
  pid_t process; /* 0: not here */
  bool by_caller;
} fault;

__attribute__((constructor)) static void begin(void) {
  char self[4096];
  const char *text = getenv("CCA_FAULT");
  ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
  if (!text || len <= 0 ||
      sscanf(text, "%63s %15s %ld", fault.program, fault.kind, &fault.at) != 3)
    return;
  self[len] = 0;
  fault.by_caller = strstr(fault.program, ".so");
  if (fault.by_caller || !strcmp(strrchr(self, '/') + 1, fault.program))
    fault.process = getpid();
}

static bool is_asked(void *caller) {
  Dl_info info;
  if (!fault.process || getpid() != fault.process)
    return false;
  if (!fault.by_caller)
    return true;
  return dladdr(caller, &info) && info.dli_fname &&
         strstr(info.dli_fname, fault.program);
}

static void note(void) {
  const char *hit = getenv("CCA_FAULT_HIT");
  if (hit)
    syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, hit, O_CREAT, 0600));
}

static bool no_memory(void *caller) {
  if (strncmp(fault.kind, "memory", 6) || !is_asked(caller))
    return false;
  fault.count++;
  if (fault.count != fault.at &&
      !(fault.kind[6] == '+' && fault.count > fault.at))
    return false;
  note();
  errno = ENOMEM;
  return true;
}

#ifndef CALLS_ALONE /* the malloc of a process stays what it is */
void *malloc(size_t size) {
  return no_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  return no_memory(__builtin_return_address(0)) ? NULL
                                                : __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  return no_memory(__builtin_return_address(0)) ? NULL
                                                : __libc_realloc(block, size);
}

#endif

/* Is this the call that fails? */
static bool fails(void *caller) {
  bool killed = !strcmp(fault.kind, "kill"),
       broken = !strcmp(fault.kind, "break");
  if ((!killed && !broken && strcmp(fault.kind, "fail") != 0) ||
      !is_asked(caller) || ++fault.count != fault.at)
    return false;
  note();
  if (killed)
    kill(getpid(), SIGKILL);
  errno = broken ? EIO : ENOSPC;
  return true;
}

#define CALL(type, name, parameters, arguments, failed)                        \
  type name parameters {                                                       \
    static type(*next) parameters;                                             \
    if (!next)                                                                 \
      *(void **)&next = dlsym(RTLD_NEXT, #name);                               \
    return fails(__builtin_return_address(0)) ? (failed) : next arguments;     \
  }

/* -1 or NULL and errno say that it failed ... */
CALL(int, mkdir, (const char *p, mode_t m), (p, m), -1)
CALL(int, mkostemp, (char *p, int f), (p, f), -1)
CALL(int, mkostemp64, (char *p, int f), (p, f), -1)
CALL(int, symlink, (const char *a, const char *b), (a, b), -1)
CALL(int, linkat, (int a, const char *b, int c, const char *d, int e),
     (a, b, c, d, e), -1)
CALL(int, rename, (const char *a, const char *b), (a, b), -1)
CALL(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d),
     -1)
CALL(int, fsync, (int a), (a), -1)
CALL(int, flock, (int a, int b), (a, b), -1)
CALL(int, pipe2, (int *a, int b), (a, b), -1)
CALL(int, fchmod, (int a, mode_t b), (a, b), -1)
CALL(ssize_t, write, (int a, const void *b, size_t c), (a, b, c), -1)
CALL(ssize_t, read, (int a, void *b, size_t c), (a, b, c), -1)
CALL(pid_t, fork, (void), (), -1)
CALL(FILE *, fopen, (const char *a, const char *b), (a, b), NULL)
CALL(FILE *, fopen64, (const char *a, const char *b), (a, b), NULL)
CALL(size_t, fwrite, (const void *a, size_t b, size_t c, FILE *d), (a, b, c, d),
     0)
CALL(int, fclose, (FILE *a), (a), EOF)
/* ... or the result itself. */
CALL(int, posix_spawn,
     (pid_t *a, const char *b, const posix_spawn_file_actions_t *c,
      const posix_spawnattr_t *d, char *const e[], char *const f[]),
     (a, b, c, d, e, f), ENOSPC)
/* Those that have a mode, if they may make a file. */
#define OPENS(name, parameters, ...)                                           \
  int name parameters {                                                        \
    static __typeof__(name) *next;                                             \
    mode_t mode = 0;                                                           \
    if (!next)                                                                 \
      *(void **)&next = dlsym(RTLD_NEXT, #name);                               \
    if (flags & (O_CREAT | O_TMPFILE)) {                                       \
      va_list args;                                                            \
      va_start(args, flags);                                                   \
      mode = va_arg(args, mode_t);                                             \
      va_end(args);                                                            \
    }                                                                          \
    return fails(__builtin_return_address(0)) ? -1 : next(__VA_ARGS__, mode);  \
  }
OPENS(open, (const char *path, int flags, ...), path, flags)
OPENS(open64, (const char *path, int flags, ...), path, flags)
OPENS(openat, (int at, const char *path, int flags, ...), at, path, flags)
OPENS(openat64, (int at, const char *path, int flags, ...), at, path, flags)
