/* SPDX-License-Identifier: MIT */
/*
 * extract-symbols.c -- FUNC and GLOBAL rows, one for each symbol of the unit.
 *
 * All of them exist before any code is walked, in the module's order, so that
 * a call can name its callee.  Left out are LLVM's own intrinsics, our marks
 * and thunks, and constants without a name; but memcpy, memmove and memset,
 * which LLVM has as intrinsics, are functions again.
 */
#include <string.h>

#include "analysis/extract-unit.h"
#include "analysis/mark.h"

static bool begins(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool cca__symbol_is_ours(LLVMValueRef value) {
  size_t len;
  const char *name = LLVMGetValueName2(value, &len);
  /* @f.__cca_sizeof_7 belongs to function f */
  const char *at = strstr(name, "__cca_");
  return at && (at == name || at[-1] == '.') &&
         (begins(at, CCA_MARK_SIZEOF) || begins(at, CCA_MARK_OFFSETOF) ||
          begins(at, CCA_MARK_INIT) || begins(at, CCA_MARK_NEVER));
}

static LLVMTypeRef innermost(LLVMTypeRef type) {
  while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    type = LLVMGetElementType(type);
  return type;
}

static bool is_private_constant(LLVMValueRef global) {
  return LLVMGetLinkage(global) == LLVMPrivateLinkage &&
         LLVMIsGlobalConstant(global);
}

bool cca__symbol_is_string(LLVMValueRef global) {
  return is_private_constant(global) &&
         LLVMGetTypeKind(innermost(LLVMGlobalGetValueType(global))) ==
             LLVMIntegerTypeKind;
}

/* What clang copies into an initialised local: @__const.f.v */
bool cca__symbol_is_template(LLVMValueRef global) {
  return is_private_constant(global) && !cca__symbol_is_string(global);
}

static enum cca_linkage linkage_of(LLVMValueRef value) {
  if (LLVMIsDeclaration(value))
    return CCA_LINKAGE_UNDEFINED;
  switch (LLVMGetLinkage(value)) {
  case LLVMInternalLinkage:
  case LLVMPrivateLinkage:
    return CCA_LINKAGE_INTERNAL;
  case LLVMCommonLinkage:
    return CCA_LINKAGE_COMMON;
  case LLVMAvailableExternallyLinkage:
    return CCA_LINKAGE_AVAILABLE;
  case LLVMWeakAnyLinkage:
  case LLVMWeakODRLinkage:
  case LLVMLinkOnceAnyLinkage:
  case LLVMLinkOnceODRLinkage:
    return CCA_LINKAGE_WEAK;
  default:
    return CCA_LINKAGE_EXTERNAL;
  }
}

static char shape_of(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind:
    return 'v';
  case LLVMPointerTypeKind:
    return 'p';
  case LLVMIntegerTypeKind: {
    unsigned bits = LLVMGetIntTypeWidth(type);
    return bits <= 8 ? 'c' : bits <= 16 ? 's' : bits <= 32 ? 'i'
           : bits <= 64                                    ? 'l'
                                                           : 'x';
  }
  default:
    return 'x';
  }
}

const char *cca__symbol_shape(struct unit *u, LLVMTypeRef type) {
  unsigned count = LLVMCountParamTypes(type);
  LLVMTypeRef *params =
      cca_arena_alloc(&u->arena, (count + 1) * sizeof *params);
  LLVMGetParamTypes(type, params);
  char *shape = cca_arena_alloc(&u->arena, count + 3);
  shape[0] = shape_of(LLVMGetReturnType(type));
  for (unsigned i = 0; i < count; i++)
    shape[i + 1] = shape_of(params[i]);
  shape[count + 1] = LLVMIsFunctionVarArg(type) ? '.' : '\0';
  shape[count + 2] = '\0';
  return shape;
}

