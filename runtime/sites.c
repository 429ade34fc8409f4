/* SPDX-License-Identifier: MIT */
/*
 * sites.c -- what the runtime knows, for clients; see
 * include/ccallocs/client.h.
 *
 * In:  cca_labels, cca_counters, cca_modules, and the rows of classifications
 *      that they lead to.
 * Out: the same in words.  What is a label here is a site or a place there, of
 *      the same number.
 *
 * `allocs run` has this file too: there the tables are copies of those of
 * another process, and may say anything that peek.c lets through.
 */
#include "ccallocs/client.h"

#include "bindings.h"
#include "labels.h"
#include "modules.h"

_Static_assert(CCA_CLIENT_NONE == CCA_NONE, "one word for none");

static const char *const unknown[CCA_REASONS] = {
    [CCA_REASON_NONE] = "",
    [CCA_REASON_NO_SITE] = "no-site",
    [CCA_REASON_UNLISTED] = "unlisted",
    [CCA_REASON_AMBIGUOUS] = "ambiguous",
    [CCA_REASON_INSIDE] = "inside",
    [CCA_REASON_NO_UNWIND] = "no-unwind",
    [CCA_REASON_SIGNAL] = "signal",
    [CCA_REASON_DEEP] = "deep",
    [CCA_REASON_BROKEN] = "broken",
    [CCA_REASON_SIZE] = "size",
};

static const char *const bindings[] = {
    [CCA_BINDING_UNMET] = "unmet",     [CCA_BINDING_UNBOUND] = "unbound",
    [CCA_BINDING_UNKNOWN] = "unknown", [CCA_BINDING_SILENT] = "silent",
    [CCA_BINDING_NO] = "no",           [CCA_BINDING_ALLOCATES] = "allocates",
};

static const char *const classified[CCA_CLASSIFIED_KINDS] = {
    [CCA_CLASSIFIED_NO] = "no",         [CCA_CLASSIFIED_YES] = "yes",
    [CCA_CLASSIFIED_BROKEN] = "broken", [CCA_CLASSIFIED_OLDER] = "older",
    [CCA_CLASSIFIED_NEWER] = "newer",
};

static uint64_t positive(int64_t number) {
  return number > 0 ? (uint64_t)number : 0;
}

static uint32_t number_of(uint16_t module) {
  return module == CCA_NO_MODULE ? CCA_CLIENT_NONE : module;
}

uint32_t cca_client_site_count(void) {
  return cca_load_acquire(&cca_label_numbers);
}

uint32_t cca_client_module_count(void) {
  return cca_load_acquire(&cca_module_numbers);
}

/* Is LABEL a row of its module's classification? */
static bool is_row(const struct cca_label *label) {
  return label->reason == CCA_REASON_NONE && label->module != CCA_NO_MODULE;
}

static void fill_row(const struct cca_table *t, const struct cca_label *label,
                     struct cca_client_site *out) {
  struct cca_allocsite s = cca_allocsite_at(t, (uint32_t)label->at);
  out->row = (uint32_t)label->at;
  /* What is open has a label only where it is a site. */
  out->site_class = cca_site_class_name(
      s.class == CCA_SITE_CLASS_OPEN ? CCA_SITE_CLASS_TYPED : s.class);
  out->shape = cca_size_shape_name(s.shape);
  out->types = s.shape == CCA_SIZE_SHAPE_SEVERAL ? s.types_count
               : s.of != CCA_NONE                ? 1
                                                 : 0;
  out->header = positive(s.header);
  if (s.file != CCA_NONE)
    out->file = cca_table_string(t, cca_file_at(t, s.file).name);
  out->line = s.line;
  out->column = s.column;
  out->function = cca_table_string(t, s.function);
  out->callee = cca_table_string(t, s.callee);
  out->reason = cca_table_string(t, s.reason);
  if (s.flags & CCA_ALLOCSITE_FLAGS_IMPORTED) {
    const struct cca_met *met = &cca_mets[label - cca_labels];
    uint32_t binding = cca_load_acquire(&met->binding);
    out->imported = 1;
    if (binding <= CCA_BINDING_ALLOCATES)
      out->binding = bindings[binding];
    if (binding <= CCA_BINDING_ALLOCATES && binding != CCA_BINDING_UNMET)
      out->definer = number_of(cca_load(&met->definer));
  }
}

int cca_client_site(uint32_t site, struct cca_client_site *out) {
  if (site >= cca_client_site_count())
    return CCA_ERR_NOT_FOUND;
  const struct cca_label *label = &cca_labels[site];
  *out = (struct cca_client_site){
      .module = number_of(label->module),
      .row = CCA_CLIENT_NONE,
      .unknown = unknown[label->reason],
      .inside = CCA_CLIENT_NONE,
      .site_class = "",
      .shape = "",
      .file = "",
      .function = "",
      .callee = "",
      .reason = "",
      .binding = bindings[CCA_BINDING_UNMET],
      .definer = CCA_CLIENT_NONE,
  };
  if (is_row(label)) {
    fill_row(&cca_modules[label->module].table, label, out);
  } else {
    out->address = label->at;
    if (label->reason == CCA_REASON_INSIDE && label->module != CCA_NO_MODULE)
      out->inside = label->inside;
  }
  return CCA_OK;
}

int cca_client_site_type(uint32_t site, uint32_t i,
                         struct cca_client_type *out) {
  if (site >= cca_client_site_count() || !is_row(&cca_labels[site]))
    return CCA_ERR_NOT_FOUND;
  const struct cca_table *t = &cca_modules[cca_labels[site].module].table;
  struct cca_allocsite s = cca_allocsite_at(t, (uint32_t)cca_labels[site].at);
  uint32_t row = s.of;
  if (s.shape == CCA_SIZE_SHAPE_SEVERAL)
    row = i < s.types_count ? cca_count_at(t, s.types_first + i).of : CCA_NONE;
  else if (i)
    row = CCA_NONE;
  if (row == CCA_NONE)
    return CCA_ERR_NOT_FOUND;
  struct cca_type type = cca_type_at(t, row);
  *out = (struct cca_client_type){cca_table_string(t, type.name),
                                  (uint64_t)type.identity, positive(type.size)};
  return CCA_OK;
}

int cca_client_site_counts(uint32_t site, struct cca_client_counts *out) {
  if (site >= cca_client_site_count())
    return CCA_ERR_NOT_FOUND;
  struct cca_counter sum = cca_labels_sum(site);
  *out = (struct cca_client_counts){sum.objects, sum.bytes, sum.freed_objects,
                                    sum.freed_bytes};
  return CCA_OK;
}

static uint32_t count_allocators(const struct cca_table *t) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < cca_alloc_count(t); i++)
    count += cca_alloc_at(t, i).kind <= CCA_KIND_FACTORY;
  return count;
}

int cca_client_module(uint32_t module, struct cca_client_module *out) {
  if (module >= cca_client_module_count())
    return CCA_ERR_NOT_FOUND;
  const struct cca_loaded *m = &cca_modules[module];
  *out = (struct cca_client_module){
      .path = m->path,
      .bias = m->bias,
      .start = m->low,
      .end = m->high,
      .classified = classified[m->classified],
      .closed = cca_load(&m->gone),
      .build_id = m->build_id,
      .build_id_size = m->build_id_len,
  };
  if (m->classified == CCA_CLASSIFIED_YES) {
    out->first_site = m->first_label;
    out->sites = cca_allocsite_count(&m->table);
    out->missing = cca_missing_count(&m->table);
    out->functions = count_allocators(&m->table);
  }
  return CCA_OK;
}
