/* SPDX-License-Identifier: MIT */
/*
 * gather-scopes.c -- functions and what was inlined into them: SCOPE and
 * SCOPE_FROM.
 *
 * In:    the units' entries (DIEs).
 * Out:   a row of SCOPE for each function that has code and for each place at
 *        which one was inlined; and which is the innermost at each address.
 * Holds: a parent is an earlier row.  Each entry is looked at once, whatever
 *        the file says about which are within which.
 *
 * Entries of types are passed over as a whole where the language allows no
 * functions in them; that is most of all debug information.
 */
#include <dwarf.h>

#include "gather.h"
#include "steps.h"

enum {
  MAX_NESTING = 512,    /* of entries within entries */
  MAX_RANGES = 1 << 25, /* of all scopes */
};

struct cca_scopes {
  struct cca_gather *gather;
  struct cca_ranges ranges;
  struct cca_map names;  /* of an entry, by its place in memory: row of NAME */
  struct cca_map starts; /* of functions */
  struct cca_files *files; /* of the unit */
  bool plain_c;   /* no functions in types, and linkers have their names */
  Dwarf_Off last; /* the entry that was looked at last */
};

struct cca_scopes *cca_scopes_new(struct cca_gather *gather) {
  struct cca_scopes *scopes = cca_calloc(1, sizeof *scopes);
  scopes->gather = gather;
  return scopes;
}

/* The attribute NAME of DIE or of what DIE is an instance of; MISSING without
 * it. */
static uint32_t number_of(Dwarf_Die *die, unsigned name, uint32_t missing) {
  Dwarf_Attribute attribute;
  Dwarf_Word word;
  if (!dwarf_attr_integrate(die, name, &attribute) ||
      dwarf_formudata(&attribute, &word) || word >= CCA_NONE)
    return missing;
  return (uint32_t)word;
}

/* The NAME of the function symbol that begins at START; CCA_NONE if none does.
 */
static uint32_t symbol_name(struct cca_builder *builder, uint32_t start) {
  uint32_t first = 0, count = cca_symbol_from_added(builder);
  while (count) {
    uint32_t half = count / 2;
    if (cca_symbol_from_get(builder, first + half).start < start) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  if (first == cca_symbol_from_added(builder))
    return CCA_NONE;
  struct cca_symbol_from from = cca_symbol_from_get(builder, first);
  if (from.start != start || from.symbol == CCA_NONE)
    return CCA_NONE;
  struct cca_symbol symbol = cca_symbol_get(builder, from.symbol);
  return symbol.start == start && symbol.kind == CCA_SYMBOL_KIND_FUNCTION
             ? symbol.name
             : CCA_NONE;
}

/* The row of NAME, CCA_NONE if it has none.  Instances of one function share
 * what they are instances of. */
static uint32_t name_of(struct cca_scopes *scopes, Dwarf_Die *die) {
  static const unsigned wanted[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
                                    DW_AT_name};
  Dwarf_Attribute attribute;
  Dwarf_Die origin = *die;
  if (dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
      !dwarf_formref_die(&attribute, &origin))
    origin = *die;
  bool is_new;
  uint32_t *known =
      cca_map_at(&scopes->names, &origin.addr, sizeof origin.addr, &is_new);
  if (is_new) {
    *known = CCA_NONE;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
      const char *text = dwarf_formstring(
          dwarf_attr_integrate(&origin, wanted[i], &attribute));
      if (text && *text) {
        *known = cca_gather_name(scopes->gather, text);
        break;
      }
    }
  }
  return *known;
}

/* Add the code of DIE as that of SCOPE, whose row is completed.  False if it
 * has none. */
static bool add_ranges(struct cca_scopes *scopes, Dwarf_Die *die, uint32_t row,
                       struct cca_scope *scope) {
  const struct cca_elf_module *module = scopes->gather->module;
  uint64_t shift = module->dwarf_bias - module->bias;
  Dwarf_Addr base, from, to;
  ptrdiff_t at = 0;
  size_t before = scopes->ranges.count;
  while (scopes->ranges.count < MAX_RANGES &&
         (at = dwarf_ranges(die, at, &base, &from, &to)) > 0) {
    struct cca_range range = {.rank = scope->depth, .value = row};
    if (!cca_elf_module_clip(module, from + shift, to + shift, &range.start,
                             &range.end))
      continue;
    if (scopes->ranges.count == before) {
      scope->start = range.start;
      scope->size = range.end - range.start;
    } else {
      scope->flags = CCA_SCOPE_FLAGS_SPLIT;
    }
    cca_vec_push(&scopes->ranges, range);
  }
  return scopes->ranges.count > before;
}

