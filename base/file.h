/* SPDX-License-Identifier: MIT */
/*
 * file.h -- a whole file in memory, and the way to our own files.
 */
#ifndef CCA_FILE_H
#define CCA_FILE_H

#include "text.h"

/*
 * Add the bytes of the regular file PATH to OUT.  Returns 0, or an errno
 * value: EISDIR and EINVAL for what is no regular file, EFBIG for one of more
 * than MAX bytes.  OUT may then hold a part of it.
 */
int cca_file_read(const char *path, size_t max, struct cca_text *out);

/*
 * The path of RELATIVE as seen from the folder of the running program: our
 * programs and libraries find each other so, wherever they were installed.
 * Owned by the caller; NULL if /proc does not tell.
 */
char *cca_file_beside_program(const char *relative);

#endif
