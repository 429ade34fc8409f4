/* SPDX-License-Identifier: MIT */
/*
 * folder.c -- a private folder that does not outlive its maker.
 *
 * Nobody can clean up behind himself who is killed, so somebody else does: a
 * child that waits for the end of a pipe, of which the maker alone holds the
 * other end.  It is in a session of its own, out of reach of what is sent to a
 * terminal or a process group, and holds nothing open that others wait for.
 * It is there, and knows the folder's name, before the folder is: hence a name
 * that is drawn here and not by mkdtemp().
 *
 * The file outside is noted in the folder before it has its name, as a link
 * that says its inode number and its path: at no moment is there a file that
 * is not noted, and a file of another number is somebody else's.
 */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char outside[] = "outside";
enum { TRIES = 200, BETWEEN = 10000000 /* ns */, ROOM = 16 << 20 };

static void remove_outside(int fd) {
  char text[PATH_MAX + 32], *path;
  struct stat status;
  ssize_t len = readlinkat(fd, outside, text, sizeof text - 1);
  if (len <= 0)
    return;
  text[len] = 0;
  unsigned long long number = strtoull(text, &path, 10);
  if (*path == ' ' && lstat(path + 1, &status) == 0 && status.st_ino == number)
    unlink(path + 1);
}

static void remove_files(int fd) {
  union { /* what getdents64() fills */
    struct dirent64 first;
    char bytes[4096];
  } list;
  ssize_t len;
  lseek(fd, 0, SEEK_SET);
  while ((len = getdents64(fd, &list, sizeof list)) > 0)
    for (ssize_t at = 0; at < len;) {
      struct dirent64 *entry = (struct dirent64 *)(list.bytes + at);
      if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
        unlinkat(fd, entry->d_name, 0);
      at += entry->d_reclen;
    }
}

/* Somebody may still write into it who has not noticed yet; a folder that is
 * gone stops that. */
static void sweep(const char *path) {
  struct timespec pause = {0, BETWEEN};
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return;
  remove_outside(fd);
  for (int i = 0; i < TRIES; i++) {
    remove_files(fd);
    if (rmdir(path) == 0 || (errno != ENOTEMPTY && errno != EEXIST))
      break;
    nanosleep(&pause, NULL);
  }
  close(fd);
}

/* In the child: wait for the end of GONE, the only file that stays open. */
static _Noreturn void be_sweeper(int gone, const char *path) {
  sigset_t all;
  char byte;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  setsid();
  if (gone != 0 && dup2(gone, 0) < 0)
    _exit(1);
  close_range(1, ~0u, 0);
  while (read(0, &byte, 1) < 0 && errno == EINTR)
    ;
  sweep(path);
  _exit(0);
}

bool cca_folder_has_room(const char *path) {
  struct statvfs disk;
  struct rlimit file;
  if (statvfs(path, &disk) == 0 && disk.f_frsize &&
      disk.f_bavail < ROOM / disk.f_frsize)
    return false;
  return getrlimit(RLIMIT_FSIZE, &file) != 0 || file.rlim_cur >= ROOM;
}

/* Draw the path of a folder that nobody has. */
static bool draw_path(struct cca_folder *folder, const char *name) {
  const char *tmp = getenv("TMPDIR");
  uint64_t number;
  if (!cca_folder_has_room(tmp && *tmp ? tmp : "/tmp")) {
    errno = ENOSPC;
    return false;
  }
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
    return false;
  int len =
      snprintf(folder->path, sizeof folder->path, "%s/%s.%016llx",
               tmp && *tmp ? tmp : "/tmp", name, (unsigned long long)number);
  if (len >= 0 && (size_t)len < sizeof folder->path)
    return true;
  errno = ENAMETOOLONG;
  return false;
}

/* Leave the folder to the sweeper, or KILL it, and wait for it. */
static void end_sweeper(struct cca_folder *folder, bool kill_it) {
  int status = -1;
  if (kill_it)
    kill(folder->sweeper, SIGKILL);
  close(folder->hold);
  while (waitpid(folder->sweeper, &status, 0) < 0 && errno == EINTR)
    ;
  if (status != 0 && !kill_it)
    sweep(folder->path); /* somebody has killed it */
  folder->path[0] = 0;
}

bool cca_folder_make(struct cca_folder *folder, const char *name) {
  int ends[2];
  if (!draw_path(folder, name) || pipe2(ends, O_CLOEXEC) != 0) {
    folder->path[0] = 0;
    return false;
  }
  folder->hold = ends[1];
  folder->sweeper = fork();
  if (folder->sweeper == 0)
    be_sweeper(ends[0], folder->path);
  int error = errno;
  close(ends[0]);
  if (folder->sweeper < 0) {
    close(ends[1]);
    folder->path[0] = 0;
  } else if (mkdir(folder->path, 0700) != 0) {
    error = errno;
    end_sweeper(folder, true);
  }
  errno = error;
  return folder->path[0];
}

bool cca_folder_add_outside(struct cca_folder *folder, const char *path) {
  if (strlen(path) >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  char in[PATH_MAX], from[64], note[PATH_MAX + 32], text[PATH_MAX + 32];
  const char *slash = strrchr(path, '/');
  struct stat status;
  snprintf(in, sizeof in, "%.*s", slash ? (int)(slash - path) + 1 : 1,
           slash ? path : ".");
  int fd = open(in, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0)
    return false;
  snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
  snprintf(note, sizeof note, "%s/%s", folder->path, outside);
  bool made = false;
  if (fstat(fd, &status) == 0 &&
      snprintf(text, sizeof text, "%llu %s", (unsigned long long)status.st_ino,
               path) < PATH_MAX &&
      symlink(text, note) == 0)
    made = linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
  if (!made)
    unlink(note);
  int error = errno;
  close(fd);
  errno = error;
  return made;
}

void cca_folder_remove(struct cca_folder *folder) {
  if (folder->path[0])
    end_sweeper(folder, false);
}