static di attachment(LLVMValueRef value, unsigned kind) {
  size_t count;
  LLVMValueMetadataEntry *list = LLVMGlobalCopyAllMetadata(value, &count);
  di found = NULL;
  for (unsigned i = 0; i < count && !found; i++)
    if (LLVMValueMetadataEntriesGetKind(list, i) == kind)
      found = LLVMValueMetadataEntriesGetMetadata(list, i);
  LLVMDisposeValueMetadataEntries(list);
  return found;
}

uint64_t cca__symbol_signature(struct unit *u, LLVMValueRef function) {
  LLVMValueRef id =
      cca__di_operand(u, attachment(function, u->kcfi_kind), 0);
  return id && LLVMIsAConstantInt(id)
             ? (uint32_t)LLVMConstIntGetZExtValue(id)
             : 0;
}

static bool has_attribute(LLVMValueRef function, LLVMAttributeIndex at,
                          const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  return LLVMGetEnumAttributeAtIndex(function, at, kind) != NULL;
}

/* Used otherwise than by being called. */
static bool is_address_taken(LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use;
       use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAGlobalAlias(user))
      continue;
    if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function)
      return true;
    unsigned count = LLVMGetNumArgOperands(user);
    for (unsigned i = 0; i < count; i++)
      if (LLVMGetOperand(user, i) == function)
        return true;
  }
  return false;
}

static uint32_t flags_of(LLVMValueRef function) {
  uint32_t flags = 0;
  if (is_address_taken(function))
    flags |= CCA_FUNC_FLAGS_ADDRESS_TAKEN;
  if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
    flags |= CCA_FUNC_FLAGS_VARIADIC;
  if (LLVMGetVisibility(function) != LLVMDefaultVisibility)
    flags |= CCA_FUNC_FLAGS_HIDDEN;
  if (!LLVMIsAFunction(function))
    return flags;
  if (has_attribute(function, LLVMAttributeFunctionIndex, "noreturn"))
    flags |= CCA_FUNC_FLAGS_NORETURN;
  if (has_attribute(function, LLVMAttributeReturnIndex, "noalias"))
    flags |= CCA_FUNC_FLAGS_HINT_MALLOC;
  if (has_attribute(function, LLVMAttributeFunctionIndex, "allocsize"))
    flags |= CCA_FUNC_FLAGS_HINT_ALLOC_SIZE;
  return flags;
}

static enum cca_value_kind kind_of(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind:
    return CCA_VALUE_KIND_VOID;
  case LLVMPointerTypeKind:
    return CCA_VALUE_KIND_POINTER;
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) <= 64 ? CCA_VALUE_KIND_INTEGER
                                           : CCA_VALUE_KIND_OTHER;
  default:
    return CCA_VALUE_KIND_OTHER;
  }
}

/* Pointee of a pointer, type of an integer; CCA_NONE: nothing known. */
static uint32_t row_behind(struct unit *u, di type, enum cca_value_kind kind) {
  di plain = cca__di_strip(u, type);
  if (kind == CCA_VALUE_KIND_POINTER)
    return cca__di_tag(plain) == DI_POINTER
               ? cca__type_used(u, cca__di_base(u, plain))
               : CCA_NONE;
  return kind == CCA_VALUE_KIND_INTEGER && cca__di_tag(plain)
             ? cca__type_used(u, plain)
             : CCA_NONE;
}

di cca__symbol_types(struct unit *u, LLVMValueRef function) {
  di subprogram =
      LLVMIsAFunction(function) ? LLVMGetSubprogram(function) : NULL;
  if (!subprogram)
    return NULL;
  di types = cca__di_child(u, cca__di_child(u, subprogram, 4), 3);
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  unsigned count = LLVMCountParamTypes(type), known = cca__di_count(u, types);
  bool variadic = LLVMIsFunctionVarArg(type);
  return known && known - 1 - (variadic && known > 1) == count ? types : NULL;
}

/* Parameters are those of the IR: a record by value may be two of them.  Then
 * the debug information's list is of no use, but a name may still be known. */
