/* SPDX-License-Identifier: MIT */
/*
 * report-json.c -- the report for programs.
 *
 * docs/report.schema.json describes it; a test holds real output against it.
 * Keys come in the order in which they are written here, rows in the model's,
 * so equal input gives equal bytes.  Addresses and digests are strings of
 * hexadecimal digits, since JSON's numbers do not hold 64 bits everywhere.
 */
#include "report.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_VERSION = 1 };

/* STRING, with what is no UTF-8 replaced: JSON cannot hold it. */
static json_t *json_of(const char *string) {
  json_t *value = json_string(string);
  if (value)
    return value;
  struct cca_text clean = {0};
  cca_screen_clean(&clean, string);
  value = json_stringn(clean.data, clean.len);
  cca_text_release(&clean);
  return value;
}

static json_t *string_at(const struct cca_table *table, uint32_t offset) {
  return json_of(cca_table_string(table, offset));
}

/* null for "": what is not known is null, never an empty string. */
static json_t *known(const char *string) {
  return *string ? json_of(string) : json_null();
}

static json_t *known_at(const struct cca_table *table, uint32_t offset) {
  return known(cca_table_string(table, offset));
}

static json_t *line_of(uint32_t line) {
  return line ? json_integer(line) : json_null();
}

static json_t *hex(int64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  return json_string(text);
}

static void set(json_t *object, const char *key, json_t *value) {
  json_object_set_new(object, key, value);
}

static void set_place(const struct cca_table *table, json_t *object,
                      uint32_t file, uint32_t line) {
  set(object, "file", known(cca_report_file(table, file)));
  set(object, "line", line_of(line));
}

/* [{"type": T, "sites": N}, ...] */
static json_t *counts(const struct cca_table *table, uint32_t first,
                      uint32_t count) {
  json_t *list = json_array();
  struct cca_arena arena = {0};
  const uint32_t *rows = cca_report_counts(table, first, count, &arena);
  for (uint32_t i = 0; i < count; i++) {
    struct cca_count row = cca_count_at(table, rows[i]);
    json_t *object = json_object();
    set(object, "type", known(cca_report_type(table, row.of)));
    set(object, "sites", json_integer(row.sites));
    json_array_append_new(list, object);
  }
  cca_arena_release(&arena);
  return list;
}

static json_t *totals(const struct cca_report *report) {
  json_t *object = json_object(), *kinds = json_object();
  set(object, "units", json_integer(report->units));
  set(object, "missing", json_integer(report->missing.count));
  set(object, "remarks", json_integer(report->remarks.count));
  set(object, "allocation_functions",
      json_integer(report->groups[CCA_GROUP_ALLOCATION].count));
  set(object, "factories",
      json_integer(report->groups[CCA_GROUP_FACTORY].count));
  set(object, "look_alikes",
      json_integer(report->groups[CCA_GROUP_LOOKALIKE].count));
  set(object, "deallocation_functions",
      json_integer(report->groups[CCA_GROUP_DEALLOCATION].count));
  for (uint32_t kind = 0; kind < CCA_KIND_COUNT; kind++)
    set(kinds, cca_kind_name(kind), json_integer(report->kinds[kind]));
  set(object, "kinds", kinds);
  set(object, "types", json_integer(report->types.count));
  set(object, "sites", json_integer(report->sites.count));
  for (uint32_t class = 0; class < CCA_CLASS_COUNT; class ++)
    set(object, cca_report_class_name(class),
        json_integer(report->classes[class]));
  set(object, "used_as_agrees", json_integer(report->agree));
  set(object, "used_as_differs", json_integer(report->differ));
  set(object, "addresses", json_integer(report->addresses));
  set(object, "sites_with_addresses", json_integer(report->placed));
  set(object, "imports", json_integer(report->imports.count));
  return object;
}

