/* SPDX-License-Identifier: MIT */
/*
 * text-assemble.c -- a table from its text, as text-dump.c or a person wrote
 * it.
 *
 * Input:     lines; the first names the schema, each other one is a row.
 * Output:    an image, or the line and what is wrong with it.
 * Invariant: the text of an image gives the same image.
 *
 * Two passes.  The first gives every row its number, and its label if it has
 * one, so that the second can read references in both directions.  What
 * follows from other rows a person may leave out: the number of a row; the
 * calls, stores and returns of a function, which say themselves whose they
 * are; and the rows of operands, whose nodes may be listed in place:
 *
 *     func @f symbol="xmalloc" linkage=external params=@f+1
 *     node @twice either [@a @b]
 *     call func=@f callee=@malloc args=[@twice]
 */
#include "schema.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"

/* The rest of the current line. */
struct cursor {
  const char *at, *end;
};

struct assembler {
  const struct cca_schema *schema;
  struct cca_builder *builder;
  struct cca_map labels;               /* chunk id and label -> row number */
  uint32_t rows[CCA_TABLE_MAX_CHUNKS]; /* seen in this pass */
  uint32_t operands;                   /* rows that have a line of their own */
  struct cca_vec(uint32_t) listed;     /* nodes in [...]: rows behind these */
  struct cca_text string;              /* the last one read */
  struct cca_table_error *err;
  size_t line;
};

__attribute__((format(printf, 2, 3))) static bool
fail(struct assembler *a, const char *format, ...) {
  if (a->err) {
    va_list args;
    va_start(args, format);
    vsnprintf(a->err->text, sizeof a->err->text, format, args);
    va_end(args);
    for (char *p = a->err->text; *p; p++) /* it quotes the input */
      if (*p < 0x20 || *p > 0x7e)
        *p = '?';
    a->err->status = CCA_TABLE_ERR_CORRUPT;
    a->err->offset = a->line;
  }
  return false;
}

/*
 * Words.  All of these skip blanks, take what they can and leave the cursor
 * behind it.
 */

static void skip_blanks(struct cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r'))
    c->at++;
}

static bool at_end(struct cursor *c) {
  skip_blanks(c);
  return c->at == c->end || *c->at == '#';
}

