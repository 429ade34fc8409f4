/* SPDX-License-Identifier: MIT */
/*
 * input.c -- a carrier that also takes bare table files.
 *
 * A table file is looked for only where the carrier found nothing that it
 * knows, so carriers are never read twice.
 */
#include "input.h"

#include <stdlib.h>

#include "base/file.h"

static struct cca_carrier_item *push(struct cca_input *input) {
  if (input->count == input->room) {
    input->room = input->room * 2 + 16;
    input->items = cca_realloc(input->items, input->room, sizeof *input->items);
  }
  return &input->items[input->count++];
}

/* Keep IMAGE as long as the input, and return its bytes. */
static const char *keep(struct cca_input *input, struct cca_text image) {
  input->images =
      cca_realloc(input->images, input->image_count + 1, sizeof *input->images);
  input->images[input->image_count++] = image;
  return image.data;
}

/* If the file PATH is a table, or a broken one, say so in ITEM. */
static void open_table(struct cca_input *input, const char *path,
                       struct cca_carrier_item *item) {
  struct cca_text image = {0};
  struct cca_table table;
  struct cca_table_error err = {0};
  if (cca_file_read(path, SIZE_MAX, &image) || !image.len) {
    cca_text_release(&image);
    return;
  }
  size_t len = image.len;
  const char *bytes = keep(input, image);
  int status =
      cca_table_open(&table, &cca_classification_schema, bytes, len, &err);
  item->kind = CCA_CARRIER_CLASSIFICATION;
  if (status == CCA_TABLE_ERR_MAGIC) {
    status = cca_table_open(&table, &cca_summary_schema, bytes, len, &err);
    item->kind = CCA_CARRIER_SUMMARY;
  }
  if (status == CCA_TABLE_OK) {
    struct cca_table *kept = cca_arena_alloc(&input->arena, sizeof *kept);
    *kept = table;
    item->table = kept;
    item->why = CCA_CARRIER_HAS_IT;
    item->reason = NULL;
    return;
  }
  item->kind = CCA_CARRIER_MISSING;
  if (status == CCA_TABLE_ERR_MAGIC)
    return; /* no table at all: what the carrier said */
  if (status == CCA_TABLE_ERR_OLDER) {
    item->why = CCA_CARRIER_OLDER;
    item->reason = cca_arena_printf(
        &input->arena, "made by an older cc-allocs (%s); make it again",
        err.text);
    return;
  }
  bool version = status == CCA_TABLE_ERR_VERSION;
  item->why = version ? CCA_CARRIER_VERSION : CCA_CARRIER_CORRUPT;
  item->reason = cca_arena_printf(&input->arena, "%s at byte %zu: %s",
                                  version ? "another format" : "corrupt table",
                                  err.offset, err.text);
}

size_t cca_input_add(struct cca_input *input, const char *path) {
  if (!input->carrier)
    input->carrier = cca_carrier_new(NULL);
  size_t first = input->count;
  size_t seen = cca_carrier_count(input->carrier);
  cca_carrier_add_file(input->carrier, path);
  for (; seen < cca_carrier_count(input->carrier); seen++)
    *push(input) = *cca_carrier_item(input->carrier, seen);

  struct cca_carrier_item *item = &input->items[first];
  if (input->count == first + 1 && item->why == CCA_CARRIER_NOT_ELF)
    open_table(input, path, item);
  return first;
}

bool cca_input_is_broken(const struct cca_carrier_item *item) {
  return item->why == CCA_CARRIER_NOT_ELF ||
         item->why == CCA_CARRIER_UNREADABLE ||
         item->why == CCA_CARRIER_CORRUPT || item->why == CCA_CARRIER_VERSION ||
         item->why == CCA_CARRIER_OLDER;
}

const char *cca_input_advice(const struct cca_carrier_item *item) {
  switch (item->why) {
  case CCA_CARRIER_NO_SECTION:
  case CCA_CARRIER_BITCODE:
    return "; compile it with CC=cc-allocs";
  case CCA_CARRIER_NO_NOTE:
    return "; link it with CC=cc-allocs";
  case CCA_CARRIER_NOT_ELF:
    return "; give an executable, shared object, object, archive or table file";
  case CCA_CARRIER_VERSION:
    return "; build it again with this version of cc-allocs";
  default:
    return "";
  }
}

void cca_input_release(struct cca_input *input) {
  for (size_t i = 0; i < input->image_count; i++)
    cca_text_release(&input->images[i]);
  free(input->images);
  free(input->items);
  cca_carrier_free(input->carrier);
  cca_arena_release(&input->arena);
  *input = (struct cca_input){0};
}
