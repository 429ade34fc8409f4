/* SPDX-License-Identifier: MIT */
/*
 * extract-records.c -- which record of the source is %struct.foo?
 *
 * An access path in the IR goes through LLVM's struct types, whose names are
 * of this unit (`%struct.anon.7`); a location must be named by the type of the
 * debug information, which is the same in all units.  One walk over all debug
 * types that are reachable lists the records by name, and gives those without
 * a tag the name of their typedef or of the member that holds them.
 *
 * A struct type is then looked up by name and size.  `anon` ones are mostly
 * known from the path that leads to them (extract-places.c); where it does
 * not, the only record without a name and with the same layout is taken.
 */
#include <string.h>

#include "analysis/extract-unit.h"

/* All types found so far; those behind a counter are yet to be looked into. */
struct search {
  struct cca_vec(di) found;
  struct cca_numbers seen;
};

static void visit(struct search *search, di type) {
  if (!cca__di_tag(type) || cca_numbers_find(&search->seen, type))
    return;
  *cca_numbers_at(&search->seen, type) = 1;
  cca_vec_push(&search->found, type);
}

static void note_name(struct unit *u, di type, uint32_t info,
                      const char *name) {
  const char *key = cca_arena_printf(
      &u->arena, "%c:%s", cca__di_tag(type) == DI_UNION ? 'u' : 's', name);
  uint32_t *first = cca_map_at(&u->record_names, key, strlen(key), NULL);
  u->types.items[info - 1].next = *first;
  *first = info;
}

/* The smallest of several typedefs, so that their order does not matter. */
static void note_typedef(struct unit *u, di type) {
  di to = cca__di_strip(u, type);
  enum di_tag tag = cca__di_tag(to);
  if ((tag != DI_STRUCT && tag != DI_UNION && tag != DI_ENUM) ||
      *cca__di_name(u, to))
    return;
  const char *name = cca__di_name(u, type);
  struct type_info *info = cca__type_info(u, to);
  if (!info->outer && (!info->alias || strcmp(name, info->alias) < 0))
    info->alias = name;
}

static void note_member(struct unit *u, di record, di member) {
  di type = cca__di_strip(u, member);
  while (cca__di_tag(type) == DI_ARRAY || cca__di_tag(type) == DI_POINTER)
    type = cca__di_strip(u, cca__di_base(u, type));
  enum di_tag tag = cca__di_tag(type);
  if ((tag != DI_STRUCT && tag != DI_UNION && tag != DI_ENUM) ||
      *cca__di_name(u, type) || cca__di_child(u, type, 1) != record)
    return;
  struct type_info *info = cca__type_info(u, type);
  if (info->outer)
    return;
  const char *name = cca__di_name(u, member);
  info->outer = record;
  unsigned offset = (unsigned)(LLVMDITypeGetOffsetInBits(member) / 8);
  info->alias = *name ? name : cca_arena_printf(&u->arena, "@%u", offset);
}

static void look_into(struct unit *u, struct search *search, di type) {
  enum di_tag tag = cca__di_tag(type);
  if (tag == DI_TYPEDEF)
    note_typedef(u, type);
  if (tag == DI_SUBROUTINE) {
    di types = cca__di_child(u, type, 3);
    unsigned count = cca__di_count(u, types);
    for (unsigned i = 0; i < count; i++)
      visit(search, cca__di_child(u, types, i));
    return;
  }
  visit(search, cca__di_base(u, type));
  if (tag != DI_STRUCT && tag != DI_UNION)
    return;

  di members = cca__di_child(u, type, 4);
  unsigned count = cca__di_count(u, members);
  for (unsigned i = 0; i < count; i++) {
    di member = cca__di_child(u, members, i);
    if (cca__di_tag(member) != DI_MEMBER)
      continue;
    visit(search, cca__di_base(u, member));
    note_member(u, type, member);
  }
}

