/* SPDX-License-Identifier: MIT */
/*
 * generate.h -- programs that nobody wrote, as summaries.
 *
 * In:    how many functions.
 * Out:   units for cca_solve(), and what it must find in them.
 * Holds: the same number gives the same bytes, everywhere.
 */
#ifndef BENCH_GENERATE_H
#define BENCH_GENERATE_H

#include <stddef.h>
#include <stdint.h>

#include "linker_plugin/solver.h"

struct bench_program {
  struct cca_solver_unit *units;
  size_t unit_count;
  struct cca_table *tables; /* of the units, in order; each owns its image */
  uint64_t bytes;           /* of all images */
  uint64_t functions, calls, nodes;

  /* By construction; an inline function of a header counts once. */
  struct bench_answer {
    uint64_t allocators; /* malloc, calloc, realloc, dup */
    uint64_t pointers;   /* … of these, record fields that hold one */
    uint64_t factories;
    uint64_t frees;       /* deallocation functions, and fields */
    uint64_t typed_sites; /* calls that allocate, with one type each */
  } answer;
};

/* The least number of functions that make a program. */
enum { BENCH_MIN_FUNCTIONS = 40 };

/* FUNCTIONS of them, in units of 20 to 60.  Owned by the caller. */
void bench_generate(struct bench_program *program, uint32_t functions);
void bench_program_release(struct bench_program *program);

/* The primitives that such a program calls. */
extern const char bench_primitives[];

#endif
