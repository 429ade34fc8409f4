/* libs: cca_symbols */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-module.c -- any bytes as a module: what is accepted gives a table, the
 * same one again, in which every address has an answer; what is refused says
 * why, and leaves nothing behind.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/build.h"
#include "symbols/lookup.h"
#include "table.h"

static void check_image(const char *path, const struct cca_text *image) {
  struct cca_table table;
  struct cca_error err;
  struct cca_text again = {0};
  MUST(cca_table_open(&table, &cca_symbols_schema, image->data, image->len,
                      NULL) == CCA_TABLE_OK);
  touch_table(&table);
  uint64_t base = (uint64_t)cca_image_at(&table, 0).base;
  for (uint32_t i = 0; i < cca_scope_from_count(&table) && i < 100; i++) {
    struct cca_frame frames[CCA_SCOPE_MAX_DEPTH + 1];
    size_t count;
    cca_lookup_address(&table, base + cca_scope_from_at(&table, i).start,
                       frames, CCA_SCOPE_MAX_DEPTH + 1, &count);
    MUST(count <= CCA_SCOPE_MAX_DEPTH + 1);
  }
  MUST(cca_symbols_build(path, &again, &err) == CCA_OK);
  MUST(same_text(image, &again));
  cca_text_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[40];
  struct cca_text image = {0};
  struct cca_error err = {.text = ""};
  int file = memfd_create("fuzz", MFD_CLOEXEC);
  MUST(file >= 0 && write(file, data, size) == (ssize_t)size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  int status = cca_symbols_build(path, &image, &err);
  if (status == CCA_OK) {
    check_image(path, &image);
  } else {
    bool is_table = size && data[0] == 0x89; /* which may be broken; ours not */
    MUST(
        status == CCA_ERR_NOT_ELF ||
        (is_table && (status == CCA_ERR_CORRUPT || status == CCA_ERR_VERSION)));
    MUST(*err.text && !image.len);
  }
  cca_text_release(&image);
  close(file);
  return 0;
}