static bool take(struct cursor *c, char wanted) {
  skip_blanks(c);
  if (c->at == c->end || *c->at != wanted)
    return false;
  c->at++;
  return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The value of a hexadecimal digit; 16 if it is none. */
static unsigned digit_of(char c) {
  return is_digit(c)              ? (unsigned)(c - '0')
         : (c >= 'a' && c <= 'f') ? (unsigned)(c - 'a') + 10
                                  : 16;
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
         c == '_' || c == '.' || c == '$';
}

/* The length of the word at the cursor, which is moved behind it. */
static int take_word(struct cursor *c, const char **word) {
  skip_blanks(c);
  *word = c->at;
  while (c->at < c->end && c->at - *word < 4096 && is_word(*c->at))
    c->at++;
  return (int)(c->at - *word);
}

static bool same(const char *word, int len, const char *name, size_t name_len) {
  return (size_t)len == name_len && memcmp(word, name, name_len) == 0;
}

static bool take_number(struct assembler *a, struct cursor *c, int64_t min,
                        uint64_t max, uint64_t *value) {
  skip_blanks(c);
  const char *begin = c->at;
  bool negative = c->at < c->end && *c->at == '-';
  if (negative)
    c->at++;
  const char *digits;
  int len = take_word(c, &digits);
  unsigned base = 10;
  if (len > 2 && digits[0] == '0' && digits[1] == 'x') {
    base = 16;
    digits += 2;
    len -= 2;
  }
  uint64_t limit = negative ? 0 - (uint64_t)min : max, number = 0;
  bool good = len > 0;
  for (int i = 0; good && i < len; i++) {
    unsigned digit = digit_of(digits[i]);
    good = digit < base && number <= (limit - digit) / base && digit <= limit;
    number = number * base + digit;
  }
  if (!good)
    return fail(a, "not a number, or out of range: %.*s",
                (int)(c->at - begin > 32 ? 32 : c->at - begin), begin);
  *value = negative ? 0 - number : number;
  return true;
}

static bool take_string(struct assembler *a, struct cursor *c) {
  a->string.len = 0;
  cca_text_add(&a->string, "", 0);
  if (!take(c, '"'))
    return fail(a, "a string begins with \"");
  while (c->at < c->end && *c->at != '"') {
    char byte = *c->at++;
    if (byte == '\\' && c->at < c->end) {
      char escape = *c->at++;
      if (escape == 'n')
        byte = '\n';
      else if (escape == 't')
        byte = '\t';
      else if (escape == '"' || escape == '\\')
        byte = escape;
      else if (escape == 'x' && c->end - c->at >= 2 &&
               digit_of(c->at[0]) < 16 && digit_of(c->at[1]) < 16 &&
               (c->at[0] != '0' || c->at[1] != '0')) {
        byte = (char)(digit_of(c->at[0]) << 4 | digit_of(c->at[1]));
        c->at += 2;
      } else
        return fail(a, "no such escape: \\%c", escape);
    }
    cca_text_add(&a->string, &byte, 1);
  }
  if (!take(c, '"'))
    return fail(a, "the string does not end");
  return true;
}

/*
 * References.
 */

static uint32_t *label_at(struct assembler *a, uint32_t id, const char *label,
                          int len, bool *is_new) {
  a->string.len = 0;
  cca_text_addf(&a->string, "%c%.*s", (char)('A' + id), len, label);
  return cca_map_at(&a->labels, a->string.data, a->string.len, is_new);
}

/* @7, or @label. */
static bool take_row(struct assembler *a, struct cursor *c, uint32_t id,
                     uint32_t *row) {
  if (!take(c, '@'))
    return fail(a, "a reference begins with @");
  struct cursor word = *c;
  const char *label;
  int len = take_word(c, &label);
  if (len && is_digit(*label)) {
    uint64_t number;
    if (!take_number(a, &word, 0, UINT32_MAX, &number))
      return false;
    *row = (uint32_t)number;
    return true;
  }
  a->string.len = 0;
  cca_text_addf(&a->string, "%c%.*s", (char)('A' + id), len, label);
  const uint32_t *found =
      cca_map_find(&a->labels, a->string.data, a->string.len);
  if (!found)
    return fail(a, "no %s has the label @%.*s", a->schema->chunks[id].name, len,
                label);
  *row = *found;
  return true;
}

/* @7+2, or [@1 @2]. */
static bool take_range(struct assembler *a, struct cursor *c, uint32_t id,
                       uint32_t *first, uint32_t *count) {
  bool operands = a->schema == &cca_summary_schema && id == CCA_CHUNK_OPERAND;
  if (operands && take(c, '[')) {
    *first = a->operands + (uint32_t)a->listed.count;
    *count = 0;
    while (!take(c, ']')) {
      uint32_t node;
      if (at_end(c))
        return fail(a, "the list does not end");
      if (!take_row(a, c, CCA_CHUNK_NODE, &node))
        return false;
      cca_vec_push(&a->listed, node);
      ++*count;
    }
    return true;
  }
  uint64_t number;
  if (!take_row(a, c, id, first))
    return false;
  if (!take(c, '+'))
    return fail(a, "a range is @FIRST+COUNT");
  if (!take_number(a, c, 0, UINT32_MAX, &number))
    return false;
  *count = (uint32_t)number;
  return true;
}

static bool take_enum(struct assembler *a, struct cursor *c,
                      const struct cca_words *words, const char *what,
                      uint32_t *value) {
  const char *word;
  int len = take_word(c, &word);
  for (uint32_t i = 0; i < words->count; i++)
    if (same(word, len, words->word[i], strlen(words->word[i]))) {
      *value = i;
      return true;
    }
  return fail(a, "no such %s: %.*s", what, len, word);
}

/*
 * Rows.
 */

/* The value of one column, or operand of a node, into the row at AT. */
static bool take_column(struct assembler *a, struct cursor *c,
                        const struct cca_column *column, unsigned char *at) {
  uint64_t number = 0;
  uint32_t value = 0, count = 0;
  switch (column->kind) {
  case CCA_COLUMN_STR:
    if (!take_string(a, c))
      return false;
    value = cca_builder_string(a->builder, a->string.data);
    break;
  case CCA_COLUMN_U32:
    if (!take_number(a, c, 0, UINT32_MAX, &number))
      return false;
    value = (uint32_t)number;
    break;
  case CCA_COLUMN_I32:
    if (!take_number(a, c, INT32_MIN, INT32_MAX, &number))
      return false;
    value = (uint32_t)number;
    break;
  case CCA_COLUMN_I64:
  case CCA_COLUMN_HEX:
  case CCA_COLUMN_INT_LOW: /* and the INT_HIGH behind it */
    if (!take_number(a, c, INT64_MIN, UINT64_MAX, &number))
      return false;
    cca_save_8(at, number);
    return true;
  case CCA_COLUMN_ENUM:
    if (!take_enum(a, c, column->words, column->name, &value))
      return false;
    break;
  case CCA_COLUMN_FLAGS:
    do {
      uint32_t bit;
      if (!take_enum(a, c, column->words, column->name, &bit))
        return false;
      value |= 1u << bit;
    } while (take(c, ','));
    break;
  case CCA_COLUMN_REF:
  case CCA_COLUMN_OPT:
  case CCA_COLUMN_NODE:
    if (!take_row(a, c, column->chunk, &value))
      return false;
    break;
  case CCA_COLUMN_FIRST:
    if (!take_range(a, c, column->chunk, &value, &count))
      return false;
    cca_save_4(at + 4, count);
    break;
  case CCA_COLUMN_COUNT: /* with its FIRST */
  case CCA_COLUMN_INT_HIGH:
  case CCA_COLUMN_VARIANT:
  case CCA_COLUMN_ZERO:
    return true;
  }
  cca_save_4(at, value);
  return true;
}

static bool take_node(struct assembler *a, struct cursor *c,
                      unsigned char *row) {
  uint32_t op;
  if (!take_enum(a, c, &cca_op_words, "op", &op))
    return false;
  struct cca_wire_node *wire = (void *)row;
  cca_save_4(wire->op, op);
  const struct cca_column *first = &cca_ops[op].a, *second = &cca_ops[op].b;
  if (first->kind == CCA_COLUMN_FIRST && at_end(c))
    return true; /* nothing of nothing */
  if (!take_column(a, c, first, wire->a))
    return false;
  return take_column(a, c, second, wire->b);
}

/* name=value, each at most once and in any order. */
static bool take_columns(struct assembler *a, struct cursor *c,
                         const struct cca_chunk *chunk, unsigned char *row) {
  bool seen[CCA_MAX_COLUMNS] = {false};
  while (!at_end(c)) {
    const char *word;
    int len = take_word(c, &word);
    uint32_t i = 0;
    unsigned char *at = row;
    while (i < chunk->column_count &&
           (chunk->columns[i].kind == CCA_COLUMN_COUNT ||
            !same(word, len, chunk->columns[i].name,
                  (size_t)chunk->columns[i].name_len)))
      at += chunk->columns[i++].size;
    if (i == chunk->column_count)
      return fail(a, "%s has no field %.*s", chunk->name, len, word);
    if (seen[i])
      return fail(a, "%.*s is there twice", len, word);
    seen[i] = true;
    if (!take(c, '='))
      return fail(a, "%.*s is not followed by =", len, word);
    if (!take_column(a, c, &chunk->columns[i], at))
      return false;
  }
  for (uint32_t i = 0; i < chunk->column_count; i++)
    if (chunk->columns[i].kind == CCA_COLUMN_REF && !seen[i])
      return fail(a, "%s is not there", chunk->columns[i].name);
  return true;
}

/* The chunk a line is about, and the row's number or label behind it. */
static bool take_head(struct assembler *a, struct cursor *c, uint32_t *id,
                      const char **label, int *label_len) {
  const char *word;
  int len = take_word(c, &word);
  for (*id = 0; *id < CCA_TABLE_MAX_CHUNKS; ++*id) {
    const char *name = a->schema->chunks[*id].name;
    if (name && same(word, len, name, strlen(name)))
      break;
  }
  if (*id == CCA_TABLE_MAX_CHUNKS)
    return fail(a, "a %s has no rows called \"%.*s\"", a->schema->name, len,
                word);
  *label = NULL;
  if (take(c, '@')) {
    *label_len = take_word(c, label);
    if (*label_len == 0)
      return fail(a, "@ without a number or label");
  }
  return true;
}

/* First pass: number the row, and check or remember what it is called. */
static bool number_row(struct assembler *a, struct cursor c) {
  uint32_t id;
  const char *label;
  int len;
  if (!take_head(a, &c, &id, &label, &len))
    return false;
  uint32_t row = a->rows[id]++;
  if (!label)
    return true;
  if (is_digit(*label)) {
    char number[16];
    int digits = snprintf(number, sizeof number, "%" PRIu32, row);
    if (!same(label, len, number, (size_t)digits))
      return fail(a, "this is %s @%" PRIu32 ", not @%.*s",
                  a->schema->chunks[id].name, row, len, label);
    return true;
  }
  bool is_new;
  uint32_t *value = label_at(a, id, label, len, &is_new);
  if (!is_new)
    return fail(a, "another %s is called @%.*s", a->schema->chunks[id].name,
                len, label);
  *value = row;
  return true;
}

/* Second pass: add the row. */
static bool add_row(struct assembler *a, struct cursor c) {
  uint32_t id;
  const char *label;
  int len;
  if (!take_head(a, &c, &id, &label, &len))
    return false;
  const struct cca_chunk *chunk = &a->schema->chunks[id];
  unsigned char row[CCA_MAX_COLUMNS * 8] = {0}, *at = row;
  for (uint32_t i = 0; i < chunk->column_count; i++) {
    if (chunk->columns[i].kind == CCA_COLUMN_OPT)
      cca_save_4(at, CCA_NONE);
    at += chunk->columns[i].size;
  }

  bool node = a->schema == &cca_summary_schema && id == CCA_CHUNK_NODE;
  if (node ? !take_node(a, &c, row) : !take_columns(a, &c, chunk, row))
    return false;
  if (!at_end(&c))
    return fail(a, "unexpected: %.*s",
                (int)(c.end - c.at > 32 ? 32 : c.end - c.at), c.at);
  cca_builder_add(a->builder, id, row);
  return true;
}

/* The line that says what the rest is: `summary 2.0`. */
static bool take_title(struct assembler *a, struct cursor c) {
  static const struct cca_schema *const schemas[] = {
      &cca_summary_schema, &cca_classification_schema, &cca_symbols_schema,
      &cca_cache_schema};
  const char *word;
  int len = take_word(&c, &word);
  for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
    if (same(word, len, schemas[i]->name, strlen(schemas[i]->name)))
      a->schema = schemas[i];
  if (!a->schema)
    return fail(a, "the first line is not `summary 2.0` or the like");
  char version[24];
  int version_len = snprintf(version, sizeof version, "%" PRIu32 ".%" PRIu32,
                             a->schema->major, a->schema->minor);
  len = take_word(&c, &word);
  if (!same(word, len, version, (size_t)version_len) || !at_end(&c))
    return fail(a, "not version %s of %s", version, a->schema->name);
  a->builder = cca_builder_new(a->schema);
  return true;
}

/* Call VISIT for each line that says something, the first with take_title()
 * unless that has been read. */
static bool each_line(struct assembler *a, const char *text, size_t len,
                      bool (*visit)(struct assembler *, struct cursor)) {
  bool title = true;
  a->line = 0;
  for (const char *at = text, *end = cca_text_end(text, len); at < end;) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    struct cursor c = {at, newline ? newline : end};
    at = newline ? newline + 1 : end;
    a->line++;
    if (at_end(&c))
      continue;
    if (memchr(c.at, 0, (size_t)(c.end - c.at)))
      return fail(a, "a zero byte");
    if (title ? !a->schema && !take_title(a, c) : !visit(a, c))
      return false;
    title = false;
  }
  if (title)
    return fail(a, "nothing there");
  return true;
}

