/* SPDX-License-Identifier: MIT */
/*
 * extract-values.c -- an LLVM value as a node: what is it computed from?
 *
 * Casts are transparent, arithmetic is kept, what else computes a number from
 * numbers is a mix, choices are alternatives.  A value is opaque, with a
 * reason, where nothing can be said.
 *
 * Values come in reverse post-order, so operands are there, but for what a phi
 * gets round a loop.  That is computed out of turn, without remembering it, in
 * at most MAX_LATE steps: with the loop cut open at the phi, whose own value
 * is opaque(loop) there.  So `p = head; … p = p->next` is either(head, load of
 * some node's next), and the result does not depend on who asked first.
 */
#include <string.h>

#include "analysis/extract-unit.h"

enum { MAX_LATE = 48, MAX_LATE_DEPTH = 12, MAX_ARMS = 256, MAX_USES = 64 };

static uint32_t unknown(struct body *b) {
  return cca__node_opaque(b, CCA_OPAQUE_WHY_UNKNOWN);
}

static uint32_t operand(struct body *b, LLVMValueRef value, unsigned i) {
  return cca__value(b, LLVMGetOperand(value, i));
}

static bool is_float(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMHalfTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMX86_FP80TypeKind:
  case LLVMFP128TypeKind:
  case LLVMPPC_FP128TypeKind:
  case LLVMBFloatTypeKind:
    return true;
  default:
    return false;
  }
}

static uint32_t integer(struct body *b, LLVMValueRef value) {
  unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
  if (bits > 64)
    return unknown(b);
  return cca__node_constant(
      b, bits == 1 ? (int64_t)LLVMConstIntGetZExtValue(value)
                   : (int64_t)LLVMConstIntGetSExtValue(value));
}

static uint32_t variable(struct body *b, LLVMValueRef global) {
  struct unit *u = b->unit;
  di type = NULL;
  uint32_t offset = 0;
  switch (cca__mark_of(u, global, &type, &offset)) {
  case MARK_SIZEOF:
    return cca__node(b, CCA_OP_SIZEOF, cca__type_used(u, type),
                     (uint32_t)cca__di_size(u, type));
  case MARK_OFFSETOF:
    return cca__node(b, CCA_OP_OFFSETOF, cca__type_used(u, type), offset);
  default:
    break;
  }
  if (cca__symbol_is_string(global))
    return cca__node_opaque(b, CCA_OPAQUE_WHY_STRING);
  uint32_t at = cca_numbers_find(&u->global_of, global);
  if (!at || u->globals.items[at - 1].row == CCA_NONE)
    return unknown(b);
  return cca__node(b, CCA_OP_GLOBAL, u->globals.items[at - 1].row, 0);
}

static uint32_t function(struct body *b, LLVMValueRef value) {
  uint32_t row = cca_numbers_find(&b->unit->func_rows, value);
  return row ? cca__node(b, CCA_OP_FUNC, row - 1, 0) : unknown(b);
}

