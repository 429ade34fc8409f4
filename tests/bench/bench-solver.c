/* SPDX-License-Identifier: MIT */
/*
 * bench-solver.c -- how long does the solver take, and how much memory?
 *
 *   bench-solver FUNCTIONS [RUNS [THREADS...]]
 *
 * The runs take the numbers of THREADS in turn; 0, which is the default, is as
 * many as there are processors.  Prints one line: functions, units, bytes of
 * summaries, calls, seconds in the solver (of the fastest of RUNS, 1 if not
 * given), CPU seconds of the same run, and the peak of the process's memory in
 * KiB, summaries included.  Ends with 1 if an answer is not what the program
 * was made to give, or two runs differ.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pages.h"
#include "generate.h"

extern char **environ;

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void solve(const struct bench_program *program, size_t threads,
                  struct cca_solver_result *result) {
  struct cca_solver_request request = {.units = program->units,
                                       .unit_count = program->unit_count,
                                       .threads = threads,
                                       .primitives = bench_primitives,
                                       .primitives_len =
                                           strlen(bench_primitives)};
  struct cca_table_error err;
  if (cca_solve(&request, result, &err) < 0) {
    fprintf(stderr, "the solver: %s\n", err.text);
    exit(1);
  }
}

static struct bench_answer answer_of(const struct cca_solver_result *result) {
  struct bench_answer answer = {0};
  struct cca_table table;
  struct cca_table_error err;
  if (cca_table_open(&table, &cca_classification_schema,
                     result->classification.data, result->classification.len,
                     &err) < 0) {
    fprintf(stderr, "the classification: %s\n", err.text);
    exit(1);
  }
  for (uint32_t i = 0; i < cca_alloc_count(&table); i++) {
    struct cca_alloc alloc = cca_alloc_at(&table, i);
    bool pointer = alloc.flags & CCA_ALLOC_FLAGS_POINTER;
    if (alloc.kind == CCA_KIND_FREE)
      answer.frees++;
    else if (alloc.kind == CCA_KIND_FACTORY)
      answer.factories++;
    else {
      answer.allocators++;
      answer.pointers += pointer;
    }
  }
  for (uint32_t i = 0; i < cca_allocsite_count(&table); i++)
    answer.typed_sites +=
        cca_allocsite_at(&table, i).class == CCA_SITE_CLASS_TYPED;
  return answer;
}

static int differs(const char *what, uint64_t got, uint64_t want) {
  if (got != want)
    fprintf(stderr, "%s: %llu, not %llu\n", what, (unsigned long long)got,
            (unsigned long long)want);
  return got != want;
}

int main(int argc, char **argv) {
  long functions = argc > 1 ? atol(argv[1]) : 0;
  int runs = argc > 2 ? atoi(argv[2]) : 1;
  if (functions < BENCH_MIN_FUNCTIONS || functions > 100000000 || runs < 1) {
    fprintf(stderr, "usage: bench-solver FUNCTIONS [RUNS [THREADS...]]\n");
    return 2;
  }
  struct bench_program program;
  struct cca_solver_result first = {0};
  double least = 0, least_cpu = 0;
  int failed = 0;
  char **own = cca_pages_environment(environ); /* as at a link */
  if (own)
    execve("/proc/self/exe", argv, own);
  cca_memory_keep(); /* as allocs solve does */
  bench_generate(&program, (uint32_t)functions);
  for (int run = 0; run < runs; run++) {
    struct cca_solver_result result;
    size_t threads =
        argc > 3 ? strtoul(argv[3 + run % (argc - 3)], NULL, 10) : 0;
    double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    double start = seconds_of(CLOCK_MONOTONIC);
    solve(&program, threads, &result);
    double seconds = seconds_of(CLOCK_MONOTONIC) - start;
    if (!run || seconds < least) {
      least = seconds;
      least_cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    }
    if (!run) {
      first = result;
      continue;
    }
    if (result.classification.len != first.classification.len ||
        memcmp(result.classification.data, first.classification.data,
               first.classification.len) != 0)
      failed |= differs("runs with the same bytes", 0, 1);
    cca_solver_result_release(&result);
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%llu %zu %llu %llu %.3f %.3f %ld\n",
         (unsigned long long)program.functions, program.unit_count,
         (unsigned long long)program.bytes, (unsigned long long)program.calls,
         least, least_cpu, usage.ru_maxrss);

  struct bench_answer got = answer_of(&first), want = program.answer;
  failed |= differs("allocation functions", got.allocators, want.allocators);
  failed |= differs("fields that hold one", got.pointers, want.pointers);
  failed |= differs("factories", got.factories, want.factories);
  failed |= differs("deallocation functions", got.frees, want.frees);
  failed |= differs("typed sites", got.typed_sites, want.typed_sites);
  cca_solver_result_release(&first);
  bench_program_release(&program);
  return failed;
}
