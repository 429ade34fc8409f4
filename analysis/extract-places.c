/* SPDX-License-Identifier: MIT */
/*
 * extract-places.c -- where in memory does a pointer point?
 *
 * A chain of getelementptr becomes one path: base value, byte offset, and the
 * innermost and outermost record on the way, named by the debug information.
 * Which record that is follows from the object's type while that is known (a
 * variable, a member of a known record), so that nested records without a name
 * are told apart; else from the name of LLVM's struct type.
 *
 * An index that is not constant has two faces.  As a place, `p[i].f` is the
 * field f at some element of p.  As a value, `p + i` is the sum p + i * size,
 * which is what tells a bump allocator.
 */
#include "analysis/extract-unit.h"

enum {
  MAX_NESTING = 16, /* of records and arrays in one object */
  MAX_UNIONS = 4,   /* of unions in unions */
};

static void forget(struct path *p) {
  p->type = NULL;
  p->inside = 0;
  p->spot.record = p->spot.field = p->spot.outer = p->spot.outer_field = 0;
}

/* Go BYTES further; within the object's type the path stays known. */
void cca__place_move(struct unit *u, struct path *p, int64_t bytes) {
  if (bytes == 0)
    return;
  p->offset = (int64_t)((uint64_t)p->offset + (uint64_t)bytes);
  if (!p->type) {
    forget(p);
    return;
  }
  p->inside = (int64_t)((uint64_t)p->inside + (uint64_t)bytes);
  di type = cca__di_strip(u, p->type);
  /* the last member of a record is often longer than it says */
  bool open = cca__di_tag(type) == DI_ARRAY && cca__di_elements(u, type) <= 1;
  if (p->inside < 0 || (p->inside >= cca__di_size(u, type) && !open))
    forget(p);
}

static void pass(struct unit *u, struct path *p, di record, int64_t field) {
  p->spot.record = cca__record_of(u, record);
  p->spot.field = (uint32_t)field;
  if (!p->spot.outer) {
    p->spot.outer = p->spot.record;
    p->spot.outer_field = (uint32_t)field;
  }
}

static int64_t member_offset(di member) {
  return (int64_t)(LLVMDITypeGetOffsetInBits(member) / 8);
}

/* The record at the beginning of union TYPE that is laid out as STRUCTURE. */
static di fitting_member(struct unit *u, di type, LLVMTypeRef structure,
                         int depth) {
  di members = cca__di_child(u, type, 4);
  unsigned count = cca__di_count(u, members);
  if (cca__di_tag(type) == DI_STRUCT && count > 1)
    count = 1;
  for (unsigned i = 0; i < count; i++) {
    di member = cca__di_strip(u, cca__di_child(u, members, i));
    if (cca__record_fits(u, member, structure))
      return member;
    di inner = cca__di_is_record(member) && depth < MAX_UNIONS
                   ? fitting_member(u, member, structure, depth + 1)
                   : NULL;
    if (inner)
      return inner;
  }
  return NULL;
}

/* The record at P that is laid out as STRUCTURE; passes those around it. */
static di record_here(struct unit *u, struct path *p, LLVMTypeRef structure) {
  di type = cca__di_strip(u, p->type);
  int64_t at = p->inside;
  for (int depth = 0; depth < MAX_NESTING; depth++) {
    if (cca__di_tag(type) == DI_ARRAY) {
      type = cca__di_strip(u, cca__di_base(u, type));
      int64_t size = cca__di_size(u, type);
      if (size > 0)
        at %= size;
      continue;
    }
    if (at == 0 && cca__record_fits(u, type, structure))
      return type;
    if (cca__di_tag(type) == DI_UNION) {
      di member = at == 0 ? fitting_member(u, type, structure, 0) : NULL;
      if (member)
        pass(u, p, type, 0);
      return member;
    }
    di member = cca__di_tag(type) == DI_STRUCT
                    ? cca__di_member_at(u, type, at)
                    : NULL;
    if (!member)
      return NULL;
    pass(u, p, type, member_offset(member));
    at -= member_offset(member);
    type = cca__di_strip(u, member);
  }
  return NULL;
}