static bool is_power_of_two(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

static uint32_t mix(struct body *b, LLVMValueRef value, unsigned count) {
  uint32_t nodes[8];
  unsigned n = 0;
  for (unsigned i = 0; i < count && i < 8; i++) {
    uint32_t node = operand(b, value, i);
    if (b->nodes.items[node].op != CCA_OP_CONSTANT)
      nodes[n++] = node;
  }
  return n ? cca__node_list(b, CCA_OP_MIX, nodes, n) : unknown(b);
}

/* x << c and x >> c */
static uint32_t shift(struct body *b, LLVMValueRef value, enum cca_op op) {
  int64_t by;
  if (cca__node_is_constant(b, operand(b, value, 1), &by) && by >= 0 && by < 63)
    return cca__node_binary(b, op, operand(b, value, 0),
                            cca__node_constant(b, (int64_t)1 << by));
  return mix(b, value, 2);
}

/* x % 8 is x & 7; the rest of a division by anything else is a mix. */
static uint32_t rest(struct body *b, LLVMValueRef value) {
  int64_t by;
  if (cca__node_is_constant(b, operand(b, value, 1), &by) &&
      is_power_of_two(by))
    return cca__node_binary(b, CCA_OP_AND, operand(b, value, 0),
                            cca__node_constant(b, by - 1));
  return mix(b, value, 2);
}

static uint32_t binary(struct body *b, LLVMValueRef value, enum cca_op op) {
  return cca__node_binary(b, op, operand(b, value, 0), operand(b, value, 1));
}

/*
 * va_arg() is lowered to loads through a record that the ABI prescribes: is
 * NODE, an address, taken from one?
 */
static bool is_va_list(const struct body *b, uint32_t node, int depth) {
  const struct node *n = &b->nodes.items[node];
  if (n->op == CCA_OP_EITHER) {
    for (uint32_t k = 0; k < n->b && depth < 4; k++)
      if (is_va_list(b, b->operands.items[n->a + k], depth + 1))
        return true;
    return false;
  }
  if (n->op == CCA_OP_ADD || n->op == CCA_OP_AND)
    return depth < 4 && is_va_list(b, n->a, depth + 1);
  if (n->op != CCA_OP_LOAD && n->op != CCA_OP_ADDRESS)
    return false;
  const struct spot *spot = &b->spots.items[n->a];
  return spot->record ? b->unit->records.items[spot->record - 1].is_va_list
                      : n->op == CCA_OP_ADDRESS && depth < 4 &&
                            is_va_list(b, spot->base, depth + 1);
}

static uint32_t load(struct body *b, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (is_float(type))
    return cca__node_opaque(b, CCA_OPAQUE_WHY_FLOATING);
  if (kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind)
    return unknown(b);
  LLVMValueRef constant = cca__initial_loaded(b->unit, value);
  if (constant)
    return cca__value(b, constant);
  uint32_t size = (uint32_t)LLVMABISizeOfType(b->unit->layout, type);
  uint32_t spot =
      cca__place_spot(b, cca__place(b, LLVMGetOperand(value, 0)), size);
  const struct spot *s = &b->spots.items[spot];
  uint32_t base = b->nodes.items[s->base].op;
  bool named = s->record || (base == CCA_OP_GLOBAL && !s->flags) ||
               (base == CCA_OP_LOCAL && !s->flags);
  if (base == CCA_OP_OPAQUE && !named &&
      b->nodes.items[s->base].a == CCA_OPAQUE_WHY_STRING)
    return cca__node_opaque(b, CCA_OPAQUE_WHY_CONTENT);
  if (!s->record && is_va_list(b, s->base, 0))
    return cca__node_opaque(b, CCA_OPAQUE_WHY_VARARGS);
  if (size == 1 && !named)
    return cca__node_opaque(b, CCA_OPAQUE_WHY_CONTENT);
  return cca__node(b, CCA_OP_LOAD, spot, 0);
}

/* An atomic read-modify-write gives what was there before. */
static uint32_t atomic_load(struct body *b, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(value, 1));
  uint32_t size = (uint32_t)LLVMABISizeOfType(b->unit->layout, type);
  return cca__node(
      b, CCA_OP_LOAD,
      cca__place_spot(b, cca__place(b, LLVMGetOperand(value, 0)), size), 0);
}

