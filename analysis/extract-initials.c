/* SPDX-License-Identifier: MIT */
/*
 * extract-initials.c -- what static objects hold before the program starts.
 *
 * Method tables and descriptors are where function pointers and sizes lie, so
 * initialisers become STORE rows without a function.  They come from three
 * places:
 *
 *   the constant initialiser of a global: function pointers, addresses, and
 *   numbers that are not 0 in records;
 *   the copies that marking makes of initialisers with a sizeof (mark.h),
 *   which take precedence, field by field;
 *   the templates that clang copies into initialised locals, whose stores
 *   belong to the function.
 *
 * Tables of numbers are data: beyond MAX_NUMBERS of them in an object that has
 * no function pointer, they are left out.
 */
#include <string.h>

#include "analysis/extract-unit.h"
#include "analysis/mark.h"

enum { MAX_NUMBERS = 256, MAX_NESTING = 32, MAX_PEEK = 4096 };

struct pouring {
  struct body *b;
  uint32_t line;
  uint32_t global;  /* row, to look up what a copy has said; or CCA_NONE */
  int64_t numbers;  /* how many more numbers */
};

static bool is_aggregate(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
}

static unsigned element_count(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMStructTypeKind
             ? LLVMCountStructElementTypes(type)
             : (unsigned)LLVMGetArrayLength2(type);
}

static bool has_function(LLVMValueRef constant, int *left, int depth) {
  if (LLVMIsAFunction(constant))
    return true;
  LLVMTypeRef type = LLVMTypeOf(constant);
  if (!is_aggregate(type) || LLVMIsAConstantAggregateZero(constant) ||
      LLVMIsAConstantDataSequential(constant) || depth == MAX_NESTING)
    return false;
  unsigned count = element_count(type);
  for (unsigned i = 0; i < count && --*left > 0; i++) {
    LLVMValueRef element = LLVMGetAggregateElement(constant, i);
    if (element && has_function(element, left, depth + 1))
      return true;
  }
  return false;
}

static bool is_said(struct pouring *p, int64_t offset) {
  int64_t key[2] = {p->global, offset};
  return p->global != CCA_NONE &&
         cca_map_find(&p->b->unit->initials, key, sizeof key);
}

static void pour_scalar(struct pouring *p, LLVMValueRef constant,
                        struct path place) {
  struct body *b = p->b;
  LLVMTypeRef type = LLVMTypeOf(constant);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMIntegerTypeKind) {
    if (LLVMGetIntTypeWidth(type) < 32 || LLVMGetIntTypeWidth(type) > 64 ||
        p->numbers-- <= 0)
      return;
  } else if (kind != LLVMPointerTypeKind) {
    return;
  }
  if (LLVMIsNull(constant) || is_said(p, place.offset))
    return;
  uint32_t value = cca__value(b, constant);
  if (b->nodes.items[value].op == CCA_OP_OPAQUE)
    return;
  uint32_t size = (uint32_t)LLVMABISizeOfType(b->unit->layout, type);
  cca__body_store(b, cca__place_spot(b, place, size), value, p->line);
}

static void pour(struct pouring *p, LLVMValueRef constant, struct path place,
                 int depth) {
  LLVMTypeRef type = LLVMTypeOf(constant);
  if (!is_aggregate(type)) {
    pour_scalar(p, constant, place);
    return;
  }
  if (LLVMIsAConstantAggregateZero(constant) ||
      LLVMIsAConstantDataSequential(constant) || depth == MAX_NESTING)
    return;
  struct unit *u = p->b->unit;
  bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
  uint64_t size =
      is_struct ? 0
                : LLVMABISizeOfType(u->layout, LLVMGetElementType(type));
  unsigned count = element_count(type);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef element = LLVMGetAggregateElement(constant, i);
    if (!element)
      continue;
    struct path inner = place;
    cca__place_move(u, &inner,
                    (int64_t)(is_struct
                                  ? LLVMOffsetOfElement(u->layout, type, i)
                                  : size * i));
    pour(p, element, inner, depth + 1);
  }
}

static void pour_all(struct pouring p, LLVMValueRef constant,
                     struct path place) {
  int left = MAX_PEEK;
  p.numbers =
      has_function(constant, &left, 0) ? INT64_MAX : MAX_NUMBERS;
  pour(&p, constant, place, 0);
}

