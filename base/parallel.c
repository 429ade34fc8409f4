/* SPDX-License-Identifier: MIT */
/*
 * parallel.c -- threads that live for one loop.
 *
 * Starting one takes some 30 microseconds, which is nothing to the loops here;
 * so there is no pool, and nothing outlives the call.
 */
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>

struct range {
  void (*work)(void *arg, size_t range, size_t first, size_t end);
  void *arg;
  size_t number, first, end;
  pthread_t thread;
  bool started;
};

static size_t processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1; /* more of them than the set can hold: better not guess */
  return (size_t)CPU_COUNT(&set);
}

size_t cca_threads_for(size_t count, size_t least) {
  size_t threads = processors(), worth = least ? count / least : count;
  if (threads > worth)
    threads = worth;
  if (threads > CCA_THREADS_MAX)
    threads = CCA_THREADS_MAX;
  return threads ? threads : 1;
}

static void *run(void *range) {
  struct range *r = range;
  r->work(r->arg, r->number, r->first, r->end);
  return NULL;
}

void cca_parallel(size_t threads, size_t count,
                  void (*work)(void *arg, size_t range, size_t first,
                               size_t end),
                  void *arg) {
  struct range ranges[CCA_THREADS_MAX];
  sigset_t all, before;
  if (threads > CCA_THREADS_MAX)
    threads = CCA_THREADS_MAX;
  size_t each = count / threads, more = count % threads, first = 0;
  for (size_t i = 0; i < threads; i++) {
    size_t end = first + each + (i < more);
    ranges[i] = (struct range){work, arg, i, first, end, 0, false};
    first = end;
  }
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (size_t i = 1; i < threads; i++)
    ranges[i].started =
        pthread_create(&ranges[i].thread, NULL, run, &ranges[i]) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  for (size_t i = 0; i < threads; i++)
    if (!ranges[i].started)
      run(&ranges[i]);
  for (size_t i = 1; i < threads; i++)
    if (ranges[i].started)
      pthread_join(ranges[i].thread, NULL);
}

struct halves {
  void (*work)(void *arg, bool second);
  void *arg;
};

static void do_halves(void *halves, size_t range, size_t first, size_t end) {
  (void)range;
  const struct halves *h = halves;
  for (size_t i = first; i < end; i++)
    h->work(h->arg, i == 1);
}

void cca_parallel_both(bool beside, void (*work)(void *arg, bool second),
                       void *arg) {
  cca_parallel(beside ? 2 : 1, 2, do_halves, &(struct halves){work, arg});
}
