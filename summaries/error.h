/* SPDX-License-Identifier: MIT */
/*
 * error.h -- filling in what the public libraries say of a failure.
 */
#ifndef CCA_ERROR_H
#define CCA_ERROR_H

#include "ccallocs/error.h"

/* Fill *ERR, which may be NULL: STATUS, OFFSET, and the text by printf. Returns
 * STATUS.  Threads: any. */
int cca_error_set(struct cca_error *err, int status, size_t offset,
                  const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
