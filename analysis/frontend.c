/* SPDX-License-Identifier: MIT */
/*
 * frontend.c -- from a C source to LLVM bitcode in which sizeof can be seen.
 *
 * Preprocess, mark, lower.  Where clang refuses an option it is asked again
 * without it (refused.c).  Where it refuses the marked text, the marks on
 * the lines that it names are dropped and it is asked again; what it refuses
 * without any mark is C that it does not know.  So a unit costs one run more
 * where a mark was wrong (13 in 200,000 were) and two where clang cannot parse
 * it, and nobody's marks are lost for somebody else's mistake.
 */
#include "analysis/frontend.h"

#include <string.h>

#include "analysis/clang.h"
#include "analysis/mark.h"
#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"

enum { ROUNDS = 3, TEXT_MAX = 1 << 30 };

/*
 * gcc knows these types without a declaration, and so does text that it has
 * preprocessed.  In text from clang the C library declares them, alike.
 */
static const char gcc_types[] =
    "# 1 \"<built-in>\"\n"
    "typedef float _Float32;typedef double _Float64;typedef double _Float32x;"
    "typedef long double _Float64x;"
#ifdef __SIZEOF_FLOAT128__
    "typedef __float128 _Float128;\n";
#else
    "typedef long double _Float128;\n";
#endif

/* TEXT as it is, or with the types above behind its first line marker, which
 * comes again so that every line keeps its number. */
static void add_gcc_types(struct cca_text *text) {
  if (!text->len || !memmem(text->data, text->len, "_Float", 6))
    return;
  const char *eol = memchr(text->data, '\n', text->len);
  size_t first =
      text->data[0] == '#' && eol ? (size_t)(eol + 1 - text->data) : 0;
  struct cca_text out = {0};
  cca_text_add(&out, text->data, first);
  cca_text_adds(&out, gcc_types);
  if (!first)
    cca_text_adds(&out, "# 1 \"<stdin>\"\n");
  cca_text_add(&out, text->data, text->len);
  cca_text_release(text);
  *text = out;
}

/* Foreign text: gcc's types, and nothing else of it is known. */
static int read_preprocessed(const char *path, struct cca_text *out,
                             struct cca_text *reason) {
  int error = cca_file_read(path, TEXT_MAX, out);
  if (error) {
    cca_text_adds(reason, strerror(error));
    return -1;
  }
  add_gcc_types(out);
  return 0;
}

/* clang's <stdatomic.h> has another kind of functions. */
static bool is_from_gcc(const struct cca_text *text) {
  return text->len && !memmem(text->data, text->len, "__c11_atomic_", 13);
}

static uint64_t digest(const struct cca_text *text) {
  uint64_t hash = cca_hash(0, "", 0);
  const char *p = text->data, *end = p + text->len;
  while (p < end) { /* each stretch without lines of # at once */
    const char *stop = p;
    while (stop < end && *stop != '#') {
      const char *eol = memchr(stop, '\n', (size_t)(end - stop));
      stop = eol ? eol + 1 : end;
    }
    hash = cca_hash(hash, p, (size_t)(stop - p));
    const char *eol = memchr(stop, '\n', (size_t)(end - stop));
    p = eol ? eol + 1 : end;
  }
  return hash;
}

/* Drop the marks on the lines that ERR complains of; how many. */
static size_t drop_refused(struct cca_marks *marks,
                           const struct cca_text *err) {
  struct cca_clang_error error;
  size_t at = 0, dropped = 0;
  while (cca_clang_next_error(err, &at, &error))
    dropped += cca_marks_drop(marks, error.file, error.file_len, error.line);
  return dropped;
}

static int preprocess(const char *path, const char **args,
                      struct cca_text *text, struct cca_frontend_result *out) {
  for (;;) {
    struct cca_text err = {0};
    text->len = out->reason.len = 0;
    int status = cca_preprocess(path, args, text, &err, &out->reason);
    bool again = status && cca_refused_drop(args, &err, &out->refused);
    cca_text_release(&err);
    if (!again)
      return status;
  }
}

/* What clang has to say of the text comes when it takes all options. */
static int lower(const struct cca_text *text, const char **args,
                 struct cca_text *err, struct cca_frontend_result *out) {
  int status;
  do {
    out->bitcode.len = out->reason.len = err->len = 0;
    status = cca_lower(text->data, text->len, args, &out->bitcode, err,
                       &out->reason);
  } while (status && cca_refused_drop(args, err, &out->refused));
  return status;
}

static int lower_marked(struct cca_marks *marks, const char **args,
                        struct cca_frontend_result *out) {
  for (int round = 0;; round++) {
    struct cca_text marked = {0}, err = {0};
    cca_marks_apply(marks, &marked);
    int status = lower(&marked, args, &err, out);
    size_t refused = 0;
    bool last = out->dropped == out->marks;
    if (status && !last) {
      refused = round < ROUNDS ? drop_refused(marks, &err) : 0;
      if (!refused)
        refused = cca_marks_drop_all(marks);
      out->dropped += refused;
    }
    cca_text_release(&marked);
    cca_text_release(&err);
    if (!status || last)
      return status;
  }
}

int cca_frontend_run(const struct cca_frontend_source *source,
                     struct cca_frontend_result *out) {
  *out = (struct cca_frontend_result){0};
  struct cca_text text = {0};
  struct cca_vec(const char *) args = {0};
  for (const char *const *arg = source->args; *arg; arg++)
    cca_vec_push(&args, *arg);
  cca_vec_push(&args, NULL);
  int status = source->preprocessed
                   ? read_preprocessed(source->path, &text, &out->reason)
                   : preprocess(source->path, args.items, &text, out);
  if (!status) {
    out->digest = digest(&text);
    struct cca_marks *marks =
        cca_marks_find(text.len ? text.data : "", text.len,
                       source->preprocessed && is_from_gcc(&text));
    cca_marks_list(marks, &out->marks);
    status = lower_marked(marks, args.items, out);
    cca_marks_free(marks);
  }
  cca_text_release(&text);
  cca_vec_release(&args);
  if (status) {
    out->bitcode.len = 0;
    if (out->refused.options.len)
      cca_text_addf(&out->reason, " (without %s, which clang refuses)",
                    out->refused.options.data);
  }
  return status;
}

void cca_frontend_release(struct cca_frontend_result *result) {
  cca_text_release(&result->bitcode);
  cca_text_release(&result->reason);
  cca_refused_release(&result->refused);
}