static void enter(struct unit *u, struct path *p, LLVMTypeRef structure,
                  unsigned element) {
  int64_t at =
      (int64_t)LLVMOffsetOfElement(u->layout, structure, element);
  di record = p->type ? record_here(u, p, structure) : NULL;
  p->declared = false;
  if (!record)
    record = cca__record_find(u, structure);
  if (record) {
    pass(u, p, record, at);
    di member = cca__di_member_at(u, record, at);
    p->type = member ? cca__di_base(u, member) : NULL;
  } else {
    p->spot.record = cca__record_of_plain(u, structure);
    p->spot.field = (uint32_t)at;
    if (!p->spot.outer) {
      p->spot.outer = p->spot.record;
      p->spot.outer_field = p->spot.field;
    }
    p->type = NULL;
  }
  p->inside = 0;
  p->offset += at;
}

/*
 * At an access: into the records whose first or covering member it is, for
 * where clang needs no getelementptr.  Through a pointer it needs none for a
 * union alone; then a record that was not entered is not what is accessed.
 * Returns the member's type.
 */
static di descend(struct unit *u, struct path *p) {
  di type = cca__di_strip(u, p->type);
  int64_t at = p->inside;
  for (int depth = 0; depth < MAX_NESTING; depth++) {
    enum di_tag tag = cca__di_tag(type);
    if (tag == DI_ARRAY) {
      type = cca__di_strip(u, cca__di_base(u, type));
      int64_t size = cca__di_size(u, type);
      if (size > 0)
        at %= size;
    } else if (tag == DI_UNION) {
      pass(u, p, type, 0);
      return NULL;
    } else if (tag == DI_STRUCT) {
      di member = cca__di_member_at(u, type, at);
      if (!member || p->declared)
        return type;
      pass(u, p, type, member_offset(member));
      at -= member_offset(member);
      type = cca__di_strip(u, member);
    } else {
      return type;
    }
  }
  return NULL;
}

uint32_t cca__place_spot(struct body *b, struct path p, uint32_t size) {
  if (size && p.type)
    descend(b->unit, &p);
  p.spot.size = size;
  if (p.offset >= INT32_MIN && p.offset <= INT32_MAX) {
    p.spot.offset = (int32_t)p.offset;
  } else {
    p.spot.offset = 0;
    p.spot.base = cca__node_binary(b, CCA_OP_ADD, p.spot.base,
                                   cca__node_constant(b, p.offset));
  }
  return cca__spot(b, p.spot);
}

static uint32_t address(struct body *b, struct path p) {
  if (p.offset == 0 && !p.spot.record && !p.spot.flags)
    return p.spot.base;
  return cca__node(b, CCA_OP_ADDRESS, cca__place_spot(b, p, 0), 0);
}

/* A base that is itself `x + 8` or an address is taken apart. */
static struct path path_from(struct body *b, uint32_t base) {
  struct path p = {0};
  struct node node = b->nodes.items[base];
  int64_t offset;
  if (node.op == CCA_OP_ADDRESS) {
    p.spot = b->spots.items[node.a];
    p.offset = p.spot.offset;
    p.spot.offset = 0;
  } else if (node.op == CCA_OP_ADD &&
             cca__node_is_constant(b, node.b, &offset) &&
             b->nodes.items[node.a].op != CCA_OP_ADDRESS) {
    p.spot.base = node.a;
    p.offset = offset;
  } else {
    p.spot.base = base;
  }
  return p;
}

/* One index of a getelementptr, over elements of TYPE. */
struct step {
  struct path *path;
  uint32_t *value; /* of the pointer so far, if it is a sum; or CCA_NONE */
};

static void index_by(struct body *b, struct step step, LLVMTypeRef type,
                     LLVMValueRef index) {
  struct unit *u = b->unit;
  int64_t size = LLVMTypeIsSized(type)
                     ? (int64_t)LLVMABISizeOfType(u->layout, type)
                     : 0;
  int64_t k;
  uint32_t node = cca__value(b, index);
  if (cca__node_is_constant(b, node, &k)) {
    int64_t bytes = (int64_t)((uint64_t)k * (uint64_t)size);
    cca__place_move(u, step.path, bytes);
    if (*step.value != CCA_NONE)
      *step.value = cca__node_binary(b, CCA_OP_ADD, *step.value,
                                     cca__node_constant(b, bytes));
    return;
  }
  if (*step.value == CCA_NONE)
    *step.value = address(b, *step.path);
  *step.value = cca__node_binary(
      b, CCA_OP_ADD, *step.value,
      cca__node_binary(b, CCA_OP_MUL, node, cca__node_constant(b, size)));
  step.path->spot.flags |= CCA_LOC_FLAGS_ELEMENT;
}