static json_t *chain(const struct cca_table *table,
                     const struct cca_alloc *alloc) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < alloc->chain_count; i++) {
    struct cca_step step = cca_step_at(table, alloc->chain_first + i);
    json_t *object = json_object();
    set(object, "text", string_at(table, step.text));
    set_place(table, object, step.file, step.line);
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *result(const struct cca_alloc *alloc) {
  json_t *object = json_object();
  bool returned = alloc->via == CCA_VIA_RETURN || alloc->via == CCA_VIA_NONE;
  set(object, "via",
      json_string(alloc->via == CCA_VIA_OUT_PARAMETER
                      ? "out-parameter"
                      : cca_via_name(alloc->via)));
  set(object, "parameter",
      returned ? json_null() : json_integer(alloc->via_param));
  set(object, "offset", json_integer(alloc->offset));
  return object;
}

/* Who gives back what NAME allocates, or whose blocks it gives back:
 * [{"name": F, "calls": N}, ...] */
static json_t *partners(const struct cca_table *table, uint32_t name,
                        bool frees) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < cca_giveback_count(table); i++) {
    struct cca_giveback pair = cca_giveback_at(table, i);
    uint32_t mine = frees ? pair.deallocator : pair.allocator;
    if (strcmp(cca_table_string(table, mine), cca_table_string(table, name)))
      continue;
    json_t *object = json_object();
    set(object, "name",
        string_at(table, frees ? pair.allocator : pair.deallocator));
    set(object, "calls", json_integer(pair.calls));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *function(const struct cca_report *report, uint32_t row) {
  const struct cca_table *table = report->table;
  struct cca_alloc alloc = cca_alloc_at(table, row);
  json_t *object = json_object();
  set(object, "name", string_at(table, alloc.name));
  set(object, "unit", string_at(table, alloc.unit));
  set_place(table, object, alloc.file, alloc.line);
  set(object, "kind", json_string(cca_kind_name(alloc.kind)));
  if (alloc.kind == CCA_KIND_FREE) {
    set(object, "parameter", json_integer(alloc.via_param));
  } else {
    json_t *args = json_array();
    for (uint32_t i = 0; i < alloc.args_count; i++)
      json_array_append_new(
          args, json_integer(cca_index_at(table, alloc.args_first + i).value));
    set(object, "size_args", args);
    set(object, "size", known_at(table, alloc.size));
    set(object, "result", result(&alloc));
    set(object, "zeroed", json_boolean(alloc.flags & CCA_ALLOC_FLAGS_ZEROED));
    set(object, "may_fail",
        json_boolean(alloc.flags & CCA_ALLOC_FLAGS_MAY_FAIL));
  }
  set(object, "exported", json_boolean(alloc.flags & CCA_ALLOC_FLAGS_EXPORTED));
  set(object, "pointer", json_boolean(alloc.flags & CCA_ALLOC_FLAGS_POINTER));
  set(object, "certainty", json_string(cca_certainty_name(alloc.certainty)));
  set(object, "chain", chain(table, &alloc));
  if (alloc.kind != CCA_KIND_FREE) {
    set(object, "sites", json_integer(report->sites_of_alloc[row]));
    set(object, "called_with",
        counts(table, alloc.called_with_first, alloc.called_with_count));
  }
  set(object, alloc.kind == CCA_KIND_FREE ? "allocators" : "freed_by",
      partners(table, alloc.name, alloc.kind == CCA_KIND_FREE));
  return object;
}

static void append_group(json_t *list, const struct cca_report *report,
                         enum cca_report_group group) {
  const struct cca_rows *rows = &report->groups[group];
  for (uint32_t i = 0; i < rows->count; i++)
    json_array_append_new(list, function(report, rows->items[i]));
}

/* Allocation functions, factories and look-alikes are one list, in this order:
 * `kind` tells them apart, and a program that wants other borders than ours
 * draws them there. */
static void set_functions(json_t *root, const struct cca_report *report) {
  json_t *allocate = json_array(), *release = json_array();
  append_group(allocate, report, CCA_GROUP_ALLOCATION);
  append_group(allocate, report, CCA_GROUP_FACTORY);
  append_group(allocate, report, CCA_GROUP_LOOKALIKE);
  append_group(release, report, CCA_GROUP_DEALLOCATION);
  set(root, "allocation_functions", allocate);
  set(root, "deallocation_functions", release);
}

static json_t *types(const struct cca_report *report) {
  const struct cca_table *table = report->table;
  json_t *list = json_array();
  for (uint32_t i = 0; i < report->types.count; i++) {
    uint32_t row = report->types.items[i];
    struct cca_type type = cca_type_at(table, row);
    json_t *object = json_object(), *members = json_array();
    set(object, "name", string_at(table, type.name));
    set(object, "kind", json_string(cca_type_kind_name(type.kind)));
    set(object, "size",
        type.flags & CCA_TYPE_FLAGS_INCOMPLETE ? json_null()
                                               : json_integer(type.size));
    set_place(table, object, type.file, type.line);
    set(object, "sites", json_integer(report->sites_of_type[row]));
    for (uint32_t m = 0; m < type.members_count; m++) {
      struct cca_member member = cca_member_at(table, type.members_first + m);
      json_t *entry = json_object();
      set(entry, "name", known_at(table, member.name));
      set(entry, "offset", json_integer(member.offset));
      set(entry, "type", known(cca_report_type(table, member.of)));
      json_array_append_new(members, entry);
    }
    set(object, "members", members);
    json_array_append_new(list, object);
  }
  return list;
}

/* Sets `address`, the lowest that is known, and `addresses`, all of them. */
static void set_addresses(const struct cca_report *report, json_t *object,
                          uint32_t site) {
  json_t *list = json_array(), *lowest = NULL;
  for (uint32_t at = report->first_address[site]; at != CCA_NONE;
       at = report->next_address[at]) {
    struct cca_address address = cca_address_at(report->table, at);
    if (!address.value)
      continue;
    if (!lowest)
      lowest = hex(address.value);
    json_t *entry = json_object();
    set(entry, "address", hex(address.value));
    set(entry, "inlined",
        json_boolean(address.flags & CCA_ADDRESS_FLAGS_INLINED));
    set(entry, "tail", json_boolean(address.flags & CCA_ADDRESS_FLAGS_TAIL));
    set(entry, "ambiguous",
        json_boolean(address.flags & CCA_ADDRESS_FLAGS_AMBIGUOUS));
    json_array_append_new(list, entry);
  }
  set(object, "address", lowest ? lowest : json_null());
  set(object, "addresses", list);
}

static json_t *agreement(enum cca_agreement agreement) {
  return agreement == CCA_AGREE_SILENT ? json_null()
                                       : json_boolean(agreement == CCA_AGREE_YES);
}

static json_t *sites(const struct cca_report *report) {
  const struct cca_table *table = report->table;
  json_t *list = json_array();
  for (uint32_t i = 0; i < report->sites.count; i++) {
    uint32_t row = report->sites.items[i];
    struct cca_allocsite site = cca_allocsite_at(table, row);
    bool typed = site.class == CCA_SITE_CLASS_TYPED;
    bool several = typed && site.shape == CCA_SIZE_SHAPE_SEVERAL;
    json_t *object = json_object();
    set(object, "unit", string_at(table, site.unit));
    set_place(table, object, site.file, site.line);
    set(object, "column", line_of(site.column));
    set(object, "function", string_at(table, site.function));
    set(object, "callee", string_at(table, site.callee));
    set(object, "class", json_string(cca_report_class_name(site.class)));
    set(object, "type",
        typed && !several ? known(cca_report_type(table, site.of))
                          : json_null());
    set(object, "types",
        several ? counts(table, site.types_first, site.types_count)
                : json_array());
    set(object, "shape", json_string(cca_size_shape_name(site.shape)));
    set(object, "header", json_integer(site.header));
    set(object, "size", known_at(table, site.size));
    set(object, "used_as", known(cca_report_type(table, site.used_as)));
    set(object, "used_as_agrees", agreement(cca_report_agreement(table, &site)));
    set_addresses(report, object, row);
    set(object, "reason", known_at(table, site.reason));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *imports(const struct cca_report *report) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < report->imports.count; i++) {
    struct cca_import import =
        cca_import_at(report->table, report->imports.items[i]);
    json_t *object = json_object();
    set(object, "symbol", string_at(report->table, import.symbol));
    set(object, "parameter", json_integer(import.param));
    set(object, "called_with",
        counts(report->table, import.types_first, import.types_count));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *missing(const struct cca_report *report) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < report->missing.count; i++) {
    struct cca_missing row =
        cca_missing_at(report->table, report->missing.items[i]);
    json_t *object = json_object();
    set(object, "unit", string_at(report->table, row.unit));
    set(object, "reason", string_at(report->table, row.reason));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *remarks(const struct cca_report *report) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < report->remarks.count; i++) {
    struct cca_remark row =
        cca_remark_at(report->table, report->remarks.items[i]);
    json_t *object = json_object();
    set(object, "unit", string_at(report->table, row.unit));
    set(object, "remark", string_at(report->table, row.text));
    json_array_append_new(list, object);
  }
  return list;
}

void cca_report_json(const struct cca_report *report,
                     const struct cca_report_options *options,
                     struct cca_text *out) {
  const struct cca_table *table = report->table;
  bool all = options->functions == options->sites;
  json_set_alloc_funcs(cca_malloc, free); /* so nothing below fails */

  json_t *root = json_object();
  set(root, "version", json_integer(REPORT_VERSION));
  set(root, "name", json_of(report->name));
  if (cca_module_count(table)) {
    struct cca_module module = cca_module_at(table, 0);
    set(root, "producer", string_at(table, module.producer));
    set(root, "digest", hex(module.digest));
  }
  set(root, "only_type", options->type ? json_of(options->type) : json_null());
  set(root, "totals", totals(report));
  if (all || options->functions)
    set_functions(root, report);
  if (all)
    set(root, "types", types(report));
  if (all || options->sites)
    set(root, "allocation_sites", sites(report));
  if (all) {
    set(root, "imports", imports(report));
    set(root, "missing", missing(report));
    set(root, "remarks", remarks(report));
  }

  char *text = json_dumps(root, JSON_INDENT(2) | JSON_ENSURE_ASCII);
  cca_text_adds(out, text);
  cca_text_adds(out, "\n");
  free(text);
  json_decref(root);
}
