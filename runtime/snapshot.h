/* SPDX-License-Identifier: MIT */
/*
 * snapshot.h -- write down what was counted until now.
 *
 * The document is that of docs/snapshot.schema.json; `allocs run` reads it.
 * Names come from the modules' classifications, which were checked when they
 * were opened, and are escaped.
 *
 * Signals: may be called from a handler.  Threads: those that run on are not
 *          stopped; what they do meanwhile may or may not be counted.
 */
#ifndef CCA_SNAPSHOT_H
#define CCA_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Why it is written. */
enum cca_moment { CCA_MOMENT_EXIT, CCA_MOMENT_SIGNAL, CCA_MOMENT_INTERVAL };

struct cca_snapshot {
  pid_t pid, parent;
  uint32_t number; /* in its process, for each moment from 0 */
  enum cca_moment moment;
};

/*
 * Write FOLDER/PID.NUMBER, or PID.NUMBER.interval: under another name first, so
 * that whoever sees it sees all of it.  Returns 0 or -1; errno is as it was
 * before.
 */
int cca_snapshot_write(const char *folder, const struct cca_snapshot *snapshot);

/*
 * Write LEN bytes of TEXT to FOLDER/PID.WHAT of this process, for who made the
 * folder: HOW is O_TRUNC or O_APPEND.  A file that would lack a part of TEXT is
 * removed.
 */
void cca_snapshot_say(const char *folder, const char *what, const char *text,
                      size_t len, int how);

#endif
