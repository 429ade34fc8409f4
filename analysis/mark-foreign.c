/* SPDX-License-Identifier: MIT */
/*
 * mark-foreign.c -- what gcc accepts and clang does not.
 *
 * Input:     the tokens of a unit.
 * Output:    stretches of text to leave out, for mark-apply.c.
 *
 *   __attribute__((malloc(fclose, 1)))   the arguments go: to clang they are an
 *                                        error, and glibc's headers have them
 *   _Atomic int, _Atomic(int)            in text from gcc _Atomic goes: gcc's
 *                                        <stdatomic.h> becomes __atomic_...(),
 *                                        which clang has for plain types only
 */
#include "analysis/mark-scan.h"

static void add(struct cca_marks *marks, uint32_t begin, uint32_t end,
                const char *text) {
  struct cca_blank blank = {begin, end, text};
  cca_vec_push(&marks->blanks, blank);
}

/* In the parentheses of an attribute, tokens I to END. */
static void blank_arguments(struct cca_marks *marks, uint32_t i, uint32_t end) {
  const struct cca_token *t = marks->tokens.list.items;
  for (; i < end; i++)
    if (t[i].kind == CCA_T_IDENT && t[i + 1].kind == '(' &&
        (cca_token_is(&marks->tokens, &t[i], "malloc") ||
         cca_token_is(&marks->tokens, &t[i], "__malloc__")))
      add(marks, t[i + 1].begin, t[t[i + 1].match].begin + 1, NULL);
}

void cca__marks_find_blanks(struct cca_marks *marks, bool from_gcc) {
  const struct cca_token *t = marks->tokens.list.items;
  for (uint32_t i = 0; t[i].kind != CCA_T_END; i++)
    if (t[i].kind == CCA_T_ATTRIBUTE && t[i + 1].kind == '(') {
      blank_arguments(marks, i + 2, t[i + 1].match);
      i = t[i + 1].match;
    } else if (from_gcc && t[i].kind == CCA_T_TYPEWORD &&
               cca_token_is(&marks->tokens, &t[i], "_Atomic")) {
      add(marks, t[i].begin, t[i].begin + t[i].len,
          t[i + 1].kind == '(' ? "__typeof__" : NULL);
    }
}
