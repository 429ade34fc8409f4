/* SPDX-License-Identifier: MIT */
/*
 * extract-before.c -- what only the code before promotion can tell.
 *
 * Promotion of locals to values makes sizes visible and loses the variables:
 * their names and types, which hang on allocas.  So this runs first.  It keeps
 * the variable of each alloca and parameter, deletes the dbg.declares, which
 * would only slow promotion down, and finds for each call that returns a
 * pointer the type that the result is used as: evidence, from best to worst,
 *
 *   1  the variable, member or global that it is stored in
 *   2  the record whose member is accessed through it
 *   3  the function's result type, if it is returned
 *   4  the parameter that it is passed as
 *
 * void * and character pointers are taken if there is nothing better, and a
 * variable of such a type is looked through once: what is done with its loads.
 */
#include "analysis/extract-unit.h"

enum { MAX_DEPTH = 8 }; /* of p->q->r, to find a type */

static void note_declare(struct unit *u, LLVMValueRef declare) {
  LLVMValueRef wrapped = LLVMGetOperand(declare, 0);
  if (!LLVMIsAMDNode(wrapped) || !LLVMGetMDNodeNumOperands(wrapped))
    return;
  LLVMValueRef slot = LLVMGetOperand(wrapped, 0);
  uint32_t *at = slot ? cca_numbers_at(&u->variable_of, slot) : NULL;
  if (!at || *at)
    return;
  di variable = LLVMValueAsMetadata(LLVMGetOperand(declare, 1));
  cca_vec_push(&u->variables, ((struct variable){slot, variable}));
  *at = (uint32_t)u->variables.count;
}

static void name_params(struct unit *u, LLVMValueRef function) {
  for (LLVMValueRef p = LLVMGetFirstParam(function); p;
       p = LLVMGetNextParam(p)) {
    LLVMUseRef use = LLVMGetFirstUse(p);
    LLVMValueRef user = use ? LLVMGetUser(use) : NULL;
    if (!user || !LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) != p)
      continue;
    uint32_t variable =
        cca_numbers_find(&u->variable_of, LLVMGetOperand(user, 1));
    if (variable)
      *cca_numbers_at(&u->param_names, p) = variable;
  }
}

void cca__before_variables(struct unit *u) {
  LLVMValueRef declare =
      LLVMGetNamedFunction(u->module, "llvm.dbg.declare");
  for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f;
       f = LLVMGetNextFunction(f)) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMGetInstructionOpcode(i) != LLVMCall || !declare ||
            LLVMGetCalledValue(i) != declare)
          continue;
        note_declare(u, i);
        LLVMInstructionEraseFromParent(i);
      }
    name_params(u, f);
  }
}

struct evidence {
  int rank; /* 0: none */
  di type;  /* pointee */
};

static bool is_vague(struct unit *u, di type) {
  return !cca__di_strip(u, type) || cca__di_is_bytes(u, type);
}

static void offer(struct unit *u, struct evidence *best, int rank, di pointer) {
  pointer = cca__di_strip(u, pointer);
  if (cca__di_tag(pointer) != DI_POINTER)
    return;
  di type = cca__di_base(u, pointer);
  if (!best->rank || (is_vague(u, best->type) && !is_vague(u, type)) ||
      (rank < best->rank && is_vague(u, best->type) == is_vague(u, type)))
    *best = (struct evidence){rank, type};
}

static di result_type(struct unit *u, LLVMValueRef function) {
  di subprogram = LLVMGetSubprogram(function);
  return subprogram
             ? cca__di_child(
                   u, cca__di_child(u, cca__di_child(u, subprogram, 4), 3), 0)
             : NULL;
}

