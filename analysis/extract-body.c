/* SPDX-License-Identifier: MIT */
/*
 * extract-body.c -- one function: its calls, stores and returns.
 *
 *   1  order the blocks, number the calls
 *   2  walk them once: a node for every value, a list of what is stored,
 *      passed and returned
 *   3  make rows of what these need
 */
#include "analysis/extract-unit.h"

static uint32_t line_of(LLVMValueRef instruction) {
  return LLVMInstructionGetDebugLoc(instruction)
             ? LLVMGetDebugLocLine(instruction)
             : 0;
}

/* What a single byte or a floating number is does not matter, unless it is the
 * terminator 0; that something is written does. */
static uint32_t stored_value(struct body *b, LLVMValueRef value,
                             const struct spot *spot) {
  LLVMTypeRef type = LLVMTypeOf(value);
  switch (LLVMGetTypeKind(type)) {
  case LLVMPointerTypeKind:
    return cca__value(b, value);
  case LLVMIntegerTypeKind:
    if (LLVMGetIntTypeWidth(type) >= 32 || spot->record || LLVMIsNull(value))
      return cca__value(b, value);
    return cca__node_opaque(b, CCA_OPAQUE_WHY_CONTENT);
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMX86_FP80TypeKind:
    return cca__node_opaque(b, CCA_OPAQUE_WHY_FLOATING);
  default:
    return cca__node_opaque(b, CCA_OPAQUE_WHY_UNKNOWN);
  }
}

void cca__body_store(struct body *b, uint32_t spot, uint32_t value,
                     uint32_t line) {
  /* the same value to the same place: once is enough */
  uint64_t pair = (uint64_t)spot << 32 | value;
  for (size_t i = b->stores.count; i-- > 0 && b->stores.count - i <= 16;)
    if (((uint64_t)b->stores.items[i].spot << 32 |
         b->stores.items[i].value) == pair)
      return;
  cca_vec_push(&b->stores, ((struct store_info){spot, value, line}));
}

static void note_store(struct body *b, LLVMValueRef store, LLVMValueRef to,
                       LLVMValueRef value) {
  uint32_t size = (uint32_t)LLVMABISizeOfType(b->unit->layout,
                                              LLVMTypeOf(value));
  struct path place = cca__place(b, to);
  uint32_t sum = cca__value(b, to);
  if (place.spot.flags & CCA_LOC_FLAGS_ELEMENT && !place.spot.record &&
      b->nodes.items[sum].op == CCA_OP_ADD) {
    /* which element it is tells a terminator from a fill */
    place.spot.base = sum;
    place.offset = 0;
  }
  uint32_t spot = cca__place_spot(b, place, size);
  struct spot at = b->spots.items[spot];
  cca__body_store(b, spot, stored_value(b, value, &at), line_of(store));
}

/* An atomic addition stores the sum of what is there and the operand. */
static void note_atomic(struct body *b, LLVMValueRef atomic) {
  LLVMValueRef to = LLVMGetOperand(atomic, 0);
  LLVMValueRef value = LLVMGetOperand(atomic, 1);
  LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(atomic);
  if (op == LLVMAtomicRMWBinOpXchg) {
    note_store(b, atomic, to, value);
    return;
  }
  uint32_t size = (uint32_t)LLVMABISizeOfType(b->unit->layout,
                                              LLVMTypeOf(value));
  uint32_t arms[2] = {cca__value(b, atomic), cca__value(b, value)};
  uint32_t result =
      op == LLVMAtomicRMWBinOpAdd
          ? cca__node_binary(b, CCA_OP_ADD, arms[0], arms[1])
      : op == LLVMAtomicRMWBinOpSub
          ? cca__node_binary(b, CCA_OP_SUB, arms[0], arms[1])
          : cca__node_list(b, CCA_OP_MIX, arms, 2);
  cca__body_store(b, cca__place_spot(b, cca__place(b, to), size), result,
                  line_of(atomic));
}

static void note_return(struct body *b, LLVMValueRef end) {
  LLVMValueRef value =
      LLVMGetNumOperands(end) ? LLVMGetOperand(end, 0) : NULL;
  if (!value)
    return;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
  if (kind == LLVMPointerTypeKind || kind == LLVMIntegerTypeKind)
    cca_vec_push(&b->returns, ((struct return_info){cca__value(b, value),
                                                    line_of(end)}));
}

static void walk_block(struct body *b, LLVMBasicBlockRef block) {
  for (LLVMValueRef v = LLVMGetFirstInstruction(block); v;
       v = LLVMGetNextInstruction(v))
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMStore:
      note_store(b, v, LLVMGetOperand(v, 1), LLVMGetOperand(v, 0));
      break;
    case LLVMAtomicRMW:
      cca__value_compute(b, v);
      note_atomic(b, v);
      break;
    case LLVMAtomicCmpXchg:
      note_store(b, v, LLVMGetOperand(v, 0), LLVMGetOperand(v, 2));
      break;
    case LLVMRet:
      note_return(b, v);
      break;
    case LLVMBr:
    case LLVMSwitch:
    case LLVMUnreachable:
      break;
    case LLVMCall:
    case LLVMCallBr:
      cca__call_args(b, v);
      cca__initials_call(b, v);
      cca__value_compute(b, v);
      break;
    default:
      cca__value_compute(b, v);
      break;
    }
}

