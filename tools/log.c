/* SPDX-License-Identifier: MIT */
/* log.c -- CC_ALLOCS_LOG: what the wrapper and the analyser did. */
#include "tools/log.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void cca_log(const char *format, ...) {
  const char *name = getenv("CC_ALLOCS_LOG");
  if (!name || !*name)
    return;
  char line[4096];
  va_list args;
  va_start(args, format);
  int len = vsnprintf(line, sizeof line - 1, format, args);
  va_end(args);
  if (len < 0)
    return;
  if ((size_t)len > sizeof line - 2)
    len = sizeof line - 2;
  line[len++] = '\n';
  /* O_NONBLOCK: a pipe that nobody reads must not hold us up. */
  int fd = open(name,
                O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK |
                    O_NOCTTY,
                0666);
  if (fd < 0)
    return;
  /* Beyond ulimit -f, or without a reader, the log ends and we do not. */
  struct sigaction ignore = {.sa_handler = SIG_IGN}, size, pipe;
  sigaction(SIGXFSZ, &ignore, &size);
  sigaction(SIGPIPE, &ignore, &pipe);
  ssize_t put = write(fd, line, (size_t)len); /* one write: lines stay whole */
  (void)put; /* a log that cannot be written is no reason to do anything */
  sigaction(SIGXFSZ, &size, NULL);
  sigaction(SIGPIPE, &pipe, NULL);
  close(fd);
}
