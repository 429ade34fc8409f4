/* SPDX-License-Identifier: MIT */
/*
 * ccallocs/error.h -- how functions of our libraries say what went wrong.
 *
 * They return CCA_OK or a negative enum cca_error_code.  The detail goes into a
 * struct that the caller owns; every parameter of its type may be NULL.
 */
#ifndef CCALLOCS_ERROR_H
#define CCALLOCS_ERROR_H

#include <stddef.h>

#if defined(__GNUC__)
#define CCA_API __attribute__((visibility("default")))
#else
#define CCA_API
#endif

enum cca_error_code {
  CCA_OK = 0,
  CCA_ERR_IO = -1,          /* the file cannot be opened or read; see errno */
  CCA_ERR_NOT_ELF = -2,     /* no ELF file, or a broken one */
  CCA_ERR_NOT_FOUND = -3,   /* the file carries no classification; no object or
                               symbol is there */
  CCA_ERR_VERSION = -4,     /* ... one of a major version that is not ours */
  CCA_ERR_CORRUPT = -5,     /* ... one that breaks a rule of its format */
  CCA_ERR_MEMORY = -6,      /* out of memory */
  CCA_ERR_NO_LINE = -7,     /* no line is known; the function's name is valid */
  CCA_ERR_NO_MODULE = -8,   /* there is no such module */
  CCA_ERR_STALE = -9,       /* another module has taken its place */
  CCA_ERR_NOT_READY = -10,  /* it is not there yet */
  CCA_ERR_TIMED_OUT = -11,  /* it was not there in time; it may come yet */
  CCA_ERR_SERVER_GONE = -12, /* there is no server, or it ended before it came */
  CCA_ERR_REFUSED = -13      /* it does not want to, or is not wanted */
};

struct cca_error {
  int status;     /* CCA_OK or an enum cca_error_code */
  size_t offset;  /* CCA_ERR_VERSION, _CORRUPT: byte of the classification */
  char text[160]; /* for people; NUL-terminated */
};

#endif