/* The row of SCOPE for DIE, CCA_NONE if it has no code. */
static uint32_t add_scope(struct cca_scopes *scopes, Dwarf_Die *die,
                          uint32_t parent) {
  struct cca_builder *builder = scopes->gather->builder;
  uint32_t row = cca_scope_added(builder);
  size_t before = scopes->ranges.count;
  struct cca_scope scope = cca_scope_init();
  scope.parent = parent;
  if (parent != CCA_NONE)
    scope.depth = cca_scope_get(builder, parent).depth + 1;
  if (scope.depth > CCA_SCOPE_MAX_DEPTH ||
      !add_ranges(scopes, die, row, &scope))
    return CCA_NONE;
  bool inlined = parent != CCA_NONE, is_new = true;
  /* Units that define the same template all speak of the code that the linker
   * kept, which is the first one's. */
  if (!inlined)
    cca_map_at(&scopes->starts, &scope.start, sizeof scope.start, &is_new);
  if (!is_new) {
    scopes->ranges.count = before;
    return CCA_NONE;
  }
  scope.name = name_of(scopes, die);
  /* Of C++, functions of a unit's own have no linkage name in DWARF. */
  Dwarf_Attribute attribute;
  if (!inlined && !scopes->plain_c &&
      !dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute)) {
    uint32_t name = symbol_name(builder, scope.start);
    scope.name = name == CCA_NONE ? scope.name : name;
  }
  scope.line = number_of(die, inlined ? DW_AT_call_line : DW_AT_decl_line, 0);
  scope.column =
      number_of(die, inlined ? DW_AT_call_column : DW_AT_decl_column, 0);
  scope.file = cca_files_row(
      scopes->files, scopes->gather,
      number_of(die, inlined ? DW_AT_call_file : DW_AT_decl_file, CCA_NONE));
  return cca_scope_add(builder, scope);
}

static void walk(struct cca_scopes *scopes, Dwarf_Die *parent, uint32_t scope,
                 unsigned nesting) {
  Dwarf_Die die;
  if (nesting == MAX_NESTING || dwarf_child(parent, &die))
    return;
  do {
    /* Entries follow each other as they do in a walk of the tree; what leads
     * back does not belong to it. */
    Dwarf_Off offset = dwarf_dieoffset(&die);
    if (offset <= scopes->last)
      return;
    scopes->last = offset;
    uint32_t inner = scope;
    switch (dwarf_tag(&die)) {
    case DW_TAG_subprogram:
      inner = add_scope(scopes, &die, CCA_NONE);
      if (inner == CCA_NONE)
        continue; /* declared, or abstract */
      break;
    case DW_TAG_inlined_subroutine:
      if (scope != CCA_NONE)
        inner = add_scope(scopes, &die, scope);
      if (inner == CCA_NONE)
        continue;
      break;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
      break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      if (scopes->plain_c)
        continue;
      break;
    default:
      continue;
    }
    walk(scopes, &die, inner, nesting + 1);
  } while (!dwarf_siblingof(&die, &die));
}

void cca_scopes_add(struct cca_scopes *scopes, Dwarf_Die *unit,
                    struct cca_files *files) {
  static const int plain[] = {DW_LANG_C,    DW_LANG_C89,
                              DW_LANG_C99,  DW_LANG_C11,
                              DW_LANG_ObjC, DW_LANG_Mips_Assembler};
  int language = dwarf_srclang(unit);
  scopes->plain_c = false;
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    scopes->plain_c = scopes->plain_c || language == plain[i];
  scopes->last = 0;
  scopes->files = files;
  walk(scopes, unit, CCA_NONE, 0);
}

static void step(void *context, uint32_t start, uint32_t value) {
  cca_scope_from_add(context, (struct cca_scope_from){start, value});
}

void cca_scopes_finish(struct cca_scopes *scopes) {
  cca_steps_make(&scopes->ranges, step, scopes->gather->builder);
  cca_vec_release(&scopes->ranges);
  cca_map_release(&scopes->names);
  cca_map_release(&scopes->starts);
  free(scopes);
}
