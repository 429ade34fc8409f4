/* SPDX-License-Identifier: MIT */
/*
 * response.h -- @file arguments, expanded as compilers and linkers do.
 */
#ifndef CCA_RESPONSE_H
#define CCA_RESPONSE_H

#include <stddef.h>

#include "memory.h"
#include "vec.h"

struct cca_response {
  struct cca_vec(const char *) args;
  size_t files, bytes; /* read so far */
};

/*
 * Append the COUNT strings of ARGS to OUT, each @file among them replaced by
 * the words in that file: separated by white space, quoted by ' or ", with a
 * backslash before any character that is to be taken as it is.  Words that
 * begin with @ are expanded likewise, relative to the working directory.  An
 * @file that cannot be read is an argument like others, and so is one nested
 * deeper than 16, behind 2000 others, or that brings them beyond 64 MiB.  New strings are borrowed from ARENA, the
 * others from ARGS.  Release with cca_vec_release(&out->args).
 */
void cca_response_expand(struct cca_response *out, struct cca_arena *arena,
                         const char *const *args, size_t count);

#endif
