/* SPDX-License-Identifier: MIT */
/*
 * table-rows.h -- the rows of table.h, made from the .def files.
 *
 * Each section below expands the .def files once: enumerations, numbers of
 * chunks, decoded rows, rows in the image, and what goes between the two.
 * In the image a row is its columns without padding, each little-endian, so
 * it can be described by a struct of byte arrays, and read where it lies.
 */
#ifndef CCA_TABLE_ROWS_H
#define CCA_TABLE_ROWS_H

#include <assert.h>

/* enum cca_linkage { CCA_LINKAGE_UNDEFINED = 0, … }; the word of a value; and
 * for flags, masks.  A value that is none has the word "?". */
#define ENUM_BEGIN(E, e) enum cca_##e {
#define ENUM(E, N, n, value) CCA_##E##_##N = value,
#define ENUM_END(E, e)                                                         \
  }                                                                            \
  ;                                                                            \
  const char *cca_##e##_name(uint32_t value);
#define FLAGS_BEGIN(F, f) enum cca_##f {
#define FLAG(F, N, n, bit) CCA_##F##_##N = 1 << bit,
#define FLAGS_END(F, f)                                                        \
  }                                                                            \
  ;
#include "all.def"

/* CCA_CHUNK_FILE = 1, … */
enum cca_chunk_id {
#define CHUNK(id, NAME, name) CCA_CHUNK_##NAME = id,
#include "all.def"
  CCA_CHUNK_STRINGS = 0xffff
};

/* struct cca_func { uint32_t symbol; enum cca_linkage linkage; … }; */
#define CCA_TYPE_OF_STR(detail) uint32_t
#define CCA_TYPE_OF_U32(detail) uint32_t
#define CCA_TYPE_OF_I32(detail) int32_t
#define CCA_TYPE_OF_I64(detail) int64_t
#define CCA_TYPE_OF_HEX(detail) int64_t
#define CCA_TYPE_OF_VARIANT(detail) uint32_t
#define CCA_TYPE_OF_ENUM(detail) enum cca_##detail
#define CCA_TYPE_OF_FLAGS(detail) uint32_t
#define CCA_TYPE_OF_REF(detail) uint32_t
#define CCA_TYPE_OF_OPT(detail) uint32_t
#define CCA_TYPE_OF_FIRST(detail) uint32_t
#define CCA_TYPE_OF_COUNT(detail) uint32_t

#define CHUNK(id, NAME, name) struct cca_##name {
#define COLUMN(name, KIND, detail) CCA_TYPE_OF_##KIND(detail) name;
#define END(NAME, name)                                                        \
  }                                                                            \
  ;
#include "all.def"

/* struct cca_wire_func { unsigned char symbol[4]; unsigned char linkage[4]; …
 * }; aligned to 1, so a pointer to it may point at any byte. */
#define CCA_SIZE_OF_STR 4
#define CCA_SIZE_OF_U32 4
#define CCA_SIZE_OF_I32 4
#define CCA_SIZE_OF_I64 8
#define CCA_SIZE_OF_HEX 8
#define CCA_SIZE_OF_VARIANT 4
#define CCA_SIZE_OF_ENUM 4
#define CCA_SIZE_OF_FLAGS 4
#define CCA_SIZE_OF_REF 4
#define CCA_SIZE_OF_OPT 4
#define CCA_SIZE_OF_FIRST 4
#define CCA_SIZE_OF_COUNT 4

#define CHUNK(id, NAME, name) struct cca_wire_##name {
#define COLUMN(name, KIND, detail) unsigned char name[CCA_SIZE_OF_##KIND];
#define END(NAME, name)                                                        \
  }                                                                            \
  ;
#include "all.def"

/* Columns of 4 and of 8 bytes, little-endian, from and to any address. */
static inline uint32_t cca_load_4(const unsigned char *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
         (uint32_t)at[3] << 24;
}
static inline uint64_t cca_load_8(const unsigned char *at) {
  return cca_load_4(at) | (uint64_t)cca_load_4(at + 4) << 32;
}
static inline void cca_save_4(unsigned char *at, uint32_t value) {
  at[0] = (unsigned char)value;
  at[1] = (unsigned char)(value >> 8);
  at[2] = (unsigned char)(value >> 16);
  at[3] = (unsigned char)(value >> 24);
}
static inline void cca_save_8(unsigned char *at, uint64_t value) {
  cca_save_4(at, (uint32_t)value);
  cca_save_4(at + 4, (uint32_t)(value >> 32));
}

/* Row I of a chunk in the image.  Pre: I is less than the chunk's count. */
static inline const unsigned char *
cca_table_row(const struct cca_table *table, enum cca_chunk_id id, uint32_t i) {
  assert(i < table->count[id]);
  return table->rows[id] + (size_t)i * table->stride[id];
}

