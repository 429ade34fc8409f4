/* SPDX-License-Identifier: MIT */
/*
 * libraries.c -- what the shared libraries of a link say of their own
 * allocation functions; see libraries.h.
 *
 * In:    the files of a link, in the order of the line.
 * Out:   lines of primitives, in that order.
 * Holds: a line is for a symbol whose first definition among the libraries is
 *        the one that the line speaks of, which is the one that the program
 *        gets unless another is put before it when it runs.
 *
 * The classification of a library names its functions as their sources do; what
 * can be linked with is what its dynamic symbols say.  A name with several
 * addresses has versions, of which the classification knows nothing, and is
 * left out.
 *
 * Factories are left out too, since the types of a library have no row in the
 * program, and so are functions that copy or look up: their callers give no
 * type away.
 */
#include "libraries.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "summaries/carrier.h"
#include "summaries/elf.h"

enum { MANY = UINT32_MAX, LONGEST_NAME = 1024 };

struct libraries {
  struct cca_map definers; /* symbol to 1 + index of the file; MANY: versions */
  struct cca_text *out;
  size_t lines;
};

/* Enter what the library in FILE, the INDEX-th, defines first. */
static void define_all(struct libraries *l, const struct cca_elf *elf,
                       uint32_t index) {
  struct cca_elf_section table, strings;
  struct cca_elf_symbol symbol;
  struct cca_map values = {
      0}; /* of this library's own: 1 + hash of the value */
  for (uint32_t i = 1; i < elf->section_count; i++) {
    if (!cca_elf_section_at(elf, i, &table) || table.type != SHT_DYNSYM ||
        table.link >= elf->section_count ||
        !cca_elf_section_at(elf, table.link, &strings))
      continue;
    uint64_t count = cca_elf_symbol_count(elf, &table);
    for (uint64_t k = table.info; k < count; k++) {
      if (!cca_elf_symbol_at(elf, &table, &strings, NULL, k, &symbol) ||
          symbol.binding == STB_LOCAL || symbol.section == SHN_UNDEF)
        continue;
      bool is_new;
      size_t len = strlen(symbol.name);
      uint32_t *definer = cca_map_at(&l->definers, symbol.name, len, &is_new);
      if (is_new)
        *definer = index + 1;
      uint32_t value = (uint32_t)(symbol.value ^ symbol.value >> 32) | 1;
      uint32_t *known = cca_map_at(&values, symbol.name, len, &is_new);
      if (*definer == index + 1 && !is_new && *known != value)
        *definer = MANY;
      *known = value;
    }
  }
  cca_map_release(&values);
}

/* The parameters whose product is the size of ROW; false if it is none. */
static bool read_size(const struct cca_table *t, const struct cca_alloc *row,
                      uint32_t size[2]) {
  char product[32];
  const char *text = cca_table_string(t, row->size);
  if (row->args_count < 1 || row->args_count > 2)
    return false;
  for (uint32_t i = 0; i < row->args_count; i++) {
    size[i] = cca_index_at(t, row->args_first + i).value;
    if (size[i] > 62)
      return false;
  }
  snprintf(product, sizeof product, "p%u * p%u", size[0],
           size[row->args_count - 1]);
  return row->args_count == 1 || row->kind == CCA_KIND_CALLOC ||
         strstr(text, product);
}

/* The kind by which a primitive is known; NULL: it cannot be one. */
static const char *kind_word(const struct cca_alloc *row) {
  switch (row->kind) {
  case CCA_KIND_MALLOC:
  case CCA_KIND_CALLOC:
  case CCA_KIND_REALLOC:
  case CCA_KIND_MEMALIGN:
    return cca_kind_name(row->kind);
  case CCA_KIND_POOL:
    return cca_kind_name(CCA_KIND_MALLOC);
  default:
    return NULL;
  }
}

static void write_row(struct libraries *l, const struct cca_table *t,
                      const struct cca_alloc *row, const char *name) {
  struct cca_text *out = l->out;
  const char *kind = kind_word(row);
  uint32_t size[2];
  if (row->kind == CCA_KIND_FREE) {
    if (row->via_param > 62)
      return;
    cca_text_addf(out, "%s frees=%u\n", name, row->via_param);
  } else if (kind && read_size(t, row, size) &&
             (row->via == CCA_VIA_RETURN ||
              (row->via == CCA_VIA_OUT_PARAMETER && row->via_param <= 62))) {
    cca_text_addf(out, "%s %s size=%u", name, kind, size[0]);
    if (row->args_count == 2)
      cca_text_addf(out, "*%u", size[1]);
    if (row->via == CCA_VIA_OUT_PARAMETER)
      cca_text_addf(out, " out=%u", row->via_param);
    else if (row->kind == CCA_KIND_REALLOC && row->via_param <= 62)
      cca_text_addf(out, " block=%u", row->via_param);
    cca_text_adds(out,
                  row->flags & CCA_ALLOC_FLAGS_ZEROED ? " zeroed\n" : "\n");
  } else
    return;
  l->lines++;
}

/* May NAME be a word of the text? */
static bool is_word(const char *name) {
  size_t len = strlen(name);
  return len > 0 && len < LONGEST_NAME && !strpbrk(name, " \t\n\r#");
}

static void write_library(struct libraries *l, const struct cca_table *t,
                          uint32_t index) {
  for (uint32_t i = 0; i < cca_alloc_count(t); i++) {
    struct cca_alloc row = cca_alloc_at(t, i);
    const char *name = cca_table_string(t, row.name);
    const uint32_t *definer = cca_map_find(&l->definers, name, strlen(name));
    if (row.flags & CCA_ALLOC_FLAGS_EXPORTED &&
        !(row.flags & CCA_ALLOC_FLAGS_POINTER) && definer &&
        *definer == index + 1 && is_word(name))
      write_row(l, t, &row, name);
  }
}

static bool is_library(const struct cca_input_file *file, struct cca_elf *elf) {
  return file->bytes && cca_elf_is(file->bytes, file->len) &&
         cca_elf_open(elf, file->bytes, file->len) == NULL &&
         elf->type == ET_DYN;
}

size_t cca_libraries_write(const struct cca_inputs *inputs,
                           struct cca_text *out) {
  struct libraries l = {.out = out};
  struct cca_carrier *carrier = cca_carrier_new(NULL);
  struct cca_vec(uint32_t) indices = {0}; /* of the carrier's items */
  struct cca_elf elf;
  bool any = false;
  for (uint32_t i = 0; i < inputs->files.count; i++) {
    const struct cca_input_file *file = inputs->files.items[i];
    if (is_library(file, &elf))
      cca_carrier_add_bytes(carrier, file->path, file->bytes, file->len);
    while (indices.count < cca_carrier_count(carrier)) {
      any |= cca_carrier_item(carrier, indices.count)->kind ==
             CCA_CARRIER_CLASSIFICATION;
      cca_vec_push(&indices, i);
    }
  }
  for (uint32_t i = 0; any && i < inputs->files.count; i++)
    if (is_library(inputs->files.items[i], &elf))
      define_all(&l, &elf, i);
  for (size_t i = 0; any && i < indices.count; i++) {
    const struct cca_carrier_item *item = cca_carrier_item(carrier, i);
    if (item->kind == CCA_CARRIER_CLASSIFICATION && item->table)
      write_library(&l, item->table, indices.items[i]);
  }
  cca_vec_release(&indices);
  cca_map_release(&l.definers);
  cca_carrier_free(carrier);
  return l.lines;
}
