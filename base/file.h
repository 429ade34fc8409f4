/* SPDX-License-Identifier: MIT */
/*
 * file.h -- a whole file in memory, whether a file is as it was, and the way to
 * our own files.
 */
#ifndef CCA_FILE_H
#define CCA_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "text.h"

/*
 * Add the bytes of the regular file PATH to OUT.  Returns 0, or an errno
 * value: EISDIR and EINVAL for what is no regular file, EFBIG for one of more
 * than MAX bytes.  OUT may then hold a part of it.
 */
int cca_file_read(const char *path, size_t max, struct cca_text *out);

/*
 * Is what stat() said at one time of the same file as at another, and was that
 * not changed between?  By its time of change too, which no program can set
 * back: new rights and new links count as changes.
 */
bool cca_file_is_same(const struct stat *then, const struct stat *now);

/*
 * The path of RELATIVE as seen from the folder of the running program: our
 * programs and libraries find each other so, wherever they were installed.
 * Owned by the caller; NULL if /proc does not tell.
 */
char *cca_file_beside_program(const char *relative);

#endif
