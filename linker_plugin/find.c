/* SPDX-License-Identifier: MIT */
/*
 * find.c -- which linker would have run without us?
 *
 * In:    the name under which the shim was called, and the environment that
 *        the compiler driver made for it.
 * Out:   the path of the next program of that name.
 *
 * gcc's collect2 looks in COMPILER_PATH, which gcc has filled with its own
 * folders, and then in PATH.  clang looks in COMPILER_PATH, then in the folder
 * that it lies in itself, which is how clang-19 comes to ld.lld 19 where PATH
 * has version 14, and then in PATH.  The same three are searched here; clang's
 * folder is the parent's, if COMPILER_PATH is how the parent found us, and for
 * collect2 it is in COMPILER_PATH already.  A shim is known by its inode, and
 * one of another installation by its file name.
 */
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "find.h"

extern char **environ;

static const char *const kind_names[] = {"unknown", "bfd", "gold", "lld",
                                         "mold"};

const char *cca_linker_kind_name(enum cca_linker_kind kind) {
  return kind_names[kind];
}

enum cca_linker_kind cca_linker_kind_of(const char *name) {
  for (int i = CCA_LINKER_BFD; i <= CCA_LINKER_MOLD; i++)
    if (strcmp(name, kind_names[i]) == 0)
      return (enum cca_linker_kind)i;
  return CCA_LINKER_UNKNOWN;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Is the program at PATH this one, or its like from elsewhere? */
static bool is_shim(const char *path, const struct stat *status) {
  struct stat self;
  char real[PATH_MAX];
  if (stat("/proc/self/exe", &self) == 0 && self.st_dev == status->st_dev &&
      self.st_ino == status->st_ino)
    return true;
  return realpath(path, real) && strcmp(base_name(real), "ld.allocs") == 0;
}

/* Put the program NAME in the LEN bytes of folder name at DIR into FOUND. */
static bool look_in(const char *dir, size_t len, const char *name,
                    char found[PATH_MAX]) {
  struct stat status;
  if (len == 0) {
    dir = ".";
    len = 1;
  }
  int used = snprintf(found, PATH_MAX, "%.*s%s%s", (int)len, dir,
                      dir[len - 1] == '/' ? "" : "/", name);
  return used > 0 && used < PATH_MAX && access(found, X_OK) == 0 &&
         stat(found, &status) == 0 && S_ISREG(status.st_mode) &&
         !is_shim(found, &status);
}

static bool look_along(const char *dirs, const char *name,
                       char found[PATH_MAX]) {
  while (dirs) {
    size_t len = strcspn(dirs, ":");
    if (look_in(dirs, len, name, found))
      return true;
    dirs = dirs[len] == ':' ? dirs + len + 1 : NULL;
  }
  return false;
}

/* Is the folder of PATH one of DIRS? */
static bool is_in(const char *dirs, const char *path) {
  size_t len = (size_t)(base_name(path) - path);
  while (len > 0 && path[len - 1] == '/')
    len--;
  while (dirs && len > 0) {
    size_t dir_len = strcspn(dirs, ":");
    const char *next = dirs[dir_len] == ':' ? dirs + dir_len + 1 : NULL;
    while (dir_len > 0 && dirs[dir_len - 1] == '/')
      dir_len--;
    if (dir_len == len && strncmp(dirs, path, len) == 0)
      return true;
    dirs = next;
  }
  return false;
}

static bool look_beside_parent(const char *name, char found[PATH_MAX]) {
  char link[64], parent[PATH_MAX];
  snprintf(link, sizeof link, "/proc/%ld/exe", (long)getppid());
  ssize_t len = readlink(link, parent, sizeof parent - 1);
  if (len <= 0)
    return false;
  parent[len] = '\0';
  size_t dir_len = (size_t)(base_name(parent) - parent);
  return dir_len > 0 && look_in(parent, dir_len, name, found);
}

bool cca_linker_find(char found[PATH_MAX], const char *name,
                     const char *called) {
  const char *compiler_path = getenv("COMPILER_PATH");
  return look_along(compiler_path, name, found) ||
         (is_in(compiler_path, called) && look_beside_parent(name, found)) ||
         look_along(getenv("PATH"), name, found);
}

static enum cca_linker_kind kind_in(const char *text, const char *bfd) {
  if (strstr(text, "gold"))
    return CCA_LINKER_GOLD;
  if (strstr(text, "mold"))
    return CCA_LINKER_MOLD;
  if (strstr(text, "lld") || strstr(text, "LLD"))
    return CCA_LINKER_LLD;
  return strstr(text, bfd) ? CCA_LINKER_BFD : CCA_LINKER_UNKNOWN;
}

/* What PATH --version prints first. */
static void read_version(const char *path, char *text, size_t room) {
  char version[] = "--version";
  char *argv[] = {(char *)path, version, NULL};
  posix_spawn_file_actions_t actions;
  int ends[2];
  text[0] = '\0';
  if (pipe2(ends, O_CLOEXEC) != 0)
    return;
  pid_t pid;
  posix_spawn_file_actions_init(&actions);
  bool started = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null",
                                                  O_WRONLY, 0) == 0 &&
                 posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0 &&
                 posix_spawn(&pid, path, &actions, NULL, argv, environ) == 0;
  close(ends[1]);
  if (started) {
    size_t len = 0;
    ssize_t n;
    while (len < room - 1 &&
           (n = read(ends[0], text + len, room - 1 - len)) > 0)
      len += (size_t)n;
    text[len] = '\0';
    text[strcspn(text, "\n")] = '\0';
  }
  close(ends[0]);
  if (started)
    waitpid(pid, NULL, 0);
  posix_spawn_file_actions_destroy(&actions);
}

enum cca_linker_kind cca_linker_kind(const char *path) {
  char real[PATH_MAX];
  enum cca_linker_kind kind = CCA_LINKER_UNKNOWN;
  if (realpath(path, real))
    kind = kind_in(base_name(real), "ld.bfd");
  if (kind == CCA_LINKER_UNKNOWN) {
    char text[256];
    read_version(path, text, sizeof text);
    kind = kind_in(text, "GNU ld");
  }
  return kind;
}
