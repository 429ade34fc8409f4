/* SPDX-License-Identifier: MIT */
/* file.c -- files: see file.h. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
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

static bool same_time(struct timespec a, struct timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool cca_file_is_same(const struct stat *then, const struct stat *now) {
  return then->st_dev == now->st_dev && then->st_ino == now->st_ino &&
         then->st_size == now->st_size &&
         same_time(then->st_mtim, now->st_mtim) &&
         same_time(then->st_ctim, now->st_ctim);
}

char *cca_file_beside_program(const char *relative) {
  char self[PATH_MAX];
  ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
  if (len <= 0)
    return NULL;
  self[len] = 0;
  struct cca_text path = {0};
  cca_text_add(&path, self, (size_t)(strrchr(self, '/') + 1 - self));
  cca_text_adds(&path, relative);
  return path.data;
}
