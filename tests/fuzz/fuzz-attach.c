/* libs: cca_attach */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-attach.c -- any bytes as an object that gets a summary.
 *
 * It is refused and untouched, or it has afterwards the sections that it had,
 * with the same content, and the summary; bitcode has one block more.
 */
#include <stdlib.h>

#include "analysis/attach.h"
#include "summaries/bitcode.h"
#include "summaries/elf.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char summary[] = "the summary";

static void check_attached(const uint8_t *data, size_t size,
                           const struct cca_text *now) {
  struct cca_elf old, elf;
  struct cca_elf_section was, is;
  if (cca_bitcode_is(data, size)) {
    size_t len = 0;
    const unsigned char *found = cca_bitcode_find(now->data, now->len, &len);
    MUST(found && len == sizeof summary && memcmp(found, summary, len) == 0);
    MUST(memcmp(now->data, data, size) == 0);
    return;
  }
  MUST(!cca_elf_open(&old, data, size));
  MUST(!cca_elf_open(&elf, now->data, now->len));
  unsigned found = 0;
  for (uint32_t i = 1; i < elf.section_count; i++) {
    MUST(cca_elf_section_at(&elf, i, &is));
    if (strcmp(is.name, ".cc_allocs") == 0) {
      found++;
      MUST(is.size == sizeof summary);
      MUST(memcmp(is.bytes, summary, sizeof summary) == 0);
    } else {
      MUST(cca_elf_section_at(&old, i, &was));
      MUST(strcmp(is.name, was.name) == 0);
      MUST(is.link == was.link && is.flags == was.flags);
      MUST(is.size == was.size || i == old.name_section);
      MUST(!is.bytes || memcmp(is.bytes, was.bytes, was.size) == 0);
    }
  }
  MUST(found == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cca_text now = {0}, tail = {0};
  struct cca_attach_error err = {.text = ""};
  unsigned char *image = malloc(size ? size : 1);
  MUST(image);
  if (size)
    memcpy(image, data, size);
  int status = cca_attach_image(image, size, summary, sizeof summary,
                                CCA_ATTACH_REPLACE, &tail, &err);
  if (status < 0) {
    MUST(err.status == status && err.text[0]);
    MUST(memcmp(image, data, size) == 0);
  } else {
    cca_text_add(&now, image, size);
    cca_text_add(&now, tail.data, tail.len);
    check_attached(data, size, &now);
  }
  free(image);
  cca_text_release(&now);
  cca_text_release(&tail);
  return 0;
}
