/* SPDX-License-Identifier: MIT */
/*
 * builder.c -- from rows to an image.
 *
 * Input:     rows, in any order of chunks, and strings.
 * Output:    an image that cca_table_open() accepts.
 * Invariant: the bytes depend on what the rows say alone.
 *
 * While it is built a row is kept as it will stand in the image, but that
 * strings are numbered in the order of arrival; the string table is laid out
 * at the end, each string once, in the order in which the rows first use it.
 * So an image whose text was written, edited and read again has no trace of
 * how it came about.
 */
#include "schema.h"

#include <stdbool.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

struct cca_builder {
  const struct cca_schema *schema;
  struct cca_text rows[CCA_TABLE_MAX_CHUNKS];
  uint32_t count[CCA_TABLE_MAX_CHUNKS];
  struct cca_map numbers;               /* of strings */
  struct cca_vec(const char *) strings; /* by number; [0] is "" */
  struct cca_arena arena;
};

struct cca_builder *cca_builder_new(const struct cca_schema *schema) {
  struct cca_builder *builder = cca_calloc(1, sizeof *builder);
  builder->schema = schema;
  cca_vec_push(&builder->strings, "");
  return builder;
}

void cca_builder_free(struct cca_builder *builder) {
  if (!builder)
    return;
  for (uint32_t id = 0; id < CCA_TABLE_MAX_CHUNKS; id++)
    cca_text_release(&builder->rows[id]);
  cca_map_release(&builder->numbers);
  cca_vec_release(&builder->strings);
  cca_arena_release(&builder->arena);
  free(builder);
}

uint32_t cca_builder_string(struct cca_builder *builder, const char *text) {
  if (!*text)
    return 0;
  bool is_new;
  size_t len = strlen(text);
  uint32_t *number = cca_map_at(&builder->numbers, text, len, &is_new);
  if (is_new) {
    *number = (uint32_t)builder->strings.count;
    cca_vec_push(&builder->strings,
                 cca_arena_strndup(&builder->arena, text, len));
  }
  return *number;
}

uint32_t cca_builder_add(struct cca_builder *builder, enum cca_chunk_id id,
                         const unsigned char *row) {
  assert(builder->schema->chunks[id].name);
  cca_text_add(&builder->rows[id], row, builder->schema->chunks[id].row_size);
  return builder->count[id]++;
}

unsigned char *cca_builder_row(struct cca_builder *builder,
                               enum cca_chunk_id id, uint32_t i) {
  assert(i < builder->count[id]);
  return (unsigned char *)builder->rows[id].data +
         (size_t)i * builder->schema->chunks[id].row_size;
}

uint32_t cca_builder_added(const struct cca_builder *builder,
                           enum cca_chunk_id id) {
  return builder->count[id];
}

void cca_builder_load(struct cca_builder *builder,
                      const struct cca_table *table) {
  for (uint32_t id = 0; id < CCA_TABLE_MAX_CHUNKS; id++) {
    const struct cca_chunk *chunk = &builder->schema->chunks[id];
    for (uint32_t row = 0; row < table->count[id]; row++) {
      cca_builder_add(builder, id, cca_table_row(table, id, row));
      unsigned char *at = cca_builder_row(builder, id, row);
      for (uint32_t i = 0; i < chunk->column_count; i++) {
        if (chunk->columns[i].kind == CCA_COLUMN_STR)
          cca_save_4(at, cca_builder_string(
                             builder, cca_table_string(table, cca_load_4(at))));
        at += chunk->columns[i].size;
      }
    }
  }
}

/* The string table as it is laid out. */
struct layout {
  struct cca_text strings;
  uint32_t *offset; /* by number; 0: not placed yet (or "") */
};

static void place_string(const struct cca_builder *builder,
                         struct layout *layout, unsigned char *at) {
  uint32_t number = cca_load_4(at);
  if (number == 0)
    return;
  if (number >= builder->strings.count) { /* the check will say so */
    cca_save_4(at, CCA_NONE);
    return;
  }
  if (!layout->offset[number]) {
    const char *text = builder->strings.items[number];
    layout->offset[number] = (uint32_t)layout->strings.len;
    cca_text_add(&layout->strings, text, strlen(text) + 1);
  }
  cca_save_4(at, layout->offset[number]);
}

/* Bring the rows of one chunk, copied to the image, into their final form. */
static void finish_rows(const struct cca_builder *builder, uint32_t id,
                        struct layout *layout, unsigned char *at) {
  const struct cca_chunk *chunk = &builder->schema->chunks[id];
  for (uint32_t row = 0; row < builder->count[id]; row++)
    for (uint32_t i = 0; i < chunk->column_count; i++) {
      if (chunk->columns[i].kind == CCA_COLUMN_STR)
        place_string(builder, layout, at);
      if (chunk->columns[i].kind == CCA_COLUMN_FIRST && !cca_load_4(at + 4))
        cca_save_4(at, 0);
      at += chunk->columns[i].size;
    }
}

