/* SPDX-License-Identifier: MIT */
/*
 * parallel.h -- one loop on several processors.
 *
 * The loop's numbers are cut into consecutive ranges, one for each thread, so
 * what the threads put aside and is then gathered in their order is the same,
 * however many there were.
 *
 * Threads: all of these may be called from any thread.
 */
#ifndef CCA_PARALLEL_H
#define CCA_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

enum { CCA_THREADS_MAX = 16 };

/* How many threads, from 1 to CCA_THREADS_MAX, COUNT items are worth, if one
 * should have at least LEAST: no more than this process has processors. */
size_t cca_threads_for(size_t count, size_t least);

/*
 * Calls WORK once for each of THREADS ranges [first, end) of 0 … COUNT, with
 * the range's number, and returns when all are done.  The first range is the
 * caller's; a thread that cannot be had leaves its range to the caller as
 * well.  No signal is delivered to the other threads.  WORK must not end the
 * thread; ARG is passed on.
 */
void cca_parallel(size_t threads, size_t count,
                  void (*work)(void *arg, size_t range, size_t first,
                               size_t end),
                  void *arg);

/* Calls WORK twice, once for each of two halves that do not need each other:
 * BESIDE each other, if a thread can be had, else one after the other. */
void cca_parallel_both(bool beside, void (*work)(void *arg, bool second),
                       void *arg);

#endif