/* Operands that were listed in place. */
static void add_listed(struct assembler *a) {
  for (size_t i = 0; i < a->listed.count; i++)
    cca_operand_add(a->builder,
                    (struct cca_operand){.node = a->listed.items[i]});
}

/* Give functions without a RANGE the rows of CHUNK that say so, if they stand
 * together; if not, the check will refuse them. */
#define INFER(builder, chunk, range)                                           \
  for (uint32_t i = 0, next; i < cca_##chunk##_added(builder); i = next) {     \
    uint32_t f = cca_##chunk##_get(builder, i).func;                           \
    next = i + 1;                                                              \
    while (next < cca_##chunk##_added(builder) &&                              \
           cca_##chunk##_get(builder, next).func == f)                         \
      next++;                                                                  \
    if (f >= cca_func_added(builder))                                          \
      continue; /* none */                                                     \
    struct cca_func func = cca_func_get(builder, f);                           \
    if (func.range##_count)                                                    \
      continue;                                                                \
    func.range##_first = i;                                                    \
    func.range##_count = next - i;                                             \
    cca_func_set(builder, f, func);                                            \
  }

static void infer_ranges(struct cca_builder *builder) {
  INFER(builder, call, calls)
  INFER(builder, store, stores)
  INFER(builder, return, returns)
}

int cca_text_assemble(const char *text, size_t len, struct cca_text *out,
                      struct cca_table_error *err) {
  struct assembler a = {.err = err};
  int status = CCA_TABLE_ERR_CORRUPT;
  if (each_line(&a, text, len, number_row)) {
    a.operands = a.rows[CCA_CHUNK_OPERAND];
    if (each_line(&a, text, len, add_row)) {
      if (a.schema == &cca_summary_schema) {
        add_listed(&a);
        infer_ranges(a.builder);
      }
      /* Its errors name rows; we have no line for them. */
      status = cca_builder_finish(a.builder, out, err);
      if (status < 0 && err)
        err->offset = 0;
    }
  }
  cca_builder_free(a.builder);
  cca_map_release(&a.labels);
  cca_vec_release(&a.listed);
  cca_text_release(&a.string);
  return status;
}
