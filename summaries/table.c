/* SPDX-License-Identifier: MIT */
/*
 * table.c -- is this image a table that keeps all rules?
 *
 * Input:     any bytes.
 * Output:    a struct cca_table, or the first rule broken and its byte.
 * Invariant: after success every accessor stays inside the image, whatever row
 *            a valid row refers to; values of nodes can be computed by going
 *            to earlier nodes alone; and the ranges of one column hold, all
 *            together, no more rows than their chunk has, so that a walk over
 *            all of them is linear.
 *
 * From the outside in: header, chunk table, strings, then every column of
 * every row as its schema says, then what spans rows.  Each byte is looked at
 * once or twice and nothing is allocated.
 */
#include "schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where we are, for messages. */
struct check {
  struct cca_table *table;
  struct cca_table_error *err;
};

__attribute__((format(printf, 4, 5))) static int fail(const struct check *check,
                                                      int status, size_t offset,
                                                      const char *format, ...) {
  if (check->err) {
    va_list args;
    va_start(args, format);
    vsnprintf(check->err->text, sizeof check->err->text, format, args);
    va_end(args);
    check->err->status = status;
    check->err->offset = offset;
  }
  return status;
}

static uint32_t load_2(const unsigned char *at) {
  return at[0] | (uint32_t)at[1] << 8;
}

static int check_header(const struct check *check, size_t len) {
  struct cca_table *table = check->table;
  const unsigned char *image = table->image;
  if (len < 8 || memcmp(image, CCA_TABLE_MAGIC, 8) != 0)
    return fail(check, CCA_TABLE_ERR_MAGIC, 0, "not a table file");
  if (len < CCA_HEADER_SIZE)
    return fail(check, CCA_TABLE_ERR_CORRUPT, len, "the header is cut off");
  if (memcmp(image + CCA_HEADER_SCHEMA, table->schema->id, 4) != 0)
    return fail(check, CCA_TABLE_ERR_MAGIC, CCA_HEADER_SCHEMA, "not a %s",
                table->schema->name);
  uint32_t major = load_2(image + CCA_HEADER_MAJOR);
  if (major != table->schema->major)
    return fail(check,
                major < table->schema->major ? CCA_TABLE_ERR_OLDER
                                             : CCA_TABLE_ERR_VERSION,
                CCA_HEADER_MAJOR, "%s version %u.%u, we read %u",
                table->schema->name, major, load_2(image + CCA_HEADER_MINOR),
                table->schema->major);
  uint32_t required = cca_load_4(image + CCA_HEADER_REQUIRED);
  if (required)
    return fail(check, CCA_TABLE_ERR_VERSION, CCA_HEADER_REQUIRED,
                "requires features 0x%x, unknown here", required);
  table->len = cca_load_4(image + CCA_HEADER_LEN);
  if (table->len > len)
    return fail(check, CCA_TABLE_ERR_CORRUPT, CCA_HEADER_LEN,
                "%zu bytes long, but only %zu are there", table->len, len);
  if (table->len < CCA_HEADER_SIZE || table->len % CCA_IMAGE_ALIGN)
    return fail(check, CCA_TABLE_ERR_CORRUPT, CCA_HEADER_LEN,
                "%zu bytes long, which cannot be", table->len);
  return 0;
}

/* Chunks stand one behind the other in the order of their ids, from the end of
 * the chunk table to the end of the image, padded with zeros. */
