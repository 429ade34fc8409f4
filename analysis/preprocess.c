/* SPDX-License-Identifier: MIT */
/*
 * preprocess.c -- from a C source to text without macros.
 *
 * clang's own preprocessor with its own predefined macros, whatever the user's
 * compiler is: the text is to be parsed by clang, and headers choose by
 * __clang__ and __has_builtin what a compiler can understand.  Fortified
 * headers would replace calls by inline functions that call something else.
 */
#include "analysis/clang.h"

int cca_preprocess(const char *path, const char *const *args,
                   struct cca_text *out, struct cca_text *err,
                   struct cca_text *reason) {
  struct cca_clang_args clang = {0};
  static const char *const first[] = {
      "-E", "-Wno-everything", "-fno-caret-diagnostics",
      "-fno-color-diagnostics", "-fno-crash-diagnostics"};
  for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
    cca_vec_push(&clang.list, first[i]);
  for (; *args; args++)
    cca_vec_push(&clang.list, *args);
  const char *const last[] = {"-U_FORTIFY_SOURCE", "-x", "c", "--", path};
  for (size_t i = 0; i < sizeof last / sizeof last[0]; i++)
    cca_vec_push(&clang.list, last[i]);

  int status = cca_clang_run(&clang, NULL, 0, out, err, reason);
  cca_vec_release(&clang.list);
  return status;
}
