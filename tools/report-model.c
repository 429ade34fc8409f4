/* SPDX-License-Identifier: MIT */
/*
 * report-model.c -- what both outputs need of a classification: which rows,
 * in which order, and all figures.
 *
 * Sites name their callee by symbol.  Functions of one name are told apart by
 * the unit: a site belongs to the function of its own unit, else to one that
 * other units see, else to the first in the table.  Orders end in the row number, so that equal
 * input gives equal output.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

enum cca_report_group cca_report_group_of(uint32_t kind) {
  switch (kind) {
  case CCA_KIND_FACTORY:
    return CCA_GROUP_FACTORY;
  case CCA_KIND_FREE:
    return CCA_GROUP_DEALLOCATION;
  case CCA_KIND_LAZY:
  case CCA_KIND_GROW:
  case CCA_KIND_CONTENT:
  case CCA_KIND_CONCAT:
  case CCA_KIND_CURSOR:
    return CCA_GROUP_LOOKALIKE;
  default:
    return CCA_GROUP_ALLOCATION;
  }
}

const char *cca_report_group_name(enum cca_report_group group, bool many) {
  static const char *const names[CCA_GROUP_COUNT][2] = {
      {"allocation function", "allocation functions"},
      {"factory", "factories"},
      {"look-alike", "look-alikes"},
      {"deallocation function", "deallocation functions"},
  };
  return names[group][many];
}

const char *cca_report_class_name(uint32_t class) {
  return class == CCA_SITE_CLASS_PASS_THROUGH ? "pass-through"
                                              : cca_site_class_name(class);
}

const char *cca_report_file(const struct cca_table *table, uint32_t file) {
  if (file == CCA_NONE)
    return "";
  return cca_table_string(table, cca_file_at(table, file).name);
}

const char *cca_report_type(const struct cca_table *table, uint32_t type) {
  if (type == CCA_NONE)
    return "";
  return cca_table_string(table, cca_type_at(table, type).name);
}

/* Is a pointer to TYPE one to AS, too: the same type, or what it begins with? */
static bool begins_with(const struct cca_table *table, uint32_t type,
                        uint32_t as) {
  int64_t identity = cca_type_at(table, as).identity;
  for (int depth = 0; type != CCA_NONE && depth < 16; depth++) {
    struct cca_type row = cca_type_at(table, type);
    if (type == as || row.identity == identity)
      return true;
    struct cca_member head = {0, 0, row.element};
    if (row.kind == CCA_TYPE_KIND_POINTER)
      return false;
    if (row.members_count)
      head = cca_member_at(table, row.members_first);
    type = head.offset ? CCA_NONE : head.of;
  }
  return false;
}

/* What TYPE is made of, if it is an array: sizes name that alone, since
 * sizeof(int[2]) is twice sizeof(int). */
static uint32_t element_of(const struct cca_table *table, uint32_t type) {
  for (int depth = 0; depth < 16; depth++) {
    struct cca_type row = cca_type_at(table, type);
    if (row.kind != CCA_TYPE_KIND_ARRAY || row.element == CCA_NONE)
      break;
    type = row.element;
  }
  return type;
}

/* Has the union WHOLE a member of TYPE?  A pointer to it is then one to TYPE. */
static bool has_alternative(const struct cca_table *table, uint32_t whole,
                            uint32_t type) {
  enum { LOOKED_AT = 256 }; /* a hostile table may have any number */
  struct cca_type row = cca_type_at(table, whole);
  int64_t identity = cca_type_at(table, type).identity;
  if (row.kind != CCA_TYPE_KIND_UNION)
    return false;
  for (uint32_t i = 0; i < row.members_count && i < LOOKED_AT; i++) {
    uint32_t of = cca_member_at(table, row.members_first + i).of;
    if (of != CCA_NONE &&
        (of == type || cca_type_at(table, of).identity == identity))
      return true;
  }
  return false;
}

/* Does a pointer to TYPE fit as one to AS?  If AS is a union, the program made
 * room for one of its members alone. */
static bool fits(const struct cca_table *table, uint32_t type, uint32_t as) {
  return begins_with(table, type, as) || has_alternative(table, type, as) ||
         has_alternative(table, as, type);
}

