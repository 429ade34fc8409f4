/* SPDX-License-Identifier: MIT */
/*
 * text.h -- a growable byte buffer; always NUL-terminated once written to.
 *
 * Ownership: `data` belongs to the buffer until cca_text_release(); it moves
 * when the buffer grows.  A zeroed struct is an empty buffer.
 * Memory: base/memory.h, so no call here can fail.
 */
#ifndef CCA_TEXT_H
#define CCA_TEXT_H

#include <stddef.h>

struct cca_text {
  char *data; /* NULL while empty */
  size_t len, room;
};

/* Make room for LEN more bytes, which then come without a move. */
void cca_text_reserve(struct cca_text *text, size_t len);

void cca_text_add(struct cca_text *text, const void *bytes, size_t len);
void cca_text_adds(struct cca_text *text, const char *string);
void cca_text_addf(struct cca_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cca_text_release(struct cca_text *text);

/* Behind LEN bytes at TEXT, which is NULL if there are none. */
static inline const char *cca_text_end(const char *text, size_t len) {
  return len ? text + len : text;
}

#endif
