/* SPDX-License-Identifier: MIT */
/*
 * bindings.c -- what a call of another module's function is bound to; see
 * bindings.h.
 *
 * In:  the module's dynamic section, by which the loader has bound it, and the
 *      words that the loader has written.
 * Out: the module of the function, and what its classification says.
 *
 * A call of an undefined function goes through a word that has a relocation
 * with the function's symbol.  To read that word is exact where repeating the
 * loader's search would have to know of versions, preloaded modules, local
 * scopes and namespaces; and when a call is on the stack, it is bound.  That
 * takes a look at each relocation, once for a return address.
 */
#include "bindings.h"

#include "summaries/note.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOB_DAT = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOB_DAT = R_AARCH64_GLOB_DAT };
#else
enum { JUMP_SLOT = -1, GLOB_DAT = -1 }; /* none: nothing is bound */
#endif

/* What the dynamic section says; addresses are in the module. */
struct dynamic {
  uintptr_t symbols, names, rows[2], hash, gnu_hash;
  size_t names_len, bytes[2];
};

static bool inside(const struct cca_loaded *m, uintptr_t address, size_t len) {
  return address >= m->low && address < m->high && len <= m->high - address;
}

/* glibc adds the bias to the addresses in the section; other loaders do not. */
static uintptr_t place(const struct cca_loaded *m, uintptr_t value) {
  return inside(m, value, 1) ? value : value + m->bias;
}

static bool read_dynamic(const struct cca_loaded *m, struct dynamic *d) {
  *d = (struct dynamic){0};
  for (size_t i = 0; i < m->dynamic_count; i++) {
    const ElfW(Dyn) *entry = (const ElfW(Dyn) *)m->dynamic + i;
    switch (entry->d_tag) {
    case DT_NULL:
      i = m->dynamic_count - 1;
      break;
    case DT_SYMTAB:
      d->symbols = place(m, entry->d_un.d_ptr);
      break;
    case DT_STRTAB:
      d->names = place(m, entry->d_un.d_ptr);
      break;
    case DT_STRSZ:
      d->names_len = entry->d_un.d_val;
      break;
    case DT_HASH:
      d->hash = place(m, entry->d_un.d_ptr);
      break;
    case DT_GNU_HASH:
      d->gnu_hash = place(m, entry->d_un.d_ptr);
      break;
    case DT_RELA:
      d->rows[0] = place(m, entry->d_un.d_ptr);
      break;
    case DT_RELASZ:
      d->bytes[0] = entry->d_un.d_val;
      break;
    case DT_JMPREL:
      d->rows[1] = place(m, entry->d_un.d_ptr);
      break;
    case DT_PLTRELSZ:
      d->bytes[1] = entry->d_un.d_val;
      break;
    case DT_PLTREL:
      if (entry->d_un.d_val != DT_RELA)
        return false;
      break;
    default:
      break;
    }
  }
  return inside(m, d->symbols, sizeof(ElfW(Sym))) && d->names_len &&
         inside(m, d->names, d->names_len) &&
         !((const char *)d->names)[d->names_len - 1];
}

/* How many symbols there could be at most. */
static size_t symbol_room(const struct cca_loaded *m, const struct dynamic *d) {
  return (m->high - d->symbols) / sizeof(ElfW(Sym));
}

/* Is symbol I called NAME? */
static bool is_symbol(const struct cca_loaded *m, const struct dynamic *d,
                      size_t i, const char *name) {
  if (i == 0 || i >= symbol_room(m, d))
    return false;
  const ElfW(Sym) *symbol = (const ElfW(Sym) *)d->symbols + i;
  return symbol->st_name < d->names_len &&
         !strcmp((const char *)d->names + symbol->st_name, name);
}

const uintptr_t *cca_binding_word(const struct cca_loaded *m,
                                  const char *name) {
  struct dynamic d;
  if (!read_dynamic(m, &d))
    return NULL;
  for (int i = 1; i >= 0; i--) {
    const ElfW(Rela) *rows = (const ElfW(Rela) *)d.rows[i];
    if (!d.bytes[i] || !inside(m, d.rows[i], d.bytes[i]))
      continue;
    for (size_t r = 0; r < d.bytes[i] / sizeof *rows; r++) {
      uint64_t type = ELF64_R_TYPE(rows[r].r_info);
      uintptr_t word = m->bias + rows[r].r_offset;
      if ((type == (uint64_t)JUMP_SLOT || type == (uint64_t)GLOB_DAT) &&
          is_symbol(m, &d, ELF64_R_SYM(rows[r].r_info), name) &&
          inside(m, word, sizeof word) && word % sizeof word == 0)
        return (const uintptr_t *)word;
    }
  }
  return NULL;
}

/* ---- The function that it is bound to ---- */

/* What the definitions of a name come to. */
struct met {
  const struct cca_loaded *module;
  struct dynamic dynamic;
  const char *name;
  uintptr_t address;
  uint64_t size;        /* of the one that is at ADDRESS */
  bool here, elsewhere; /* one is, one is not */
};

