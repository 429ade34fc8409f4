/* SPDX-License-Identifier: MIT */
/*
 * extract.h -- from bitcode to the rows of a summary.
 *
 * The bitcode is what frontend.h makes: unoptimised, with debug information,
 * kcfi type identities, and sizeof and offsetof marked as mark.h says.
 *
 * Trust:     bitcode comes from our own clang; LLVM checks it.  What the walk
 *            does not understand becomes an opaque node, never an error.
 * Memory:    base/memory.h and LLVM's own; run it in a process that may die.
 * Threads:   none.
 * Result:    depends on the request alone; no addresses, times or absolute
 *            paths but those of headers outside the compilation directory.
 */
#ifndef CCA_EXTRACT_H
#define CCA_EXTRACT_H

#include <stddef.h>
#include <stdint.h>

#include "summaries/table.h"

struct cca_extract_request {
  const void *bitcode; /* borrowed */
  size_t bitcode_len;
  const char *source;    /* as named on the command line */
  const char *folder;    /* compilation directory, or NULL: files below it are
                            named relative to it */
  const char *producer;  /* name and version of the analyser */
  enum cca_status status; /* ok or partial, and why not ok; "" if ok */
  const char *reason;
  uint32_t marks, dropped;
  uint64_t digest; /* of the preprocessed text */
};

/*
 * Add the rows of the unit in REQUEST to OUT, a new builder of
 * cca_summary_schema.  Returns 0; or -1 with a line in WHY (WHY_LEN bytes)
 * when the bitcode cannot be read, and then OUT has no rows.
 */
int cca_extract(const struct cca_extract_request *request,
                struct cca_builder *out, char *why, size_t why_len);

#endif
