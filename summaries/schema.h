/* SPDX-License-Identifier: MIT */
/*
 * schema.h -- the .def files as data, for what treats all chunks alike: the
 * check of an image, the writer, the text twin.  Private to summaries/.
 */
#ifndef CCA_SCHEMA_H
#define CCA_SCHEMA_H

#include "table.h"

/* How an image begins (docs/table-format.md). */
enum {
  CCA_HEADER_SIZE = 32,
  CCA_HEADER_SCHEMA = 8,
  CCA_HEADER_MAJOR = 12,
  CCA_HEADER_MINOR = 14,
  CCA_HEADER_LEN = 16,
  CCA_HEADER_CHUNKS = 20,
  CCA_HEADER_REQUIRED = 24, /* bits that a reader has to know; none yet */
  CCA_HEADER_OPTIONAL = 28, /* bits that it need not know */
  CCA_CHUNK_ENTRY = 16,     /* id, row size, count, offset */
  CCA_IMAGE_ALIGN = 8,
};
#define CCA_CHUNK_REQUIRED 0x80000000u /* in an id: refuse if unknown */
#define CCA_TABLE_MAGIC                                                        \
  "\x89"                                                                       \
  "cca\r\n\x1a\n"

enum cca_column_kind {
  CCA_COLUMN_STR,
  CCA_COLUMN_U32,
  CCA_COLUMN_I32,
  CCA_COLUMN_I64,
  CCA_COLUMN_HEX,
  CCA_COLUMN_VARIANT, /* operand of a node: cca_ops says what it is */
  CCA_COLUMN_ENUM,
  CCA_COLUMN_FLAGS,
  CCA_COLUMN_REF,
  CCA_COLUMN_OPT,
  CCA_COLUMN_FIRST,
  CCA_COLUMN_COUNT,
  /* of operands of nodes alone: */
  CCA_COLUMN_ZERO,
  CCA_COLUMN_NODE, /* an earlier node */
  CCA_COLUMN_INT_LOW,
  CCA_COLUMN_INT_HIGH,
};

/* The words of an enumeration, by value; of flags, by bit. */
struct cca_words {
  uint32_t count;
  const char *const *word;
};

struct cca_column {
  const char *name;
  int name_len; /* of FIRST: without the "_first" that NAME ends with */
  enum cca_column_kind kind;
  uint32_t size;                 /* bytes */
  uint32_t chunk;                /* REF, OPT, FIRST, COUNT */
  const struct cca_words *words; /* ENUM, FLAGS */
};

enum { CCA_MAX_COLUMNS = 24 };

struct cca_chunk {
  const char *name; /* NULL: the schema has no chunk of this id */
  uint32_t row_size;
  uint32_t column_count;
  const struct cca_column *columns;
};

struct cca_schema {
  const char *name;
  unsigned char id[4];
  uint32_t major, minor;
  enum cca_chunk_id single; /* the chunk of exactly one row */
  struct cca_chunk chunks[CCA_TABLE_MAX_CHUNKS]; /* by id */
};

/* What the operands of a node are, by op. */
struct cca_op_operands {
  struct cca_column a, b;
};
extern const struct cca_op_operands cca_ops[];
extern const struct cca_words cca_op_words;

#endif
