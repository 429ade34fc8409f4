/* SPDX-License-Identifier: MIT */
/*
 * extract-types.c -- TYPE, MEMBER and FILE rows, made when they are asked for.
 *
 * A type that a mark, location, parameter or result uses gets its members,
 * too; what those members are gets a row without members.  So the rows are as
 * many as the unit uses, not as many as its headers declare.  Types of equal
 * spelling and identity share a row.
 */
#include <string.h>

#include "analysis/extract-unit.h"

struct type_info *cca__type_info(struct unit *u, di type) {
  uint32_t *at = cca_numbers_at(&u->type_of_di, type);
  if (!*at) {
    cca_vec_push(&u->types,
                 ((struct type_info){.type = type, .row = CCA_NONE}));
    *at = (uint32_t)u->types.count;
  }
  return &u->types.items[*at - 1];
}

static uint32_t file_named(struct unit *u, const char *name, size_t len) {
  bool is_new;
  uint32_t *row = cca_map_at(&u->files, name, len, &is_new);
  if (is_new) {
    const char *copy = cca_arena_strndup(&u->arena, name, len);
    struct cca_file file = {cca_builder_string(u->out, copy)};
    *row = cca_file_add(u->out, file);
    cca_vec_push(&u->file_names, copy);
  }
  return *row;
}

static bool strip_folder(const char **name, size_t *len, const char *folder,
                         size_t folder_len) {
  if (!folder_len || *len <= folder_len + 1 || (*name)[folder_len] != '/' ||
      memcmp(*name, folder, folder_len) != 0)
    return false;
  *name += folder_len + 1;
  *len -= folder_len + 1;
  return true;
}

/* Names are relative to the compilation directory where they can be. */
static uint32_t file_in(struct unit *u, const char *name, size_t len,
                        const char *folder, size_t folder_len) {
  if (!name || !len)
    return CCA_NONE;
  if (!strip_folder(&name, &len, folder, folder_len))
    strip_folder(&name, &len, u->folder, strlen(u->folder));
  while (len > 2 && name[0] == '.' && name[1] == '/') {
    name += 2;
    len -= 2;
  }
  return file_named(u, name, len);
}

uint32_t cca__file_row(struct unit *u, di file) {
  if (!file || LLVMGetMetadataKind(file) != LLVMDIFileMetadataKind)
    return CCA_NONE;
  uint32_t *cached = cca_numbers_at(&u->file_rows, file);
  if (!*cached) {
    unsigned len, folder_len;
    const char *name = LLVMDIFileGetFilename(file, &len);
    const char *folder = LLVMDIFileGetDirectory(file, &folder_len);
    *cached = file_in(u, name, len, folder, folder_len) + 1;
  }
  return *cached - 1;
}

uint32_t cca__file_row_of(struct unit *u, LLVMValueRef instruction) {
  di place = LLVMInstructionGetDebugLoc(instruction);
  di scope = place ? LLVMDILocationGetScope(place) : NULL;
  return scope ? cca__file_row(u, LLVMDIScopeGetFile(scope)) : CCA_NONE;
}

static enum cca_type_kind kind_of(enum di_tag tag) {
  switch (tag) {
  case DI_BASE:
    return CCA_TYPE_KIND_BASE;
  case DI_ENUM:
    return CCA_TYPE_KIND_ENUM;
  case DI_STRUCT:
    return CCA_TYPE_KIND_STRUCT;
  case DI_UNION:
    return CCA_TYPE_KIND_UNION;
  case DI_POINTER:
    return CCA_TYPE_KIND_POINTER;
  case DI_ARRAY:
    return CCA_TYPE_KIND_ARRAY;
  case DI_SUBROUTINE:
    return CCA_TYPE_KIND_FUNCTION;
  default:
    return CCA_TYPE_KIND_UNKNOWN;
  }
}

static uint32_t flags_of(struct unit *u, di type) {
  uint32_t flags = 0;
  if (cca__di_is_bytes(u, type))
    flags |= CCA_TYPE_FLAGS_BYTES;
  if (!cca__di_is_record(type))
    return flags;
  if (LLVMDITypeGetFlags(type) & LLVMDIFlagFwdDecl)
    return flags | CCA_TYPE_FLAGS_INCOMPLETE;
  di members = cca__di_child(u, type, 4);
  unsigned count = cca__di_count(u, members);
  if (count && cca__di_tag(type) == DI_STRUCT) {
    di last = cca__di_strip(u, cca__di_child(u, members, count - 1));
    /* T x[] has a range without a count, T x[0] one of 0 */
    if (cca__di_tag(last) == DI_ARRAY && cca__di_elements(u, last) <= 0)
      flags |= CCA_TYPE_FLAGS_FLEXIBLE;
  }
  return flags;
}

