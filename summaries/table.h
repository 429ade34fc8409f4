/* SPDX-License-Identifier: MIT */
/*
 * table.h -- table files: rows of numbers in chunks, and a string table.
 *
 * Summaries, classifications, symbol tables and caches are table files;
 * docs/table-format.md specifies the bytes, summary.def, classification.def,
 * symbols.def and cache.def the chunks.  A table is read in place: cca_table_open() checks every index, range, enumerator,
 * flag and string once, so that afterwards no accessor can fail and none can
 * leave the image.
 *
 *     struct cca_table t;
 *     if (cca_table_open(&t, &cca_summary_schema, bytes, len, &err) < 0) ...
 *     for (uint32_t i = 0; i < cca_func_count(&t); i++) {
 *       struct cca_func f = cca_func_at(&t, i);
 *       puts(cca_table_string(&t, f.symbol));
 *     }
 *
 * Ownership: a table borrows its image, which must outlive it; all results are
 *            borrowed from the image.  There is nothing to release.
 * Memory:    reading allocates nothing; building uses base/memory.h.
 * Threads:   an open table never changes; share it freely.
 */
#ifndef CCA_TABLE_H
#define CCA_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define CCA_NONE 0xffffffffu /* "no row" in a FIELD_OPT */
/* So many of CCA_CALL_FLAGS_LAST_0, … there are. */
enum { CCA_LAST_ARGS = 4 };

enum cca_table_status {
  CCA_TABLE_OK = 0,
  CCA_TABLE_ERR_MAGIC = -1,   /* not a table file, or of another schema */
  CCA_TABLE_ERR_VERSION = -2, /* of a later version than we know */
  CCA_TABLE_ERR_CORRUPT = -3, /* breaks a rule of the format's page */
  CCA_TABLE_ERR_OLDER = -4,   /* of an earlier major version than ours */
};

/* Where and what; filled by the caller's choice (may be NULL everywhere). */
struct cca_table_error {
  int status;    /* enum cca_table_status */
  size_t offset; /* byte of the image */
  char text[160];
};

struct cca_schema; /* made from a .def file */
extern const struct cca_schema cca_summary_schema;
extern const struct cca_schema cca_classification_schema;
extern const struct cca_schema cca_symbols_schema;
extern const struct cca_schema cca_cache_schema;

enum { CCA_TABLE_MAX_CHUNKS = 24, CCA_SCOPE_MAX_DEPTH = 255 };

struct cca_table {
  const unsigned char *image;
  size_t len; /* of this table, which may be less than what was given */
  const struct cca_schema *schema;
  const char *strings;
  uint32_t strings_len;
  /* By enum cca_chunk_id.  Rows written by a later minor version may be longer
   * than those we know, so the way from one to the next is the image's. */
  const unsigned char *rows[CCA_TABLE_MAX_CHUNKS];
  uint32_t count[CCA_TABLE_MAX_CHUNKS], stride[CCA_TABLE_MAX_CHUNKS];
};

/*
 * Check the table that begins at IMAGE (LEN bytes; more may follow it) against
 * SCHEMA and open it.  Returns CCA_TABLE_OK, or a negative cca_table_status
 * with *ERR filled.
 */
int cca_table_open(struct cca_table *table, const struct cca_schema *schema,
                   const void *image, size_t len, struct cca_table_error *err);

/*
 * The same of an image that was checked before, by its every byte: only where
 * the chunks are is looked at, in constant time.
 */
int cca_table_reopen(struct cca_table *table, const struct cca_schema *schema,
                     const void *image, size_t len);

/* The string at OFFSET, which came from a FIELD(…, STR). */
static inline const char *cca_table_string(const struct cca_table *table,
                                           uint32_t offset) {
  return table->strings + offset;
}

/* Building: rows are added in any order; the image is made at the end. */
struct cca_builder;
struct cca_builder *cca_builder_new(const struct cca_schema *schema);
void cca_builder_free(struct cca_builder *builder); /* NULL is fine */

/* Add all rows of TABLE, which has BUILDER's schema, to the empty BUILDER: the
 * way to change or extend what was read.  Row numbers stay. */
void cca_builder_load(struct cca_builder *builder,
                      const struct cca_table *table);

/* The number of string TEXT, the same for the same text.  "" is 0.  It stands
 * for the string in rows of this builder only. */
uint32_t cca_builder_string(struct cca_builder *builder, const char *text);

/*
 * Write the image to the end of OUT.  What rows say decides the bytes, and not
 * in which order strings and chunks were filled: an empty range is written as
 * 0 + 0, an unused string not at all.  Rows that break a rule of the format
 * are a bug of the caller: returns CCA_TABLE_ERR_CORRUPT, *ERR saying which,
 * and OUT is as before.
 */
int cca_builder_finish(struct cca_builder *builder, struct cca_text *out,
                       struct cca_table_error *err);

/*
 * The text twin (docs/table-format.md, "Text").  cca_text_dump() writes every
 * field of TABLE to the end of OUT; cca_text_assemble() reads that form back,
 * also as people write it, and writes the image to the end of OUT.  Round trips
 * give the same bytes.  A mistake returns CCA_TABLE_ERR_CORRUPT with OUT as
 * before; ERR->offset is its line, or 0 if rows break a rule of the format,
 * which ERR->text then names.
 */
void cca_text_dump(const struct cca_table *table, struct cca_text *out);
int cca_text_assemble(const char *text, size_t len, struct cca_text *out,
                      struct cca_table_error *err);

/*
 * For each chunk NAME of a schema, table-rows.h declares:
 *   struct cca_name                                     the row, decoded
 *   struct cca_name cca_name_init(void)       all 0 but FIELD_OPTs: CCA_NONE
 *   uint32_t cca_name_count(const struct cca_table *)
 *   struct cca_name cca_name_at(const struct cca_table *, uint32_t i)
 *   uint32_t cca_name_add(struct cca_builder *, struct cca_name)  row number
 *   struct cca_name cca_name_get(struct cca_builder *, uint32_t i)
 *   void cca_name_set(struct cca_builder *, uint32_t i, struct cca_name)
 *   uint32_t cca_name_added(const struct cca_builder *)  rows added so far
 * and each enumerator e of enumeration E as CCA_E_E, each flag f of F as
 * CCA_F_F (a mask):  CCA_LINKAGE_EXTERNAL, CCA_FUNC_FLAGS_VARIADIC, CCA_OP_ADD.
 * enum cca_linkage etc. are the types; cca_linkage_name(v) gives the word.
 * In a row, FIELD_RANGE(x, …) is two members, x_first and x_count; an
 * enumeration has its type, and all else is uint32_t but I32 (int32_t), I64
 * and HEX (int64_t).
 */
#include "table-rows.h"

#endif
