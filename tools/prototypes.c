/* SPDX-License-Identifier: MIT */
/*
 * prototypes.c -- how functions are declared in C, from debug information.
 *
 * Input:  the DWARF of all files, names of functions.
 * Output: for each name a declaration that may stand before the first line of
 *         every unit of the program, or why there can be none.
 *
 * A declaration that is put in front of all units must be right in all of
 * them.  So typedefs are seen through, since they are not declared yet, and
 * records appear by their tags, which a unit may complete later.  What has no
 * tag cannot be written.  And the name must mean the same everywhere: if it is
 * static, a variable, a type or an enumerator in one unit, inline, or declared
 * with another type, then it is left out; so is a tag that is a structure here
 * and a union there.  A static function that every unit defines is no trouble:
 * the program is one unit, perhaps.  Each unit's outermost declarations are
 * read once; units without debug information are not seen.
 */
#include "prototypes.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "spell.h"

enum {
  MAX_PARAMS = 64, /* that are described */
  TAG_STRUCT = 1,
  TAG_UNION = 2,
  TAG_ENUM = 4,
};

struct entry {
  struct cca_prototype found;
  const char *veto; /* it is something else elsewhere */
  bool is_inline;   /* or may be, in some unit */
  bool is_external;
  uint32_t static_units; /* that define it as static */
  uint32_t last_unit;    /* the last of these */
};

struct cca_prototypes {
  struct cca_arena arena;
  struct cca_map wanted; /* name to row of entries + 1 */
  struct cca_vec(struct entry) entries;
  struct cca_map tags; /* tag to a set of TAG_* */
  uint32_t units;      /* of C, so far */
  bool finished;
};

struct cca_prototypes *cca_prototypes_new(void) {
  return cca_calloc(1, sizeof(struct cca_prototypes));
}

void cca_prototypes_free(struct cca_prototypes *all) {
  cca_map_release(&all->wanted);
  cca_map_release(&all->tags);
  cca_vec_release(&all->entries);
  cca_arena_release(&all->arena);
  free(all);
}

bool cca_prototype_is_identifier(const char *name) {
  static const char *const keywords[] = {
      "auto",    "break",    "case",     "char",     "const",   "continue",
      "default", "do",       "double",   "else",     "enum",    "extern",
      "float",   "for",      "goto",     "if",       "inline",  "int",
      "long",    "register", "restrict", "return",   "short",   "signed",
      "sizeof",  "static",   "struct",   "switch",   "typedef", "typeof",
      "union",   "unsigned", "void",     "volatile", "while"};
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  if (!*name || (*name >= '0' && *name <= '9') || name[strspn(name, letters)])
    return false;
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
    if (!strcmp(name, keywords[i]))
      return false;
  return true;
}

void cca_prototypes_want(struct cca_prototypes *all, const char *name) {
  bool is_new;
  uint32_t *row = cca_map_at(&all->wanted, name, strlen(name), &is_new);
  if (!is_new)
    return;
  struct entry entry = {.found = {.name = cca_arena_strdup(&all->arena, name)}};
  cca_vec_push(&all->entries, entry);
  *row = (uint32_t)all->entries.count;
}

/* ---- Functions ---- */

static struct cca_prototype_param describe(Dwarf_Die *param) {
  struct cca_prototype_param result = {CCA_PROTOTYPE_OTHER, 0, false};
  Dwarf_Die type, target;
  unsigned quals = 0;
  if (!cca_die_type(param, &type) || !cca_die_see_through(&type, &quals))
    return result;
  int tag = dwarf_tag(&type);
  uint64_t encoding = cca_die_number(&type, DW_AT_encoding, 0);
  if (tag == DW_TAG_enumeration_type ||
      (tag == DW_TAG_base_type &&
       (encoding == DW_ATE_signed || encoding == DW_ATE_unsigned ||
        encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
        encoding == DW_ATE_boolean))) {
    result.class = CCA_PROTOTYPE_INTEGER;
    result.bytes = (uint32_t)cca_die_number(&type, DW_AT_byte_size, 0);
  } else if (tag == DW_TAG_pointer_type) {
    result.class = CCA_PROTOTYPE_POINTER;
    quals = 0;
    if (cca_die_type(&type, &target) && cca_die_see_through(&target, &quals) &&
        !(quals & CCA_QUAL_CONST) && dwarf_tag(&target) == DW_TAG_base_type) {
      encoding = cca_die_number(&target, DW_AT_encoding, 0);
      result.to_number =
          encoding == DW_ATE_signed || encoding == DW_ATE_unsigned;
    }
  }
  return result;
}

static void describe_params(struct cca_prototypes *all, Dwarf_Die *die,
                            struct cca_prototype *p) {
  Dwarf_Die child, result;
  unsigned quals = 0;
  p->params = cca_arena_zalloc(&all->arena, MAX_PARAMS, sizeof *p->params);
  p->param_count = 0;
  for (int more = dwarf_child(die, &child); more == 0;
       more = dwarf_siblingof(&child, &child))
    if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
        p->param_count < MAX_PARAMS)
      p->params[p->param_count++] = describe(&child);
  p->returns_pointer = cca_die_type(die, &result) &&
                       cca_die_see_through(&result, &quals) &&
                       dwarf_tag(&result) == DW_TAG_pointer_type;
}

