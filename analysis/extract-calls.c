/* SPDX-License-Identifier: MIT */
/*
 * extract-calls.c -- CALL rows: who is called, with what, and how surely.
 *
 * Calls are numbered before the function is walked, in the order of the code,
 * since a value may come from a call further down, round a loop.  Calls that
 * neither take nor give a number or pointer are left out, and so are those of
 * intrinsics, but for the copying and filling of memory.
 */
#include <string.h>

#include "analysis/extract-unit.h"

static bool is_wanted_type(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind;
}

/* The callee behind aliases of variables and casts, or NULL. */
static LLVMValueRef callee_of(struct unit *u, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  return cca_numbers_find(&u->func_rows, callee) ? callee : NULL;
}

/* Initialising a local is no call that anybody wrote. */
static bool is_initial(struct unit *u, LLVMValueRef call) {
  LLVMValueRef to = LLVMGetOperand(call, 0);
  return cca__initials_is_copy(u, to) ||
         (LLVMIsAAllocaInst(to) &&
          cca__initials_is_template(u, LLVMGetOperand(call, 1)));
}

static bool is_wanted(struct unit *u, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (LLVMIsAInlineAsm(callee))
    return false;
  if (LLVMIsAFunction(callee)) {
    if (cca__symbol_is_ours(callee))
      return false;
    if (LLVMGetIntrinsicID(callee))
      return cca__symbol_memory(callee) >= 0 && !is_initial(u, call);
  }
  if (is_wanted_type(LLVMTypeOf(call)))
    return true;
  unsigned count = LLVMGetNumArgOperands(call);
  for (unsigned i = 0; i < count; i++)
    if (is_wanted_type(LLVMTypeOf(LLVMGetOperand(call, i))))
      return true;
  return false;
}

void cca__calls_number(struct body *b) {
  b->calls.count = b->args.count = 0;
  cca_numbers_clear(&b->call_of);
  for (size_t i = 0; i < b->blocks.count; i++) {
    const struct block_info *block = &b->blocks.items[i];
    if (block->order == CCA_NONE)
      continue;
    for (LLVMValueRef v = LLVMGetFirstInstruction(block->block); v;
         v = LLVMGetNextInstruction(v)) {
      LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
      if ((opcode != LLVMCall && opcode != LLVMCallBr) ||
          !is_wanted(b->unit, v))
        continue;
      cca_vec_push(&b->calls,
                   ((struct call_info){.call = v, .target = CCA_NONE,
                                       .block = (uint32_t)i}));
      *cca_numbers_at(&b->call_of, v) = (uint32_t)b->calls.count;
    }
  }
}

void cca__call_args(struct body *b, LLVMValueRef value) {
  struct unit *u = b->unit;
  uint32_t number = cca_numbers_find(&b->call_of, value);
  if (!number)
    return;
  LLVMValueRef callee = LLVMGetCalledValue(value);
  bool intrinsic = LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee);
  unsigned count = intrinsic ? 3 : LLVMGetNumArgOperands(value);
  uint32_t first = (uint32_t)b->args.count;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef arg = LLVMGetOperand(value, i);
    uint32_t node =
        is_wanted_type(LLVMTypeOf(arg))
            ? cca__value(b, arg)
            : cca__node_opaque(b, CCA_OPAQUE_WHY_FLOATING);
    cca_vec_push(&b->args, node);
  }
  uint32_t target = intrinsic || callee_of(u, value)
                        ? CCA_NONE
                        : cca__value(b, callee);
  struct call_info *info = &b->calls.items[number - 1];
  info->args = first;
  info->arg_count = count;
  info->target = target;
}

/* kcfi's identity of the type that the call goes through. */
static uint64_t signature_of(LLVMValueRef call) {
  uint64_t signature = 0;
  unsigned count = LLVMGetNumOperandBundles(call);
  for (unsigned i = 0; i < count; i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    size_t len;
    const char *tag = LLVMGetOperandBundleTag(bundle, &len);
    if (len == 4 && memcmp(tag, "kcfi", 4) == 0 &&
        LLVMGetNumOperandBundleArgs(bundle) == 1)
      signature = (uint32_t)LLVMConstIntGetZExtValue(
          LLVMGetOperandBundleArgAtIndex(bundle, 0));
    LLVMDisposeOperandBundle(bundle);
  }
  return signature;
}

