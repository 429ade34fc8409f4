/* SPDX-License-Identifier: MIT */
/*
 * at-call.c -- a signal comes at the Nth system call of a program.
 *
 *     at-call PROGRAM SIGNAL N HIT COMMAND...
 *
 * In:    COMMAND, which is run, with a process group of its own; PROGRAM, the
 *        file name of a program that it starts, or is; with a + before it, its
 *        calls are also those of what it becomes by fork() alone.  A negative
 *        SIGNAL comes to all of the group, -15 as SIGTERM.
 * Out:   ends as COMMAND does, when all that it has started has ended; HIT is
 *        a new file if there was such a call.
 * Holds: nothing can be seen of a process between two calls, so that all N
 *        together are all moments at which it can be stopped.  Calls that only
 *        look, or give it memory, are not counted: what others see, and what
 *        it has to clean up, is the same before and after them.  Nor, where it
 *        dies at once, are those that change what its end undoes: files that
 *        it has open.
 *
 * Of PROGRAM's threads the first is meant, no other.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_TRACED = 256 };

static struct traced {
  pid_t pid;
  bool meant, inside; /* it runs PROGRAM; it is in a system call */
} traced[MAX_TRACED];

static struct traced *find(pid_t pid) {
  struct traced *unused = NULL;
  for (int i = 0; i < MAX_TRACED; i++) {
    if (traced[i].pid == pid)
      return &traced[i];
    if (!traced[i].pid && !unused)
      unused = &traced[i];
  }
  if (!unused)
    exit(125);
  *unused = (struct traced){.pid = pid};
  return unused;
}

static bool runs(pid_t pid, const char *program) {
  char name[64], exe[4096];
  snprintf(name, sizeof name, "/proc/%ld/exe", (long)pid);
  ssize_t len = readlink(name, exe, sizeof exe - 1);
  if (len <= 0)
    return false;
  exe[len] = 0;
  return !strcmp(strrchr(exe, '/') + 1, program);
}

/* Is PID the first thread of its process? */
static bool is_process(pid_t pid) {
  return syscall(SYS_tgkill, pid, pid, 0) == 0;
}

/* Is the call that PID enters one that counts, for a signal of that NUMBER? */
static bool counts(pid_t pid, int number) {
  static const long only_look[] = {
      SYS_mmap,         SYS_munmap,     SYS_mremap,
      SYS_mprotect,     SYS_madvise,    SYS_brk,
      SYS_fstat,        SYS_newfstatat, SYS_lseek,
      SYS_pread64,      SYS_getdents64, SYS_faccessat,
      SYS_readlinkat,   SYS_getrandom,  SYS_set_tid_address,
      SYS_getpid,       SYS_getppid,    SYS_set_robust_list,
      SYS_prlimit64,    SYS_rseq,       SYS_sched_getaffinity,
      SYS_rt_sigaction, SYS_statfs,     SYS_clock_gettime,
      SYS_exit_group, /* nothing comes behind it */
#ifdef __x86_64__
      SYS_access,       SYS_readlink,   SYS_arch_prctl,
#endif
  };
  struct __ptrace_syscall_info info;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0)
    return true;
  long call = (long)info.entry.nr;
  for (size_t i = 0; i < sizeof only_look / sizeof *only_look; i++)
    if (call == only_look[i])
      return false;
  if (number != SIGKILL)
    return true;
  return call != SYS_read && call != SYS_close && call != SYS_fcntl &&
         call != SYS_dup3 &&
         !(call == SYS_openat && !(info.entry.args[2] & (O_CREAT | O_TRUNC)));
}

int main(int argc, char **argv) {
  if (argc < 6)
    return 125;
  bool and_forks = argv[1][0] == '+';
  const char *program = argv[1] + and_forks, *hit = argv[4];
  int signal = abs(atoi(argv[2]));
  bool to_all = atoi(argv[2]) < 0;
  long at = atol(argv[3]), count = 0;
  int go[2], status, result = 0;
  char byte;
  if (pipe2(go, O_CLOEXEC) != 0)
    return 125;
  pid_t command = fork();
  if (command == 0) {
    setpgid(0, 0);
    close(go[1]);
    if (read(go[0], &byte, 1) == 0)
      execvp(argv[5], argv + 5);
    _exit(127);
  }
  /* Not PTRACE_TRACEME: a process that it finds new is stopped by a signal, and
   * would stay so if we end before we have seen it. */
  if (ptrace(PTRACE_SEIZE, command, NULL,
             PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC) != 0)
    return 125;
  close(go[0]);
  close(go[1]);
  for (;;) {
    pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0 && errno == EINTR)
      continue;
    if (pid < 0)
      break; /* there is nobody any more */
    struct traced *t = find(pid);
    if (!WIFSTOPPED(status)) {
      t->pid = 0;
      if (pid == command)
        result = status;
      continue;
    }
    int number = WSTOPSIG(status), event = status >> 16;
    if (number == (SIGTRAP | 0x80)) {
      t->inside = !t->inside;
      if (t->meant && t->inside && counts(pid, signal) && ++count == at) {
        close(open(hit, O_CREAT | O_WRONLY, 0600));
        kill(to_all ? -command : pid, signal);
      }
      number = 0;
    } else if (event) {
      if (event == PTRACE_EVENT_EXEC)
        *t = (struct traced){pid, runs(pid, program), true};
      else if (event == PTRACE_EVENT_STOP && and_forks && is_process(pid))
        t->meant = runs(pid, program);
      number = 0;
    }
    ptrace(t->meant && count < at ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL,
           number);
  }
  return WIFSIGNALED(result) ? 128 + WTERMSIG(result) : WEXITSTATUS(result);
}
