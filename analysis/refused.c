/* SPDX-License-Identifier: MIT */
/*
 * refused.c -- options of the user's compiler that clang refuses.
 *
 * In:    the arguments for the analysis, and what clang said to them.
 * Out:   the arguments without those that it complained of.
 * Holds: an option without which all types would be others is never dropped,
 *        and one without which some might be is told apart.
 *
 * gcc knows processors and ABIs that clang does not, and no list of them would
 * hold for the next version of either.  So clang is asked, and what it says
 * is read: it puts into quotes the option as it was written, its name up to the
 * `=', or its value alone.  A processor only decides what code is made and
 * which instructions the headers offer.
 */
#include "analysis/refused.h"

#include <stddef.h>
#include <string.h>

#include "analysis/clang.h"

/* What begins so may be dropped ... */
static const char *const ours[] = {"-m", "-f", "-std=", NULL};
/* ... but for these, which say how wide a pointer is or where a byte lies ...
 */
static const char *const vital[] = {
    "-m16", "-m32", "-m64", "-mx32", "-mbig-endian", "-mlittle-endian", NULL};
/* ... and without these a type may have another size or layout. */
static const char *const of_layout[] = {
    "-mabi=",         "-mfloat-abi=",      "-mlong-double-",
    "-mms-bitfields", "-mno-ms-bitfields", "-fpack-struct",
    "-fshort-",       "-fno-short-",       NULL};

static bool begins_with(const char *arg, const char *const *list) {
  for (; *list; list++)
    if (!strncmp(arg, *list, strlen(*list)))
      return true;
  return false;
}

/* Does clang mean ARG by the LEN bytes at QUOTED? */
static bool is_meant(const char *arg, const char *quoted, size_t len) {
  const char *equal = strchr(arg, '=');
  size_t name = equal ? (size_t)(equal + 1 - arg) : 0;
  return (strlen(arg) == len && !memcmp(arg, quoted, len)) ||
         (name == len && !memcmp(arg, quoted, len)) ||
         (equal && strlen(equal + 1) == len && len &&
          !memcmp(equal + 1, quoted, len));
}

static void add_word(struct cca_text *list, const char *word) {
  cca_text_addf(list, "%s%s", list->len ? " " : "", word);
}

/* Drop what QUOTED means; false if that is nothing that may be dropped. */
static bool drop(const char **args, const char *quoted, size_t len,
                 struct cca_refused *refused) {
  const char **to = args;
  for (; *args; args++)
    if (begins_with(*args, ours) && !begins_with(*args, vital) &&
        is_meant(*args, quoted, len)) {
      add_word(&refused->options, *args);
      if (begins_with(*args, of_layout))
        add_word(&refused->of_layout, *args);
    } else {
      *to++ = *args;
    }
  *to = NULL;
  return to != args;
}

bool cca_refused_drop(const char **args, const struct cca_text *err,
                      struct cca_refused *refused) {
  struct cca_clang_error error;
  size_t at = 0;
  bool any = false;
  while (cca_clang_next_error(err, &at, &error)) {
    const char *p = error.message, *end = p + error.message_len;
    bool dropped = error.line != 0; /* of the source */
    while (!dropped && (p = memchr(p, '\'', (size_t)(end - p)))) {
      const char *quoted = p + 1;
      p = memchr(quoted, '\'', (size_t)(end - quoted));
      if (!p)
        break;
      dropped = drop(args, quoted, (size_t)(p - quoted), refused);
      any |= dropped;
      p++;
    }
  }
  return any;
}

void cca_refused_release(struct cca_refused *refused) {
  cca_text_release(&refused->options);
  cca_text_release(&refused->of_layout);
}
