/* SPDX-License-Identifier: MIT */
/*
 * compiler.h -- which compiler is the user's?
 */
#ifndef CCA_COMPILER_H
#define CCA_COMPILER_H

#include <stdbool.h>

#include "base/vec.h"

struct cca_compiler {
  const char *path;                   /* what to execute; NULL: see why */
  struct cca_vec(const char *) words; /* argv[0] and what else comes first */
  int consumed;       /* of our own arguments, how many named the compiler */
  const char *triple; /* target, if the compiler's name has one; or NULL */
  const char *why;
};

/*
 * Find it for our own ARGV, in this order:
 *
 *   cc-allocs gcc -c foo.c      the first argument, if it is a program
 *   CC_ALLOCS_CC                its words; the first is the program
 *   <triple>-cc-allocs          <triple>-gcc, -clang or -cc
 *   a link named gcc            the next gcc in PATH that is not ourselves
 *   cc-allocs                   the compiler that we were configured with
 *
 * Memory lives as long as the process.
 */
struct cca_compiler cca_compiler_find(int argc, char **argv);

#endif
