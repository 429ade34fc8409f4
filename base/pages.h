/* SPDX-License-Identifier: MIT */
/*
 * pages.h -- huge pages for the programs of our own that we start.
 *
 * The analyser and the solver are processes that fill fresh memory and end.
 * Had in pages of 4 KiB, each with a fault of its own, it costs them a tenth to
 * a quarter of their time; glibc asks for huge pages if it is told so before
 * main(), which only the environment can do.
 *
 * Guests may use this: memory that cannot be had is no error, nothing is
 * printed.  Threads: from any thread that may read the environment.
 */
#ifndef CCA_PAGES_H
#define CCA_PAGES_H

/*
 * ENVIRONMENT and a setting for glibc's malloc, to start one of our programs
 * with.  Out: an array that the caller releases with free(); its strings are
 * ENVIRONMENT's or constant.  NULL: no memory, or the user has settings, which
 * then hold: pass on ENVIRONMENT itself.
 */
char **cca_pages_environment(char **environment);

#endif