static struct path follow(struct body *b, LLVMValueRef gep, uint32_t *value) {
  struct unit *u = b->unit;
  LLVMValueRef pointer = LLVMGetOperand(gep, 0);
  struct path path = cca__place(b, pointer);
  *value = path.spot.flags & CCA_LOC_FLAGS_ELEMENT ? cca__value(b, pointer)
                                                   : CCA_NONE;
  struct step step = {&path, value};
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  unsigned count = (unsigned)LLVMGetNumOperands(gep);
  for (unsigned i = 1; i < count; i++) {
    LLVMValueRef index = LLVMGetOperand(gep, i);
    if (i == 1) {
      index_by(b, step, type, index);
    } else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      unsigned element = (unsigned)LLVMConstIntGetZExtValue(index);
      enter(u, &path, type, element);
      *value = CCA_NONE; /* a field, of some element */
      type = LLVMStructGetTypeAtIndex(type, element);
    } else {
      type = LLVMGetElementType(type);
      index_by(b, step, type, index);
    }
  }
  return path;
}

/* What POINTER was declared to point to, where it was a variable's value. */
static di declared_pointee(struct body *b, LLVMValueRef pointer) {
  struct unit *u = b->unit;
  di type = NULL;
  if (LLVMIsAArgument(pointer)) {
    struct node node = b->nodes.items[cca__value(b, pointer)];
    if (b->param_types && node.op == CCA_OP_PARAM)
      type = cca__di_child(u, b->param_types, node.a + 1);
  } else if (LLVMIsALoadInst(pointer)) {
    struct path path = cca__place(b, LLVMGetOperand(pointer, 0));
    if (path.type)
      type = descend(u, &path);
  } else if (LLVMIsACallInst(pointer)) {
    uint32_t use = cca_numbers_find(&u->use_of, pointer);
    return use ? u->uses.items[use - 1] : NULL;
  }
  type = cca__di_strip(u, type);
  return cca__di_tag(type) == DI_POINTER ? cca__di_base(u, type) : NULL;
}

static bool is_gep(LLVMValueRef value) {
  return LLVMIsAGetElementPtrInst(value) ||
         (LLVMIsAConstantExpr(value) &&
          LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

struct path cca__place(struct body *b, LLVMValueRef pointer) {
  struct unit *u = b->unit;
  uint32_t at = cca_numbers_find(&b->path_of, pointer);
  if (at)
    return b->paths.items[at - 1];
  uint32_t value;
  if (is_gep(pointer))
    return follow(b, pointer, &value);

  struct path p = path_from(b, cca__value(b, pointer));
  di variable = NULL;
  if (LLVMIsAAllocaInst(pointer)) {
    at = cca_numbers_find(&u->variable_of, pointer);
    variable = at ? u->variables.items[at - 1].variable : NULL;
  } else if (LLVMIsAGlobalVariable(pointer)) {
    at = cca_numbers_find(&u->global_of, pointer);
    variable = at ? u->globals.items[at - 1].variable : NULL;
  } else if (!p.spot.record && p.offset == 0) {
    p.type = declared_pointee(b, pointer);
    p.declared = true;
    return p;
  }
  p.type = cca__di_variable_type(u, variable);
  return p;
}

uint32_t cca__place_value(struct body *b, LLVMValueRef gep) {
  uint32_t value;
  struct path path = follow(b, gep, &value);
  if (!b->late && LLVMIsAInstruction(gep)) {
    cca_vec_push(&b->paths, path);
    *cca_numbers_at(&b->path_of, gep) = (uint32_t)b->paths.count;
  }
  return value == CCA_NONE ? address(b, path) : value;
}