void cca__body_clear(struct body *b) {
  cca__nodes_clear(b);
  cca_numbers_clear(&b->node_of);
  cca_numbers_clear(&b->path_of);
  cca_numbers_clear(&b->local_of);
  b->paths.count = b->stores.count = b->returns.count = 0;
  b->calls.count = b->args.count = 0;
  b->copies.count = b->copied.count = 0;
  b->param_types = NULL;
}

static void begin(struct body *b, LLVMValueRef function) {
  cca__body_clear(b);
  b->function = function;
  uint32_t row = cca_numbers_find(&b->unit->func_rows, function);
  b->func_row = row ? row - 1 : CCA_NONE;
  b->param_types = cca__symbol_types(b->unit, function);
  uint32_t i = 0;
  for (LLVMValueRef p = LLVMGetFirstParam(function); p;
       p = LLVMGetNextParam(p))
    *cca_numbers_at(&b->node_of, p) =
        cca__node(b, CCA_OP_PARAM, i++, 0) + 1;
}

void cca__body_emit_stores(struct body *b, uint32_t func) {
  for (size_t i = 0; i < b->stores.count; i++) {
    const struct store_info *s = &b->stores.items[i];
    struct cca_store row = cca_store_init();
    row.func = func;
    row.loc = cca__spot_row(b, s->spot);
    row.value = b->node_rows.items[s->value];
    row.line = s->line;
    cca_store_add(b->unit->out, row);
  }
}

static void emit_returns(struct body *b) {
  for (size_t i = 0; i < b->returns.count; i++) {
    struct cca_return row = cca_return_init();
    row.func = b->func_row;
    row.value = b->node_rows.items[b->returns.items[i].value];
    row.line = b->returns.items[i].line;
    cca_return_add(b->unit->out, row);
  }
}

static void emit(struct body *b) {
  struct cca_builder *out = b->unit->out;
  struct cca_func row = cca_func_get(out, b->func_row);
  row.calls_first = cca_call_added(out);
  row.calls_count = (uint32_t)b->calls.count;
  row.stores_first = cca_store_added(out);
  row.returns_first = cca_return_added(out);
  row.returns_count = (uint32_t)b->returns.count;

  cca__nodes_emit(b, row.calls_first);
  cca__calls_emit(b);
  cca__body_emit_stores(b, b->func_row);
  row.stores_count = cca_store_added(out) - row.stores_first;
  emit_returns(b);
  cca_func_set(out, b->func_row, row);
}

void cca__body_extract(struct body *b, LLVMValueRef function) {
  begin(b, function);
  cca__flow_order(b);
  cca__calls_number(b);
  for (size_t i = 0; i < b->order.count; i++)
    walk_block(b, b->blocks.items[b->order.items[i]].block);
  cca__initials_split(b);
  /* From here on the graph is complete. */
  if (b->func_row != CCA_NONE) {
    cca__flow_dominators(b);
    emit(b);
  }
  cca__initials_keep(b);
}

/* A second name of a function is a function that hands everything on. */
void cca__body_alias(struct body *b, LLVMValueRef alias) {
  struct unit *u = b->unit;
  uint32_t row = cca_numbers_find(&u->func_rows, alias);
  uint32_t callee = cca_numbers_find(&u->func_rows, LLVMAliasGetAliasee(alias));
  if (!row || !callee)
    return;
  cca__body_clear(b);
  b->func_row = row - 1;
  struct cca_func func = cca_func_get(u->out, b->func_row);
  for (uint32_t i = 0; i < func.params_count; i++)
    cca_vec_push(&b->args, cca__node(b, CCA_OP_PARAM, i, 0));
  cca_vec_push(&b->calls, ((struct call_info){.target = CCA_NONE,
                                              .arg_count = func.params_count}));
  LLVMTypeKind kind = LLVMGetTypeKind(
      LLVMGetReturnType(LLVMGlobalGetValueType(alias)));
  if (kind == LLVMPointerTypeKind || kind == LLVMIntegerTypeKind)
    cca_vec_push(&b->returns,
                 ((struct return_info){cca__node(b, CCA_OP_CALL, 0, 0), 0}));

  func.calls_first = cca_call_added(u->out);
  func.calls_count = 1;
  func.returns_first = cca_return_added(u->out);
  func.returns_count = (uint32_t)b->returns.count;
  func.stores_first = cca_store_added(u->out);
  cca__nodes_emit(b, func.calls_first);
  struct cca_call call = cca_call_init();
  call.func = b->func_row;
  call.callee = callee - 1;
  call.target = call.file = call.used_as = CCA_NONE;
  call.args_first = cca_operand_added(u->out);
  call.args_count = func.params_count;
  call.flags = CCA_CALL_FLAGS_ALWAYS;
  for (uint32_t i = 0; i < func.params_count; i++)
    cca_operand_add(u->out, (struct cca_operand){
                                b->node_rows.items[b->args.items[i]]});
  cca_call_add(u->out, call);
  emit_returns(b);
  cca_func_set(u->out, b->func_row, func);
}