/* The part of CONSTANT that lies OFFSET bytes into it and has TYPE, or any
 * type that begins there if TYPE is NULL; NULL if there is none. */
static LLVMValueRef part_at(struct unit *u, LLVMValueRef constant,
                            uint64_t offset, LLVMTypeRef type) {
  for (int depth = 0; depth < MAX_NESTING; depth++) {
    LLVMTypeRef here = LLVMTypeOf(constant);
    if (offset == 0 && (!type || here == type))
      return constant;
    if (!is_aggregate(here) || offset >= LLVMABISizeOfType(u->layout, here))
      return NULL;
    if (type && LLVMIsAConstantAggregateZero(constant))
      return LLVMConstNull(type);
    unsigned element;
    if (LLVMGetTypeKind(here) == LLVMStructTypeKind) {
      element = LLVMElementAtOffset(u->layout, here, offset);
      offset -= LLVMOffsetOfElement(u->layout, here, element);
    } else {
      uint64_t size = LLVMABISizeOfType(u->layout, LLVMGetElementType(here));
      if (!size)
        return NULL;
      element = (unsigned)(offset / size);
      offset %= size;
    }
    constant = LLVMGetAggregateElement(constant, element);
    if (!constant)
      return NULL;
  }
  return NULL;
}

/* The template that POINTER points into, and where; or NULL. */
static LLVMValueRef template_behind(struct unit *u, LLVMValueRef pointer,
                                    uint64_t *offset) {
  *offset = 0;
  for (int depth = 0; depth < MAX_NESTING; depth++) {
    if (LLVMIsAGlobalVariable(pointer))
      return cca__symbol_is_template(pointer) ? LLVMGetInitializer(pointer)
                                              : NULL;
    if (!LLVMIsAConstantExpr(pointer) ||
        LLVMGetConstOpcode(pointer) != LLVMGetElementPtr)
      return NULL;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
    unsigned count = (unsigned)LLVMGetNumOperands(pointer);
    for (unsigned i = 1; i < count; i++) {
      LLVMValueRef index = LLVMGetOperand(pointer, i);
      if (!LLVMIsAConstantInt(index))
        return NULL;
      uint64_t k = LLVMConstIntGetZExtValue(index);
      if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        *offset += LLVMOffsetOfElement(u->layout, type, (unsigned)k);
        type = LLVMStructGetTypeAtIndex(type, (unsigned)k);
        continue;
      }
      if (i > 1)
        type = LLVMGetElementType(type);
      *offset += k * LLVMABISizeOfType(u->layout, type);
    }
    pointer = LLVMGetOperand(pointer, 0);
  }
  return NULL;
}

LLVMValueRef cca__initial_loaded(struct unit *u, LLVMValueRef load) {
  uint64_t offset;
  LLVMValueRef constant =
      template_behind(u, LLVMGetOperand(load, 0), &offset);
  return constant ? part_at(u, constant, offset, LLVMTypeOf(load)) : NULL;
}

bool cca__initials_is_template(struct unit *u, LLVMValueRef pointer) {
  uint64_t offset;
  return template_behind(u, pointer, &offset) != NULL;
}

/* memcpy(local, @__const.f.v, n): the stores that it stands for. */
static void pour_template(struct body *b, LLVMValueRef call) {
  uint64_t offset;
  LLVMValueRef constant =
      template_behind(b->unit, LLVMGetOperand(call, 1), &offset);
  if (constant)
    constant = part_at(b->unit, constant, offset, NULL);
  if (!constant)
    return;
  struct pouring p = {.b = b, .global = CCA_NONE,
                      .line = LLVMGetDebugLocLine(call)};
  pour_all(p, constant, cca__place(b, LLVMGetOperand(call, 0)));
}

