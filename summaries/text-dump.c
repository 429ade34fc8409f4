/* SPDX-License-Identifier: MIT */
/*
 * text-dump.c -- a table as text, one row a line (docs/table-format.md,
 * "Text").
 *
 *     summary 2.0
 *     func @0 symbol="xmalloc" linkage=external params=@0+1 calls=@0+1
 *     node @0 param 0
 *     node @1 mul @0 @0 # p0 * p0
 *
 * Every column is there but those that have their default; references are
 * written @N, ranges @N+COUNT, nodes by op.  What follows # is for people and
 * says what a row means that speaks in row numbers.  text-assemble.c reads it
 * back.
 */
#include "expression.h"
#include "schema.h"

#include <inttypes.h>
#include <stdbool.h>

static void dump_column(const struct cca_table *table,
                        const struct cca_column *column,
                        const unsigned char *at, struct cca_text *out) {
  uint32_t value = cca_load_4(at);
  const char *name = column->name;
  switch (column->kind) {
  case CCA_COLUMN_STR:
    if (*cca_table_string(table, value)) {
      cca_text_addf(out, " %s=\"", name);
      cca_text_add_escaped(out, cca_table_string(table, value));
      cca_text_adds(out, "\"");
    }
    return;
  case CCA_COLUMN_U32:
    if (value)
      cca_text_addf(out, " %s=%" PRIu32, name, value);
    return;
  case CCA_COLUMN_I32:
    if (value)
      cca_text_addf(out, " %s=%" PRId32, name, (int32_t)value);
    return;
  case CCA_COLUMN_I64:
    if (cca_load_8(at))
      cca_text_addf(out, " %s=%" PRId64, name, (int64_t)cca_load_8(at));
    return;
  case CCA_COLUMN_HEX:
    if (cca_load_8(at))
      cca_text_addf(out, " %s=0x%" PRIx64, name, cca_load_8(at));
    return;
  case CCA_COLUMN_ENUM:
    if (value)
      cca_text_addf(out, " %s=%s", name, column->words->word[value]);
    return;
  case CCA_COLUMN_FLAGS:
    if (value)
      cca_text_addf(out, " %s=", name);
    for (uint32_t bit = 0; value >> bit; bit++)
      if (value >> bit & 1)
        cca_text_addf(out, "%s%s", column->words->word[bit],
                      value >> bit > 1 ? "," : "");
    return;
  case CCA_COLUMN_OPT:
    if (value == CCA_NONE)
      return;
    /* fall through */
  case CCA_COLUMN_REF:
    cca_text_addf(out, " %s=@%" PRIu32, name, value);
    return;
  case CCA_COLUMN_FIRST:
    if (cca_load_4(at + 4))
      cca_text_addf(out, " %.*s=@%" PRIu32 "+%" PRIu32, column->name_len, name,
                    value, cca_load_4(at + 4));
    return;
  case CCA_COLUMN_COUNT: /* with its FIRST */
    return;
  case CCA_COLUMN_VARIANT: /* dump_node() */
  case CCA_COLUMN_ZERO:
  case CCA_COLUMN_NODE:
  case CCA_COLUMN_INT_LOW:
  case CCA_COLUMN_INT_HIGH:
    return;
  }
}

static void dump_node(struct cca_node node, struct cca_text *out) {
  cca_text_addf(out, " %s", cca_op_name(node.op));
  const struct cca_column *columns[] = {&cca_ops[node.op].a,
                                        &cca_ops[node.op].b};
  const uint32_t values[] = {node.a, node.b};
  for (int i = 0; i < 2; i++)
    switch (columns[i]->kind) {
    case CCA_COLUMN_U32:
      cca_text_addf(out, " %" PRIu32, values[i]);
      break;
    case CCA_COLUMN_INT_LOW:
      cca_text_addf(out, " %" PRId64,
                    (int64_t)((uint64_t)node.b << 32 | node.a));
      break;
    case CCA_COLUMN_ENUM:
      cca_text_addf(out, " %s", columns[i]->words->word[values[i]]);
      break;
    case CCA_COLUMN_REF:
    case CCA_COLUMN_NODE:
      cca_text_addf(out, " @%" PRIu32, values[i]);
      break;
    case CCA_COLUMN_FIRST:
      if (node.b)
        cca_text_addf(out, " @%" PRIu32 "+%" PRIu32, node.a, node.b);
      break;
    default: /* zero, or said with the first operand */
      break;
    }
}

/* For people. */
static void dump_comment(const struct cca_table *table, uint32_t id,
                         uint32_t row, struct cca_text *out) {
  if (id == CCA_CHUNK_NODE) {
    cca_text_adds(out, " # ");
    cca_expression_write(table, row, out);
  } else if (id == CCA_CHUNK_CALL) {
    struct cca_call call = cca_call_at(table, row);
    cca_text_adds(out, " # ");
    if (call.callee != CCA_NONE)
      cca_text_add_escaped(
          out, cca_table_string(table, cca_func_at(table, call.callee).symbol));
    else if (call.target != CCA_NONE)
      cca_expression_write(table, call.target, out);
    cca_text_adds(out, "(");
    for (uint32_t i = 0; i < call.args_count && i < 8; i++) {
      if (i)
        cca_text_adds(out, ", ");
      cca_expression_write(
          table, cca_operand_at(table, call.args_first + i).node, out);
    }
    cca_text_adds(out, call.args_count > 8 ? ", ...)" : ")");
  } else if (id == CCA_CHUNK_STORE) {
    struct cca_store store = cca_store_at(table, row);
    cca_text_adds(out, " # ");
    cca_expression_write_loc(table, store.loc, out);
    cca_text_adds(out, " = ");
    cca_expression_write(table, store.value, out);
  } else if (id == CCA_CHUNK_RETURN) {
    cca_text_adds(out, " # ");
    cca_expression_write(table, cca_return_at(table, row).value, out);
  }
}

void cca_text_dump(const struct cca_table *table, struct cca_text *out) {
  const struct cca_schema *schema = table->schema;
  cca_text_addf(out, "%s %" PRIu32 ".%" PRIu32 "\n", schema->name,
                schema->major, schema->minor);
  for (uint32_t id = 0; id < CCA_TABLE_MAX_CHUNKS; id++)
    for (uint32_t row = 0; row < table->count[id]; row++) {
      const struct cca_chunk *chunk = &schema->chunks[id];
      const unsigned char *at = cca_table_row(table, id, row);
      cca_text_addf(out, "%s @%" PRIu32, chunk->name, row);
      bool summary = schema == &cca_summary_schema;
      if (summary && id == CCA_CHUNK_NODE)
        dump_node(cca_node_at(table, row), out);
      else
        for (uint32_t i = 0; i < chunk->column_count; i++) {
          dump_column(table, &chunk->columns[i], at, out);
          at += chunk->columns[i].size;
        }
      if (summary)
        dump_comment(table, id, row, out);
      cca_text_adds(out, "\n");
    }
}
