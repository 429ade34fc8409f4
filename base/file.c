/* SPDX-License-Identifier: MIT */
/* file.c -- a whole file in memory. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK: opening a pipe that nobody writes must not wait. */
int cca_file_read(const char *path, size_t max, struct cca_text *out) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return errno;
  struct stat status;
  int error = fstat(fd, &status)         ? errno
              : S_ISDIR(status.st_mode)  ? EISDIR
              : !S_ISREG(status.st_mode) ? EINVAL
                                         : 0;
  size_t used = 0;
  while (!error) {
    char buffer[65536];
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got == 0)
      break;
    if (got < 0)
      error = errno == EINTR ? 0 : errno;
    else if ((size_t)got > max - used)
      error = EFBIG;
    else {
      cca_text_add(out, buffer, (size_t)got);
      used += (size_t)got;
    }
  }
  close(fd);
  return error;
}