static bool named(LLVMValueRef function, const char *prefix) {
  size_t len;
  const char *name = LLVMGetValueName2(function, &len);
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

static uint32_t intrinsic(struct body *b, LLVMValueRef call,
                          LLVMValueRef callee) {
  if (named(callee, "llvm.umax") || named(callee, "llvm.umin") ||
      named(callee, "llvm.smax") || named(callee, "llvm.smin")) {
    uint32_t arms[2] = {operand(b, call, 0), operand(b, call, 1)};
    return cca__node_list(b, CCA_OP_EITHER, arms, 2);
  }
  if (named(callee, "llvm.expect") || named(callee, "llvm.abs") ||
      named(callee, "llvm.launder") || named(callee, "llvm.strip") ||
      named(callee, "llvm.ptr.annotation") ||
      named(callee, "llvm.annotation") || named(callee, "llvm.ssa.copy") ||
      named(callee, "llvm.threadlocal.address"))
    return operand(b, call, 0);
  if (named(callee, "llvm.uadd.sat") || named(callee, "llvm.sadd.sat"))
    return binary(b, call, CCA_OP_ADD);
  if (named(callee, "llvm.ptrmask"))
    return binary(b, call, CCA_OP_AND);
  if (named(callee, "llvm.bswap") || named(callee, "llvm.ctlz") ||
      named(callee, "llvm.cttz") || named(callee, "llvm.fsh") ||
      named(callee, "llvm.bitreverse"))
    return mix(b, call, LLVMGetNumArgOperands(call));
  return is_float(LLVMTypeOf(call))
             ? cca__node_opaque(b, CCA_OPAQUE_WHY_FLOATING)
             : unknown(b);
}

static uint32_t call(struct body *b, LLVMValueRef value) {
  uint32_t number = cca_numbers_find(&b->call_of, value);
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
  if (number)
    return kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind
               ? cca__node(b, CCA_OP_CALL, number - 1, 0)
           : is_float(LLVMTypeOf(value))
               ? cca__node_opaque(b, CCA_OPAQUE_WHY_FLOATING)
               : unknown(b);
  LLVMValueRef callee = LLVMGetCalledValue(value);
  if (LLVMIsAInlineAsm(callee))
    return cca__node_opaque(b, CCA_OPAQUE_WHY_ASSEMBLY);
  return LLVMIsAFunction(callee) ? intrinsic(b, value, callee) : unknown(b);
}

/* The value of an overflow-checked operation; its flag is opaque. */
static uint32_t extract(struct body *b, LLVMValueRef value) {
  LLVMValueRef from = LLVMGetOperand(value, 0);
  LLVMValueRef callee =
      LLVMIsACallInst(from) ? LLVMGetCalledValue(from) : NULL;
  if (callee && LLVMIsAInlineAsm(callee))
    return cca__node_opaque(b, CCA_OPAQUE_WHY_ASSEMBLY);
  if (LLVMIsAAtomicCmpXchgInst(from) && LLVMGetIndices(value)[0] == 0)
    return atomic_load(b, from);
  if (callee && LLVMIsAFunction(callee) && LLVMGetNumIndices(value) == 1 &&
      LLVMGetIndices(value)[0] == 0) {
    if (named(callee, "llvm.umul.with") || named(callee, "llvm.smul.with"))
      return binary(b, from, CCA_OP_MUL);
    if (named(callee, "llvm.uadd.with") || named(callee, "llvm.sadd.with"))
      return binary(b, from, CCA_OP_ADD);
    if (named(callee, "llvm.usub.with") || named(callee, "llvm.ssub.with"))
      return binary(b, from, CCA_OP_SUB);
  }
  return unknown(b);
}

static uint32_t choice(struct body *b, LLVMValueRef value) {
  uint32_t arms[2] = {operand(b, value, 1), operand(b, value, 2)};
  return cca__node_list(b, CCA_OP_EITHER, arms, 2);
}

/* Is NODE what the cut-open loop carries, give or take a step? */
static bool is_loop(const struct body *b, uint32_t node) {
  struct node n = b->nodes.items[node];
  int64_t step;
  if (n.op == CCA_OP_ADDRESS && !b->spots.items[n.a].record)
    n = b->nodes.items[b->spots.items[n.a].base];
  if (n.op == CCA_OP_ADD && cca__node_is_constant(b, n.b, &step))
    n = b->nodes.items[n.a];
  return n.op == CCA_OP_OPAQUE && n.a == CCA_OPAQUE_WHY_LOOP;
}

/* `while (n < max && s[n]) n++`: in the end n is at most max. */
static size_t bounds(struct body *b, LLVMValueRef phi, uint32_t *arms,
                     size_t count, int depth) {
  int uses = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(phi); use && uses < MAX_USES;
       use = LLVMGetNextUse(use), uses++) {
    LLVMValueRef user = LLVMGetUser(use);
    if (depth < 2 && (LLVMIsASExtInst(user) || LLVMIsAZExtInst(user) ||
                      LLVMIsATruncInst(user))) {
      count = bounds(b, user, arms, count, depth + 1);
      continue;
    }
    if (!LLVMIsAICmpInst(user) || count >= MAX_ARMS)
      continue;
    bool left = LLVMGetOperand(user, 0) == phi;
    LLVMIntPredicate p = LLVMGetICmpPredicate(user);
    bool less = p == LLVMIntULT || p == LLVMIntULE || p == LLVMIntSLT ||
                p == LLVMIntSLE;
    bool more = p == LLVMIntUGT || p == LLVMIntUGE || p == LLVMIntSGT ||
                p == LLVMIntSGE;
    if (left ? !(less || p == LLVMIntNE) : !(more || p == LLVMIntNE))
      continue;
    uint32_t bound = operand(b, user, left ? 1 : 0);
    uint32_t op = b->nodes.items[bound].op;
    if (op != CCA_OP_OPAQUE && op != CCA_OP_CONSTANT)
      arms[count++] = bound;
  }
  return count;
}