enum cca_agreement cca_report_agreement(const struct cca_table *table,
                                        const struct cca_allocsite *site) {
  if (site->class != CCA_SITE_CLASS_TYPED || site->of == CCA_NONE ||
      site->used_as == CCA_NONE ||
      (site->shape != CCA_SIZE_SHAPE_ONE &&
       site->shape != CCA_SIZE_SHAPE_ARRAY &&
       site->shape != CCA_SIZE_SHAPE_FLEXIBLE))
    return CCA_AGREE_SILENT;
  uint32_t used_as = element_of(table, site->used_as);
  struct cca_type as = cca_type_at(table, used_as);
  if (as.kind == CCA_TYPE_KIND_VOID || as.kind == CCA_TYPE_KIND_UNKNOWN ||
      (as.flags & (CCA_TYPE_FLAGS_BYTES | CCA_TYPE_FLAGS_INCOMPLETE)))
    return CCA_AGREE_SILENT;
  return fits(table, site->of, used_as) ? CCA_AGREE_YES : CCA_AGREE_NO;
}

/* Filtering by type. */

static bool type_is(const struct cca_table *table, uint32_t row,
                    const char *wanted) {
  static const char *const tags[] = {"struct ", "union ", "enum "};
  const char *name = cca_report_type(table, row);
  if (!strcmp(name, wanted))
    return true;
  for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
    size_t len = strlen(tags[i]);
    if (!strncmp(name, tags[i], len) && !strcmp(name + len, wanted))
      return true;
  }
  return false;
}

static bool counts_have(const struct cca_table *table, uint32_t first,
                        uint32_t count, const char *type) {
  for (uint32_t i = 0; i < count; i++)
    if (type_is(table, cca_count_at(table, first + i).of, type))
      return true;
  return false;
}

static bool site_has(const struct cca_table *table,
                     const struct cca_allocsite *site, const char *type) {
  return !type ||
         (site->class == CCA_SITE_CLASS_TYPED &&
          (type_is(table, site->of, type) ||
           counts_have(table, site->types_first, site->types_count, type)));
}

/* Sorting: the rows' keys are compared through the table. */

struct order {
  const struct cca_report *report;
  int (*compare)(const struct cca_report *, uint32_t, uint32_t);
};

static int compare_rows(const void *a, const void *b, void *data) {
  const struct order *order = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  int result = order->compare(order->report, x, y);
  return result ? result : (x > y) - (x < y);
}

static void sort(const struct cca_report *report, struct cca_rows *rows,
                 int (*compare)(const struct cca_report *, uint32_t,
                                uint32_t)) {
  struct order order = {report, compare};
  if (rows->count > 1)
    qsort_r(rows->items, rows->count, sizeof *rows->items, compare_rows,
            &order);
}

