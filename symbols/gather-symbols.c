/* SPDX-License-Identifier: MIT */
/*
 * gather-symbols.c -- the symbols of ELF: SYMBOL, SYMBOL_FROM, BY_NAME.
 *
 * In:    .symtab, or .dynsym and what .gnu_debugdata adds, as libdwfl gives it.
 * Out:   all symbols by address and by name, and which one an address is of.
 * Holds: a symbol without a size ends where the next one begins, or its
 *        section does, and takes nothing from one that has a size.
 */
#include <stdlib.h>
#include <string.h>

#include "gather.h"
#include "steps.h"

struct symbol {
  const char *name; /* elfutils' */
  uint32_t start, size;
  uint32_t end; /* as far as its size or section says */
  enum cca_symbol_kind kind;
  enum cca_symbol_binding binding;
};

struct symbols cca_vec(struct symbol);

/* Where the section number INDEX ends. */
static uint32_t section_end(const struct cca_elf_module *module, Elf *elf,
                            GElf_Addr bias, GElf_Word index) {
  GElf_Shdr header;
  Elf_Scn *section = elf_getscn(elf, index);
  if (!section || !gelf_getshdr(section, &header))
    return 0;
  uint64_t end = header.sh_addr + header.sh_size + bias - module->bias;
  return end - module->base < module->span ? (uint32_t)(end - module->base)
                                           : module->span;
}

static bool take(const struct cca_elf_module *module, int i,
                 struct symbol *out) {
  static const enum cca_symbol_binding bindings[] = {
      [STB_LOCAL] = CCA_SYMBOL_BINDING_LOCAL,
      [STB_GLOBAL] = CCA_SYMBOL_BINDING_GLOBAL,
      [STB_WEAK] = CCA_SYMBOL_BINDING_WEAK};
  GElf_Sym symbol;
  GElf_Addr address, bias;
  GElf_Word index;
  Elf *elf;
  const char *name = dwfl_module_getsym_info(module->module, i, &symbol,
                                             &address, &index, &elf, &bias);
  if (!name || !*name || index == SHN_UNDEF || index == SHN_ABS ||
      !cca_elf_module_start(module, address - module->bias, &out->start))
    return false;
  switch (GELF_ST_TYPE(symbol.st_info)) {
  case STT_FUNC:
  case STT_GNU_IFUNC:
    out->kind = CCA_SYMBOL_KIND_FUNCTION;
    break;
  case STT_OBJECT:
    out->kind = CCA_SYMBOL_KIND_OBJECT;
    break;
  case STT_NOTYPE:
    out->kind = CCA_SYMBOL_KIND_OTHER;
    break;
  default:
    return false;
  }
  unsigned binding = GELF_ST_BIND(symbol.st_info);
  out->binding =
      binding <= STB_WEAK ? bindings[binding] : CCA_SYMBOL_BINDING_GLOBAL;
  out->name = name;
  uint32_t left = module->span - out->start;
  out->size = symbol.st_size < left ? (uint32_t)symbol.st_size : left;
  out->end = out->size ? out->start + out->size
                       : section_end(module, elf, bias, index);
  return true;
}

static int by_start(const void *a, const void *b) {
  const struct symbol *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  int order = strcmp(x->name, y->name);
  if (order)
    return order;
  if (x->size != y->size)
    return x->size < y->size ? -1 : 1;
  return x->kind != y->kind ? (int)x->kind - (int)y->kind
                            : (int)x->binding - (int)y->binding;
}

static bool same(const struct symbol *a, const struct symbol *b) {
  return a->start == b->start && a->size == b->size && a->kind == b->kind &&
         a->binding == b->binding && !strcmp(a->name, b->name);
}

static void step(void *context, uint32_t start, uint32_t value) {
  cca_symbol_from_add(context, (struct cca_symbol_from){start, value});
}

/* Who covers what: the shorter is above, and of equals the global one. */
static void add_steps(struct cca_gather *gather,
                      const struct symbols *symbols) {
  static const unsigned char ranks[] = {[CCA_SYMBOL_BINDING_LOCAL] = 0,
                                        [CCA_SYMBOL_BINDING_WEAK] = 1,
                                        [CCA_SYMBOL_BINDING_GLOBAL] = 2};
  struct cca_ranges ranges = {0};
  uint32_t covered = 0, next = CCA_NONE;
  for (size_t i = 0; i < symbols->count; i++) {
    const struct symbol *symbol = &symbols->items[i];
    struct cca_range range = {
        symbol->start, symbol->end,
        ((uint64_t)~symbol->size << 8) | ranks[symbol->binding], (uint32_t)i};
    if (symbol->size) {
      covered = range.end > covered ? range.end : covered;
    } else {
      if (next == CCA_NONE || next <= symbol->start) {
        size_t k = i;
        while (k < symbols->count && symbols->items[k].start == symbol->start)
          k++;
        next = k < symbols->count ? symbols->items[k].start : CCA_NONE;
      }
      range.rank = ranks[symbol->binding];
      range.end = next < range.end ? next : range.end;
      if (range.start < covered)
        continue;
    }
    if (range.start < range.end)
      cca_vec_push(&ranges, range);
  }
  cca_steps_make(&ranges, step, gather->builder);
  cca_vec_release(&ranges);
}

static int by_name(const void *a, const void *b) {
  const struct symbol *x = *(const struct symbol *const *)a;
  const struct symbol *y = *(const struct symbol *const *)b;
  int order = strcmp(x->name, y->name);
  return order ? order : x < y ? -1 : x > y;
}

void cca_gather_symbols(struct cca_gather *gather) {
  struct symbols symbols = {0};
  int count = dwfl_module_getsymtab(gather->module->module);
  gather->has_symbols = count > 1;
  for (int i = 1; i < count; i++) {
    struct symbol symbol;
    if (take(gather->module, i, &symbol))
      cca_vec_push(&symbols, symbol);
  }
  if (!symbols.count)
    return;
  qsort(symbols.items, symbols.count, sizeof *symbols.items, by_start);
  size_t kept = 1; /* .gnu_debugdata may repeat what .dynsym has */
  for (size_t i = 1; i < symbols.count; i++)
    if (!same(&symbols.items[i], &symbols.items[kept - 1]))
      symbols.items[kept++] = symbols.items[i];
  symbols.count = kept;

  struct cca_vec(const struct symbol *) names = {0};
  cca_vec_reserve(&names, symbols.count);
  for (size_t i = 0; i < symbols.count; i++) {
    const struct symbol *symbol = &symbols.items[i];
    cca_symbol_add(gather->builder,
                   (struct cca_symbol){symbol->start, symbol->size,
                                       cca_gather_name(gather, symbol->name),
                                       symbol->kind, symbol->binding});
    cca_vec_push(&names, symbol);
  }
  add_steps(gather, &symbols);
  qsort(names.items, names.count, sizeof *names.items, by_name);
  for (size_t i = 0; i < names.count; i++)
    cca_by_name_add(
        gather->builder,
        (struct cca_by_name){(uint32_t)(names.items[i] - symbols.items)});
  cca_vec_release(&names);
  cca_vec_release(&symbols);
}
