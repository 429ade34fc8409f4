/* SPDX-License-Identifier: MIT */
/*
 * cache-file.c -- files that nobody else may change; see cache-file.h.
 *
 * In:    names.
 * Out:   bytes that are mapped; or files that are there as a whole.
 * Holds: no symbolic link is followed in the last step of a path, no file is
 *        opened for writing that was there before, no length is believed but
 *        the one that the kernel says of the open file.
 */
#include "cache-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool is_trusted(const struct stat *status, enum cca_cache_trust trust) {
  return status->st_uid == geteuid() ||
         (trust == CCA_CACHE_SHARED && status->st_uid == 0);
}

static bool others_may_write(const struct stat *status) {
  return status->st_mode & (S_IWGRP | S_IWOTH);
}

static enum cca_cache_reason check_folder(int folder,
                                          enum cca_cache_trust trust) {
  struct stat status;
  if (fstat(folder, &status) < 0)
    return CCA_CACHE_FOLDER;
  if (!is_trusted(&status, trust))
    return CCA_CACHE_FOLDER_OWNER;
  return others_may_write(&status) ? CCA_CACHE_FOLDER_MODE : CCA_CACHE_USED;
}

int cca_cache_folder(const char *path, enum cca_cache_trust trust,
                     enum cca_cache_reason *why) {
  int saved = errno, folder = -1;
  *why = CCA_CACHE_FOLDER;
  if (*path == '/')
    folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && (*why = check_folder(folder, trust)) != CCA_CACHE_USED) {
    close(folder);
    folder = -1;
  }
  errno = saved;
  return folder;
}

void cca_cache_folder_make(const char *path) {
  char parent[PATH_MAX];
  int saved = errno;
  size_t len = strlen(path);
  if (*path == '/' && len < sizeof parent) {
    memcpy(parent, path, len + 1);
    while (len > 1 && parent[len - 1] != '/')
      len--;
    parent[len > 1 ? len - 1 : 1] = 0;
    mkdir(parent, 0700);
    mkdir(path, 0700);
  }
  errno = saved;
}

static enum cca_cache_reason check_file(const struct stat *status,
                                        enum cca_cache_trust trust) {
  if (!S_ISREG(status->st_mode))
    return CCA_CACHE_KIND;
  if (!is_trusted(status, trust))
    return CCA_CACHE_OWNER;
  if (others_may_write(status))
    return CCA_CACHE_MODE;
  if (status->st_nlink != 1)
    return CCA_CACHE_LINKS;
  if (status->st_size < CCA_CACHE_PAGE + CCA_CACHE_FOOTER ||
      status->st_size > CCA_CACHE_MAX)
    return CCA_CACHE_SIZE;
  return CCA_CACHE_USED;
}

static enum cca_cache_reason open_and_map(struct cca_cache_file *file,
                                          int folder, const char *name,
                                          enum cca_cache_trust trust) {
  /* Not to wait for who might write into a pipe of that name. */
  file->file =
      openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file->file < 0)
    return errno == ENOENT                     ? CCA_CACHE_ABSENT
           : errno == ELOOP || errno == ENXIO  ? CCA_CACHE_KIND
           : errno == EACCES || errno == EPERM ? CCA_CACHE_OWNER
                                               : CCA_CACHE_ROOM;
  if (fstat(file->file, &file->status) < 0)
    return CCA_CACHE_ROOM;
  enum cca_cache_reason reason = check_file(&file->status, trust);
  if (reason != CCA_CACHE_USED)
    return reason;
  file->len = (size_t)file->status.st_size;
  /* Not by mmap(), as in pages.c. */
  long pages = syscall(SYS_mmap, NULL, file->len, PROT_READ,
                       MAP_PRIVATE | MAP_POPULATE, file->file, 0);
  if (pages == -1)
    return CCA_CACHE_ROOM;
  file->image = (const unsigned char *)pages;
  return CCA_CACHE_USED;
}

enum cca_cache_reason cca_cache_file_open(struct cca_cache_file *file,
                                          int folder, const char *name,
                                          enum cca_cache_trust trust) {
  int saved = errno;
  *file = (struct cca_cache_file){.file = -1};
  enum cca_cache_reason reason = open_and_map(file, folder, name, trust);
  if (reason != CCA_CACHE_USED)
    cca_cache_file_release(file);
  errno = saved;
  return reason;
}

void cca_cache_file_release(struct cca_cache_file *file) {
  int saved = errno;
  if (file->image)
    syscall(SYS_munmap, file->image, file->len);
  if (file->file >= 0)
    close(file->file);
  *file = (struct cca_cache_file){.file = -1};
  errno = saved;
}

void cca_cache_file_touch(const struct cca_cache_file *file) {
  enum { HOUR = 3600 };
  struct timespec now;
  int saved = errno;
  if (clock_gettime(CLOCK_REALTIME, &now) == 0 &&
      now.tv_sec - file->status.st_mtim.tv_sec > HOUR)
    futimens(file->file, NULL);
  errno = saved;
}

/* ---- Writing ---- */

static bool write_all(int file, const unsigned char *bytes, size_t len) {
  while (len) {
    ssize_t done = write(file, bytes, len);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    bytes += done;
    len -= (size_t)done;
  }
  return true;
}

bool cca_cache_publish(int folder, const char *name, const void *image,
                       size_t size, pid_t self) {
  char part[NAME_MAX];
  int saved = errno;
  size_t before = size - CCA_CACHE_FOOTER;
  snprintf(part, sizeof part, "%s.%ld.part", name, (long)self);
  int file = openat(folder, part,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool good = file >= 0;
  if (good) {
    good = write_all(file, image, before) && fsync(file) == 0 &&
           write_all(file, (const unsigned char *)image + before,
                     CCA_CACHE_FOOTER) &&
           fsync(file) == 0;
    good = close(file) == 0 && good;
    good = good && renameat(folder, part, folder, name) == 0;
    if (!good)
      unlinkat(folder, part, 0);
  }
  errno = saved;
  return good;
}