static int compare_u32(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int compare_string(const struct cca_report *r, uint32_t a, uint32_t b) {
  return strcmp(cca_table_string(r->table, a), cca_table_string(r->table, b));
}

static int compare_alloc(const struct cca_report *r, uint32_t a, uint32_t b) {
  struct cca_alloc x = cca_alloc_at(r->table, a);
  struct cca_alloc y = cca_alloc_at(r->table, b);
  int result = compare_u32(r->sites_of_alloc[b], r->sites_of_alloc[a]);
  if (!result)
    result = compare_string(r, x.name, y.name);
  return result ? result : compare_string(r, x.unit, y.unit);
}

static int compare_site(const struct cca_report *r, uint32_t a, uint32_t b) {
  struct cca_allocsite x = cca_allocsite_at(r->table, a);
  struct cca_allocsite y = cca_allocsite_at(r->table, b);
  int result = strcmp(cca_report_file(r->table, x.file),
                      cca_report_file(r->table, y.file));
  if (!result)
    result = compare_u32(x.line, y.line);
  if (!result)
    result = compare_u32(x.column, y.column);
  return result ? result : compare_string(r, x.callee, y.callee);
}

static int compare_import(const struct cca_report *r, uint32_t a, uint32_t b) {
  struct cca_import x = cca_import_at(r->table, a);
  struct cca_import y = cca_import_at(r->table, b);
  int result = compare_string(r, x.symbol, y.symbol);
  return result ? result : compare_u32(x.param, y.param);
}

static int compare_missing(const struct cca_report *r, uint32_t a, uint32_t b) {
  return compare_string(r, cca_missing_at(r->table, a).unit,
                        cca_missing_at(r->table, b).unit);
}

static int compare_type(const struct cca_report *r, uint32_t a, uint32_t b) {
  int result = compare_u32(r->sites_of_type[b], r->sites_of_type[a]);
  return result ? result
                : compare_string(r, cca_type_at(r->table, a).name,
                                 cca_type_at(r->table, b).name);
}

/* Counting. */

static struct cca_rows rows_new(struct cca_report *report, uint32_t room) {
  return (struct cca_rows){
      cca_arena_zalloc(&report->arena, room, sizeof(uint32_t)), 0};
}

/* Of the functions from HEAD on, all of one name, that which a call in UNIT
 * means. */
static uint32_t find_callee(const struct cca_report *report, uint32_t head,
                            const uint32_t *next, uint32_t unit) {
  uint32_t seen = 0;
  for (uint32_t at = head; at; at = next[at - 1]) {
    struct cca_alloc alloc = cca_alloc_at(report->table, at - 1);
    if (!compare_string(report, alloc.unit, unit))
      return at;
    if (!seen && alloc.flags & CCA_ALLOC_FLAGS_EXPORTED)
      seen = at;
  }
  return seen ? seen : head;
}

/* Which function does each site call?  Fills sites_of_alloc, alloc_of_site. */
static void count_sites_of_allocs(struct cca_report *report) {
  const struct cca_table *table = report->table;
  uint32_t count = cca_alloc_count(table);
  uint32_t *next =
      cca_arena_zalloc(&report->arena, count + 1, sizeof(uint32_t));
  struct cca_map by_name = {0};

  /* Chains of equal names, first row first: add the last row first. */
  for (uint32_t i = count; i-- > 0;) {
    const char *name = cca_table_string(table, cca_alloc_at(table, i).name);
    uint32_t *head = cca_map_at(&by_name, name, strlen(name), NULL);
    next[i] = *head;
    *head = i + 1;
  }
  for (uint32_t i = 0; i < report->sites.count; i++) {
    uint32_t row = report->sites.items[i];
    struct cca_allocsite site = cca_allocsite_at(table, row);
    const char *callee = cca_table_string(table, site.callee);
    const uint32_t *head = cca_map_find(&by_name, callee, strlen(callee));
    if (!head)
      continue;
    uint32_t found = find_callee(report, *head, next, site.unit);
    report->sites_of_alloc[found - 1]++;
    report->alloc_of_site[row] = found - 1;
  }
  cca_map_release(&by_name);
}

static void count_site(struct cca_report *report,
                       const struct cca_allocsite *site) {
  report->classes[site->class]++;
  if (site->class != CCA_SITE_CLASS_TYPED)
    return;
  if (site->shape != CCA_SIZE_SHAPE_SEVERAL && site->of != CCA_NONE)
    report->sites_of_type[site->of]++;
  else
    for (uint32_t i = 0; i < site->types_count; i++)
      report->sites_of_type[cca_count_at(report->table, site->types_first + i)
                                .of]++;
  enum cca_agreement agreement = cca_report_agreement(report->table, site);
  report->agree += agreement == CCA_AGREE_YES;
  report->differ += agreement == CCA_AGREE_NO;
}

static void take_sites(struct cca_report *report, const char *type) {
  const struct cca_table *table = report->table;
  uint32_t count = cca_allocsite_count(table);
  report->sites = rows_new(report, count);
  for (uint32_t i = 0; i < count; i++) {
    struct cca_allocsite site = cca_allocsite_at(table, i);
    if (site.class == CCA_SITE_CLASS_OPEN || !site_has(table, &site, type))
      continue;
    report->sites.items[report->sites.count++] = i;
    count_site(report, &site);
  }
  sort(report, &report->sites, compare_site);
}

static void take_addresses(struct cca_report *report) {
  const struct cca_table *table = report->table;
  uint32_t sites = cca_allocsite_count(table), count = cca_address_count(table);
  report->first_address =
      cca_arena_zalloc(&report->arena, sites, sizeof(uint32_t));
  report->next_address =
      cca_arena_zalloc(&report->arena, count, sizeof(uint32_t));
  for (uint32_t i = 0; i < sites; i++)
    report->first_address[i] = CCA_NONE;
  for (uint32_t i = count; i-- > 0;) {
    struct cca_address address = cca_address_at(table, i);
    report->next_address[i] = report->first_address[address.site];
    report->first_address[address.site] = i;
  }
  for (uint32_t i = 0; i < report->sites.count; i++) {
    uint32_t before = report->addresses;
    for (uint32_t at = report->first_address[report->sites.items[i]];
         at != CCA_NONE; at = report->next_address[at])
      report->addresses += cca_address_at(table, at).value != 0;
    report->placed += report->addresses != before;
  }
}

static void take_allocs(struct cca_report *report, const char *type) {
  const struct cca_table *table = report->table;
  uint32_t count = cca_alloc_count(table);
  report->sites_of_alloc =
      cca_arena_zalloc(&report->arena, count, sizeof(uint32_t));
  uint32_t sites = cca_allocsite_count(table);
  report->alloc_of_site =
      cca_arena_zalloc(&report->arena, sites, sizeof(uint32_t));
  for (uint32_t i = 0; i < sites; i++)
    report->alloc_of_site[i] = CCA_NONE;
  count_sites_of_allocs(report);
  for (int group = 0; group < CCA_GROUP_COUNT; group++)
    report->groups[group] = rows_new(report, count);
  for (uint32_t i = 0; i < count; i++) {
    struct cca_alloc alloc = cca_alloc_at(table, i);
    if (type && !counts_have(table, alloc.called_with_first,
                             alloc.called_with_count, type))
      continue;
    struct cca_rows *group = &report->groups[cca_report_group_of(alloc.kind)];
    group->items[group->count++] = i;
    report->kinds[alloc.kind]++;
  }
  for (int group = 0; group < CCA_GROUP_COUNT; group++)
    sort(report, &report->groups[group], compare_alloc);
}

static void take_imports(struct cca_report *report, const char *type) {
  uint32_t count = cca_import_count(report->table);
  report->imports = rows_new(report, count);
  for (uint32_t i = 0; i < count; i++) {
    struct cca_import import = cca_import_at(report->table, i);
    if (!type || counts_have(report->table, import.types_first,
                             import.types_count, type))
      report->imports.items[report->imports.count++] = i;
  }
  sort(report, &report->imports, compare_import);
}

static void take_missing(struct cca_report *report) {
  uint32_t count = cca_missing_count(report->table);
  report->missing = rows_new(report, count);
  for (uint32_t i = 0; i < count; i++)
    report->missing.items[report->missing.count++] = i;
  sort(report, &report->missing, compare_missing);
}

static int compare_remark(const struct cca_report *r, uint32_t a, uint32_t b) {
  return compare_string(r, cca_remark_at(r->table, a).unit,
                        cca_remark_at(r->table, b).unit);
}

static void take_remarks(struct cca_report *report) {
  uint32_t count = cca_remark_count(report->table);
  report->remarks = rows_new(report, count);
  for (uint32_t i = 0; i < count; i++)
    report->remarks.items[report->remarks.count++] = i;
  sort(report, &report->remarks, compare_remark);
}

static void take_types(struct cca_report *report, const char *type) {
  uint32_t count = cca_type_count(report->table);
  report->types = rows_new(report, count);
  for (uint32_t i = 0; i < count; i++)
    if (report->sites_of_type[i] && (!type || type_is(report->table, i, type)))
      report->types.items[report->types.count++] = i;
  sort(report, &report->types, compare_type);
}

static int compare_count(const void *a, const void *b, void *data) {
  const struct cca_table *table = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  struct cca_count p = cca_count_at(table, x), q = cca_count_at(table, y);
  int result = compare_u32(q.sites, p.sites);
  if (!result)
    result = strcmp(cca_report_type(table, p.of), cca_report_type(table, q.of));
  return result ? result : compare_u32(x, y);
}

const uint32_t *cca_report_counts(const struct cca_table *table, uint32_t first,
                                  uint32_t count, struct cca_arena *arena) {
  uint32_t *rows = cca_arena_zalloc(arena, count, sizeof *rows);
  for (uint32_t i = 0; i < count; i++)
    rows[i] = first + i;
  qsort_r(rows, count, sizeof *rows, compare_count, (void *)(uintptr_t)table);
  return rows;
}

void cca_report_init(struct cca_report *report, const char *name,
                     const struct cca_table *table, const char *type) {
  *report = (struct cca_report){.name = name, .table = table};
  report->sites_of_type =
      cca_arena_zalloc(&report->arena, cca_type_count(table), sizeof(uint32_t));
  for (uint32_t i = 0; i < cca_module_count(table); i++)
    report->units += cca_module_at(table, i).units;
  take_sites(report, type);
  take_addresses(report);
  take_allocs(report, type);
  take_imports(report, type);
  take_missing(report);
  take_remarks(report);
  take_types(report, type);
}

void cca_report_release(struct cca_report *report) {
  cca_arena_release(&report->arena);
}
