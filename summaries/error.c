/* SPDX-License-Identifier: MIT */
/*
 * error.c -- one line for people beside a status for programs.
 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int cca_error_set(struct cca_error *err, int status, size_t offset,
                  const char *format, ...) {
  if (err) {
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->status = status;
    err->offset = offset;
  }
  return status;
}