/* Where debug types hang: variables, functions, what casts mention. */
static void visit_roots(struct unit *u, struct search *search) {
  for (size_t i = 0; i < u->globals.count; i++)
    visit(search, cca__di_variable_type(u, u->globals.items[i].variable));
  for (size_t i = 0; i < u->variables.count; i++)
    visit(search, cca__di_variable_type(u, u->variables.items[i].variable));
  for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f;
       f = LLVMGetNextFunction(f)) {
    di subprogram = LLVMGetSubprogram(f);
    if (subprogram)
      visit(search, cca__di_child(u, subprogram, 4));
  }
  unsigned units = LLVMGetNamedMetadataNumOperands(u->module, "llvm.dbg.cu");
  LLVMValueRef *unit = cca_malloc((units + 1) * sizeof *unit);
  LLVMGetNamedMetadataOperands(u->module, "llvm.dbg.cu", unit);
  for (unsigned i = 0; i < units; i++) {
    di retained = cca__di_child(u, LLVMValueAsMetadata(unit[i]), 5);
    unsigned count = cca__di_count(u, retained);
    for (unsigned k = 0; k < count; k++)
      visit(search, cca__di_child(u, retained, k));
  }
  free(unit);
}

void cca__records_index(struct unit *u) {
  struct search search = {0};
  visit_roots(u, &search);
  for (size_t i = 0; i < search.found.count; i++)
    look_into(u, &search, search.found.items[i]);
  for (size_t i = 0; i < search.found.count; i++)
    if (cca__di_is_record(search.found.items[i]))
      cca__type_info(u, search.found.items[i]);
  cca_vec_release(&search.found);
  cca_numbers_release(&search.seen);

  for (uint32_t i = 1; i <= u->types.count; i++) {
    di type = u->types.items[i - 1].type;
    if (!cca__di_is_record(type))
      continue;
    const char *name = cca__di_name(u, type);
    if (!*name && !u->types.items[i - 1].outer)
      name = u->types.items[i - 1].alias;
    if (name && *name)
      note_name(u, type, i, name);
    else
      cca_vec_push(&u->nameless, i);
  }
}

/* "struct.foo.12" -> 's', "foo"; false: not the name of a record of C. */
static bool split_name(LLVMTypeRef type, char *kind, const char **name,
                       size_t *len) {
  const char *full = LLVMGetStructName(type);
  if (!full)
    return false;
  *kind = full[0];
  if (strncmp(full, "struct.", 7) == 0)
    *name = full + 7;
  else if (strncmp(full, "union.", 6) == 0)
    *name = full + 6;
  else
    return false;
  *len = strlen(*name);
  const char *dot = strrchr(*name, '.');
  if (dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1))
    *len = (size_t)(dot - *name);
  return true;
}

static bool is_anon(const char *name, size_t len) {
  return len == 4 && memcmp(name, "anon", 4) == 0;
}

static bool same_size(struct unit *u, di record, LLVMTypeRef type) {
  return LLVMTypeIsSized(type) &&
         (uint64_t)cca__di_size(u, record) ==
             LLVMABISizeOfType(u->layout, type);
}

static bool same_kind(struct unit *u, di member, LLVMTypeRef element) {
  bool is_pointer = cca__di_tag(cca__di_strip(u, member)) == DI_POINTER;
  return is_pointer == (LLVMGetTypeKind(element) == LLVMPointerTypeKind);
}

/* Every member of RECORD lies on an element of TYPE that may hold it; in TYPE
 * there may be more, for padding.  Of a union, all begin at the first. */
static bool same_layout(struct unit *u, di record, LLVMTypeRef type) {
  if (!same_size(u, record, type))
    return false;
  if (cca__di_tag(record) == DI_UNION)
    return true;
  di members = cca__di_child(u, record, 4);
  unsigned count = cca__di_count(u, members), element = 0;
  unsigned elements = LLVMCountStructElementTypes(type);
  for (unsigned i = 0; i < count; i++) {
    di member = cca__di_child(u, members, i);
    if (LLVMDITypeGetFlags(member) & LLVMDIFlagBitField)
      continue;
    uint64_t at = LLVMDITypeGetOffsetInBits(member) / 8;
    while (element < elements &&
           LLVMOffsetOfElement(u->layout, type, element) < at)
      element++;
    if (element == elements ||
        LLVMOffsetOfElement(u->layout, type, element) != at ||
        !same_kind(u, member, LLVMStructGetTypeAtIndex(type, element)))
      return false;
  }
  return true;
}

