/* SPDX-License-Identifier: MIT */
/*
 * peak.c -- peak COMMAND...: run it, and write the most memory that it had, in
 * KiB, to standard error.  In C: a child begins with what its parent has.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct rusage use;
  int status;
  pid_t child = fork();
  (void)argc;
  if (!child) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  if (wait4(child, &status, 0, &use) != child || status)
    return 1;
  fprintf(stderr, "%ld\n", use.ru_maxrss);
  return 0;
}
