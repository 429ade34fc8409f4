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
  uintptr_t symbols, names, rows[2];
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

/* Is symbol I called NAME? */
static bool is_symbol(const struct cca_loaded *m, const struct dynamic *d,
                      size_t i, const char *name) {
  size_t room = (m->high - d->symbols) / sizeof(ElfW(Sym));
  if (i == 0 || i >= room)
    return false;
  const ElfW(Sym) *symbol = (const ElfW(Sym) *)d->symbols + i;
  return symbol->st_name < d->names_len &&
         !strcmp((const char *)d->names + symbol->st_name, name);
}

/* Where calls of NAME go in MODULE; 0: not known. */
static uintptr_t bound(const struct cca_loaded *m, const char *name) {
  struct dynamic d;
  if (!read_dynamic(m, &d))
    return 0;
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
        return __atomic_load_n((const uintptr_t *)word, __ATOMIC_RELAXED);
    }
  }
  return 0;
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
  uintptr_t address = bound(module, name);
  *definer = address ? cca_modules_find(address) : NULL;
  if (!address || *definer == module)
    return CCA_BINDING_UNBOUND;
  if (!*definer)
    return CCA_BINDING_UNKNOWN;
  if ((*definer)->classified != CCA_CLASSIFIED_YES)
    return CCA_BINDING_SILENT;
  const struct cca_table *t = &(*definer)->table;
  for (uint32_t i = 0; i < cca_alloc_count(t); i++) {
    struct cca_alloc function = cca_alloc_at(t, i);
    if (!strcmp(cca_table_string(t, function.name), name) &&
        allocates(t, &function, site))
      return CCA_BINDING_ALLOCATES;
  }
  return CCA_BINDING_NO;
}
