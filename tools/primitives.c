/* SPDX-License-Identifier: MIT */
/*
 * primitives.c -- read the primitives' data file, and the user's own.
 *
 * The installed file is found from the place of the running program,
 * <prefix>/bin/x -> <prefix>/share/cc-allocs/, so that a tree that was moved
 * or a build tree works like an installed one.
 */
#include "primitives.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocs.h"
#include "base/file.h"
#include "log.h"

enum { MAX_BYTES = 1 << 26 };

static const char installed[] = "../share/cc-allocs/primitives.txt";
static const char variable[] = "CC_ALLOCS_PRIMITIVES";

/* Say it, and log it: nobody sees the standard error of a link's solver. */
static void __attribute__((format(printf, 2, 3)))
complain(const char *command, const char *format, ...) {
  char *said = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&said, format, args) < 0)
    said = NULL;
  va_end(args);
  cca_complain(command, "%s", said ? said : strerror(ENOMEM));
  cca_log("allocs %s: %s", command, said ? said : strerror(ENOMEM));
  free(said);
}

int cca_primitives_read(const char *command,
                        struct cca_primitives_text *primitives) {
  struct cca_text *text = &primitives->text;
  char *path = cca_file_beside_program(installed);
  if (!path) {
    complain(command, "cannot find the primitives: /proc does not say "
                      "where this program is; mount it");
    return -1;
  }
  int error = cca_file_read(path, MAX_BYTES, text);
  if (error)
    complain(command,
             "cannot read the primitives, %s: %s; install "
             "cc-allocs again",
             path, strerror(error));
  free(path);
  if (error)
    return -1;
  if (text->len && text->data[text->len - 1] != '\n')
    cca_text_adds(text, "\n");
  for (size_t i = 0; i < text->len; i++)
    primitives->installed_lines += text->data[i] == '\n';

  const char *more = getenv(variable);
  if (!more || !*more)
    return 0;
  error = cca_file_read(more, MAX_BYTES, text);
  if (error) {
    complain(command, "cannot read %s, which %s names: %s", more, variable,
             strerror(error));
    return -1;
  }
  return 0;
}

void cca_primitives_complain(const char *command,
                             const struct cca_primitives_text *primitives,
                             const struct cca_table_error *err) {
  const char *more = getenv(variable);
  if (more && err->offset > primitives->installed_lines)
    complain(command, "%s:%zu: %s", more,
             err->offset - primitives->installed_lines, err->text);
  else
    complain(command, "primitives.txt:%zu: %s", err->offset, err->text);
}

void cca_primitives_release(struct cca_primitives_text *primitives) {
  cca_text_release(&primitives->text);
}
