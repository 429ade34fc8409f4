/* SPDX-License-Identifier: MIT */
/*
 * extract-names.c -- what a type is called in C, and its identity.
 *
 * Qualifiers and typedefs are seen through, except that a record or an
 * enumeration without a tag has the name of its typedef; without one, that of
 * the member that holds it (`union node.u`); else that of its place.
 *
 * The identity is a hash of kind, spelling, size and, for a record, of its
 * members' names, offsets and spellings.  So it is equal in all units that see
 * the same type, and differs where two records share a tag.  It does not look
 * through pointers: two records that differ only in what a member points to,
 * under one tag, are one.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/extract-unit.h"

enum { MAX_DEPTH = 12 }; /* of pointers to functions taking pointers to … */

static const char *spell(struct unit *u, di type, int depth);

static const char *spell_function(struct unit *u, di type, const char *middle,
                                  int depth) {
  di types = cca__di_child(u, type, 3);
  unsigned count = cca__di_count(u, types);
  di result = count ? cca__di_child(u, types, 0) : NULL;
  const char *text = spell(u, result, depth);
  size_t len = strlen(text);
  text = cca_arena_printf(&u->arena, "%s%s%s(", text,
                          len && text[len - 1] == '*' ? "" : " ", middle);
  for (unsigned i = 1; i < count; i++) {
    di param = cca__di_child(u, types, i);
    /* a parameter list that ends in no type is `...` */
    text = cca_arena_printf(&u->arena, "%s%s%s", text, i > 1 ? ", " : "",
                            param ? spell(u, param, depth) : "...");
  }
  return cca_arena_printf(&u->arena, "%s%s", text, count == 1 ? "void)" : ")");
}

static const char *spell_pointer(struct unit *u, di type, int depth) {
  di to = cca__di_strip(u, cca__di_base(u, type));
  if (cca__di_tag(to) == DI_SUBROUTINE)
    return spell_function(u, to, "(*)", depth);
  const char *text = spell(u, to, depth);
  if (cca__di_tag(to) == DI_ARRAY) {
    const char *bracket = strchr(text, '[');
    if (bracket)
      return cca_arena_printf(&u->arena, "%.*s (*)%s", (int)(bracket - text),
                              text, bracket);
  }
  size_t len = strlen(text);
  return cca_arena_printf(&u->arena, "%s%s*", text,
                          len && text[len - 1] == '*' ? "" : " ");
}

static const char *spell_array(struct unit *u, di type, int depth) {
  di element = cca__di_base(u, type);
  const char *text = spell(u, element, depth);
  int64_t count = cca__di_elements(u, type);
  const char *bracket = strchr(text, '[');
  int before = bracket ? (int)(bracket - text) : (int)strlen(text);
  char number[24] = "";
  if (count >= 0)
    snprintf(number, sizeof number, "%lld", (long long)count);
  return cca_arena_printf(&u->arena, "%.*s[%s]%s", before, text, number,
                          text + before);
}

static const char *spell_tagged(struct unit *u, di type, int depth) {
  const char *tag = cca__di_name(u, type);
  const char *kind = cca__di_tag(type) == DI_STRUCT  ? "struct"
                     : cca__di_tag(type) == DI_UNION ? "union"
                                                     : "enum";
  if (*tag)
    return cca_arena_printf(&u->arena, "%s %s", kind, tag);

  struct type_info info = *cca__type_info(u, type);
  if (info.outer) {
    const char *around = spell(u, info.outer, depth);
    const char *space = strchr(around, ' ');
    return cca_arena_printf(&u->arena, "%s %s.%s", kind,
                            space ? space + 1 : around, info.alias);
  }
  if (info.alias)
    return info.alias;
  uint32_t file = cca__file_row(u, cca__di_child(u, type, 0));
  const char *name = file == CCA_NONE ? "?" : u->file_names.items[file];
  return cca_arena_printf(&u->arena, "%s (%s:%u)", kind, name,
                          LLVMDITypeGetLine(type));
}

static const char *spell(struct unit *u, di type, int depth) {
  type = cca__di_strip(u, type);
  if (!type)
    return "void";
  if (depth <= 0)
    return "…";
  struct type_info *info = cca__type_info(u, type);
  if (info->name)
    return info->name;

  const char *name;
  switch (cca__di_tag(type)) {
  case DI_POINTER:
    name = spell_pointer(u, type, depth - 1);
    break;
  case DI_ARRAY:
    name = spell_array(u, type, depth - 1);
    break;
  case DI_SUBROUTINE:
    name = spell_function(u, type, "", depth - 1);
    break;
  case DI_STRUCT:
  case DI_UNION:
  case DI_ENUM:
    name = spell_tagged(u, type, depth - 1);
    break;
  default:
    name = cca__di_name(u, type);
    break;
  }
  if (depth == MAX_DEPTH) /* a shortened name is good for its asker alone */
    cca__type_info(u, type)->name = name;
  return name;
}

const char *cca__type_name(struct unit *u, di type) {
  return spell(u, type, MAX_DEPTH);
}

uint64_t cca__type_identity(struct unit *u, di type) {
  type = cca__di_strip(u, type);
  const char *name = cca__type_name(u, type);
  uint64_t head[2] = {cca__di_tag(type), (uint64_t)cca__di_size(u, type)};
  uint64_t hash = cca_hash(0, head, sizeof head);
  hash = cca_hash(hash, name, strlen(name) + 1);
  if (!cca__di_is_record(type))
    return hash;

  di members = cca__di_child(u, type, 4);
  unsigned count = cca__di_count(u, members);
  for (unsigned i = 0; i < count; i++) {
    di member = cca__di_child(u, members, i);
    if (cca__di_tag(member) != DI_MEMBER)
      continue;
    name = cca__di_name(u, member);
    hash = cca_hash(hash, name, strlen(name) + 1);
    uint64_t offset = LLVMDITypeGetOffsetInBits(member);
    hash = cca_hash(hash, &offset, sizeof offset);
    name = cca__type_name(u, cca__di_base(u, member));
    hash = cca_hash(hash, name, strlen(name) + 1);
  }
  return hash;
}
