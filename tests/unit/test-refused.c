/* libs: cca_frontend */
/* SPDX-License-Identifier: MIT */
/*
 * test-refused.c -- the options that clang's errors name are dropped, and no
 * others; what says how wide a pointer is never is.
 *
 * The messages are those of clang 19.
 */
#include "analysis/refused.h"

#include <stdlib.h>

#include "check.h"

/* What is left of ARGS, words with blanks between them, after clang has said
 * ERR; then what was dropped, and behind '!' what of it matters to types. */
static void check(const char *args, const char *err, const char *want) {
  const char *words[16];
  size_t count = 0;
  char *copy = strdup(args), *rest = copy;
  struct cca_text said = {0}, got = {0};
  struct cca_refused refused = {0};
  for (char *word; (word = strsep(&rest, " "));)
    words[count++] = word;
  words[count] = NULL;
  cca_text_adds(&said, err);
  bool any = cca_refused_drop(words, &said, &refused);
  cca_text_adds(&got, "");
  for (const char **word = words; *word; word++)
    cca_text_addf(&got, "%s ", *word);
  cca_text_addf(&got, "- %s", any ? refused.options.data : "nothing");
  if (refused.of_layout.len)
    cca_text_addf(&got, " ! %s", refused.of_layout.data);
  CHECK_STR(got.data, want);
  cca_refused_release(&refused);
  cca_text_release(&got);
  cca_text_release(&said);
  free(copy);
}

static void test_named_in_three_ways(void) {
  check("-Ia -march=intel -O2", "error: unknown target CPU 'intel'\n",
        "-Ia -O2 - -march=intel");
  check("-mfpu=neon -DX",
        "clang: error: unsupported option '-mfpu=' for target 'x86_64-linux'\n",
        "-DX - -mfpu=neon");
  check("-mbmix -mbmi2",
        "clang: error: unknown argument '-mbmix'; did you mean '-mbmi2'?\n",
        "-mbmi2 - -mbmix");
  check("-std=c99x -DV=c99x", "error: invalid value 'c99x' in '-std=c99x'\n",
        "-DV=c99x - -std=c99x");
}

static void test_all_errors_are_read(void) {
  check("-msse5 -mavx2 -msse5 -mavx5",
        "clang: error: unknown argument '-msse5'; did you mean '-msse4'?\n"
        "clang: warning: argument unused: '-mavx2'\n"
        "clang: error: unknown argument: '-mavx5'\n",
        "-mavx2 - -msse5 -msse5 -mavx5");
}

static void test_layout(void) {
  check("-mabi=ms -O2 -mcpu=i7",
        "clang: error: unsupported option '-mcpu=' for target 'x86_64-linux'\n"
        "clang: error: unsupported option '-mabi=' for target 'x86_64-linux'\n",
        "-O2 - -mcpu=i7 -mabi=ms ! -mabi=ms");
  check("-fshort-double", "clang: error: unknown argument: '-fshort-double'\n",
        "- -fshort-double ! -fshort-double");
}

/* The twins: nothing is dropped, and asking again would be of no use. */
static void test_what_stays(void) {
  check("-m32 -O2",
        "clang: error: unsupported option '-m32' for target 'avr'\n",
        "-m32 -O2 - nothing");
  check("--target=foo-bar", "error: unknown target triple 'foo-bar'\n",
        "--target=foo-bar - nothing");
  check("-march=intel", "a.c:3:5: error: use of undeclared 'intel'\n",
        "-march=intel - nothing"); /* of the source */
  check("-march=intel", "error: unknown target CPU ''\n",
        "-march=intel - nothing");
  check("-march=intel", "error: unknown target CPU 'intel\n",
        "-march=intel - nothing");
  check("-ffile-prefix-map=a=foo -march=x", "error: no 'foo' in 'a'\n",
        "-ffile-prefix-map=a=foo -march=x - nothing");
  check("-march=x", "", "-march=x - nothing");
}

int main(void) {
  RUN(test_named_in_three_ways);
  RUN(test_all_errors_are_read);
  RUN(test_layout);
  RUN(test_what_stays);
  return check_done();
}
