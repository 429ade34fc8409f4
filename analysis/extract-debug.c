/* SPDX-License-Identifier: MIT */
/*
 * extract-debug.c -- debug information, read through LLVM's C API.
 *
 * The API has few accessors for debug information, but it can hand out any
 * metadata node's operands, whose order is fixed by the classes in LLVM's
 * DebugInfoMetadata.h.  That order is written down here and nowhere else.
 */
#include <string.h>

#include "analysis/extract-unit.h"

/* Operand numbers.  All kinds of types share the first four. */
enum {
  TYPE_NAME = 2,
  TYPE_BASE = 3, /* of a subroutine: the list of types */
  COMPOSITE_ELEMENTS = 4,
  SUBRANGE_COUNT = 0,
  VARIABLE_NAME = 1,
  VARIABLE_TYPE = 3,
};

unsigned cca__di_count(struct unit *u, di node) {
  if (!node)
    return 0;
  LLVMValueRef value = LLVMMetadataAsValue(u->context, node);
  return LLVMIsAMDNode(value) ? LLVMGetMDNodeNumOperands(value) : 0;
}

/* A constant operand is the constant; any other metadata is wrapped. */
LLVMValueRef cca__di_operand(struct unit *u, di node, unsigned i) {
  if (i >= cca__di_count(u, node))
    return NULL;
  return LLVMGetOperand(LLVMMetadataAsValue(u->context, node), i);
}

di cca__di_child(struct unit *u, di node, unsigned i) {
  LLVMValueRef operand = cca__di_operand(u, node, i);
  if (!operand || LLVMGetValueKind(operand) != LLVMMetadataAsValueValueKind)
    return NULL;
  return LLVMValueAsMetadata(operand);
}

enum di_tag cca__di_tag(di node) {
  if (!node)
    return 0;
  switch (LLVMGetMetadataKind(node)) {
  case LLVMDIBasicTypeMetadataKind:
  case LLVMDIDerivedTypeMetadataKind:
  case LLVMDICompositeTypeMetadataKind:
  case LLVMDISubroutineTypeMetadataKind:
  case LLVMDISubrangeMetadataKind:
    return LLVMGetDINodeTag(node);
  default:
    return 0;
  }
}

const char *cca__di_name(struct unit *u, di node) {
  if (!node)
    return "";
  unsigned at = TYPE_NAME;
  LLVMMetadataKind kind = LLVMGetMetadataKind(node);
  if (kind == LLVMDILocalVariableMetadataKind ||
      kind == LLVMDIGlobalVariableMetadataKind)
    at = VARIABLE_NAME;
  LLVMValueRef name = cca__di_operand(u, node, at);
  unsigned len;
  const char *text = name ? LLVMGetMDString(name, &len) : NULL;
  return text ? text : "";
}

di cca__di_base(struct unit *u, di type) {
  return cca__di_child(u, type, TYPE_BASE);
}

di cca__di_strip(struct unit *u, di type) {
  for (;;)
    switch (cca__di_tag(type)) {
    case DI_TYPEDEF:
    case DI_CONST:
    case DI_VOLATILE:
    case DI_RESTRICT:
    case DI_ATOMIC:
    case DI_MEMBER:
      type = cca__di_base(u, type);
      break;
    default:
      return type;
    }
}

bool cca__di_is_record(di type) {
  enum di_tag tag = cca__di_tag(type);
  return tag == DI_STRUCT || tag == DI_UNION;
}

bool cca__di_is_bytes(struct unit *u, di type) {
  type = cca__di_strip(u, type);
  while (cca__di_tag(type) == DI_ARRAY)
    type = cca__di_strip(u, cca__di_base(u, type));
  if (cca__di_tag(type) != DI_BASE || LLVMDITypeGetSizeInBits(type) != 8)
    return false;
  const char *name = cca__di_name(u, type);
  return strcmp(name, "char") == 0 || strcmp(name, "unsigned char") == 0 ||
         strcmp(name, "signed char") == 0;
}

int64_t cca__di_size(struct unit *u, di type) {
  type = cca__di_strip(u, type);
  if (!cca__di_tag(type))
    return 0;
  return (int64_t)((LLVMDITypeGetSizeInBits(type) + 7) / 8);
}

int64_t cca__di_elements(struct unit *u, di array) {
  int64_t product = 1;
  di ranges = cca__di_child(u, array, COMPOSITE_ELEMENTS);
  unsigned count = cca__di_count(u, ranges);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef n =
        cca__di_operand(u, cca__di_child(u, ranges, i), SUBRANGE_COUNT);
    if (!n || !LLVMIsAConstantInt(n))
      return -1;
    int64_t elements = LLVMConstIntGetSExtValue(n);
    if (elements < 0 || __builtin_mul_overflow(product, elements, &product))
      return -1;
  }
  return count ? product : -1;
}

di cca__di_member_at(struct unit *u, di record, int64_t at) {
  di members = cca__di_child(u, record, COMPOSITE_ELEMENTS), found = NULL;
  unsigned count = cca__di_count(u, members);
  for (unsigned i = 0; i < count; i++) {
    di member = cca__di_child(u, members, i);
    if (cca__di_tag(member) != DI_MEMBER)
      continue;
    int64_t begin = (int64_t)(LLVMDITypeGetOffsetInBits(member) / 8);
    int64_t size = (int64_t)((LLVMDITypeGetSizeInBits(member) + 7) / 8);
    if (at == begin || (at > begin && at - begin < size))
      found = member;
    else if (found)
      break;
    if (found && size)
      break;
  }
  return found;
}

di cca__di_variable_type(struct unit *u, di variable) {
  return variable ? cca__di_child(u, variable, VARIABLE_TYPE) : NULL;
}