static int check_chunks(const struct check *check) {
  struct cca_table *table = check->table;
  const unsigned char *image = table->image;
  uint32_t chunks = cca_load_4(image + CCA_HEADER_CHUNKS);
  if (chunks > (table->len - CCA_HEADER_SIZE) / CCA_CHUNK_ENTRY)
    return fail(check, CCA_TABLE_ERR_CORRUPT, CCA_HEADER_CHUNKS,
                "%u chunks do not fit", chunks);

  size_t at = CCA_HEADER_SIZE + (size_t)chunks * CCA_CHUNK_ENTRY;
  uint32_t last = 0;
  for (uint32_t i = 0; i < chunks; i++) {
    size_t entry = CCA_HEADER_SIZE + (size_t)i * CCA_CHUNK_ENTRY;
    uint32_t full_id = cca_load_4(image + entry);
    uint32_t row_size = cca_load_4(image + entry + 4);
    uint32_t count = cca_load_4(image + entry + 8);
    uint32_t offset = cca_load_4(image + entry + 12);
    uint32_t id = full_id & ~CCA_CHUNK_REQUIRED;

    if (id <= last || id > CCA_CHUNK_STRINGS)
      return fail(check, CCA_TABLE_ERR_CORRUPT, entry,
                  "chunk id 0x%x after 0x%x", full_id, last);
    last = id;
    if (offset != at)
      return fail(check, CCA_TABLE_ERR_CORRUPT, entry + 12,
                  "chunk 0x%x at %u, not %zu", id, offset, at);
    if (row_size && count > (table->len - at) / row_size)
      return fail(check, CCA_TABLE_ERR_CORRUPT, entry + 8,
                  "%u rows of chunk 0x%x do not fit", count, id);
    at += (size_t)count * row_size;

    if (id == CCA_CHUNK_STRINGS) {
      if (row_size != 1)
        return fail(check, CCA_TABLE_ERR_CORRUPT, entry + 4,
                    "string table with rows of %u bytes", row_size);
      table->strings = (const char *)image + offset;
      table->strings_len = count;
    } else if (row_size == 0 || row_size % 4) {
      return fail(check, CCA_TABLE_ERR_CORRUPT, entry + 4,
                  "chunk 0x%x has rows of %u bytes", id, row_size);
    } else if (id < CCA_TABLE_MAX_CHUNKS && table->schema->chunks[id].name) {
      const struct cca_chunk *chunk = &table->schema->chunks[id];
      if (row_size < chunk->row_size)
        return fail(check, CCA_TABLE_ERR_CORRUPT, entry + 4,
                    "%s has rows of %u bytes, less than %u", chunk->name,
                    row_size, chunk->row_size);
      table->rows[id] = image + offset;
      table->count[id] = count;
      table->stride[id] = row_size;
    } else if (full_id & CCA_CHUNK_REQUIRED) {
      return fail(check, CCA_TABLE_ERR_VERSION, entry,
                  "requires chunk 0x%x, unknown here", id);
    }
  }

  if (table->len - at >= CCA_IMAGE_ALIGN)
    return fail(check, CCA_TABLE_ERR_CORRUPT, at, "%zu bytes too many",
                table->len - at);
  for (; at < table->len; at++)
    if (image[at])
      return fail(check, CCA_TABLE_ERR_CORRUPT, at, "padding is not zero");
  return 0;
}

static int check_strings(const struct check *check) {
  const struct cca_table *table = check->table;
  if (!table->strings_len)
    return fail(check, CCA_TABLE_ERR_CORRUPT, table->len, "no string table");
  size_t at = (size_t)(table->strings - (const char *)table->image);
  if (table->strings[0])
    return fail(check, CCA_TABLE_ERR_CORRUPT, at,
                "the string table does not begin with an empty string");
  if (table->strings[table->strings_len - 1])
    return fail(check, CCA_TABLE_ERR_CORRUPT, at + table->strings_len - 1,
                "the string table is not terminated");
  return 0;
}

/* One range, and all of its column together. */
static int check_range(const struct check *check, const char *chunk,
                       uint32_t row, const struct cca_column *column,
                       const unsigned char *bytes, uint64_t *held) {
  uint32_t first = cca_load_4(bytes), count = cca_load_4(bytes + 4);
  uint32_t rows = check->table->count[column->chunk];
  size_t offset = (size_t)(bytes - check->table->image);
  if (count == 0 && first != 0)
    return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                "%s %u: %.*s is empty, but at %u", chunk, row, column->name_len,
                column->name, first);
  if (first > rows || count > rows - first)
    return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                "%s %u: %.*s is %u + %u of %u rows", chunk, row,
                column->name_len, column->name, first, count, rows);
  *held += count;
  if (*held > rows)
    return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                "%s %u: %.*s overlaps another", chunk, row, column->name_len,
                column->name);
  return 0;
}