static void meet(struct met *met, size_t i) {
  if (!is_symbol(met->module, &met->dynamic, i, met->name))
    return;
  const ElfW(Sym) *symbol = (const ElfW(Sym) *)met->dynamic.symbols + i;
  if (symbol->st_shndx == SHN_UNDEF)
    return;
  bool same = met->module->bias + symbol->st_value == met->address;
  met->size = same ? symbol->st_size : met->size;
  met->here |= same;
  met->elsewhere |= !same;
}

/* By the table of GNU's hashes: a chain for each bucket, whose last member has
 * the lowest bit of its hash set. */
static void meet_gnu(struct met *met) {
  const struct cca_loaded *m = met->module;
  const uint32_t *head = (const uint32_t *)met->dynamic.gnu_hash;
  uint32_t hash = 5381;
  for (const char *c = met->name; *c; c++)
    hash = hash * 33 + (unsigned char)*c;
  if (!inside(m, (uintptr_t)head, 16) || head[0] == 0 ||
      head[2] > (m->high - m->low) / 8)
    return;
  const uint32_t *buckets = head + 4 + (size_t)head[2] * 2,
                 *bucket = buckets + hash % head[0],
                 *chains = buckets + head[0];
  if (!inside(m, (uintptr_t)bucket, sizeof *bucket) || *bucket < head[1])
    return;
  for (size_t i = *bucket;; i++) {
    const uint32_t *chain = chains + (i - head[1]);
    if (!inside(m, (uintptr_t)chain, sizeof *chain))
      return;
    if ((*chain ^ hash) >> 1 == 0)
      meet(met, i);
    if (*chain & 1)
      return;
  }
}

/* All definitions of NAME in MODULE, of which one should be at ADDRESS. */
static struct met meet_all(const struct cca_loaded *module, const char *name,
                           uintptr_t address) {
  struct met met = {.module = module, .name = name, .address = address};
  if (!read_dynamic(module, &met.dynamic))
    return met;
  uintptr_t hash = met.dynamic.hash;
  if (met.dynamic.gnu_hash) {
    meet_gnu(&met);
  } else if (hash && inside(module, hash, 8)) {
    uint32_t count = ((const uint32_t *)hash)[1];
    for (size_t i = 1; i < count && i < symbol_room(module, &met.dynamic); i++)
      meet(&met, i);
  }
  return met;
}

/*
 * What the source calls the function that NAME is bound to, at ADDRESS of
 * MODULE; NULL: that is not known.  If NAME has versions, one of them may have
 * it in the source too, or none: then it is the sites inside that know whose
 * code it is.
 */
static const char *source_name(const struct cca_loaded *module,
                               const char *name, uintptr_t address) {
  struct met met = meet_all(module, name, address);
  if (!met.here || !met.elsewhere)
    return met.here ? name : NULL;
  const struct cca_table *t = &module->table;
  uint64_t start = address - module->bias;
  for (uint32_t i = cca_note_first_address(t, start); i < cca_address_count(t);
       i++) {
    struct cca_address row = cca_address_at(t, i);
    if ((uint64_t)row.value - start > met.size)
      break;
    if (!(row.flags & CCA_ADDRESS_FLAGS_INLINED))
      return cca_table_string(t, cca_allocsite_at(t, row.site).function);
  }
  return NULL;
}

/* Does FUNCTION of the classification T allocate as SITE would have it? */
static bool allocates(const struct cca_table *t,
                      const struct cca_alloc *function,
                      const struct cca_allocsite *site) {
  if (!(function->flags & CCA_ALLOC_FLAGS_EXPORTED) ||
      function->flags & CCA_ALLOC_FLAGS_POINTER ||
      function->kind > CCA_KIND_FACTORY)
    return false;
  if (site->class != CCA_SITE_CLASS_OPEN)
    return true;
  for (uint32_t i = 0; i < function->args_count; i++)
    if (cca_index_at(t, function->args_first + i).value == site->param)
      return function->kind != CCA_KIND_FACTORY;
  return false;
}

enum cca_binding cca_binding_find(const struct cca_loaded *module,
                                  const struct cca_allocsite *site,
                                  const struct cca_loaded **definer) {
  const char *name = cca_table_string(&module->table, site->callee);
  const uintptr_t *word = cca_binding_word(module, name);
  uintptr_t address = word ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
  *definer = address ? cca_modules_find(address) : NULL;
  if (!address || *definer == module)
    return CCA_BINDING_UNBOUND;
  if (!*definer)
    return CCA_BINDING_UNKNOWN;
  if ((*definer)->classified != CCA_CLASSIFIED_YES)
    return CCA_BINDING_SILENT;
  const struct cca_table *t = &(*definer)->table;
  const char *known = source_name(*definer, name, address);
  for (uint32_t i = 0; known && i < cca_alloc_count(t); i++) {
    struct cca_alloc function = cca_alloc_at(t, i);
    if (!strcmp(cca_table_string(t, function.name), known) &&
        allocates(t, &function, site))
      return CCA_BINDING_ALLOCATES;
  }
  return CCA_BINDING_NO;
}
