/* SPDX-License-Identifier: MIT */
/*
 * lower.c -- from marked text to bitcode that still reads like the source.
 *
 *   -O0, no passes     always_inline functions stay calls; mem2reg is run
 *                      later, by the extractor
 *   -fsanitize=kcfi    the C type of every function and indirect call
 *   -g                 types of the marks, of locals and parameters; places.
 *                      -g1 has no types and saves a sixth of the time only
 *   -Wno-everything    C as lenient as gcc's: what clang made an error of late
 *                      (implicit int and declarations, pointer mismatches) is
 *                      a warning underneath, and that switch turns it off
 */
#include "analysis/clang.h"

#include <string.h>

/* Options that change C or the target, not what is included: text that is
 * preprocessed has no use for the others. */
static bool is_for_lowering(const char *arg) {
  static const char *const prefixes[] = {"-std=", "-ansi",     "-f",
                                         "-m",    "--target=", NULL};
  for (size_t i = 0; prefixes[i]; i++)
    if (!strncmp(arg, prefixes[i], strlen(prefixes[i])))
      return true;
  return false;
}

int cca_lower(const char *in, size_t in_len, const char *const *args,
              struct cca_text *out, struct cca_text *err,
              struct cca_text *reason) {
  struct cca_clang_args clang = {0};
  static const char *const first[] = {"-x",
                                      "cpp-output",
                                      "-O0",
                                      "-g",
                                      "-c",
                                      "-emit-llvm",
                                      "-o",
                                      "-",
                                      "-fsanitize=kcfi",
                                      "-Xclang",
                                      "-disable-O0-optnone",
                                      "-Xclang",
                                      "-disable-llvm-passes",
                                      "-Wno-everything",
                                      "-ferror-limit=0",
                                      "-fno-caret-diagnostics",
                                      "-fno-color-diagnostics",
                                      "-fno-crash-diagnostics",
                                      "-fdebug-compilation-dir=."};
  for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
    cca_vec_push(&clang.list, first[i]);
  for (; *args; args++)
    if (is_for_lowering(*args))
      cca_vec_push(&clang.list, *args);
  cca_vec_push(&clang.list, "-");

  int status = cca_clang_run(&clang, in, in_len, out, err, reason);
  cca_vec_release(&clang.list);
  return status;
}
