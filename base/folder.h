/* SPDX-License-Identifier: MIT */
/*
 * folder.h -- a private folder in TMPDIR that does not outlive its maker.
 *
 * It goes when its maker says so and when its maker dies, be it of SIGKILL.
 * One file outside may be entrusted to it, which goes with it.
 *
 * Memory: none is allocated, so that the folder can be removed where memory is
 * what is missing.
 */
#ifndef CCA_FOLDER_H
#define CCA_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct cca_folder {
  char path[PATH_MAX]; /* empty: there is none */
  int hold;            /* closed, it ends the folder */
  pid_t sweeper;       /* a child of ours */
};

/*
 * Is so much left where the folder PATH is, 16 MiB, and may a file be so long,
 * that we do not take it from those who work there?  So too if nobody can tell.
 */
bool cca_folder_has_room(const char *path);

/*
 * Make a folder $TMPDIR/NAME.XXXXXX, of mode 0700.  False, and errno, if that
 * cannot be, or if there is hardly any room; FOLDER is one that there is not,
 * then.  The maker has one child more from here on, which wait() must not take
 * for another.
 */
bool cca_folder_make(struct cca_folder *folder, const char *name);

/*
 * Make the empty file PATH, which must not be there, and remove it together
 * with FOLDER, unless it is another file by then.  False, and errno, if there
 * is something, or the file system has no nameless files.
 */
bool cca_folder_add_outside(struct cca_folder *folder, const char *path);

/* Remove FOLDER and the files in it; nothing if there is none. */
void cca_folder_remove(struct cca_folder *folder);

#endif
