/* SPDX-License-Identifier: MIT */
/*
 * check-print.c -- findings as messages like a compiler's, and as JSON.
 *
 * Editors know the form FILE:LINE:COLUMN: warning: ...; what follows as notes
 * is why the callee is believed to be an allocation function.
 * docs/check.schema.json describes the JSON.
 */
#include "check.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_VERSION = 1 };

static const char *type_name(const struct cca_check *check, uint32_t type) {
  return cca_report_type(check->report->table, type);
}

/* ---- Text ---- */

static void add_place(const struct cca_check *check, struct cca_text *out,
                      uint32_t file, uint32_t line, uint32_t column) {
  const char *name = cca_report_file(check->report->table, file);
  cca_screen_clean(out, *name ? name : "(source place unknown)");
  if (line)
    cca_text_addf(out, ":%u", line);
  if (line && column)
    cca_text_addf(out, ":%u", column);
  cca_text_adds(out, ": ");
}

static void add_notes(const struct cca_check *check,
                      const struct cca_check_finding *f, struct cca_text *out) {
  const struct cca_table *table = check->report->table;
  if (f->alloc == CCA_NONE)
    return;
  struct cca_alloc alloc = cca_alloc_at(table, f->alloc);
  const char *name = cca_table_string(table, alloc.name);
  add_place(check, out, alloc.file, alloc.line, 0);
  cca_text_adds(out, "note: ");
  cca_screen_clean(out, name);
  cca_text_adds(out, " allocates ");
  cca_screen_clean(out, cca_table_string(table, alloc.size));
  cca_text_adds(out, " bytes\n");
  for (uint32_t i = 0; i < alloc.chain_count; i++) {
    struct cca_step step = cca_step_at(table, alloc.chain_first + i);
    add_place(check, out, step.file, step.line, 0);
    cca_text_adds(out, i ? "note: which " : "note: it ");
    cca_screen_clean(out, cca_table_string(table, step.text));
    cca_text_adds(out, "\n");
  }
}

void cca_check_text(const struct cca_check *check,
                    const struct cca_screen *screen, struct cca_text *out) {
  const struct cca_table *table = check->report->table;
  for (uint32_t i = 0; i < check->count; i++) {
    const struct cca_check_finding *f = &check->findings[i];
    struct cca_allocsite site = cca_allocsite_at(table, f->site);
    struct cca_type of = cca_type_at(table, f->of);
    struct cca_type as = cca_type_at(table, f->used_as);
    struct cca_text raw = {0}, clean = {0};
    add_place(check, out, site.file, site.line, site.column);
    cca_screen_styled(screen, out, CCA_STYLE_WARN, "warning:");
    cca_text_addf(&raw,
                  " %s() is given %s, and the result is used as %s: %lld "
                  "bytes%s, not %lld; is sizeof(%s) meant?",
                  cca_table_string(table, site.callee),
                  cca_table_string(table, site.size),
                  type_name(check, f->used_as), (long long)of.size,
                  f->many ? " each" : "", (long long)as.size,
                  type_name(check, f->used_as));
    cca_screen_clean(&clean, raw.data);
    cca_text_addf(out, "%s [%s]\n", clean.data, cca_check_kind_name(f->kind));
    add_notes(check, f, out);
    cca_text_release(&raw);
    cca_text_release(&clean);
  }
}

/* ---- JSON ---- */

static json_t *string(const char *text) {
  struct cca_text clean = {0};
  json_t *value = json_string(text);
  if (value)
    return value;
  cca_screen_clean(&clean, text);
  value = json_stringn(clean.data, clean.len);
  cca_text_release(&clean);
  return value;
}

static void set(json_t *object, const char *key, json_t *value) {
  json_object_set_new(object, key, value);
}

static void set_place(const struct cca_check *check, json_t *object,
                      uint32_t file, uint32_t line) {
  const char *name = cca_report_file(check->report->table, file);
  set(object, "file", *name ? string(name) : json_null());
  set(object, "line", line ? json_integer(line) : json_null());
}

static void set_type(const struct cca_check *check, json_t *object,
                     const char *key, uint32_t type) {
  json_t *value = json_object();
  set(value, "name", string(type_name(check, type)));
  set(value, "size",
      json_integer(cca_type_at(check->report->table, type).size));
  set(object, key, value);
}

static json_t *chain(const struct cca_check *check,
                     const struct cca_check_finding *f) {
  const struct cca_table *table = check->report->table;
  json_t *list = json_array();
  if (f->alloc == CCA_NONE)
    return list;
  struct cca_alloc alloc = cca_alloc_at(table, f->alloc);
  for (uint32_t i = 0; i < alloc.chain_count; i++) {
    struct cca_step step = cca_step_at(table, alloc.chain_first + i);
    json_t *object = json_object();
    set(object, "text", string(cca_table_string(table, step.text)));
    set_place(check, object, step.file, step.line);
    json_array_append_new(list, object);
  }
  return list;
}

void cca_check_json(const struct cca_check *check, struct cca_text *out) {
  const struct cca_table *table = check->report->table;
  json_set_alloc_funcs(cca_malloc, free); /* so nothing below fails */
  json_t *root = json_object(), *findings = json_array();
  set(root, "version", json_integer(CHECK_VERSION));
  set(root, "name", string(check->report->name));
  set(root, "sites", json_integer(check->report->sites.count));
  set(root, "compared", json_integer(check->compared));
  for (uint32_t i = 0; i < check->count; i++) {
    const struct cca_check_finding *f = &check->findings[i];
    struct cca_allocsite site = cca_allocsite_at(table, f->site);
    json_t *object = json_object();
    set(object, "kind", string(cca_check_kind_name(f->kind)));
    set_place(check, object, site.file, site.line);
    set(object, "column",
        site.column ? json_integer(site.column) : json_null());
    set(object, "function", string(cca_table_string(table, site.function)));
    set(object, "callee", string(cca_table_string(table, site.callee)));
    set(object, "size", string(cca_table_string(table, site.size)));
    set_type(check, object, "type", f->of);
    set_type(check, object, "used_as", f->used_as);
    set(object, "many", json_boolean(f->many));
    set(object, "chain", chain(check, f));
    json_array_append_new(findings, object);
  }
  set(root, "findings", findings);
  char *text = json_dumps(root, JSON_INDENT(2) | JSON_ENSURE_ASCII);
  cca_text_adds(out, text);
  cca_text_adds(out, "\n");
  free(text);
  json_decref(root);
}