static void add_params(struct unit *u, LLVMValueRef function,
                       struct cca_func *row) {
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  di types = cca__symbol_types(u, function);
  unsigned count = LLVMCountParamTypes(type);
  LLVMTypeRef *params = cca_malloc((count + 1) * sizeof *params);
  LLVMGetParamTypes(type, params);
  row->params_first = cca_param_added(u->out);
  row->params_count = count;
  for (unsigned i = 0; i < count; i++) {
    struct cca_param param = cca_param_init();
    param.kind = kind_of(params[i]);
    param.of = types ? row_behind(u, cca__di_child(u, types, i + 1), param.kind)
                     : CCA_NONE;
    uint32_t variable =
        LLVMIsAFunction(function)
            ? cca_numbers_find(&u->param_names, LLVMGetParam(function, i))
            : 0;
    if (variable)
      param.name = cca_builder_string(
          u->out,
          cca__di_name(u, u->variables.items[variable - 1].variable));
    cca_param_add(u->out, param);
  }
  free(params);
}

static void add_function(struct unit *u, LLVMValueRef function) {
  size_t len;
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  di subprogram =
      LLVMIsAFunction(function) ? LLVMGetSubprogram(function) : NULL;
  di types = subprogram
                 ? cca__di_child(u, cca__di_child(u, subprogram, 4), 3)
                 : NULL;
  struct cca_func row = cca_func_init();
  row.symbol = cca_builder_string(u->out, LLVMGetValueName2(function, &len));
  row.linkage = linkage_of(function);
  row.file = CCA_NONE;
  if (subprogram) {
    row.file = cca__file_row(u, cca__di_child(u, subprogram, 0));
    row.line = LLVMDISubprogramGetLine(subprogram);
  }
  row.signature = (int64_t)cca__symbol_signature(u, function);
  row.shape = cca_builder_string(u->out, cca__symbol_shape(u, type));
  row.result = cca__di_count(u, types)
                   ? row_behind(u, cca__di_child(u, types, 0),
                                kind_of(LLVMGetReturnType(type)) ==
                                        CCA_VALUE_KIND_POINTER
                                    ? CCA_VALUE_KIND_POINTER
                                    : CCA_VALUE_KIND_OTHER)
                   : CCA_NONE;
  row.flags = flags_of(function);
  add_params(u, function, &row);
  *cca_numbers_at(&u->func_rows, function) = cca_func_add(u->out, row) + 1;
}

static const char *const memory_names[] = {"memcpy", "memmove", "memset"};

/* Which of memory_names the intrinsic is, or -1. */
int cca__symbol_memory(LLVMValueRef function) {
  size_t len;
  const char *name = LLVMGetValueName2(function, &len);
  if (!begins(name, "llvm."))
    return -1;
  for (int i = 0; i < 3; i++) {
    size_t n = strlen(memory_names[i]);
    if (strncmp(name + 5, memory_names[i], n) == 0 && name[5 + n] == '.')
      return i;
  }
  return -1;
}

static void add_memory(struct unit *u, LLVMValueRef intrinsic, int which) {
  if (u->memory_rows[which])
    return;
  LLVMValueRef real = LLVMGetNamedFunction(u->module, memory_names[which]);
  uint32_t known = real ? cca_numbers_find(&u->func_rows, real) : 0;
  if (!known) {
    struct cca_func row = cca_func_init();
    row.symbol = cca_builder_string(u->out, memory_names[which]);
    row.linkage = CCA_LINKAGE_UNDEFINED;
    row.file = row.result = CCA_NONE;
    row.shape = cca_builder_string(u->out, which == 2 ? "ppil" : "pppl");
    row.params_first = cca_param_added(u->out);
    row.params_count = 3;
    for (unsigned i = 0; i < 3; i++) {
      struct cca_param param = cca_param_init();
      param.kind =
          kind_of(LLVMTypeOf(LLVMGetParam(intrinsic, i)));
      param.of = CCA_NONE;
      cca_param_add(u->out, param);
    }
    known = cca_func_add(u->out, row) + 1;
  }
  u->memory_rows[which] = known;
}

