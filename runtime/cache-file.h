/* SPDX-License-Identifier: MIT */
/*
 * cache-file.h -- files that others must not be able to change, nor to be led
 * to: the folder and the files of caches.
 *
 * All is asked of what was opened, never of a name, so that what was checked is
 * what is read.  What is the user's own (or the superuser's, in a shared
 * folder) and writable by nobody else is trusted to be what its checksum says.
 *
 * Memory:  allocates nothing.  Threads, signals: any; errno is kept.
 */
#ifndef CCA_CACHE_FILE_H
#define CCA_CACHE_FILE_H

#include "cache-image.h"

#include <sys/stat.h>
#include <sys/types.h>

/* Whose a folder and its files may be. */
enum cca_cache_trust {
  CCA_CACHE_OWN,    /* the user's */
  CCA_CACHE_SHARED, /* the user's or the superuser's; only read */
};

/*
 * Open the folder PATH, an absolute one.  Returns a descriptor, which the
 * caller closes, or -1 with the reason in *WHY.
 */
int cca_cache_folder(const char *path, enum cca_cache_trust trust,
                     enum cca_cache_reason *why);

/* Make the folder PATH with mode 0700, and its last parent, if they are not
 * there. */
void cca_cache_folder_make(const char *path);

struct cca_cache_file {
  const unsigned char *image; /* mapped, read-only and shared */
  size_t len;
  struct stat status; /* as it was */
  int file;           /* open for reading */
};

/*
 * Open and map NAME in FOLDER.  CCA_CACHE_USED, and FILE is released by
 * cca_cache_file_release(); or a reason from CCA_CACHE_ABSENT to
 * CCA_CACHE_SIZE, or CCA_CACHE_ROOM, and there is nothing to release.  What its
 * bytes say is not looked at.
 */
enum cca_cache_reason cca_cache_file_open(struct cca_cache_file *file,
                                          int folder, const char *name,
                                          enum cca_cache_trust trust);
void cca_cache_file_release(struct cca_cache_file *file);

/* That FILE was used, for who looks for room: not more often than each hour. */
void cca_cache_file_touch(const struct cca_cache_file *file);

/*
 * Publish SIZE bytes at IMAGE as NAME in FOLDER, which is of trust
 * CCA_CACHE_OWN: all but the footer into a new file, that onto the disk, the
 * footer behind it, that too, and only then the name.  True if it is there.
 * Whatever goes wrong, NAME is what it was, or all of the new file; SELF, the
 * process, makes the name of the new file one that no other writer has.
 */
bool cca_cache_publish(int folder, const char *name, const void *image,
                       size_t size, pid_t self);

#endif