/* What comes from FROM, which on its way may have been found to be null. */
static uint32_t arm(struct body *b, LLVMValueRef phi, LLVMValueRef from,
                    uint32_t block) {
  if (LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMPointerTypeKind &&
      !LLVMIsConstant(from)) {
    uint32_t here =
        cca_numbers_find(&b->block_of, LLVMGetInstructionParent(phi)) - 1;
    if (cca__flow_is_null(b, from, block, here))
      return cca__node_constant(b, 0);
  }
  if (!b->late)
    b->late_left = MAX_LATE;
  return cca__value(b, from);
}

static uint32_t phi(struct body *b, LLVMValueRef value) {
  uint32_t arms[MAX_ARMS];
  size_t count = 0;
  bool loops = false;
  uint32_t loop = cca__node_opaque(b, CCA_OPAQUE_WHY_LOOP);
  LLVMValueRef string = cca__flow_measured(b, value);
  if (string) { /* its end, less where it begins */
    uint32_t begin = cca__value(b, string);
    return cca__node_binary(
        b, CCA_OP_SUB, cca__node_binary(b, CCA_OP_ADD, begin, loop), begin);
  }
  uint32_t *mine = cca_numbers_at(&b->node_of, value);
  *mine = loop + 1; /* while it is being computed */
  unsigned incoming = LLVMCountIncoming(value);
  for (unsigned i = 0; i < incoming && count < MAX_ARMS; i++) {
    LLVMValueRef from = LLVMGetIncomingValue(value, i);
    uint32_t block =
        cca_numbers_find(&b->block_of, LLVMGetIncomingBlock(value, i));
    if (from == value || !block ||
        b->blocks.items[block - 1].order == CCA_NONE)
      continue;
    uint32_t node = arm(b, value, from, block - 1);
    if (is_loop(b, node)) {
      node = loop;
      loops = true;
    }
    arms[count++] = node;
  }
  if (loops && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind)
    count = bounds(b, value, arms, count, 0);
  uint32_t node = cca__node_list(b, CCA_OP_EITHER, arms, count);
  /* out of turn it is forgotten again; its turn will come */
  *cca_numbers_at(&b->node_of, value) = b->late ? 0 : node + 1;
  return node;
}

static uint32_t local(struct body *b, LLVMValueRef slot) {
  uint32_t *at = cca_numbers_at(&b->local_of, slot);
  if (!*at) {
    cca_vec_push(&b->locals, slot);
    *at = (uint32_t)b->locals.count;
  }
  return cca__node(b, CCA_OP_LOCAL, *at - 1, 0);
}

