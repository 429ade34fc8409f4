/* SPDX-License-Identifier: MIT */
/* log.c -- CC_ALLOCS_LOG: what the wrapper and the analyser did. */
#include "tools/log.h"

#include <fcntl.h>
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
  int fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    return;
  ssize_t put = write(fd, line, (size_t)len); /* one write: lines stay whole */
  (void)put; /* a log that cannot be written is no reason to do anything */
  close(fd);
}
