/* SPDX-License-Identifier: MIT */
/*
 * gather.c -- texts that many rows share: names of functions, paths of files.
 */
#include "gather.h"

/* The row that stands for string NUMBER in ROWS, CCA_NONE if it is to be made.
 */
static uint32_t *row_of(struct cca_rows *rows, uint32_t number) {
  while (rows->count <= number)
    cca_vec_push(rows, CCA_NONE);
  return &rows->items[number];
}

uint32_t cca_gather_name(struct cca_gather *gather, const char *linkage) {
  uint32_t number = cca_builder_string(gather->builder, linkage);
  uint32_t *row = row_of(&gather->names, number);
  if (*row == CCA_NONE) {
    struct cca_name name = {.linkage = number};
    char *pretty = cca_demangle(linkage);
    if (pretty)
      name.pretty = cca_builder_string(gather->builder, pretty);
    free(pretty);
    *row = cca_name_add(gather->builder, name);
  }
  return *row;
}

uint32_t cca_gather_path(struct cca_gather *gather, const char *path) {
  uint32_t number = cca_builder_string(gather->builder, path);
  uint32_t *row = row_of(&gather->paths, number);
  if (*row == CCA_NONE)
    *row =
        cca_source_file_add(gather->builder, (struct cca_source_file){number});
  return *row;
}