/* The same for nodes, whose columns depend on their op. */
static void finish_nodes(const struct cca_builder *builder, unsigned char *at) {
  for (uint32_t i = 0; i < builder->count[CCA_CHUNK_NODE]; i++) {
    struct cca_node node = cca_node_decode(at);
    if (node.op < cca_op_words.count &&
        cca_ops[node.op].a.kind == CCA_COLUMN_FIRST && node.b == 0)
      node.a = 0;
    cca_node_encode(at, node);
    at += sizeof(struct cca_wire_node);
  }
}

static void add_4(struct cca_text *out, uint32_t value) {
  unsigned char bytes[4];
  cca_save_4(bytes, value);
  cca_text_add(out, bytes, sizeof bytes);
}

static void add_entry(struct cca_text *out, uint32_t id, uint32_t row_size,
                      uint32_t count, uint64_t offset) {
  add_4(out, id);
  add_4(out, row_size);
  add_4(out, count);
  add_4(out, (uint32_t)offset);
}

/* Header and chunk table, as far as they are known before the strings are. */
static void add_header(const struct cca_builder *builder, struct cca_text *out,
                       uint32_t chunks) {
  const struct cca_schema *schema = builder->schema;
  cca_text_add(out, CCA_TABLE_MAGIC, 8);
  cca_text_add(out, schema->id, 4);
  add_4(out, schema->major | schema->minor << 16);
  add_4(out, 0); /* the length: not known yet */
  add_4(out, chunks);
  add_4(out, 0); /* required features */
  add_4(out, 0); /* optional ones */
  uint64_t at = CCA_HEADER_SIZE + (uint64_t)chunks * CCA_CHUNK_ENTRY;
  for (uint32_t id = 0; id < CCA_TABLE_MAX_CHUNKS; id++)
    if (builder->count[id]) {
      uint32_t row_size = schema->chunks[id].row_size;
      add_entry(out, id, row_size, builder->count[id], at);
      at += (uint64_t)row_size * builder->count[id];
    }
  add_entry(out, CCA_CHUNK_STRINGS, 1, 0, at);
}

/* Rows go straight to the end of OUT; strings, whose order they make, will
 * follow. */
static void add_rows(const struct cca_builder *builder, struct cca_text *out,
                     struct layout *layout) {
  for (uint32_t id = 0; id < CCA_TABLE_MAX_CHUNKS; id++) {
    if (!builder->count[id])
      continue;
    size_t at = out->len;
    cca_text_add(out, builder->rows[id].data, builder->rows[id].len);
    finish_rows(builder, id, layout, (unsigned char *)out->data + at);
    if (builder->schema == &cca_summary_schema && id == CCA_CHUNK_NODE)
      finish_nodes(builder, (unsigned char *)out->data + at);
  }
}
int cca_builder_finish(struct cca_builder *builder, struct cca_text *out,
                       struct cca_table_error *err) {
  const struct cca_schema *schema = builder->schema;
  struct layout layout = {
      .offset = cca_calloc(builder->strings.count, sizeof *layout.offset)};
  size_t before = out->len;
  uint32_t chunks = 1; /* the strings */
  size_t rows = 0;
  for (uint32_t id = 0; id < CCA_TABLE_MAX_CHUNKS; id++) {
    chunks += builder->count[id] != 0;
    rows += builder->rows[id].len;
  }
  cca_text_reserve(out, CCA_HEADER_SIZE + (size_t)chunks * CCA_CHUNK_ENTRY +
                            rows + builder->arena.used + CCA_IMAGE_ALIGN);
  cca_text_add(&layout.strings, "", 1);
  add_header(builder, out, chunks);
  add_rows(builder, out, &layout);
  cca_text_add(out, layout.strings.data, layout.strings.len);

  uint64_t end = out->len - before;
  uint64_t len =
      (end + CCA_IMAGE_ALIGN - 1) / CCA_IMAGE_ALIGN * CCA_IMAGE_ALIGN;
  int status = CCA_TABLE_OK;
  if (len > UINT32_MAX) {
    status = CCA_TABLE_ERR_CORRUPT;
    if (err)
      *err = (struct cca_table_error){status, 0, "larger than 4 GiB"};
  } else {
    cca_text_add(out, "\0\0\0\0\0\0\0", (size_t)(len - end));
    unsigned char *image = (unsigned char *)out->data + before;
    size_t strings = CCA_HEADER_SIZE + (size_t)(chunks - 1) * CCA_CHUNK_ENTRY;
    cca_save_4(image + CCA_HEADER_LEN, (uint32_t)len);
    cca_save_4(image + strings + 8, (uint32_t)layout.strings.len);
    struct cca_table table;
    status = cca_table_open(&table, schema, image, (size_t)len, err);
  }
  if (status < 0)
    out->data[out->len = before] = 0;
  cca_text_release(&layout.strings);
  free(layout.offset);
  return status;
}
