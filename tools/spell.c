/* SPDX-License-Identifier: MIT */
/*
 * spell.c -- types of the debug information as C text.
 *
 * A declaration in C is written around its name from the inside out: `*` and
 * `[3]` and `(int)` come to stand around what there is so far, and parentheses
 * where a pointer leads to an array or a function.  So each function here takes
 * that inner text, and returns it with its own part around it.
 */
#include "spell.h"

#include <dwarf.h>
#include <string.h>

#include "base/text.h"
#include "prototypes.h"

enum {
  MAX_DEPTH = 16, /* of types in types */
  MAX_PARAMS = 64,
};

bool cca_die_type(Dwarf_Die *die, Dwarf_Die *type) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
         dwarf_formref_die(&attribute, type);
}

bool cca_die_has(Dwarf_Die *die, unsigned name) {
  Dwarf_Attribute attribute;
  bool flag = false;
  return dwarf_attr_integrate(die, name, &attribute) &&
         dwarf_formflag(&attribute, &flag) == 0 && flag;
}

uint64_t cca_die_number(Dwarf_Die *die, unsigned name, uint64_t otherwise) {
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  return dwarf_attr_integrate(die, name, &attribute) &&
                 dwarf_formudata(&attribute, &value) == 0
             ? value
             : otherwise;
}

bool cca_die_see_through(Dwarf_Die *type, unsigned *quals) {
  for (int depth = 0; depth < MAX_DEPTH; depth++) {
    switch (dwarf_tag(type)) {
    case DW_TAG_const_type:
      *quals |= CCA_QUAL_CONST;
      break;
    case DW_TAG_volatile_type:
      *quals |= CCA_QUAL_VOLATILE;
      break;
    case DW_TAG_restrict_type:
      *quals |= CCA_QUAL_RESTRICT;
      break;
    case DW_TAG_typedef:
      break;
    default:
      return true;
    }
    Dwarf_Die next;
    if (!cca_die_type(type, &next))
      return false;
    *type = next;
  }
  return true;
}

static const char *quals_text(unsigned quals) {
  static const char *const texts[] = {
      "",
      "const ",
      "volatile ",
      "const volatile ",
      "__restrict ",
      "const __restrict ",
      "volatile __restrict ",
      "const volatile __restrict ",
  };
  return texts[quals & 7];
}

static const char *fail(struct cca_speller *w, const char *reason) {
  if (!w->reason)
    w->reason = reason;
  return NULL;
}

/* NAME, perhaps with a declarator behind it. */
static const char *simple(struct cca_speller *w, unsigned quals,
                          const char *name, const char *inner) {
  return cca_arena_printf(w->arena, "%s%s%s%s", quals_text(quals), name,
                          *inner ? " " : "", inner);
}

static const char *base(struct cca_speller *w, Dwarf_Die *type, unsigned quals,
                        const char *inner) {
  /* As gcc, clang or both spell it; in one spelling, to be compared. */
  static const char *const names[][2] = {
      {"char", "char"},
      {"signed char", "signed char"},
      {"unsigned char", "unsigned char"},
      {"short", "short"},
      {"short int", "short"},
      {"unsigned short", "unsigned short"},
      {"short unsigned int", "unsigned short"},
      {"int", "int"},
      {"unsigned int", "unsigned int"},
      {"long", "long"},
      {"long int", "long"},
      {"unsigned long", "unsigned long"},
      {"long unsigned int", "unsigned long"},
      {"long long", "long long"},
      {"long long int", "long long"},
      {"unsigned long long", "unsigned long long"},
      {"long long unsigned int", "unsigned long long"},
      {"__int128", "__int128"},
      {"__int128 unsigned", "unsigned __int128"},
      {"unsigned __int128", "unsigned __int128"},
      {"_Bool", "_Bool"},
      {"float", "float"},
      {"double", "double"},
      {"long double", "long double"},
  };
  const char *name = dwarf_diename(type);
  for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
    if (!strcmp(name, names[i][0]))
      return simple(w, quals, names[i][1], inner);
  return fail(w, "a base type that is not plain C");
}

static const char *tagged(struct cca_speller *w, Dwarf_Die *type,
                          unsigned quals, const char *inner) {
  int tag = dwarf_tag(type);
  const char *word = tag == DW_TAG_structure_type ? "struct"
                     : tag == DW_TAG_union_type   ? "union"
                                                  : "enum";
  const char *name = dwarf_diename(type);
  if (!name || !cca_prototype_is_identifier(name))
    return fail(w, "a type without a tag");
  if (!strcmp(name, "__va_list_tag"))
    return fail(w, "a va_list");
  const char *full = cca_arena_printf(w->arena, "%s %s", word, name);
  cca_vec_push(&w->tags, full);
  return simple(w, quals, full, inner);
}

static const char *spell(struct cca_speller *w, Dwarf_Die *type, unsigned quals,
                         const char *inner, int depth);

static bool is_va_list(Dwarf_Die *target) {
  Dwarf_Die type = *target;
  unsigned quals = 0;
  const char *name;
  return cca_die_see_through(&type, &quals) &&
         dwarf_tag(&type) == DW_TAG_structure_type &&
         (name = dwarf_diename(&type)) && !strcmp(name, "__va_list_tag");
}

