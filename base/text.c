/* SPDX-License-Identifier: MIT */
/* text.c -- the growable byte buffer of text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void cca_text_reserve(struct cca_text *text, size_t len) {
  if (text->room - text->len > len)
    return;
  size_t grow = text->room / 2 + 64;
  size_t want = text->len + (len > grow ? len : grow);
  text->data = cca_realloc(text->data, want + 1, 1);
  text->room = want + 1;
}

void cca_text_add(struct cca_text *text, const void *bytes, size_t len) {
  cca_text_reserve(text, len);
  if (len)
    memcpy(text->data + text->len, bytes, len);
  text->len += len;
  text->data[text->len] = 0;
}

void cca_text_adds(struct cca_text *text, const char *string) {
  cca_text_add(text, string, strlen(string));
}

void cca_text_addf(struct cca_text *text, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, format, args);
  if (len >= 0) {
    cca_text_reserve(text, (size_t)len);
    vsnprintf(text->data + text->len, (size_t)len + 1, format, again);
    text->len += (size_t)len;
  }
  va_end(again);
  va_end(args);
}

void cca_text_release(struct cca_text *text) {
  free(text->data);
  *text = (struct cca_text){0};
}
