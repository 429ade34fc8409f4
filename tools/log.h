/* SPDX-License-Identifier: MIT */
/*
 * log.h -- CC_ALLOCS_LOG: what wrapper, analyser and solver did, line by line.
 *
 * None of them prints anything in a build, whose output is the compiler's.
 * This file is where they say why a unit has no summary.
 */
#ifndef CCA_LOG_H
#define CCA_LOG_H

/* Append one line to the file that CC_ALLOCS_LOG names, if it does.  Lines of
 * processes that write at once do not mix. */
void cca_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