static void add_global(struct unit *u, LLVMValueRef global) {
  di expression = attachment(global, u->debug_kind);
  di variable =
      expression ? LLVMDIGlobalVariableExpressionGetVariable(expression) : NULL;
  struct global_info info = {global, CCA_NONE, variable};
  cca_vec_push(&u->globals, info);
  *cca_numbers_at(&u->global_of, global) = (uint32_t)u->globals.count;
}

/* Debug information first: the index of records needs all of it. */
void cca__symbols_find(struct unit *u) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(u->module); g;
       g = LLVMGetNextGlobal(g))
    add_global(u, g);
}

static void add_global_row(struct unit *u, struct global_info *info) {
  size_t len;
  const char *name = LLVMGetValueName2(info->value, &len);
  if (cca__symbol_is_ours(info->value) || begins(name, "llvm.") ||
      is_private_constant(info->value))
    return;
  struct cca_global row = cca_global_init();
  row.symbol = cca_builder_string(u->out, name);
  row.linkage = linkage_of(info->value);
  row.of = row.file = CCA_NONE;
  if (info->variable) {
    row.of = cca__type_used(u, cca__di_variable_type(u, info->variable));
    row.file = cca__file_row(u, LLVMDIVariableGetFile(info->variable));
    row.line = LLVMDIVariableGetLine(info->variable);
  }
  row.constant = (uint32_t)LLVMIsGlobalConstant(info->value);
  info->row = cca_global_add(u->out, row);
}

void cca__symbols_add(struct unit *u) {
  for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f;
       f = LLVMGetNextFunction(f)) {
    size_t len;
    const char *name = LLVMGetValueName2(f, &len);
    bool used = !LLVMIsDeclaration(f) || LLVMGetFirstUse(f);
    if (used && !begins(name, "llvm.") && !cca__symbol_is_ours(f))
      add_function(u, f);
  }
  for (LLVMValueRef a = LLVMGetFirstGlobalAlias(u->module); a;
       a = LLVMGetNextGlobalAlias(a))
    if (LLVMGetTypeKind(LLVMGlobalGetValueType(a)) == LLVMFunctionTypeKind)
      add_function(u, a);
  for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f;
       f = LLVMGetNextFunction(f)) {
    int which = cca__symbol_memory(f);
    if (which >= 0 && LLVMGetFirstUse(f))
      add_memory(u, f, which);
  }
  for (size_t i = 0; i < u->globals.count; i++)
    add_global_row(u, &u->globals.items[i]);
}

static const char *mark_name(LLVMValueRef global) {
  size_t len;
  return LLVMGetValueName2(global, &len);
}

enum mark_kind cca__mark_of(struct unit *u, LLVMValueRef global, di *type,
                            uint32_t *offset) {
  uint32_t at = cca_numbers_find(&u->global_of, global);
  if (!at || !cca__symbol_is_ours(global))
    return MARK_NONE;
  di pointer = cca__di_strip(
      u, cca__di_variable_type(u, u->globals.items[at - 1].variable));
  di to = cca__di_base(u, pointer);
  if (strstr(mark_name(global), CCA_MARK_SIZEOF)) {
    *type = to;
    return MARK_SIZEOF;
  }
  if (!strstr(mark_name(global), CCA_MARK_OFFSETOF))
    return MARK_NONE;

  /* struct { record *type; char (*end)[offset + 1]; }, by value or pointer */
  di holder = cca__di_is_record(pointer) ? pointer : cca__di_strip(u, to);
  di members = cca__di_child(u, holder, 4);
  if (cca__di_count(u, members) != 2)
    return MARK_NONE;
  di record = cca__di_strip(u, cca__di_child(u, members, 0));
  di end = cca__di_strip(u, cca__di_child(u, members, 1));
  int64_t bytes = cca__di_elements(u, cca__di_strip(u, cca__di_base(u, end)));
  if (bytes < 1)
    return MARK_NONE;
  *type = cca__di_base(u, record);
  *offset = (uint32_t)(bytes - 1);
  return MARK_OFFSETOF;
}