/* The pointer that NODE was computed from, to compare with null. */
static uint32_t root(const struct body *b, uint32_t node) {
  for (;;) {
    const struct node *n = &b->nodes.items[node];
    if (n->op == CCA_OP_ADD || n->op == CCA_OP_SUB)
      node = n->a;
    else if (n->op == CCA_OP_ADDRESS)
      node = b->spots.items[n->a].base;
    else
      return node;
  }
}

static bool same_function(const struct body *b, const struct call_info *x,
                          const struct call_info *y) {
  return x->target == y->target &&
         (x->target != CCA_NONE ||
          callee_of(b->unit, x->call) == callee_of(b->unit, y->call));
}

/* Does this call always happen to its argument I, or else another call of the
 * same function with the same argument: `if (k) free(p); else free(p);`?  Where
 * nobody uses the result, as of free(), a test whether another pointer is there
 * may be in the way, or where this one points to. */
static bool always_to(struct body *b, const struct call_info *info, uint32_t i,
                      uint32_t *work) {
  uint32_t stops[8], count = 0;
  uint32_t node = b->args.items[info->args + i];
  if (*work < b->calls.count || b->blocks.items[info->block].in_loop)
    return false;
  *work -= (uint32_t)b->calls.count;
  stops[count++] = info->block;
  for (size_t k = 0; k < b->calls.count && count < 8; k++) {
    const struct call_info *other = &b->calls.items[k];
    if (other != info && other->arg_count > i &&
        b->args.items[other->args + i] == node &&
        same_function(b, info, other))
      stops[count++] = other->block;
  }
  return cca__flow_unless_null(b, stops, count, root(b, node),
                               !LLVMGetFirstUse(info->call), work);
}

static bool is_always(struct body *b, const struct call_info *info,
                      uint32_t *work) {
  if (b->blocks.items[info->block].always)
    return true;
  for (uint32_t i = 0; i < info->arg_count; i++)
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(info->call, i))) ==
            LLVMPointerTypeKind &&
        always_to(b, info, i, work))
      return true;
  return false;
}

static uint32_t flags_of(struct body *b, const struct call_info *info,
                         uint32_t *work) {
  uint32_t flags = 0;
  if (is_always(b, info, work))
    flags |= CCA_CALL_FLAGS_ALWAYS;
  if (b->blocks.items[info->block].in_loop)
    flags |= CCA_CALL_FLAGS_IN_LOOP;
  if (is_wanted_type(LLVMTypeOf(info->call)) && !LLVMGetFirstUse(info->call))
    flags |= CCA_CALL_FLAGS_UNUSED;
  for (uint32_t i = 0; i < CCA_LAST_ARGS; i++)
    if (info->last >> i & 1)
      flags |= CCA_CALL_FLAGS_LAST_0 << i;
  return flags;
}

void cca__calls_emit(struct body *b) {
  struct unit *u = b->unit;
  uint32_t work = 1u << 22; /* blocks to visit for is_always() */
  cca__calls_last(b, &work);
  for (size_t i = 0; i < b->calls.count; i++) {
    const struct call_info *info = &b->calls.items[i];
    LLVMValueRef callee = callee_of(u, info->call);
    LLVMValueRef called = LLVMGetCalledValue(info->call);
    int memory = LLVMIsAFunction(called) ? cca__symbol_memory(called) : -1;

    struct cca_call row = cca_call_init();
    row.func = b->func_row;
    row.file = cca__file_row_of(u, info->call);
    row.line = LLVMGetDebugLocLine(info->call);
    row.column = LLVMGetDebugLocColumn(info->call);
    row.callee = memory >= 0 ? u->memory_rows[memory] - 1
                 : callee    ? cca_numbers_find(&u->func_rows, callee) - 1
                             : CCA_NONE;
    row.target = CCA_NONE;
    if (row.callee == CCA_NONE) {
      row.target = b->node_rows.items[info->target];
      row.signature = (int64_t)signature_of(info->call);
      row.shape = cca_builder_string(
          u->out,
          cca__symbol_shape(u, LLVMGetCalledFunctionType(info->call)));
    }
    row.args_first = cca_operand_added(u->out);
    row.args_count = info->arg_count;
    for (uint32_t k = 0; k < info->arg_count; k++)
      cca_operand_add(
          u->out, (struct cca_operand){
                      b->node_rows.items[b->args.items[info->args + k]]});
    uint32_t use = cca_numbers_find(&u->use_of, info->call);
    row.used_as = use ? cca__type_used(u, u->uses.items[use - 1]) : CCA_NONE;
    row.flags = flags_of(b, info, &work);
    cca_call_add(u->out, row);
  }
}