/* Does POINTER point into one of marking's copies? */
bool cca__initials_is_copy(struct unit *u, LLVMValueRef pointer) {
  while (LLVMIsAGetElementPtrInst(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  uint32_t at = cca_numbers_find(&u->variable_of, pointer);
  return at && strncmp(cca__di_name(u, u->variables.items[at - 1].variable),
                       CCA_MARK_COPY, strlen(CCA_MARK_COPY)) == 0;
}

void cca__initials_call(struct body *b, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (!LLVMIsAFunction(callee))
    return;
  if (cca__symbol_memory(callee) == 0) {
    pour_template(b, call);
    return;
  }
  size_t len;
  if (strcmp(LLVMGetValueName2(callee, &len), CCA_MARK_INIT) != 0 ||
      LLVMGetNumArgOperands(call) != 2)
    return;
  uint32_t global = cca__value(b, LLVMGetOperand(call, 0));
  uint32_t local = cca__value(b, LLVMGetOperand(call, 1));
  if (b->nodes.items[global].op == CCA_OP_GLOBAL &&
      b->nodes.items[local].op == CCA_OP_LOCAL)
    cca_vec_push(&b->copies,
                 ((struct copy_info){global, b->nodes.items[local].a}));
}

/* A value that means something outside of the function. */
static bool is_static(const struct body *b, uint32_t node, int depth) {
  struct node n = b->nodes.items[node];
  switch (n.op) {
  case CCA_OP_CONSTANT:
  case CCA_OP_SIZEOF:
  case CCA_OP_OFFSETOF:
  case CCA_OP_FUNC:
  case CCA_OP_GLOBAL:
    return true;
  case CCA_OP_LOAD:
  case CCA_OP_ADDRESS:
    return depth < MAX_NESTING &&
           is_static(b, b->spots.items[n.a].base, depth + 1);
  case CCA_OP_ADD:
  case CCA_OP_SUB:
  case CCA_OP_MUL:
  case CCA_OP_DIV:
  case CCA_OP_AND:
    return depth < MAX_NESTING && is_static(b, n.a, depth + 1) &&
           is_static(b, n.b, depth + 1);
  default:
    return false;
  }
}

/* The copy that SPOT lies in, or NULL. */
static const struct copy_info *copy_of(const struct body *b,
                                       const struct spot *spot) {
  struct node base = b->nodes.items[spot->base];
  for (size_t i = 0; i < b->copies.count; i++)
    if (base.op == CCA_OP_LOCAL && b->copies.items[i].local == base.a)
      return &b->copies.items[i];
  return NULL;
}

/* Move the stores into copies to a list of their own: the function has none. */
void cca__initials_split(struct body *b) {
  size_t kept = 0;
  if (!b->copies.count)
    return;
  for (size_t i = 0; i < b->stores.count; i++) {
    struct store_info store = b->stores.items[i];
    if (copy_of(b, &b->spots.items[store.spot]))
      cca_vec_push(&b->copied, store);
    else
      b->stores.items[kept++] = store;
  }
  b->stores.count = kept;
}

/*
 * The stores into copies, as stores into the objects.  The function's own rows
 * are made; what its body lists is replaced by these stores.
 */
void cca__initials_keep(struct body *b) {
  if (!b->copied.count)
    return;
  b->calls.count = b->returns.count = b->stores.count = 0;
  for (size_t i = 0; i < b->copied.count; i++) {
    struct store_info store = b->copied.items[i];
    struct spot spot = b->spots.items[store.spot];
    spot.base = copy_of(b, &spot)->global;
    int64_t key[2] = {b->nodes.items[spot.base].a, spot.offset};
    cca_map_at(&b->unit->initials, key, sizeof key, NULL);
    if (is_static(b, store.value, 0))
      cca__body_store(b, cca__spot(b, spot), store.value, store.line);
  }
  cca__nodes_emit(b, 0);
  cca__body_emit_stores(b, CCA_NONE);
}

void cca__initials_extract(struct body *b) {
  struct unit *u = b->unit;
  b->function = NULL;
  b->func_row = CCA_NONE;
  for (size_t i = 0; i < u->globals.count; i++) {
    const struct global_info *info = &u->globals.items[i];
    LLVMValueRef constant = LLVMGetInitializer(info->value);
    if (info->row == CCA_NONE || !constant)
      continue;
    cca__body_clear(b);
    struct pouring p = {
        .b = b,
        .global = info->row,
        .line = info->variable ? LLVMDIVariableGetLine(info->variable) : 0};
    pour_all(p, constant, cca__place(b, info->value));
    cca__nodes_emit(b, 0);
    cca__body_emit_stores(b, CCA_NONE);
  }
}
