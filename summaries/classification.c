/* SPDX-License-Identifier: MIT */
/*
 * classification.c -- libccallocs: the public reader of classifications.
 *
 * In:  an ELF file, in memory or mapped.
 * Out: the accessors of include/ccallocs/classification.h, over the table that
 *      was checked once.
 *
 * The library is a guest in its user's process: it allocates one struct, never
 * prints and never exits.
 */
#include "ccallocs/classification.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "note.h"
#include "table.h"

struct cca_classification {
  struct cca_table table;
  void *mapping; /* owned; NULL if the image is the caller's */
  size_t mapping_len;
};

/* Open the table of the first of our notes in IMAGE. */
static int open_table(struct cca_table *table, const void *image, size_t len,
                      struct cca_error *err) {
  struct cca_elf elf;
  struct cca_note note;
  struct cca_note_cursor cursor = {0};
  const char *wrong = cca_elf_open(&elf, image, len);
  if (wrong)
    return cca_error_set(err, CCA_ERR_NOT_ELF, 0, "%s", wrong);
  if (!cca_note_next(&elf, &cursor, &note))
    return cca_error_set(err, CCA_ERR_NOT_FOUND, 0, "no classification");
  if (!note.whole)
    return cca_error_set(err, CCA_ERR_CORRUPT, 0,
                         "the note leaves its segment");

  struct cca_table_error detail = {0};
  switch (cca_table_open(table, &cca_classification_schema, note.content,
                         note.len, &detail)) {
  case CCA_TABLE_OK:
    return CCA_OK;
  case CCA_TABLE_ERR_VERSION:
  case CCA_TABLE_ERR_OLDER:
    return cca_error_set(err, CCA_ERR_VERSION, detail.offset, "%s",
                         detail.text);
  default:
    return cca_error_set(err, CCA_ERR_CORRUPT, detail.offset, "%s",
                         detail.text);
  }
}

int cca_classification_open_mem(struct cca_classification **out,
                                const void *image, size_t len,
                                struct cca_error *err) {
  struct cca_table table;
  *out = NULL;
  int status = open_table(&table, image, len, err);
  if (status != CCA_OK)
    return status;
  struct cca_classification *c = calloc(1, sizeof *c);
  if (!c)
    return cca_error_set(err, CCA_ERR_MEMORY, 0, "out of memory");
  c->table = table;
  *out = c;
  return cca_error_set(err, CCA_OK, 0, "%s", "");
}

int cca_classification_open(struct cca_classification **out, const char *path,
                            struct cca_error *err) {
  *out = NULL;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat stat;
  if (file < 0)
    return cca_error_set(err, CCA_ERR_IO, 0, "%s: %s", path, strerror(errno));
  if (fstat(file, &stat) < 0 || !S_ISREG(stat.st_mode)) {
    close(file);
    return cca_error_set(err, CCA_ERR_IO, 0, "%s: not a regular file", path);
  }
  size_t len = (size_t)stat.st_size;
  void *image = len ? mmap(NULL, len, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
  int why = errno;
  close(file);
  if (image == MAP_FAILED)
    return cca_error_set(err, CCA_ERR_IO, 0, "%s: %s", path, strerror(why));

  int status = cca_classification_open_mem(out, image, len, err);
  if (status == CCA_OK) {
    (*out)->mapping = image;
    (*out)->mapping_len = len;
  } else if (image) {
    munmap(image, len);
  }
  return status;
}

void cca_classification_free(struct cca_classification *c) {
  if (c && c->mapping)
    munmap(c->mapping, c->mapping_len);
  free(c);
}

static const char *file_name(const struct cca_table *t, uint32_t file) {
  return file == CCA_NONE ? NULL
                          : cca_table_string(t, cca_file_at(t, file).name);
}

static const char *type_name(const struct cca_table *t, uint32_t type) {
  return type == CCA_NONE ? NULL
                          : cca_table_string(t, cca_type_at(t, type).name);
}

uint32_t cca_classification_function_count(const struct cca_classification *c) {
  return cca_alloc_count(&c->table);
}

struct cca_function_info
cca_classification_function(const struct cca_classification *c, uint32_t i) {
  const struct cca_table *t = &c->table;
  struct cca_alloc alloc = cca_alloc_at(t, i);
  return (struct cca_function_info){
      .name = cca_table_string(t, alloc.name),
      .unit = cca_table_string(t, alloc.unit),
      .file = file_name(t, alloc.file),
      .line = alloc.line,
      .kind = cca_kind_name(alloc.kind),
      .size = cca_table_string(t, alloc.size),
      .size_arg_count = alloc.args_count,
      .via = alloc.via == CCA_VIA_OUT_PARAMETER ? "out-parameter"
                                                : cca_via_name(alloc.via),
      .via_parameter = alloc.via_param,
      .offset = alloc.offset,
      .certainty = cca_certainty_name(alloc.certainty),
  };
}

uint32_t cca_classification_size_arg(const struct cca_classification *c,
                                     uint32_t function, uint32_t i) {
  struct cca_alloc alloc = cca_alloc_at(&c->table, function);
  return cca_index_at(&c->table, alloc.args_first + i).value;
}

uint32_t cca_classification_site_count(const struct cca_classification *c) {
  return cca_allocsite_count(&c->table);
}

struct cca_site_info cca_classification_site(const struct cca_classification *c,
                                             uint32_t i) {
  const struct cca_table *t = &c->table;
  struct cca_allocsite site = cca_allocsite_at(t, i);
  return (struct cca_site_info){
      .unit = cca_table_string(t, site.unit),
      .file = file_name(t, site.file),
      .line = site.line,
      .column = site.column,
      .function = cca_table_string(t, site.function),
      .callee = cca_table_string(t, site.callee),
      .site_class = site.class == CCA_SITE_CLASS_PASS_THROUGH
                        ? "pass-through"
                        : cca_site_class_name(site.class),
      .type = type_name(t, site.of),
      .shape = cca_size_shape_name(site.shape),
      .header = site.header,
      .size = cca_table_string(t, site.size),
      .used_as = type_name(t, site.used_as),
      .reason = cca_table_string(t, site.reason),
  };
}

int64_t cca_classification_find_address(const struct cca_classification *c,
                                        uint64_t address) {
  const struct cca_table *t = &c->table;
  uint32_t at = cca_note_first_address(t, address);
  int64_t site = CCA_NO_SITE;
  for (; at < cca_address_count(t); at++) {
    struct cca_address row = cca_address_at(t, at);
    if ((uint64_t)row.value != address)
      break;
    /* A pass-through beside another row is inside of a wrapper. */
    if (site == CCA_NO_SITE || cca_allocsite_at(t, (uint32_t)site).class ==
                                   CCA_SITE_CLASS_PASS_THROUGH)
      site = row.site;
  }
  return site;
}

uint32_t cca_classification_missing_count(const struct cca_classification *c) {
  return cca_missing_count(&c->table);
}

struct cca_missing_info
cca_classification_missing(const struct cca_classification *c, uint32_t i) {
  struct cca_missing missing = cca_missing_at(&c->table, i);
  return (struct cca_missing_info){
      .unit = cca_table_string(&c->table, missing.unit),
      .reason = cca_table_string(&c->table, missing.reason),
  };
}
