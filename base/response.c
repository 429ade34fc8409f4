/* SPDX-License-Identifier: MIT */
/*
 * response.c -- @file arguments, expanded as compilers and linkers do.
 *
 * The rules are those of GNU libiberty's buildargv(), which clang shares: a
 * backslash quotes the next character everywhere, inside quotes too, and an
 * empty pair of quotes is an empty word.  Files may include themselves, and
 * each other twice: the number of all files together, libiberty's, ends that.
 */
#include "response.h"

#include <ctype.h>

#include "file.h"

enum { DEPTH_MAX = 16, FILES_MAX = 2000 };
static const size_t size_max = 64 << 20;

static void expand(struct cca_response *out, struct cca_arena *arena,
                   const char *arg, unsigned depth);

static void split(struct cca_response *out, struct cca_arena *arena,
                  const char *p, const char *end, unsigned depth) {
  struct cca_text word = {0};
  while (p < end) {
    if (isspace((unsigned char)*p)) {
      p++;
      continue;
    }
    char quote = 0;
    word.len = 0;
    for (; p < end && (quote || !isspace((unsigned char)*p)); p++) {
      if (*p == '\\') {
        if (++p == end)
          break;
        cca_text_add(&word, p, 1);
      } else if (*p == quote) {
        quote = 0;
      } else if (!quote && (*p == '"' || *p == '\'')) {
        quote = *p;
      } else {
        cca_text_add(&word, p, 1);
      }
    }
    expand(out, arena,
           cca_arena_strndup(arena, word.len ? word.data : "", word.len),
           depth);
  }
  cca_text_release(&word);
}

static void expand(struct cca_response *out, struct cca_arena *arena,
                   const char *arg, unsigned depth) {
  struct cca_text file = {0};
  if (arg[0] == '@' && depth < DEPTH_MAX && out->files < FILES_MAX &&
      cca_file_read(arg + 1, size_max - out->bytes, &file) == 0) {
    out->files++;
    out->bytes += file.len;
    split(out, arena, file.data, file.data + file.len, depth + 1);
  } else
    cca_vec_push(&out->args, arg);
  cca_text_release(&file);
}

void cca_response_expand(struct cca_response *out, struct cca_arena *arena,
                         const char *const *args, size_t count) {
  for (size_t i = 0; i < count; i++)
    expand(out, arena, args[i], 0);
}
