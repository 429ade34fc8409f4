/* SPDX-License-Identifier: MIT */
/*
 * primitives.c -- read the primitives' data file, and the user's own.
 *
 * The installed file is found from the place of the running program,
 * <prefix>/bin/x -> <prefix>/share/cc-allocs/, so that a tree that was moved
 * or a build tree works like an installed one.
 */
#include "primitives.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum { MAX_BYTES = 1 << 26 };

/* Write the installed file's path to PATH; returns -1 where there is no
 * /proc or the path is too long. */
static int installed_path(char *path, size_t room) {
  char self[PATH_MAX];
  ssize_t len = readlink("/proc/self/exe", self, sizeof self);
  if (len <= 0 || (size_t)len >= sizeof self)
    return -1;
  self[len] = 0;
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(self, '/');
    if (!slash)
      return -1;
    *slash = 0;
  }
  int need = snprintf(path, room, "%s/share/cc-allocs/primitives.txt", self);
  return need < 0 || (size_t)need >= room ? -1 : 0;
}

int cca_primitives_read(struct cca_text *out, char *why, size_t why_room) {
  char path[PATH_MAX];
  if (installed_path(path, sizeof path) < 0) {
    snprintf(why, why_room,
             "cannot find the primitives: /proc/self/exe does not say where "
             "this program is; mount /proc");
    return -1;
  }
  int error = cca_file_read(path, MAX_BYTES, out);
  if (error) {
    snprintf(why, why_room,
             "cannot read the primitives, %s: %s; install cc-allocs again",
             path, strerror(error));
    return -1;
  }

  const char *more = getenv("CC_ALLOCS_PRIMITIVES");
  if (!more || !*more)
    return 0;
  if (out->len && out->data[out->len - 1] != '\n')
    cca_text_adds(out, "\n");
  error = cca_file_read(more, MAX_BYTES, out);
  if (error) {
    snprintf(why, why_room,
             "cannot read %s, which CC_ALLOCS_PRIMITIVES names: "
             "%s",
             more, strerror(error));
    return -1;
  }
  return 0;
}