uint32_t cca__type_row(struct unit *u, di type) {
  type = cca__di_strip(u, type);
  if (type && cca__type_info(u, type)->row != CCA_NONE)
    return cca__type_info(u, type)->row;

  const char *name = cca__type_name(u, type);
  struct cca_type row = cca_type_init();
  row.identity = (int64_t)cca__type_identity(u, type);
  const char *key =
      cca_arena_printf(&u->arena, "%llx %s",
                       (unsigned long long)row.identity, name);
  bool is_new;
  uint32_t *known = cca_map_at(&u->type_rows, key, strlen(key), &is_new);
  if (is_new) {
    row.name = cca_builder_string(u->out, name);
    row.element = CCA_NONE;
    row.file = CCA_NONE;
    if (!type) {
      row.kind = CCA_TYPE_KIND_VOID;
    } else {
      enum di_tag tag = cca__di_tag(type);
      row.kind = kind_of(tag);
      row.size = cca__di_size(u, type);
      row.flags = flags_of(u, type);
      if (tag == DI_STRUCT || tag == DI_UNION || tag == DI_ENUM) {
        row.file = cca__file_row(u, cca__di_child(u, type, 0));
        row.line = LLVMDITypeGetLine(type);
      }
      if (tag == DI_ARRAY)
        row.count = cca__di_elements(u, type);
    }
    *known = cca_type_add(u->out, row);
    cca_vec_push(&u->row_types, type);
  }
  uint32_t at = *known;
  if (type)
    cca__type_info(u, type)->row = at;
  if (is_new && (row.kind == CCA_TYPE_KIND_POINTER ||
                 row.kind == CCA_TYPE_KIND_ARRAY)) {
    /* chains of pointers and arrays end: C cannot declare an endless one */
    row.element = cca__type_row(u, cca__di_base(u, type));
    cca_type_set(u->out, at, row);
  }
  return at;
}

uint32_t cca__type_used(struct unit *u, di type) {
  uint32_t row = cca__type_row(u, type);
  if (cca__di_is_record(u->row_types.items[row]))
    cca_vec_push(&u->full, row);
  return row;
}

uint32_t cca__type_plain(struct unit *u, LLVMTypeRef record) {
  const char *name = LLVMGetStructName(record);
  const char *dot = name ? strchr(name, '.') : NULL;
  bool is_union = name && strncmp(name, "union.", 6) == 0;
  const char *spelling =
      cca_arena_printf(&u->arena, "%s %s", is_union ? "union" : "struct",
                       dot ? dot + 1 : "?");
  struct cca_type row = cca_type_init();
  row.name = cca_builder_string(u->out, spelling);
  row.kind = is_union ? CCA_TYPE_KIND_UNION : CCA_TYPE_KIND_STRUCT;
  if (LLVMTypeIsSized(record))
    row.size = (int64_t)LLVMABISizeOfType(u->layout, record);
  row.element = row.file = CCA_NONE;
  row.identity =
      (int64_t)cca_hash((uint64_t)row.size, spelling, strlen(spelling));
  cca_vec_push(&u->row_types, NULL);
  return cca_type_add(u->out, row);
}

void cca__types_finish(struct unit *u) {
  for (size_t i = 0; i < u->full.count; i++) {
    uint32_t at = u->full.items[i];
    struct cca_type row = cca_type_get(u->out, at);
    if (row.members_count)
      continue;
    di members = cca__di_child(u, u->row_types.items[at], 4);
    unsigned count = cca__di_count(u, members);
    row.members_first = cca_member_added(u->out);
    for (unsigned k = 0; k < count; k++) {
      di member = cca__di_child(u, members, k);
      if (cca__di_tag(member) != DI_MEMBER)
        continue;
      struct cca_member m = {
          cca_builder_string(u->out, cca__di_name(u, member)),
          (uint32_t)(LLVMDITypeGetOffsetInBits(member) / 8),
          cca__type_row(u, cca__di_base(u, member))};
      cca_member_add(u->out, m);
      row.members_count++;
    }
    cca_type_set(u->out, at, row);
  }
}
