/* SPDX-License-Identifier: MIT */
/*
 * recorder.c -- the first client; see recorder.h.
 *
 * In:  the events of every client: begin, snapshot, fork, end.
 * Out: PID.NUMBER in the folder for each snapshot and for the end (snapshot.h);
 *      PID.at, by which the tables are found from outside.
 *
 * It wants no event of objects: all that it writes the runtime has counted, for
 * each site, when somebody asks.
 */
#include "recorder.h"

#include "atomics.h"
#include "debugger.h"
#include "snapshot.h"
#include "summaries/error.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *folder;
static uint32_t number; /* of the next snapshot */

static void write_snapshot(enum cca_moment moment) {
  const struct cca_snapshot snapshot = {
      getpid(), getppid(), __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED),
      moment};
  cca_snapshot_write(folder, &snapshot);
}

/* For who looks from outside: where our tables are, in FOLDER/PID.at. */
static void say_where(void) {
  char text[64];
  int len = snprintf(text, sizeof text, "%p %ld\n", (const void *)&cca_debugger,
                     (long)getppid());
  cca_snapshot_say(folder, "at", text, (size_t)len, O_TRUNC);
}

static int begin(const char *options, void **data, struct cca_error *err) {
  (void)data;
  if (*options != '/' || strlen(options) >= PATH_MAX)
    return cca_error_set(err, CCA_ERR_IO, 0, "the folder is no absolute path");
  folder = options;
  say_where();
  return CCA_OK;
}

static void forked(void *data) {
  (void)data;
  number = 0;
  say_where();
}

static void snapshot(void *data) {
  (void)data;
  write_snapshot(CCA_MOMENT_SIGNAL);
}

static void end(void *data) {
  (void)data;
  write_snapshot(CCA_MOMENT_EXIT);
}

/* clang-format off */
const struct cca_client cca_recorder = {
    CCA_CLIENT_INTERFACE,
    .id = "cc-allocs.recorder",
    .version = CCA_VERSION,
    .begin = begin,
    .end = end,
    .forked = forked,
    .snapshot = snapshot,
};
/* clang-format on */
