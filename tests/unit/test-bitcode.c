/* libs: cca_summaries */
/* SPDX-License-Identifier: MIT */
/*
 * test-bitcode.c -- our block behind bitcode: its very bytes, which one counts,
 * and no byte that could lead the reader astray.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "summaries/bitcode.h"

/* The magic number, and a block 8 of two words. */
static const char plain[] = "BC\xc0\xde\x21\x0c\0\0\x02\0\0\0two word";
static const char ours[] = "\x8d\x0d\0\0"     /* enter block 99 */
                           "\x03\0\0\0"       /* three words: */
                           "\x12\x03\x94\x03" /* a blob of 3 bytes */
                           "abc\0"
                           "\0\0\0\0"; /* end */

enum { PLAIN = sizeof plain - 1, OURS = sizeof ours - 1 };

/* The blob of a copy of exactly LEN bytes, as a string in TEXT. */
static const char *find(const char *bytes, size_t len, char *text) {
  char *copy = malloc(len ? len : 1);
  memcpy(copy, bytes, len);
  size_t size = 0;
  const unsigned char *found = cca_bitcode_find(copy, len, &size);
  CHECK(!found || ((const char *)found >= copy &&
                   size <= len - (size_t)((const char *)found - copy)));
  if (found) {
    memcpy(text, found, size < 16 ? size : 16);
    text[size < 16 ? size : 16] = '\0';
  }
  free(copy);
  return found ? text : NULL;
}

static void test_bytes(void) {
  struct cca_text out = {0};
  cca_bitcode_add(&out, "abc", 3);
  CHECK_U(out.len, OURS);
  CHECK(memcmp(out.data, ours, OURS) == 0);
  cca_text_release(&out);
}

static void test_any_length(void) {
  static const size_t lengths[] = {0,  1,    4,    31,    32,
                                   33, 1023, 1024, 40000, 1 << 20};
  char *long_one = calloc(1, 1 << 20);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    struct cca_text out = {0};
    size_t size = 99;
    cca_text_add(&out, plain, PLAIN);
    cca_bitcode_add(&out, long_one, lengths[i]);
    CHECK_U(out.len % 4, 0);
    CHECK(cca_bitcode_is_open(out.data, out.len));
    CHECK(cca_bitcode_find(out.data, out.len, &size) != NULL);
    CHECK_U(size, lengths[i]);
    cca_text_release(&out);
  }
  free(long_one);
}

static void test_what_is_open(void) {
  CHECK(cca_bitcode_is(plain, PLAIN) && cca_bitcode_is_open(plain, PLAIN));
  CHECK(!cca_bitcode_is_open(plain, PLAIN - 4)); /* a block that is cut */
  CHECK(!cca_bitcode_is_open(plain, 4));         /* no block at all */
  CHECK(cca_bitcode_is("\xde\xc0\x17\x0b", 4));
  CHECK(!cca_bitcode_is_open("\xde\xc0\x17\x0b", 4));
  CHECK(!cca_bitcode_is("\x7f"
                        "ELF",
                        4));
  CHECK(!cca_bitcode_is("BC\xc0", 3));
}

static void test_the_last_one_counts(void) {
  struct cca_text out = {0};
  char text[20];
  cca_text_add(&out, plain, PLAIN);
  CHECK_STR(find(out.data, out.len, text), NULL);
  cca_bitcode_add(&out, "first", 5);
  CHECK_STR(find(out.data, out.len, text), "first");
  cca_bitcode_add(&out, "second", 6);
  CHECK_STR(find(out.data, out.len, text), "second");
  cca_text_release(&out);
}

static void test_every_truncation_and_byte(void) {
  struct cca_text out = {0};
  char text[20];
  cca_text_add(&out, plain, PLAIN);
  cca_text_add(&out, ours, OURS);
  for (size_t len = 0; len < out.len; len++)
    CHECK_STR(find(out.data, len, text), NULL);
  for (size_t at = 0; at < out.len; at++)
    for (unsigned change = 1; change < 256; change++) {
      out.data[at] ^= (char)change;
      find(out.data, out.len, text);
      out.data[at] ^= (char)change;
    }
  /* Longer than its block: no blob, though it would be inside the file. */
  out.data[PLAIN + 11] = 16;
  CHECK_STR(find(out.data, out.len, text), NULL);
  out.data[PLAIN + 11] = 8; /* as long as what is left of it: one */
  CHECK_STR(find(out.data, out.len, text), "abc");
  cca_text_release(&out);
}

int main(void) {
  RUN(test_bytes);
  RUN(test_any_length);
  RUN(test_what_is_open);
  RUN(test_the_last_one_counts);
  RUN(test_every_truncation_and_byte);
  return check_done();
}