bool cca__record_fits(struct unit *u, di record, LLVMTypeRef type) {
  char kind;
  const char *name;
  size_t len;
  if (!cca__di_is_record(record) || !split_name(type, &kind, &name, &len) ||
      (kind == 'u') != (cca__di_tag(record) == DI_UNION))
    return false;
  const char *tag = cca__di_name(u, record);
  if (!*tag && !is_anon(name, len)) {
    struct type_info *info = cca__type_info(u, record);
    return !info->outer && info->alias && same_size(u, record, type);
  }
  if (*tag)
    return strlen(tag) == len && memcmp(tag, name, len) == 0 &&
           same_size(u, record, type);
  return same_layout(u, record, type);
}

di cca__record_find(struct unit *u, LLVMTypeRef type) {
  uint32_t *cached = cca_numbers_at(&u->di_of_plain, type);
  if (*cached)
    return *cached == CCA_NONE ? NULL : u->types.items[*cached - 1].type;
  *cached = CCA_NONE;

  char kind;
  const char *name;
  size_t len;
  if (!split_name(type, &kind, &name, &len))
    return NULL;
  const char *key =
      cca_arena_printf(&u->arena, "%c:%.*s", kind, (int)len, name);
  const uint32_t *first = cca_map_find(&u->record_names, key, strlen(key));
  for (uint32_t i = first ? *first : 0; i; i = u->types.items[i - 1].next)
    if (same_size(u, u->types.items[i - 1].type, type)) {
      *cached = i;
      return u->types.items[i - 1].type;
    }
  if (!is_anon(name, len))
    return NULL;

  uint32_t found = 0;
  for (size_t i = 0; i < u->nameless.count; i++) {
    uint32_t at = u->nameless.items[i];
    di record = u->types.items[at - 1].type;
    if ((cca__di_tag(record) == DI_UNION) != (kind == 'u') ||
        !same_layout(u, record, type))
      continue;
    if (found)
      return NULL;
    found = at;
  }
  if (!found)
    return NULL;
  *cached = found;
  return u->types.items[found - 1].type;
}

uint32_t cca__record_of(struct unit *u, di type) {
  uint32_t *at = cca_numbers_at(&u->record_of_di, type);
  if (!*at) {
    bool is_va_list =
        strncmp(cca__di_name(u, type), "__va_list", 9) == 0;
    cca_vec_push(&u->records, ((struct record){.type = type,
                                               .is_va_list = is_va_list}));
    *at = (uint32_t)u->records.count;
  }
  return *at;
}

uint32_t cca__record_of_plain(struct unit *u, LLVMTypeRef type) {
  if (!LLVMGetStructName(type))
    return 0;
  uint32_t *at = cca_numbers_at(&u->record_of_plain, type);
  if (!*at) {
    bool is_va_list =
        strncmp(LLVMGetStructName(type), "struct.__va_list", 16) == 0;
    cca_vec_push(&u->records, ((struct record){.plain = type,
                                               .is_va_list = is_va_list}));
    *at = (uint32_t)u->records.count;
  }
  return *at;
}

uint32_t cca__record_row(struct unit *u, uint32_t record) {
  if (!record)
    return CCA_NONE;
  struct record *r = &u->records.items[record - 1];
  if (r->type)
    return cca__type_used(u, r->type);
  uint32_t *row = cca_numbers_at(&u->plain_rows, r->plain);
  if (!*row)
    *row = cca__type_plain(u, r->plain) + 1;
  return *row - 1;
}
