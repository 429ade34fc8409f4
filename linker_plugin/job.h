/* SPDX-License-Identifier: MIT */
/*
 * job.h -- the files and command lines of one link.
 *
 * A link has a private folder in TMPDIR, through which the shim, the plugin
 * and `allocs solve` talk:
 *
 *   arguments   the linker's arguments, each ended by a zero byte  (shim)
 *   inputs      see plugin.c; not there for lld and mold         (plugin)
 *   plan        see plan.h                                        (solve)
 *   note.o      the placeholder                                   (solve)
 *   map         the link map, if the user did not ask for one    (linker)
 *
 * If the names of inputs are shown to the user (a map, --dependency-file, -t),
 * the placeholder is OUTPUT.cc_allocs.o for the time of the link instead, so
 * that what is shown does not vary; the dependency file is freed of it again.
 * Folder and placeholder do not outlive the shim (base/folder.h).
 *
 * Memory: base/memory.h.
 */
#ifndef CCA_JOB_H
#define CCA_JOB_H

#include <stdbool.h>

#include "base/folder.h"
#include "find.h"
#include "line.h"

struct cca_job {
  const struct cca_line *line; /* borrowed */
  enum cca_linker_kind kind;
  struct cca_folder folder;
  char *dir; /* its path; borrowed */
  char *plugin, *note;
  char **solve; /* argv of `allocs solve`; NULL-terminated, as the next three */
  char **patch; /* argv that fills in the addresses */
  char **keep;  /* argv that gives a relocatable output its summaries */
  int argc;     /* the linker's arguments, without its name; borrowed */
  char **argv;
  struct cca_arena arena;
};

/* GNU ld and gold. */
bool cca_linker_has_plugins(enum cca_linker_kind kind);

/* Make the folder and the argument vectors.  Returns 0, or -1 with nothing
 * left behind. */
int cca_job_begin(struct cca_job *job, const struct cca_line *line,
                  enum cca_linker_kind kind, int argc, char **argv);

/* The argv of the link itself; WITH_NOTE: the placeholder is ready, for
 * linkers without plugins.  Borrowed from JOB. */
char **cca_job_link(struct cca_job *job, char *linker, bool with_note);

/* Free the dependency file of the placeholder, after a link. */
void cca_job_clean(struct cca_job *job);

/* Remove the folder and all traces of it; allocates nothing. */
void cca_job_end(struct cca_job *job);

#endif
