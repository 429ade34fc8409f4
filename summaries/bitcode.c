/* SPDX-License-Identifier: MIT */
/*
 * bitcode.c -- find our block in LLVM bitcode, and write it.
 *
 * In:    bytes that begin as bitcode does.
 * Out:   the content of our block.
 * Holds: nothing is read outside of the bytes; blocks are stepped over, so the
 *        work is linear in their number.
 *
 * Bits are taken from the lowest of each byte upwards.  A block is
 *   2 bits 1 (on the outermost level), its number and the width of its codes as
 *   numbers of variable size, zeros up to 32 bits, 32 bits: its words, the
 * words and so is ours, with one record of one blob in it, whose code is made
 * by one abbreviation: a dump of the bitcode shows it like any other.
 */
#include <stdint.h>
#include <string.h>

#include "bitcode.h"

enum {
  BLOCK = 99, /* ours: LLVM counts up from 0 and is at 27 */
  ENTER_BLOCK = 1,
  DEFINE = 2, /* an abbreviation */
  FIRST_DEFINED = 4,
  BLOB = 5,
  OUTER_WIDTH = 2,
  WIDTH = 3, /* of codes in our block */
};

/* Reading ------------------------------------------------------------------ */

struct bits {
  const unsigned char *bytes;
  size_t len;
  size_t at; /* bits read */
  bool ended;
};

static uint32_t take(struct bits *b, unsigned width) {
  uint32_t value = 0;
  for (unsigned i = 0; i < width; i++, b->at++) {
    if (b->at / 8 >= b->len) {
      b->ended = true;
      return 0;
    }
    value |= (uint32_t)(b->bytes[b->at / 8] >> b->at % 8 & 1) << i;
  }
  return value;
}

/* A number in pieces of WIDTH bits, the highest of which says that more come.
 */
static uint32_t take_variable(struct bits *b, unsigned width) {
  uint32_t value = 0, more = 1u << (width - 1);
  for (unsigned shift = 0; shift < 32; shift += width - 1) {
    uint32_t piece = take(b, width);
    value |= (piece & (more - 1)) << shift;
    if (!(piece & more))
      return value;
  }
  b->ended = true;
  return 0;
}

static void align(struct bits *b) { b->at = (b->at + 31) / 32 * 32; }

static const unsigned char magic[] = {'B', 'C', 0xc0, 0xde};
static const unsigned char wrapper[] = {0xde, 0xc0, 0x17, 0x0b};

bool cca_bitcode_is(const void *bytes, size_t len) {
  return len >= sizeof magic && (memcmp(bytes, magic, sizeof magic) == 0 ||
                                 memcmp(bytes, wrapper, sizeof wrapper) == 0);
}

/* What stands in our block, LEN bytes at BODY; NULL if it is not as we write
 * it. */
static const unsigned char *read_body(const unsigned char *body, size_t len,
                                      size_t *size) {
  struct bits b = {.bytes = body, .len = len};
  if (take(&b, WIDTH) != DEFINE || take_variable(&b, 5) != 2 ||
      take(&b, 1) != 1 || take_variable(&b, 8) != 1 || take(&b, 1) != 0 ||
      take(&b, 3) != BLOB || take(&b, WIDTH) != FIRST_DEFINED)
    return NULL;
  *size = take_variable(&b, 6);
  align(&b);
  return !b.ended && b.at / 8 <= len && *size <= len - b.at / 8
             ? body + b.at / 8
             : NULL;
}

/* Step over the blocks; the content of our last one into *FOUND, if there is
 * one.  True if they end where the bytes do. */
static bool walk(const void *bytes, size_t len, const unsigned char **found,
                 size_t *size) {
  struct bits b = {.bytes = bytes, .len = len};
  if (len < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
    return false;
  b.at = 8 * sizeof magic;
  while (b.at / 8 < len) {
    if (take(&b, OUTER_WIDTH) != ENTER_BLOCK)
      return false;
    uint32_t number = take_variable(&b, 8);
    take_variable(&b, 4); /* the width of its codes */
    align(&b);
    uint32_t words = take(&b, 32);
    size_t start = b.at / 8, content = 0;
    if (b.ended || words > (len - start) / 4)
      return false;
    const unsigned char *body = b.bytes + start;
    if (number == BLOCK &&
        (body = read_body(body, 4 * (size_t)words, &content))) {
      *found = body;
      *size = content;
    }
    b.at += 32 * (size_t)words;
  }
  return true;
}

bool cca_bitcode_is_open(const void *bytes, size_t len) {
  const unsigned char *found;
  size_t size;
  return walk(bytes, len, &found, &size) && len > sizeof magic;
}

const unsigned char *cca_bitcode_find(const void *bytes, size_t len,
                                      size_t *size) {
  const unsigned char *found = NULL;
  walk(bytes, len, &found, size);
  return found;
}

/* Writing ------------------------------------------------------------------ */

/* Fewer bits than 64 are put before the next alignment. */
struct word {
  uint64_t value;
  unsigned width;
};

static void put(struct word *w, uint32_t value, unsigned width) {
  w->value |= (uint64_t)value << w->width;
  w->width += width;
}

static void put_variable(struct word *w, size_t value, unsigned width) {
  size_t more = (size_t)1 << (width - 1);
  for (; value >= more; value >>= width - 1)
    put(w, (uint32_t)((value & (more - 1)) | more), width);
  put(w, (uint32_t)value, width);
}

/* As many whole words of 32 bits as it needs. */
static void add_word(struct cca_text *out, struct word w) {
  unsigned char bytes[8];
  for (unsigned i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(w.value >> 8 * i);
  cca_text_add(out, bytes, (w.width + 31) / 32 * 4);
}

void cca_bitcode_add(struct cca_text *out, const void *summary, size_t len) {
  static const char zeros[4];
  struct word head = {0}, words = {0}, record = {0};
  put(&head, ENTER_BLOCK, OUTER_WIDTH);
  put_variable(&head, BLOCK, 8);
  put_variable(&head, WIDTH, 4);

  put(&record, DEFINE, WIDTH);
  put_variable(&record, 2, 5); /* of two operands: */
  put(&record, 1, 1);          /* this very number, */
  put_variable(&record, 1, 8);
  put(&record, 0, 1); /* and one coded as */
  put(&record, BLOB, 3);
  put(&record, FIRST_DEFINED, WIDTH);
  put_variable(&record, len, 6);

  size_t padding = (4 - len % 4) % 4;
  size_t body = (record.width + 31) / 32 * 4 + len + padding + 4;
  put(&words, (uint32_t)(body / 4), 32);
  add_word(out, head);
  add_word(out, words);
  add_word(out, record);
  cca_text_add(out, summary, len);
  cca_text_add(out, zeros, padding);
  cca_text_add(out, zeros, 4); /* the end of the block is code 0 */
}
