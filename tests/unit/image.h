/* SPDX-License-Identifier: MIT */
/*
 * image.h -- images for the tests of tables, and reading them with care.
 *
 * Link with -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc.
 */
#ifndef IMAGE_H
#define IMAGE_H

#include "check.h"
#include "touch.h"

/* Reading must not allocate: the runtime reads inside malloc. */
static size_t allocations;
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size) { return allocations++, __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) {
  return allocations++, __real_calloc(count, size);
}
void *__wrap_realloc(void *block, size_t size) {
  return allocations++, __real_realloc(block, size);
}

/* One file, one unit.  Layout: docs/table-format.md. */
/* clang-format off */
static const unsigned char tiny[] = {
    0x89, 'c', 'c', 'a', '\r', '\n', 0x1a, '\n', /* magic */
    's', 'u', 'm', 'm', 2, 0, 0, 0,              /* schema, version 2.0 */
    128, 0, 0, 0, 3, 0, 0, 0,                    /* bytes, chunks */
    0, 0, 0, 0, 0, 0, 0, 0,                      /* required, optional */
    /* 32: id, row size, count, offset */
    1, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 80, 0, 0, 0,
    4, 0, 0, 0, 32, 0, 0, 0, 1, 0, 0, 0, 84, 0, 0, 0,
    0xff, 0xff, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 116, 0, 0, 0,
    /* 80: FILE */
    1, 0, 0, 0,                                     /* name */
    /* 84: UNIT */
    5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, /* source ... reason */
    7, 0, 0, 0, 2, 0, 0, 0,                         /* marks, dropped */
    0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01, /* digest */
    /* 116 */
    0, 'a', '.', 'h', 0, 'a', '.', 'c', 0,
    0, 0, 0,                                        /* padding to 128 */
};
/* clang-format on */

/* Open LEN bytes of IMAGE from an exact-size block and touch all of them. */
static inline int read_all(const struct cca_schema *schema, const void *image,
                           size_t len, struct cca_table_error *err) {
  unsigned char *copy = malloc(len ? len : 1);
  memcpy(copy, image, len);

  struct cca_table table;
  size_t before = allocations;
  int status = cca_table_open(&table, schema, copy, len, err);
  if (status == CCA_TABLE_OK)
    touch_table(&table);
  CHECK_U(allocations, before);
  free(copy);
  return status;
}

/* The image of TEXT, owned. */
static inline struct cca_text assemble(const char *text) {
  struct cca_text image = {0};
  struct cca_table_error err = {.text = ""};
  CHECK(cca_text_assemble(text, strlen(text), &image, &err) == CCA_TABLE_OK);
  CHECK_STR(err.text, "");
  return image;
}

/* Two tables as text, and what is said of the one that breaks a rule. */
struct rule {
  const char *good, *bad, *text;
};

static inline void check_rules(const struct cca_schema *schema,
                               const struct rule *rules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct cca_text image = assemble(rules[i].good);
    struct cca_table_error err = {.text = ""};
    CHECK_U(read_all(schema, image.data, image.len, &err), CCA_TABLE_OK);
    image.len = 0;
    CHECK(cca_text_assemble(rules[i].bad, strlen(rules[i].bad), &image, &err) ==
          CCA_TABLE_ERR_CORRUPT);
    CHECK_STR(err.text, rules[i].text);
    cca_text_release(&image);
  }
}

#endif