static int compare_strings(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void keep_tags(struct cca_prototypes *all, struct cca_prototype *p,
                      const char **tags, size_t count) {
  if (count)
    qsort(tags, count, sizeof *tags, compare_strings);
  p->tags = cca_arena_zalloc(&all->arena, count, sizeof *p->tags);
  p->tag_count = 0;
  for (size_t i = 0; i < count; i++)
    if (!i || strcmp(tags[i], tags[i - 1]))
      p->tags[p->tag_count++] = tags[i];
}

/*
 * Is the body of definition DIE in a header?  Then it may be inline in other
 * units, and one declaration without `inline` would make each of them define
 * the function.  Compilers do not say in all cases whether it is.
 */
static bool is_in_header(Dwarf_Die *die) {
  Dwarf_Die unit;
  Dwarf_Files *files;
  size_t count;
  const char *file = NULL, *main_file = NULL;
  /* dwarf_decl_file() takes 0 for no file, which it is not from DWARF 5 on. */
  if (dwarf_diecu(die, &unit, NULL, NULL) &&
      dwarf_getsrcfiles(&unit, &files, &count) == 0) {
    uint64_t row = cca_die_number(die, DW_AT_decl_file, count);
    file = row < count ? dwarf_filesrc(files, row, NULL, NULL) : NULL;
    main_file = dwarf_diename(&unit);
  }
  if (!file || !main_file)
    return true;
  const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
  const char *main_slash = strrchr(main_file, '/');
  return strcmp(slash ? slash + 1 : file,
                main_slash ? main_slash + 1 : main_file) != 0 &&
         !(dot && !strcmp(dot, ".c"));
}

/* A definition or declaration of a function that is wanted. */
static void take_function(struct cca_prototypes *all, struct entry *entry,
                          Dwarf_Die *die) {
  struct cca_prototype *p = &entry->found;
  bool declared = cca_die_has(die, DW_AT_declaration);
  uint64_t inlined = cca_die_number(die, DW_AT_inline, DW_INL_not_inlined);
  Dwarf_Attribute attribute;
  if (cca_die_has(die, DW_AT_external)) {
    entry->is_external = true;
    entry->is_inline |= inlined == DW_INL_declared_inlined ||
                        inlined == DW_INL_declared_not_inlined ||
                        (!declared && is_in_header(die));
  } else if (!declared && entry->last_unit != all->units) {
    entry->last_unit = all->units;
    entry->static_units++;
  }
  if (!cca_die_has(die, DW_AT_prototyped)) {
    /* Compilers may leave everything out of a mere declaration. */
    if (!declared && !entry->veto)
      entry->veto = "its definition has no prototype";
    if (declared)
      return;
  }
  const char *link = dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute)
                         ? dwarf_formstring(&attribute)
                         : NULL;
  if (link && strcmp(link, p->name) && !entry->veto)
    entry->veto = "its symbol is not its name in C";

  struct cca_speller w = {.arena = &all->arena};
  const char *text = cca_spell_function(&w, die, p->name);
  if (p->is_known && text && p->text && strcmp(text, p->text)) {
    if (!entry->veto)
      entry->veto = "it is declared with two types";
  } else if (!p->is_known || !declared) {
    p->text = text;
    p->reason = text ? NULL
                     : cca_arena_printf(&all->arena, "its type needs %s",
                                        w.reason ? w.reason : "no end");
    keep_tags(all, p, w.tags.items, w.tags.count);
    describe_params(all, die, p);
  }
  p->is_known = true;
  cca_vec_release(&w.tags);
}

/* ---- Units ---- */

static struct entry *wanted(struct cca_prototypes *all, const char *name) {
  const uint32_t *row = cca_map_find(&all->wanted, name, strlen(name));
  return row ? &all->entries.items[*row - 1] : NULL;
}

static void veto(struct cca_prototypes *all, const char *name,
                 const char *reason) {
  struct entry *entry = name ? wanted(all, name) : NULL;
  if (entry && !entry->veto)
    entry->veto = reason;
}

static void take_tag(struct cca_prototypes *all, Dwarf_Die *die,
                     uint32_t which) {
  const char *name = dwarf_diename(die);
  if (name)
    *cca_map_at(&all->tags, name, strlen(name), NULL) |= which;
}

static void take_enumerators(struct cca_prototypes *all, Dwarf_Die *die) {
  Dwarf_Die child;
  for (int more = dwarf_child(die, &child); more == 0;
       more = dwarf_siblingof(&child, &child))
    veto(all, dwarf_diename(&child),
         "another unit has an enumerator "
         "of this name");
}