/* One column of one row, or operand of a node: at BYTES. */
static int check_column(const struct check *check, const char *chunk,
                        uint32_t row, const struct cca_column *column,
                        const unsigned char *bytes, uint64_t *held) {
  const struct cca_table *table = check->table;
  uint32_t value = cca_load_4(bytes);
  size_t offset = (size_t)(bytes - table->image);
  switch (column->kind) {
  case CCA_COLUMN_STR:
    if (value >= table->strings_len)
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                  "%s %u: %s is beyond the string table", chunk, row,
                  column->name);
    return 0;
  case CCA_COLUMN_ENUM:
    if (value >= column->words->count)
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                  "%s %u: %s has no value %u", chunk, row, column->name, value);
    return 0;
  case CCA_COLUMN_FLAGS:
    if (value >> column->words->count)
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                  "%s %u: %s has reserved bits: 0x%x", chunk, row, column->name,
                  value);
    return 0;
  case CCA_COLUMN_OPT:
    if (value == CCA_NONE)
      return 0;
    /* fall through */
  case CCA_COLUMN_REF:
    if (value >= table->count[column->chunk])
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                  "%s %u: %s is row %u of %u", chunk, row, column->name, value,
                  table->count[column->chunk]);
    return 0;
  case CCA_COLUMN_FIRST:
    return check_range(check, chunk, row, column, bytes, held);
  case CCA_COLUMN_ZERO:
    if (value)
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset, "%s %u: %s is not 0",
                  chunk, row, column->name);
    return 0;
  case CCA_COLUMN_NODE:
    if (value >= row)
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                  "%s %u: %s is node %u, not an earlier one", chunk, row,
                  column->name, value);
    return 0;
  case CCA_COLUMN_U32:
  case CCA_COLUMN_I32:
  case CCA_COLUMN_I64:
  case CCA_COLUMN_HEX:
  case CCA_COLUMN_VARIANT: /* check_nodes() */
  case CCA_COLUMN_COUNT:   /* with its FIRST */
  case CCA_COLUMN_INT_LOW: /* any number */
  case CCA_COLUMN_INT_HIGH:
    return 0;
  }
  return 0;
}

static int check_rows(const struct check *check, uint32_t id) {
  const struct cca_table *table = check->table;
  const struct cca_chunk *chunk = &table->schema->chunks[id];
  uint64_t held[CCA_MAX_COLUMNS] = {0}; /* rows in ranges, by column */
  for (uint32_t row = 0; row < table->count[id]; row++) {
    const unsigned char *at = cca_table_row(table, id, row);
    for (uint32_t i = 0; i < chunk->column_count; i++) {
      int status = check_column(check, chunk->name, row, &chunk->columns[i], at,
                                &held[i]);
      if (status < 0)
        return status;
      at += chunk->columns[i].size;
    }
  }
  return 0;
}

/* Operands of nodes, and that what a node is computed from is earlier. */
static int check_nodes(const struct check *check) {
  const struct cca_table *table = check->table;
  uint64_t held = 0;
  for (uint32_t row = 0; row < cca_node_count(table); row++) {
    const struct cca_wire_node *wire =
        (const void *)cca_table_row(table, CCA_CHUNK_NODE, row);
    struct cca_node node = cca_node_at(table, row);
    int status =
        check_column(check, "node", row, &cca_ops[node.op].a, wire->a, &held);
    if (status == 0)
      status =
          check_column(check, "node", row, &cca_ops[node.op].b, wire->b, &held);
    if (status < 0)
      return status;

    size_t offset = (size_t)(wire->a - table->image);
    if (cca_ops[node.op].a.kind == CCA_COLUMN_FIRST)
      for (uint32_t i = 0; i < node.b; i++) {
        uint32_t operand = cca_operand_at(table, node.a + i).node;
        if (operand >= row)
          return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                      "node %u: operand %u is node %u, not an earlier one", row,
                      node.a + i, operand);
      }
    if (node.op == CCA_OP_LOAD || node.op == CCA_OP_ADDRESS) {
      uint32_t base = cca_loc_at(table, node.a).base;
      if (base >= row)
        return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                    "node %u: loc %u is based on node %u, not an earlier one",
                    row, node.a, base);
    }
  }
  return 0;
}

/* That FUNC has the RANGE of exactly those rows of CHUNK which say so; those
 * without a function come to no range. */
