/* SPDX-License-Identifier: MIT */
/*
 * clang.h -- clang, in a process of its own, fed and read through pipes; and
 * the two steps of the front end that are such a run.
 */
#ifndef CCA_CLANG_H
#define CCA_CLANG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "base/vec.h"

struct cca_clang_args {
  struct cca_vec(const char *) list; /* without the program's name */
};

/*
 * Run clang with ARGS, the IN_LEN bytes at IN as its standard input, and add
 * what it writes to OUT and ERR.  Of ERR no more than a megabyte is kept.
 *
 * Which clang: CC_ALLOCS_CLANG in the environment; or own-clang.h, where it is
 * linked, in a child that only forks, so that there may be no threads; or the
 * one that cc-allocs was configured with.  Variables that make compilers write
 * files of their own are taken out of its environment.  It dies with us, and
 * its processor time is limited to two minutes, which is a hundred times what
 * the largest units need.  All runs of a process together may last as many
 * seconds as CC_ALLOCS_SECONDS says, or else 600.
 *
 * Returns 0 if it exited with status 0; otherwise -1, and REASON, which may not
 * be NULL, gets one line: the first error that clang reported, or how it ended.
 */
int cca_clang_run(const struct cca_clang_args *args, const char *in,
                  size_t in_len, struct cca_text *out, struct cca_text *err,
                  struct cca_text *reason);

/* One error of clang's, as found in its standard error output. */
struct cca_clang_error {
  const char *file; /* borrowed; not terminated */
  size_t file_len;
  unsigned line;
  const char *message; /* borrowed; not terminated */
  size_t message_len;
};

/* The next error at or after *AT in ERR; false if there is none. */
bool cca_clang_next_error(const struct cca_text *err, size_t *at,
                          struct cca_clang_error *out);

/*
 * preprocess.c: add PATH, preprocessed, to OUT.  ARGS as in frontend.h.  ERR
 * receives what clang had to say.
 */
int cca_preprocess(const char *path, const char *const *args,
                   struct cca_text *out, struct cca_text *err,
                   struct cca_text *reason);

/*
 * lower.c: add the bitcode of the preprocessed text IN to OUT.  ERR receives
 * what clang had to say.
 */
int cca_lower(const char *in, size_t in_len, const char *const *args,
              struct cca_text *out, struct cca_text *err,
              struct cca_text *reason);

#endif
