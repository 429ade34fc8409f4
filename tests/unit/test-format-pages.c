/* libs: cca_summaries */
/* SPDX-License-Identifier: MIT */
/*
 * test-format-pages.c -- the pages that specify the formats list every chunk
 * with its number and size, every field at its offset, and every word.
 */
#include <stdlib.h>

#include "check.h"
#include "summaries/schema.h"

/* The whole of docs/NAME, owned. */
static struct cca_text read_page(const char *name) {
  struct cca_text path = {0}, page = {0};
  const char *source = getenv("CCA_SOURCE");
  cca_text_addf(&path, "%s/docs/%s", source ? source : ".", name);
  FILE *file = fopen(path.data, "rb");
  CHECK(file != NULL);
  char block[4096];
  for (size_t len; file && (len = fread(block, 1, sizeof block, file)) > 0;)
    cca_text_add(&page, block, len);
  if (file)
    fclose(file);
  cca_text_release(&path);
  cca_text_adds(&page, "");
  return page;
}

/* Find WANTED at or behind AT, and be behind it; or say that it is not there,
 * and stay. */
static const char *expect(const char *at, const char *wanted) {
  const char *found = strstr(at, wanted);
  if (!check_report(found != NULL, __FILE__, __LINE__))
    fprintf(stderr, "the page does not have: %s\n", wanted);
  return found ? found + strlen(wanted) : at;
}

static const char *kind_of(const struct cca_schema *schema,
                           const struct cca_column *column, char *kind,
                           size_t len) {
  static const char *const plain[] = {
      [CCA_COLUMN_STR] = "string", [CCA_COLUMN_U32] = "u32",
      [CCA_COLUMN_I32] = "i32",    [CCA_COLUMN_I64] = "i64",
      [CCA_COLUMN_HEX] = "hex",    [CCA_COLUMN_VARIANT] = "operand",
      [CCA_COLUMN_ENUM] = "enum",  [CCA_COLUMN_FLAGS] = "flags",
  };
  if (column->kind < CCA_COLUMN_REF)
    return plain[column->kind];
  const char *name = schema->chunks[column->chunk].name;
  snprintf(kind, len, "%s of %s%s",
           column->kind == CCA_COLUMN_FIRST ? "range" : "row", name,
           column->kind == CCA_COLUMN_OPT ? " or none" : "");
  for (char *p = strstr(kind, " of ") + 4; *p && *p != ' '; p++)
    *p = (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
  return kind;
}

static void check_words(const char *page, const struct cca_words *words) {
  char line[100];
  snprintf(line, sizeof line, "\n| 0 | %s |", words->word[0]);
  const char *at = expect(page, line);
  for (uint32_t i = 1; i < words->count; i++) {
    CHECK(words->word[i] != NULL); /* values without a hole */
    snprintf(line, sizeof line, "\n| %u | %s |", i, words->word[i]);
    at = expect(at, line);
  }
}

static void check_chunk(const struct cca_schema *schema, uint32_t id,
                        const char *page) {
  const struct cca_chunk *chunk = &schema->chunks[id];
  char line[160], kind[60], heading[60];
  snprintf(heading, sizeof heading, "%s", chunk->name);
  for (char *p = heading; *p; p++)
    *p = (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
  snprintf(line, sizeof line, "\n### %s, chunk %u, count * %u bytes\n", heading,
           id, chunk->row_size);
  const char *at = expect(page, line);

  uint32_t offset = 0;
  for (uint32_t i = 0; i < chunk->column_count; i++) {
    const struct cca_column *column = &chunk->columns[i];
    uint32_t size = column->size;
    if (column->kind == CCA_COLUMN_FIRST)
      size += chunk->columns[++i].size;
    snprintf(line, sizeof line, "\n| %u | %u | %.*s | %s |", offset, size,
             column->name_len, column->name,
             kind_of(schema, column, kind, sizeof kind));
    at = expect(at, line);
    if (column->words)
      check_words(page, column->words);
    offset += size;
  }
  CHECK_U(offset, chunk->row_size);
}

static void check_page(const struct cca_schema *schema, const char *name,
                       uint32_t first) {
  struct cca_text page = read_page(name);
  char version[60];
  snprintf(version, sizeof version, "the schema `%.4s`, version %u.%u",
           (const char *)schema->id, schema->major, schema->minor);
  expect(page.data, version);
  for (uint32_t id = first; id < CCA_TABLE_MAX_CHUNKS; id++)
    if (schema->chunks[id].name)
      check_chunk(schema, id, page.data);
  cca_text_release(&page);
}

static void test_summary(void) {
  check_page(&cca_summary_schema, "summary-format.md", 1);
}

static void test_classification(void) {
  check_page(&cca_classification_schema, "classification-format.md", 4);
}

static void test_symbols(void) {
  check_page(&cca_symbols_schema, "symbols-format.md", 1);
}

static void test_cache(void) {
  check_page(&cca_cache_schema, "cache-format.md", 1);
}

int main(void) {
  RUN(test_summary);
  RUN(test_classification);
  RUN(test_symbols);
  RUN(test_cache);
  return check_done();
}