#define CHECK_OWNED(check, chunk, range)                                       \
  do {                                                                         \
    const struct cca_table *table_ = (check)->table;                           \
    for (uint32_t f = 0; f < cca_func_count(table_); f++) {                    \
      struct cca_func func = cca_func_at(table_, f);                           \
      for (uint32_t i = 0; i < func.range##_count; i++)                        \
        if (cca_##chunk##_at(table_, func.range##_first + i).func != f)        \
          return fail_owned(check, f, #range, func.range##_first + i, #chunk); \
    }                                                                          \
    for (uint32_t i = 0; i < cca_##chunk##_count(table_); i++) {               \
      uint32_t f = cca_##chunk##_at(table_, i).func;                           \
      if (f == CCA_NONE)                                                       \
        continue;                                                              \
      struct cca_func func = cca_func_at(table_, f);                           \
      if (i - func.range##_first >= func.range##_count) /* or i < first */     \
        return fail_owned(check, f, #range, i, #chunk);                        \
    }                                                                          \
  } while (0)

static int fail_owned(const struct check *check, uint32_t func,
                      const char *range, uint32_t row, const char *chunk) {
  const unsigned char *at = cca_table_row(check->table, CCA_CHUNK_FUNC, func);
  return fail(check, CCA_TABLE_ERR_CORRUPT, (size_t)(at - check->table->image),
              "func %u: %s and the func of %s %u disagree", func, range, chunk,
              row);
}

static int check_summary(const struct check *check) {
  int status = check_nodes(check);
  if (status < 0)
    return status;
  CHECK_OWNED(check, call, calls);
  CHECK_OWNED(check, store, stores);
  CHECK_OWNED(check, return, returns);
  return 0;
}

/* Addresses can be searched by bisection. */
static int check_classification(const struct check *check) {
  const struct cca_table *table = check->table;
  uint64_t last = 0;
  for (uint32_t i = 0; i < cca_address_count(table); i++) {
    struct cca_address address = cca_address_at(table, i);
    const unsigned char *at = cca_table_row(table, CCA_CHUNK_ADDRESS, i);
    size_t offset = (size_t)(at - table->image);
    if ((address.flags & CCA_ADDRESS_FLAGS_DEAD) && address.value)
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                  "address %u: dead, but not 0", i);
    if ((uint64_t)address.value < last)
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                  "address %u: less than the one before", i);
    last = (uint64_t)address.value;
  }
  return 0;
}

/* That column 0 of CHUNK, where something starts, ascends: by STEP or more. */
static int check_ascends(const struct check *check, enum cca_chunk_id id,
                         uint32_t step) {
  const struct cca_table *table = check->table;
  uint64_t least = 0;
  for (uint32_t i = 0; i < table->count[id]; i++) {
    const unsigned char *at = cca_table_row(table, id, i);
    uint32_t start = cca_load_4(at);
    if (start < least)
      return fail(check, CCA_TABLE_ERR_CORRUPT, (size_t)(at - table->image),
                  "%s %u: starts at %u, less than %u",
                  table->schema->chunks[id].name, i, start, (uint32_t)least);
    least = (uint64_t)start + step;
  }
  return 0;
}

/* Names can be searched by bisection. */
static int check_by_name(const struct check *check) {
  const struct cca_table *table = check->table;
  const char *last = "";
  uint32_t last_row = 0;
  for (uint32_t i = 0; i < cca_by_name_count(table); i++) {
    uint32_t row = cca_by_name_at(table, i).symbol;
    const char *name = cca_table_string(
        table, cca_name_at(table, cca_symbol_at(table, row).name).linkage);
    int order = strcmp(last, name);
    if (order > 0 || (order == 0 && i && row <= last_row)) {
      const unsigned char *at = cca_table_row(table, CCA_CHUNK_BY_NAME, i);
      return fail(check, CCA_TABLE_ERR_CORRUPT, (size_t)(at - table->image),
                  "by_name %u: before the one before it", i);
    }
    last = name;
    last_row = row;
  }
  return 0;
}

/* The way from a scope to its function ends, after as many steps as it says. */
static int check_scopes(const struct check *check) {
  const struct cca_table *table = check->table;
  for (uint32_t i = 0; i < cca_scope_count(table); i++) {
    struct cca_scope scope = cca_scope_at(table, i);
    const unsigned char *at = cca_table_row(table, CCA_CHUNK_SCOPE, i);
    uint32_t depth = 0;
    if (scope.parent != CCA_NONE) {
      if (scope.parent >= i)
        return fail(check, CCA_TABLE_ERR_CORRUPT, (size_t)(at - table->image),
                    "scope %u: parent is scope %u, not an earlier one", i,
                    scope.parent);
      depth = cca_scope_at(table, scope.parent).depth + 1;
    }
    if (scope.depth != depth || depth > CCA_SCOPE_MAX_DEPTH)
      return fail(check, CCA_TABLE_ERR_CORRUPT, (size_t)(at - table->image),
                  "scope %u: depth is %u, its parents make it %u of at most %u",
                  i, scope.depth, depth, CCA_SCOPE_MAX_DEPTH);
  }
  return 0;
}

static int check_symbols(const struct check *check) {
  static const struct {
    enum cca_chunk_id id;
    uint32_t step;
  } sorted[] = {{CCA_CHUNK_SYMBOL, 0},
                {CCA_CHUNK_SYMBOL_FROM, 1},
                {CCA_CHUNK_SCOPE_FROM, 1},
                {CCA_CHUNK_LINE_FROM, 1}};
  int status = 0;
  for (size_t i = 0; status == 0 && i < sizeof sorted / sizeof *sorted; i++)
    status = check_ascends(check, sorted[i].id, sorted[i].step);
  if (status == 0)
    status = check_by_name(check);
  return status < 0 ? status : check_scopes(check);
}

/* A module's calls can be searched by bisection, and are in the module; so are
 * the sites and the words that they name. */
static int check_calls(const struct check *check, uint32_t i) {
  const struct cca_table *table = check->table;
  struct cca_cache_module m = cca_cache_module_at(table, i);
  uint64_t least = 0;
  for (uint32_t c = m.calls_first; c < m.calls_first + m.calls_count; c++) {
    struct cca_cache_call call = cca_cache_call_at(table, c);
    const unsigned char *at = cca_table_row(table, CCA_CHUNK_CACHE_CALL, c);
    size_t offset = (size_t)(at - table->image);
    if (call.offset < least || (int64_t)call.offset > m.span)
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                  "cache_call %u: offset %u is not where it may be", c,
                  call.offset);
    least = (uint64_t)call.offset + 1;
    if (call.unwind % 8 == 0 || call.unwind % 8 > 6 || call.unwind & 1 << 11)
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                  "cache_call %u: no row of unwinding is 0x%x", c, call.unwind);
    if (call.site != CCA_NONE && call.site >= m.sites)
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                  "cache_call %u: site is row %u of %u", c, call.site, m.sites);
    if (call.binding == CCA_NONE)
      continue;
    struct cca_cache_binding b = cca_cache_binding_at(table, call.binding);
    if (b.site >= m.sites || (int64_t)b.word > m.span - 8 || b.word % 8 ||
        (int64_t)b.target >= cca_cache_module_at(table, b.definer).span)
      return fail(check, CCA_TABLE_ERR_CORRUPT, offset,
                  "cache_call %u: its binding leads out of a module", c);
  }
  return 0;
}