static const char *pointer(struct cca_speller *w, Dwarf_Die *type,
                           unsigned quals, const char *inner, int depth) {
  const char *declarator =
      cca_arena_printf(w->arena, "*%s%s", quals_text(quals), inner);
  Dwarf_Die target, plain;
  if (!cca_die_type(type, &target))
    return simple(w, 0, "void", declarator);
  unsigned ignored = 0;
  plain = target;
  if (cca_die_see_through(&plain, &ignored) &&
      (dwarf_tag(&plain) == DW_TAG_subroutine_type ||
       dwarf_tag(&plain) == DW_TAG_array_type))
    declarator = cca_arena_printf(w->arena, "(%s)", declarator);
  return spell(w, &target, 0, declarator, depth + 1);
}

static const char *array(struct cca_speller *w, Dwarf_Die *type, unsigned quals,
                         const char *inner, int depth) {
  Dwarf_Die child, element;
  if (!cca_die_type(type, &element))
    return fail(w, "an array of nothing");
  for (int more = dwarf_child(type, &child); more == 0;
       more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) != DW_TAG_subrange_type)
      continue;
    Dwarf_Attribute bound;
    uint64_t count = cca_die_number(&child, DW_AT_count, UINT64_MAX);
    uint64_t last = cca_die_number(&child, DW_AT_upper_bound, UINT64_MAX);
    if (count == UINT64_MAX && last == UINT64_MAX) {
      if (dwarf_attr(&child, DW_AT_upper_bound, &bound) ||
          dwarf_attr(&child, DW_AT_count, &bound))
        return fail(w, "an array of variable length");
      inner = cca_arena_printf(w->arena, "%s[]", inner);
    } else
      inner = cca_arena_printf(
          w->arena, "%s[%llu]", inner,
          (unsigned long long)(count != UINT64_MAX ? count : last + 1));
  }
  return spell(w, &element, quals, inner, depth + 1);
}

/* The parameters of a function or function type, in parentheses. */
static const char *params(struct cca_speller *w, Dwarf_Die *die, int depth) {
  struct cca_text text = {0};
  Dwarf_Die child, type;
  unsigned count = 0;
  cca_text_adds(&text, "(");
  for (int more = dwarf_child(die, &child); more == 0;
       more = dwarf_siblingof(&child, &child)) {
    int tag = dwarf_tag(&child);
    const char *one = NULL;
    if (tag == DW_TAG_unspecified_parameters)
      one = "...";
    else if (tag != DW_TAG_formal_parameter)
      continue;
    else if (++count > MAX_PARAMS || !cca_die_type(&child, &type))
      fail(w, "a parameter of unknown type");
    else {
      /* Qualifiers of a parameter itself are no part of the function's type. */
      unsigned quals = 0;
      Dwarf_Die target;
      if (!cca_die_see_through(&type, &quals))
        fail(w, "a parameter of unknown type");
      else if (dwarf_tag(&type) == DW_TAG_pointer_type &&
               cca_die_type(&type, &target) && is_va_list(&target))
        one = "__builtin_va_list";
      else
        one = spell(w, &type, 0, "", depth + 1);
    }
    if (!one)
      break;
    cca_text_addf(&text, "%s%s", text.len > 1 ? ", " : "", one);
  }
  if (text.len == 1 && cca_die_has(die, DW_AT_prototyped))
    cca_text_adds(&text, "void");
  cca_text_adds(&text, ")");
  const char *result = cca_arena_strdup(w->arena, text.data);
  cca_text_release(&text);
  return w->reason ? NULL : result;
}

/* TYPE as C, around the declarator INNER, from the inside out. */
static const char *spell(struct cca_speller *w, Dwarf_Die *of, unsigned quals,
                         const char *inner, int depth) {
  Dwarf_Die type = *of, result;
  if (depth > MAX_DEPTH)
    return fail(w, "a type of too many parts");
  if (!cca_die_see_through(&type, &quals))
    return simple(w, quals, "void", inner);
  const char *list;
  switch (dwarf_tag(&type)) {
  case DW_TAG_base_type:
    return base(w, &type, quals, inner);
  case DW_TAG_structure_type:
  case DW_TAG_union_type:
  case DW_TAG_enumeration_type:
    return tagged(w, &type, quals, inner);
  case DW_TAG_pointer_type:
    return pointer(w, &type, quals, inner, depth);
  case DW_TAG_array_type:
    return array(w, &type, quals, inner, depth);
  case DW_TAG_subroutine_type:
    list = params(w, &type, depth + 1);
    if (!list)
      return NULL;
    inner = cca_arena_printf(w->arena, "%s%s", inner, list);
    return cca_die_type(&type, &result) ? spell(w, &result, 0, inner, depth + 1)
                                        : simple(w, 0, "void", inner);
  default:
    return fail(w, "a type that is not understood");
  }
}

const char *cca_spell_function(struct cca_speller *w, Dwarf_Die *die,
                               const char *name) {
  Dwarf_Die type;
  const char *list = params(w, die, 0);
  if (!list)
    return NULL;
  list = cca_arena_printf(w->arena, "%s%s", name, list);
  return cca_die_type(die, &type) ? spell(w, &type, 0, list, 0)
                                  : simple(w, 0, "void", list);
}
