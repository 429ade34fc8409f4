/* SPDX-License-Identifier: MIT */
/*
 * compiler.h -- which compiler is the user's?
 */
#ifndef CCA_COMPILER_H
#define CCA_COMPILER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { CCA_COMPILER_WORDS = 64 };

struct cca_compiler {
  const char *path;                      /* what to execute; NULL: see why */
  const char *words[CCA_COMPILER_WORDS]; /* argv[0] and what else is first */
  size_t word_count;                     /* at least 1 */
  int consumed;         /* of our own arguments, how many named the compiler */
  const char *triple;   /* target, if the compiler's name has one; or NULL */
  const char *standard; /* c89 or c99, if that is the compiler's name */
  bool cplusplus;       /* every source is C++ to the compiler */
  const char *why;
  char found[PATH_MAX], named[NAME_MAX + 1], target[NAME_MAX + 1]; /* bytes */
};

/*
 * Find it for our own ARGV, in this order:
 *
 *   a link named gcc            the next gcc in PATH that is not ourselves, nor,
 *                               where there is another, what has called us
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
 * What *C points to lives as long as *C and the process's arguments.  No memory
 * is allocated, so that a compiler can be run where there is none.
 */
void cca_compiler_find(struct cca_compiler *c, int argc, char **argv);

#endif