static LLVMValueRef function_of(LLVMValueRef instruction) {
  return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

/* Of GEP's operands from the second index on: into members and elements. */
static di indexed_type(struct unit *u, LLVMValueRef gep, di type) {
  LLVMTypeRef layout = LLVMGetGEPSourceElementType(gep);
  unsigned count = (unsigned)LLVMGetNumOperands(gep);
  for (unsigned i = 2; i < count; i++) {
    LLVMValueRef index = LLVMGetOperand(gep, i);
    if (LLVMGetTypeKind(layout) != LLVMStructTypeKind) {
      type = cca__di_strip(u, type);
      type = cca__di_tag(type) == DI_ARRAY ? cca__di_base(u, type) : NULL;
      layout = LLVMGetElementType(layout);
      continue;
    }
    unsigned k = (unsigned)LLVMConstIntGetZExtValue(index);
    di record = cca__record_find(u, layout);
    di member =
        record ? cca__di_member_at(
                     u, record,
                     (int64_t)LLVMOffsetOfElement(u->layout, layout, k))
               : NULL;
    type = member ? cca__di_base(u, member) : NULL;
    layout = LLVMStructGetTypeAtIndex(layout, k);
  }
  return type;
}

/* The type of the object that POINTER points to, as far as it was declared. */
static di object_type(struct unit *u, LLVMValueRef pointer, int depth) {
  if (depth == MAX_DEPTH)
    return NULL;
  if (LLVMIsAAllocaInst(pointer)) {
    uint32_t at = cca_numbers_find(&u->variable_of, pointer);
    return at ? cca__di_variable_type(u, u->variables.items[at - 1].variable)
              : NULL;
  }
  if (LLVMIsAGlobalVariable(pointer)) {
    uint32_t at = cca_numbers_find(&u->global_of, pointer);
    return at ? cca__di_variable_type(u, u->globals.items[at - 1].variable)
              : NULL;
  }
  if (LLVMIsALoadInst(pointer)) {
    di type = cca__di_strip(
        u, object_type(u, LLVMGetOperand(pointer, 0), depth + 1));
    return cca__di_tag(type) == DI_POINTER ? cca__di_base(u, type) : NULL;
  }
  if (LLVMIsAGetElementPtrInst(pointer) ||
      (LLVMIsAConstantExpr(pointer) &&
       LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
    return indexed_type(
        u, pointer, object_type(u, LLVMGetOperand(pointer, 0), depth + 1));
  return NULL;
}

static void use_value(struct unit *u, struct evidence *best,
                      LLVMValueRef value, int through);

static void use_store(struct unit *u, struct evidence *best,
                      LLVMValueRef store, int through) {
  LLVMValueRef to = LLVMGetOperand(store, 1);
  bool local = LLVMIsAAllocaInst(to);
  if (local && !cca_numbers_find(&u->variable_of, to)) {
    /* where clang keeps the result of the function */
    offer(u, best, 3, result_type(u, function_of(store)));
  } else {
    di type = cca__di_strip(u, object_type(u, to, 0));
    offer(u, best, 1, type);
    /* a union's loads may be of other members than the one stored */
    local = local && cca__di_tag(type) == DI_POINTER;
  }
  if (!local)
    return;
  if (!through || (best->rank && !is_vague(u, best->type)))
    return;
  for (LLVMUseRef use = LLVMGetFirstUse(to); use; use = LLVMGetNextUse(use))
    if (LLVMIsALoadInst(LLVMGetUser(use)))
      use_value(u, best, LLVMGetUser(use), through - 1);
}

static void use_call(struct unit *u, struct evidence *best, LLVMValueRef call,
                     LLVMValueRef value) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  di subprogram = callee && LLVMIsAFunction(callee)
                      ? LLVMGetSubprogram(callee)
                      : NULL;
  if (!subprogram)
    return;
  di types = cca__di_child(u, cca__di_child(u, subprogram, 4), 3);
  unsigned count = LLVMGetNumArgOperands(call);
  for (unsigned i = 0; i < count; i++)
    if (LLVMGetOperand(call, i) == value)
      offer(u, best, 4, cca__di_child(u, types, i + 1));
}

static void use_value(struct unit *u, struct evidence *best,
                      LLVMValueRef value, int through) {
  for (LLVMUseRef use = LLVMGetFirstUse(value); use;
       use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMStore:
      if (LLVMGetOperand(user, 0) == value)
        use_store(u, best, user, through);
      break;
    case LLVMGetElementPtr: {
      LLVMTypeRef type = LLVMGetGEPSourceElementType(user);
      di record = LLVMGetTypeKind(type) == LLVMStructTypeKind
                      ? cca__record_find(u, type)
                      : NULL;
      if (record && LLVMGetOperand(user, 0) == value &&
          (!best->rank || is_vague(u, best->type)))
        *best = (struct evidence){2, record};
      break;
    }
    case LLVMRet:
      offer(u, best, 3, result_type(u, function_of(user)));
      break;
    case LLVMCall:
      use_call(u, best, user, value);
      break;
    default:
      break;
    }
  }
}

void cca__before_uses(struct unit *u) {
  for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f;
       f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
           i = LLVMGetNextInstruction(i)) {
        if (LLVMGetInstructionOpcode(i) != LLVMCall ||
            LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMPointerTypeKind)
          continue;
        struct evidence best = {0};
        use_value(u, &best, i, 1);
        if (!best.rank)
          continue;
        cca_vec_push(&u->uses, best.type);
        *cca_numbers_at(&u->use_of, i) = (uint32_t)u->uses.count;
      }
}
