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
  int consumed;         /* of our own arguments, how many named the compiler */
  const char *triple;   /* target, if the compiler's name has one; or NULL */
  const char *standard; /* c89 or c99, if that is the compiler's name */
  bool cplusplus;       /* every source is C++ to the compiler */
  const char *why;
};

/*
 * Find it for our own ARGV, in this order:
 *
 *   a link named gcc            the next gcc in PATH that is not ourselves
 *   cc-allocs gcc -c foo.c      the first argument, if it is a program
 *   CC_ALLOCS_CC                its words; the first is the program
 *   <triple>-cc-allocs          <triple>-gcc, -clang or -cc
 *   cc-allocs                   the compiler that we were configured with
 *
 * The folder of such links that is installed is taken out of PATH, for this
 * process and all below it: who looks for a compiler there finds what there
 * would be without us, and nothing that stands in PATH on either side of the
 * folder, a cache for instance, can lead back here.
 *
 * Memory lives as long as the process.
 */
struct cca_compiler cca_compiler_find(int argc, char **argv);

#endif