static int check_cache(const struct check *check) {
  const struct cca_table *table = check->table;
  for (uint32_t i = 0; i < cca_cache_module_count(table); i++) {
    struct cca_cache_module m = cca_cache_module_at(table, i);
    const unsigned char *at = cca_table_row(table, CCA_CHUNK_CACHE_MODULE, i);
    if (m.span <= 0 || (int64_t)m.note_size > m.span)
      return fail(check, CCA_TABLE_ERR_CORRUPT, (size_t)(at - table->image),
                  "cache_module %u: the note is not in the module", i);
    int status = check_calls(check, i);
    if (status < 0)
      return status;
  }
  return 0;
}

int cca_table_reopen(struct cca_table *table, const struct cca_schema *schema,
                     const void *image, size_t len) {
  struct check check = {table, NULL};
  *table = (struct cca_table){.image = image, .schema = schema};
  int status = check_header(&check, len);
  if (status == 0)
    status = check_chunks(&check);
  return status == 0 ? check_strings(&check) : status;
}

int cca_table_open(struct cca_table *table, const struct cca_schema *schema,
                   const void *image, size_t len, struct cca_table_error *err) {
  struct check check = {table, err};
  *table = (struct cca_table){.image = image, .schema = schema};

  int status = check_header(&check, len);
  if (status == 0)
    status = check_chunks(&check);
  if (status == 0)
    status = check_strings(&check);
  /* From here on the accessors stay inside, though rows may be nonsense. */
  if (status == 0 && table->count[schema->single] != 1)
    status = fail(&check, CCA_TABLE_ERR_CORRUPT, CCA_HEADER_SIZE,
                  "%u rows of %s, not 1", table->count[schema->single],
                  schema->chunks[schema->single].name);
  for (uint32_t id = 0; status == 0 && id < CCA_TABLE_MAX_CHUNKS; id++)
    if (schema->chunks[id].name)
      status = check_rows(&check, id);
  /* From here on every reference leads to a row. */
  if (status == 0)
    status = schema == &cca_summary_schema ? check_summary(&check)
             : schema == &cca_classification_schema
                 ? check_classification(&check)
             : schema == &cca_symbols_schema ? check_symbols(&check)
                                             : check_cache(&check);
  if (status == 0 && err)
    *err = (struct cca_table_error){.status = CCA_TABLE_OK};
  if (status < 0)
    *table = (struct cca_table){.schema = schema};
  return status;
}
