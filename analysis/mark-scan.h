/* SPDX-License-Identifier: MIT */
/*
 * mark-scan.h -- what mark.c and mark-foreign.c hand to mark-apply.c.
 */
#ifndef CCA_MARK_SCAN_H
#define CCA_MARK_SCAN_H

#include "analysis/mark.h"
#include "analysis/token.h"
#include "base/vec.h"

/* The initialiser of one static object; places are offsets into the text. */
struct cca_thunk {
  bool file_scope;
  uint32_t depth; /* open brackets around the declaration */
  uint32_t name, name_len;
  uint32_t begin, end;
  uint32_t begin_line; /* of the text, as in struct cca_token */
  uint32_t after;      /* behind the declaration's `;`; 0 if it has none */
  uint32_t after_line;
};

/* Text that clang does not know and C can do without; TEXT takes its place, or
 * if that is NULL blanks do. */
struct cca_blank {
  uint32_t begin, end;
  const char *text;
};

struct cca_marks {
  struct cca_tokens tokens; /* its list is empty once the scan is over */
  struct cca_vec(struct cca_mark) marks; /* in the order of the text */
  struct cca_vec(struct cca_thunk) thunks;
  struct cca_vec(struct cca_blank) blanks; /* in the order of the text */
};

/* mark-foreign.c: fill `blanks`. */
void cca__marks_find_blanks(struct cca_marks *marks, bool from_gcc);

#endif