/* The untyped half of the builder, under the typed one below. */
uint32_t cca_builder_add(struct cca_builder *builder, enum cca_chunk_id id,
                         const unsigned char *row);
/* Pre: I is less than cca_builder_added(BUILDER, ID); the result is borrowed
 * until the next row is added. */
unsigned char *cca_builder_row(struct cca_builder *builder,
                               enum cca_chunk_id id, uint32_t i);
uint32_t cca_builder_added(const struct cca_builder *builder,
                           enum cca_chunk_id id);

/* cca_func_decode(), cca_func_encode(), cca_func_init(). */
#define CHUNK(id, NAME, name)                                                  \
  static inline struct cca_##name cca_##name##_decode(                         \
      const unsigned char *bytes) {                                            \
    const struct cca_wire_##name *wire = (const void *)bytes;                  \
    struct cca_##name row;
#define CCA_DECODE_4(name) cca_load_4(wire->name)
#define CCA_DECODE_8(name) cca_load_8(wire->name)
#define CCA_DECODE_(name, size) CCA_DECODE_##size(name)
#define CCA_DECODE(name, size) CCA_DECODE_(name, size)
#define COLUMN(name, KIND, detail)                                             \
  row.name = (CCA_TYPE_OF_##KIND(detail))CCA_DECODE(name, CCA_SIZE_OF_##KIND);
#define END(NAME, name)                                                        \
  return row;                                                                  \
  }
#include "all.def"

#define CHUNK(id, NAME, name)                                                  \
  static inline void cca_##name##_encode(unsigned char *bytes,                 \
                                         struct cca_##name row) {              \
    struct cca_wire_##name *wire = (void *)bytes;
#define CCA_ENCODE_4(name) cca_save_4(wire->name, (uint32_t)row.name)
#define CCA_ENCODE_8(name) cca_save_8(wire->name, (uint64_t)row.name)
#define CCA_ENCODE_(name, size) CCA_ENCODE_##size(name)
#define CCA_ENCODE(name, size) CCA_ENCODE_(name, size)
#define COLUMN(name, KIND, detail) CCA_ENCODE(name, CCA_SIZE_OF_##KIND);
#define END(NAME, name) }
#include "all.def"

#define CCA_DEFAULT_STR 0
#define CCA_DEFAULT_U32 0
#define CCA_DEFAULT_I32 0
#define CCA_DEFAULT_I64 0
#define CCA_DEFAULT_HEX 0
#define CCA_DEFAULT_VARIANT 0
#define CCA_DEFAULT_ENUM 0
#define CCA_DEFAULT_FLAGS 0
#define CCA_DEFAULT_REF 0
#define CCA_DEFAULT_OPT CCA_NONE
#define CCA_DEFAULT_FIRST 0
#define CCA_DEFAULT_COUNT 0
#define CHUNK(id, NAME, name)                                                  \
  static inline struct cca_##name cca_##name##_init(void) {                    \
    struct cca_##name row;
#define COLUMN(name, KIND, detail)                                             \
  row.name = (CCA_TYPE_OF_##KIND(detail))CCA_DEFAULT_##KIND;
#define END(NAME, name)                                                        \
  return row;                                                                  \
  }
#include "all.def"

/* What table.h promises for each chunk. */
#define CHUNK(id, NAME, name)                                                  \
  static inline uint32_t cca_##name##_count(const struct cca_table *table) {   \
    return table->count[id];                                                   \
  }                                                                            \
  static inline struct cca_##name cca_##name##_at(                             \
      const struct cca_table *table, uint32_t i) {                             \
    return cca_##name##_decode(cca_table_row(table, CCA_CHUNK_##NAME, i));     \
  }                                                                            \
  static inline uint32_t cca_##name##_add(struct cca_builder *builder,         \
                                          struct cca_##name row) {             \
    unsigned char bytes[sizeof(struct cca_wire_##name)];                       \
    cca_##name##_encode(bytes, row);                                           \
    return cca_builder_add(builder, CCA_CHUNK_##NAME, bytes);                  \
  }                                                                            \
  static inline struct cca_##name cca_##name##_get(                            \
      struct cca_builder *builder, uint32_t i) {                               \
    return cca_##name##_decode(cca_builder_row(builder, CCA_CHUNK_##NAME, i)); \
  }                                                                            \
  static inline void cca_##name##_set(struct cca_builder *builder, uint32_t i, \
                                      struct cca_##name row) {                 \
    cca_##name##_encode(cca_builder_row(builder, CCA_CHUNK_##NAME, i), row);   \
  }                                                                            \
  static inline uint32_t cca_##name##_added(                                   \
      const struct cca_builder *builder) {                                     \
    return cca_builder_added(builder, CCA_CHUNK_##NAME);                       \
  }
#include "all.def"

#endif
