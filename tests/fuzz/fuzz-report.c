/* libs: cca_report */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-report.c -- whatever classification passes the check is reported: the
 * text holds printable characters and line ends alone, the JSON is JSON, and
 * both come out the same twice; and so it is with what `allocs check` finds.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check.h"
#include "tools/report.h"

static void must(int condition) {
  if (!condition)
    abort();
}

static void write_both(const struct cca_table *table, const char *type,
                       struct cca_text *text, struct cca_text *json) {
  struct cca_report_options options = {.type = type, .why = type != NULL};
  struct cca_screen screen = {
      .cut = type != NULL, .width = 60, .arrow = "->", .ellipsis = "..."};
  struct cca_report report;
  cca_report_init(&report, "fuzz", table, type);
  cca_report_text(&report, &options, &screen, text);
  cca_report_json(&report, &options, json);

  uint32_t sites = 0, kinds = 0, functions = 0;
  for (int i = 0; i < CCA_CLASS_COUNT; i++)
    sites += report.classes[i];
  for (int i = 0; i < CCA_KIND_COUNT; i++)
    kinds += report.kinds[i];
  for (int i = 0; i < CCA_GROUP_COUNT; i++)
    functions += report.groups[i].count;
  must(sites == report.sites.count && kinds == functions);
  cca_report_release(&report);
}

static void write_findings(const struct cca_table *table, struct cca_text *text,
                           struct cca_text *json) {
  struct cca_screen screen = {.width = 60, .arrow = "->", .ellipsis = "..."};
  struct cca_report report;
  struct cca_check check;
  cca_report_init(&report, "fuzz", table, NULL);
  cca_check_judge(&check, &report);
  cca_check_text(&check, &screen, text);
  cca_check_json(&check, json);
  must(check.count <= check.compared && check.compared <= report.sites.count);
  cca_report_release(&report);
}

/* TYPE is that of a report; NULL: findings. */
static void write(const struct cca_table *table, const char *type,
                  struct cca_text *text, struct cca_text *json) {
  if (type)
    write_both(table, *type ? type : NULL, text, json);
  else
    write_findings(table, text, json);
}

static void check(const struct cca_table *table, const char *type) {
  struct cca_text text = {0}, json = {0}, again = {0}, json_again = {0};
  write(table, type, &text, &json);
  write(table, type, &again, &json_again);
  must(text.len == again.len && text.len + json.len);
  must(!text.len || !memcmp(text.data, again.data, text.len));
  must(json.len == json_again.len &&
       !memcmp(json.data, json_again.data, json.len));
  for (size_t i = 0; i < text.len; i++) {
    unsigned char c = (unsigned char)text.data[i];
    must(c == '\n' || (c >= 0x20 && c != 0x7f));
  }
  json_t *root = json_loadb(json.data, json.len, 0, NULL);
  must(json_is_object(root));
  json_decref(root);
  cca_text_release(&text);
  cca_text_release(&json);
  cca_text_release(&again);
  cca_text_release(&json_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cca_table table;
  if (cca_table_open(&table, &cca_classification_schema, data, size, NULL) < 0)
    return 0;
  check(&table, "");
  check(&table, "s");
  check(&table, NULL);
  return 0;
}
