/* SPDX-License-Identifier: MIT */
/*
 * frontend.h -- from a C source to LLVM bitcode in which sizeof can be seen.
 *
 * Three steps, one file each, joined in frontend.c:
 *   preprocess.c   clang -E                  C text without macros
 *   mark.c         a scan over its tokens    every sizeof an address
 *   lower.c        clang -O0 -emit-llvm      bitcode, never executed
 *
 * clang runs in processes of its own, text and bitcode go through pipes, and no
 * file is written.  What clang prints is kept for the reason of a failure and
 * never shown.
 */
#ifndef CCA_FRONTEND_H
#define CCA_FRONTEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/refused.h"
#include "base/text.h"

/* One C source and how to compile it for analysis; all borrowed. */
struct cca_frontend_source {
  const char *path;
  bool preprocessed;       /* the language is cpp-output: skip clang -E */
  const char *const *args; /* what cca_command_parse() kept; NULL at the end */
};

struct cca_frontend_result {
  struct cca_text bitcode; /* owned; empty on failure */
  size_t marks;            /* marks found, thunks' included */
  size_t dropped;          /* of these, how many clang refused */
  uint64_t digest;         /* of the preprocessed text without its lines of #,
                            * so that it is the same in every folder */
  struct cca_refused refused; /* owned; options that clang did not take */
  struct cca_text reason;     /* owned; why there is no bitcode, one line */
};

/*
 * Run the three steps.  Returns 0 and the bitcode, or -1 and the reason.
 * OUT need not be initialised; release it in both cases.
 */
int cca_frontend_run(const struct cca_frontend_source *source,
                     struct cca_frontend_result *out);
void cca_frontend_release(struct cca_frontend_result *result);

#endif