static void take_die(struct cca_prototypes *all, Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  const char *name;
  struct entry *entry;
  switch (dwarf_tag(die)) {
  case DW_TAG_subprogram:
    /* An instance of what is described elsewhere adds nothing. */
    if (dwarf_attr(die, DW_AT_abstract_origin, &attribute) ||
        !(name = dwarf_diename(die)) || !(entry = wanted(all, name)))
      return;
    take_function(all, entry, die);
    return;
  case DW_TAG_variable:
    veto(all, dwarf_diename(die), "another unit has a variable of this name");
    return;
  case DW_TAG_typedef:
    veto(all, dwarf_diename(die), "another unit has a type of this name");
    return;
  case DW_TAG_structure_type:
    take_tag(all, die, TAG_STRUCT);
    return;
  case DW_TAG_union_type:
    take_tag(all, die, TAG_UNION);
    return;
  case DW_TAG_enumeration_type:
    take_tag(all, die, TAG_ENUM);
    take_enumerators(all, die);
    return;
  default:
    return;
  }
}

/* Is it a unit of C, or a part of one? */
static bool is_c(Dwarf_Die *unit) {
  switch (cca_die_number(unit, DW_AT_language, DW_LANG_C)) {
  case DW_LANG_C:
  case DW_LANG_C89:
  case DW_LANG_C99:
  case DW_LANG_C11:
  case 0x2c: /* C17 */
  case 0x3e: /* C23 */
    return true;
  default:
    return false;
  }
}

static void take_dwarf(struct cca_prototypes *all, Dwarf *dwarf) {
  Dwarf_CU *unit = NULL;
  Dwarf_Die root, skeleton, child;
  uint8_t kind;
  while (dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &root, &skeleton) ==
         0) {
    if (!is_c(&root))
      continue;
    all->units += dwarf_tag(&root) == DW_TAG_compile_unit;
    for (int more = dwarf_child(&root, &child); more == 0;
         more = dwarf_siblingof(&child, &child))
      take_die(all, &child);
  }
}

static int no_separate_file(Dwfl_Module *module, void **data, const char *name,
                            Dwarf_Addr base, const char *file, const char *link,
                            GElf_Word crc, char **path) {
  (void)module, (void)data, (void)name, (void)base, (void)file, (void)link,
      (void)crc, (void)path;
  return -1; /* a server may be asked, else */
}

static int take_module(Dwfl_Module *module, void **data, const char *name,
                       Dwarf_Addr base, void *arg) {
  (void)data, (void)name, (void)base;
  Dwarf_Addr bias;
  Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
  if (dwarf)
    take_dwarf(arg, dwarf);
  return DWARF_CB_OK;
}

void cca_prototypes_read(struct cca_prototypes *all, const char *path) {
  static const Dwfl_Callbacks callbacks = {
      .find_debuginfo = no_separate_file,
      .section_address = dwfl_offline_section_address,
  };
  Dwfl *dwfl = dwfl_begin(&callbacks);
  if (!dwfl)
    return;
  dwfl_report_begin(dwfl);
  dwfl_report_offline(dwfl, path, path, -1);
  dwfl_report_end(dwfl, NULL, NULL);
  dwfl_getmodules(dwfl, take_module, all, 0);
  dwfl_end(dwfl);
}

/* ---- The answer ---- */

/* May the name be declared in front of all units? */
static void check_linkage(const struct cca_prototypes *all,
                          struct entry *entry) {
  if (entry->static_units && entry->is_external)
    entry->veto = "it is static in one unit, and not in another";
  else if (entry->static_units && entry->static_units != all->units)
    entry->veto = "it is static, and not all units define it";
  else if (entry->is_external && entry->is_inline)
    entry->veto = "it is inline, or may be so in another unit";
  entry->found.is_static = entry->static_units != 0;
}

static void finish(struct cca_prototypes *all) {
  for (size_t i = 0; i < all->entries.count; i++) {
    struct entry *entry = &all->entries.items[i];
    struct cca_prototype *p = &entry->found;
    if (!entry->veto)
      check_linkage(all, entry);
    for (size_t t = 0; t < p->tag_count && !entry->veto; t++) {
      const char *tag = strchr(p->tags[t], ' ') + 1;
      const uint32_t *uses = cca_map_find(&all->tags, tag, strlen(tag));
      if (uses && *uses & (*uses - 1))
        entry->veto = cca_arena_printf(
            &all->arena, "%s is another kind of type in another unit",
            p->tags[t]);
    }
    if (p->text && p->is_static)
      p->text = cca_arena_printf(&all->arena, "static %s", p->text);
    if (entry->veto) {
      p->text = NULL;
      p->reason = entry->veto;
    } else if (!p->is_known)
      p->reason = "no debug information describes it";
  }
  all->finished = true;
}

const struct cca_prototype *cca_prototypes_find(struct cca_prototypes *all,
                                                const char *name) {
  if (!all->finished)
    finish(all);
  struct entry *entry = wanted(all, name);
  return entry ? &entry->found : NULL;
}