/* An instruction or a constant expression: they compute alike. */
static uint32_t compute(struct body *b, LLVMValueRef value,
                        LLVMOpcode opcode) {
  switch (opcode) {
  case LLVMAlloca:
    return local(b, value);
  case LLVMLoad:
    return load(b, value);
  case LLVMAtomicRMW:
    return atomic_load(b, value);
  case LLVMGetElementPtr:
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind
               ? cca__place_value(b, value)
               : unknown(b);
  case LLVMCall:
  case LLVMCallBr:
    return call(b, value);
  case LLVMPHI:
    return phi(b, value);
  case LLVMSelect:
    return choice(b, value);
  case LLVMAdd:
    return binary(b, value, CCA_OP_ADD);
  case LLVMSub:
    return binary(b, value, CCA_OP_SUB);
  case LLVMMul:
    return binary(b, value, CCA_OP_MUL);
  case LLVMUDiv:
  case LLVMSDiv:
    return binary(b, value, CCA_OP_DIV);
  case LLVMAnd:
    return binary(b, value, CCA_OP_AND);
  case LLVMShl:
    return shift(b, value, CCA_OP_MUL);
  case LLVMLShr:
  case LLVMAShr:
    return shift(b, value, CCA_OP_DIV);
  case LLVMURem:
  case LLVMSRem:
    return rest(b, value);
  case LLVMOr:
  case LLVMXor:
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
  case LLVMFDiv:
    return mix(b, value, 2);
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMPtrToInt:
  case LLVMIntToPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMFreeze:
  case LLVMFPToUI:
  case LLVMFPToSI:
  case LLVMUIToFP:
  case LLVMSIToFP:
  case LLVMFPTrunc:
  case LLVMFPExt:
    return operand(b, value, 0);
  case LLVMExtractValue:
    return extract(b, value);
  case LLVMVAArg:
    return cca__node_opaque(b, CCA_OPAQUE_WHY_VARARGS);
  default:
    return is_float(LLVMTypeOf(value))
               ? cca__node_opaque(b, CCA_OPAQUE_WHY_FLOATING)
               : unknown(b);
  }
}

uint32_t cca__value_compute(struct body *b, LLVMValueRef instruction) {
  uint32_t node =
      compute(b, instruction, LLVMGetInstructionOpcode(instruction));
  if (!b->late)
    *cca_numbers_at(&b->node_of, instruction) = node + 1;
  return node;
}

/* A constant, a parameter, or an instruction whose turn has not come. */
static uint32_t fresh(struct body *b, LLVMValueRef value) {
  switch (LLVMGetValueKind(value)) {
  case LLVMConstantIntValueKind:
    return integer(b, value);
  case LLVMConstantPointerNullValueKind:
  case LLVMConstantAggregateZeroValueKind:
    return cca__node_constant(b, 0);
  case LLVMFunctionValueKind:
  case LLVMGlobalIFuncValueKind:
    return function(b, value);
  case LLVMGlobalAliasValueKind: {
    uint32_t row = cca_numbers_find(&b->unit->func_rows, value);
    return row ? cca__node(b, CCA_OP_FUNC, row - 1, 0)
               : cca__value(b, LLVMAliasGetAliasee(value));
  }
  case LLVMGlobalVariableValueKind:
    return variable(b, value);
  case LLVMConstantFPValueKind:
    return cca__node_opaque(b, CCA_OPAQUE_WHY_FLOATING);
  case LLVMConstantExprValueKind:
    return compute(b, value, LLVMGetConstOpcode(value));
  case LLVMInstructionValueKind: {
    if (b->late >= MAX_LATE_DEPTH || b->late_left <= 0)
      return cca__node_opaque(b, CCA_OPAQUE_WHY_LOOP);
    b->late_left--;
    b->late++;
    uint32_t node = cca__value_compute(b, value);
    b->late--;
    return node;
  }
  default:
    return unknown(b);
  }
}

uint32_t cca__value(struct body *b, LLVMValueRef value) {
  uint32_t known = cca_numbers_find(&b->node_of, value);
  if (known)
    return known - 1;
  uint32_t node = fresh(b, value);
  if (LLVMIsConstant(value))
    *cca_numbers_at(&b->node_of, value) = node + 1;
  return node;
}
