/* SPDX-License-Identifier: MIT */
/*
 * extract-flow.c -- order of the blocks, loops, and calls that always happen.
 *
 * Blocks are numbered in reverse post-order, so that a value's definition
 * comes before its uses, but for those round a loop.  A block lies in a loop
 * if it is in a strongly connected component (Tarjan).
 *
 * A call always happens if every path from the entry to a return goes through
 * its block, that is, if the block dominates the exit that all returns lead
 * to (Cooper, Harvey and Kennedy's dominators: a few linear passes).  A call
 * that is skipped only where its pointer is null counts too (`if (p) free(p)`),
 * or where the pointer's own value says so, since what lies there is somebody
 * else's (`if (p != buffer) free(p)`): from behind, each block is asked whether
 * a return can be reached without the call; edges on which the pointer is null
 * do not count, and where a branch asks where the pointer points to, one edge
 * that leads to the call is enough.  Whether another pointer that the function
 * is given is there (`if (pool) pool->release(p)`) is no question either, if
 * whoever asks says so: nobody is meant to come without.  Each round of that is
 * linear, so all of a function's share a budget.
 *
 * A loop that does nothing but ask whether byte N of a string is 0, and count
 * N, measures it (strlen() by hand).
 */
#include "analysis/extract-unit.h"

enum { MAX_BACK = 8 };  /* blocks, to look for a test */
enum { MAX_STEPS = 6 }; /* instructions, from an address to what is compared */

/* From a block to a return: none is known, none goes on, or some way is. */
enum { WAY_NONE, WAY_STOPS, WAY_OUT };

static uint32_t block_number(struct body *b, LLVMBasicBlockRef block) {
  return cca_numbers_find(&b->block_of, block) - 1;
}

static void list_blocks(struct body *b) {
  b->blocks.count = b->edges.count = b->order.count = 0;
  cca_numbers_clear(&b->block_of);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(b->function); block;
       block = LLVMGetNextBasicBlock(block)) {
    cca_vec_push(&b->blocks,
                 ((struct block_info){.block = block, .order = CCA_NONE}));
    *cca_numbers_at(&b->block_of, block) = (uint32_t)b->blocks.count;
  }
  for (size_t i = 0; i < b->blocks.count; i++) {
    struct block_info *info = &b->blocks.items[i];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(info->block);
    info->succs = (uint32_t)b->edges.count;
    info->succ_count = end ? LLVMGetNumSuccessors(end) : 0;
    for (unsigned k = 0; k < info->succ_count; k++) {
      uint32_t to = block_number(b, LLVMGetSuccessor(end, k));
      cca_vec_push(&b->edges, to);
      b->blocks.items[to].pred = (uint32_t)i;
      b->blocks.items[to].pred_count++;
    }
  }
}

/* One depth-first walk: reverse post-order and Tarjan's components. */
static void walk(struct body *b) {
  uint32_t count = (uint32_t)b->blocks.count;
  struct frame {
    uint32_t block, next, low;
  } *stack = cca_malloc((count + 1) * sizeof *stack);
  uint32_t *index = cca_calloc(count + 1, sizeof *index);
  uint32_t *open = cca_malloc((count + 1) * sizeof *open);
  bool *is_open = cca_calloc(count + 1, sizeof *is_open);
  uint32_t depth = 0, opened = 0, visited = 0;

  stack[depth++] = (struct frame){0, 0, index[0] = ++visited};
  open[opened++] = 0;
  is_open[0] = true;
  while (depth) {
    struct frame *top = &stack[depth - 1];
    struct block_info *info = &b->blocks.items[top->block];
    if (top->next < info->succ_count) {
      uint32_t to = b->edges.items[info->succs + top->next++];
      if (to == top->block)
        info->in_loop = true;
      if (!index[to]) {
        stack[depth++] = (struct frame){to, 0, index[to] = ++visited};
        open[opened++] = to;
        is_open[to] = true;
      } else if (is_open[to] && index[to] < top->low) {
        top->low = index[to];
      }
      continue;
    }
    cca_vec_push(&b->order, top->block); /* post-order, turned round below */
    if (top->low == index[top->block]) {
      bool many = open[opened - 1] != top->block;
      uint32_t member;
      do {
        member = open[--opened];
        is_open[member] = false;
        if (many)
          b->blocks.items[member].in_loop = true;
      } while (member != top->block);
    }
    uint32_t low = top->low;
    if (--depth && low < stack[depth - 1].low)
      stack[depth - 1].low = low;
  }
  free(stack);
  free(index);
  free(open);
  free(is_open);

  for (size_t i = 0, k = b->order.count; i + 1 < k--; i++) {
    uint32_t swap = b->order.items[i];
    b->order.items[i] = b->order.items[k];
    b->order.items[k] = swap;
  }
  for (uint32_t i = 0; i < b->order.count; i++)
    b->blocks.items[b->order.items[i]].order = i;
}

void cca__flow_order(struct body *b) {
  list_blocks(b);
  walk(b);
}

static bool is_return(const struct body *b, uint32_t block) {
  LLVMValueRef end = LLVMGetBasicBlockTerminator(b->blocks.items[block].block);
  return end && LLVMGetInstructionOpcode(end) == LLVMRet;
}

static uint32_t meet(const uint32_t *idom, uint32_t x, uint32_t y) {
  while (x != y) {
    while (x > y)
      x = idom[x];
    while (y > x)
      y = idom[y];
  }
  return x;
}

/*
 * Marks in block_info.always the blocks that dominate the exit.  Dominators
 * are numbered by order; the exit is one more block behind all others.
 */
void cca__flow_dominators(struct body *b) {
  uint32_t count = (uint32_t)b->order.count;
  uint32_t *idom = cca_malloc((count + 1) * sizeof *idom);
  for (uint32_t i = 0; i <= count; i++)
    idom[i] = CCA_NONE;
  idom[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    uint32_t exit = CCA_NONE;
    for (uint32_t i = 0; i < count; i++) {
      const struct block_info *info = &b->blocks.items[b->order.items[i]];
      if (idom[i] == CCA_NONE)
        continue;
      for (uint32_t k = 0; k < info->succ_count; k++) {
        uint32_t to = b->blocks.items[b->edges.items[info->succs + k]].order;
        uint32_t now = idom[to] == CCA_NONE ? i : meet(idom, idom[to], i);
        if (to && now != idom[to]) {
          idom[to] = now;
          changed = true;
        }
      }
      if (is_return(b, b->order.items[i]))
        exit = exit == CCA_NONE ? i : meet(idom, exit, i);
    }
    idom[count] = exit;
  }
  if (idom[count] != CCA_NONE)
    for (uint32_t i = idom[count];; i = idom[i]) {
      b->blocks.items[b->order.items[i]].always = true;
      if (i == 0)
        break;
    }
  free(idom);
}

/* The comparison that BLOCK's branch depends on, or NULL. */
static LLVMValueRef comparison(const struct body *b, uint32_t block) {
  LLVMValueRef end = LLVMGetBasicBlockTerminator(b->blocks.items[block].block);
  if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end))
    return NULL;
  return LLVMIsAICmpInst(LLVMGetCondition(end));
}

/* What BLOCK's branch compares with null, and on which edge it is null; or
 * NULL. */
static LLVMValueRef null_test(const struct body *b, uint32_t block,
                              uint32_t *edge) {
  LLVMValueRef test = comparison(b, block);
  if (!test)
    return NULL;
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
  LLVMValueRef with = LLVMGetOperand(test, 1);
  if ((predicate != LLVMIntEQ && predicate != LLVMIntNE) ||
      !LLVMIsConstant(with) || !LLVMIsNull(with))
    return NULL;
  *edge = predicate == LLVMIntEQ ? 0 : 1;
  return LLVMGetOperand(test, 0);
}

bool cca__flow_is_null(struct body *b, LLVMValueRef pointer, uint32_t from,
                       uint32_t to) {
  for (int step = 0; step < MAX_BACK; step++) {
    const struct block_info *info = &b->blocks.items[from];
    uint32_t edge;
    if (null_test(b, from, &edge) == pointer) {
      const uint32_t *succs = b->edges.items + info->succs;
      return succs[edge] == to && succs[!edge] != to;
    }
    if (info->pred_count != 1)
      return false;
    to = from;
    from = info->pred;
  }
  return false;
}

/* Is V a pointer that the function is given? */
static bool is_given(LLVMValueRef v) {
  return LLVMIsAArgument(v) &&
         LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

static bool is_byte(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
         LLVMGetIntTypeWidth(type) == 8;
}

static LLVMValueRef without_extension(LLVMValueRef v) {
  return LLVMIsASExtInst(v) || LLVMIsAZExtInst(v) ? LLVMGetOperand(v, 0) : v;
}

/* Does PHI begin with 0, and come round as one more? */
static bool counts(LLVMValueRef phi) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef from = LLVMGetIncomingValue(phi, i);
    if (LLVMIsConstant(from) && LLVMIsNull(from))
      continue;
    if (!LLVMIsAInstruction(from) ||
        LLVMGetInstructionOpcode(from) != LLVMAdd ||
        LLVMGetOperand(from, 0) != phi ||
        !LLVMIsAConstantInt(LLVMGetOperand(from, 1)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(from, 1)) != 1)
      return false;
  }
  return true;
}

/* The parameter of which V is the byte number INDEX; or NULL. */
static LLVMValueRef byte_of(LLVMValueRef v, LLVMValueRef index) {
  LLVMValueRef load = LLVMIsALoadInst(without_extension(v));
  LLVMValueRef place =
      load ? LLVMIsAGetElementPtrInst(LLVMGetOperand(load, 0)) : NULL;
  return place && is_byte(LLVMTypeOf(load)) &&
                 is_byte(LLVMGetGEPSourceElementType(place)) &&
                 LLVMGetNumOperands(place) == 2 &&
                 without_extension(LLVMGetOperand(place, 1)) == index &&
                 is_given(LLVMGetOperand(place, 0))
             ? LLVMGetOperand(place, 0)
             : NULL;
}

LLVMValueRef cca__flow_measured(struct body *b, LLVMValueRef phi) {
  uint32_t head = block_number(b, LLVMGetInstructionParent(phi)), edge;
  LLVMValueRef tested = null_test(b, head, &edge);
  LLVMValueRef string = tested ? byte_of(tested, phi) : NULL;
  if (!string || !counts(phi))
    return NULL;
  uint32_t at = b->edges.items[b->blocks.items[head].succs + !edge];
  for (int step = 0; step < MAX_BACK && at != head; step++) {
    if (b->blocks.items[at].succ_count != 1)
      return NULL; /* another way out */
    at = b->edges.items[b->blocks.items[at].succs];
  }
  return at == head ? string : NULL;
}

/* The edge of BLOCK's branch on which POINTER, a node, or if GIVEN any that the
 * function is given, is null; or CCA_NONE. */
static uint32_t null_edge(struct body *b, uint32_t block, uint32_t pointer,
                          bool given) {
  uint32_t edge;
  LLVMValueRef tested = null_test(b, block, &edge);
  return tested && (cca__value(b, tested) == pointer ||
                    (given && is_given(tested)))
             ? edge
             : CCA_NONE;
}

/* Is POINTER, a node, what V is computed from? */
static bool is_address(struct body *b, LLVMValueRef v, uint32_t pointer) {
  for (int step = 0; step < MAX_STEPS && !LLVMIsConstant(v); step++) {
    if (cca__value(b, v) == pointer)
      return true;
    if (!LLVMIsAInstruction(v))
      return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMAnd:
    case LLVMPtrToInt:
    case LLVMTrunc:
    case LLVMGetElementPtr:
      v = LLVMGetOperand(v, 0);
      break;
    default:
      return false;
    }
  }
  return false;
}

/* Does BLOCK's branch ask where POINTER, a node, points to: into a buffer of
 * the caller's, at a certain object? */
static bool asks_where(struct body *b, uint32_t block, uint32_t pointer) {
  LLVMValueRef test = comparison(b, block);
  return test && (is_address(b, LLVMGetOperand(test, 0), pointer) ||
                  is_address(b, LLVMGetOperand(test, 1), pointer));
}

/* Does a way lead from BLOCK to a return, as far as is known of those that come
 * behind it? */
static bool escapes(struct body *b, uint32_t block, uint32_t pointer,
                    bool given, const uint32_t *ways, bool *tested) {
  const struct block_info *info = &b->blocks.items[block];
  uint32_t skip = null_edge(b, block, pointer, given), out = 0, edges = 0;
  for (uint32_t k = 0; k < info->succ_count; k++)
    if (k != skip) {
      out += ways[b->edges.items[info->succs + k]] == WAY_OUT;
      edges++;
    }
  bool asks = given && skip == CCA_NONE && asks_where(b, block, pointer);
  *tested |= skip != CCA_NONE || asks;
  return is_return(b, block) || (asks ? out == edges : out != 0);
}

bool cca__flow_unless_null(struct body *b, const uint32_t *stops,
                           uint32_t stop_count, uint32_t pointer, bool given,
                           uint32_t *work) {
  uint32_t count = (uint32_t)b->blocks.count, *ways;
  bool tested = stop_count > 1;
  b->spare2.count = 0;
  cca_vec_reserve(&b->spare2, count);
  ways = b->spare2.items;
  for (uint32_t i = 0; i < count; i++)
    ways[i] = WAY_NONE;
  for (uint32_t i = 0; i < stop_count; i++)
    ways[stops[i]] = WAY_STOPS;
  for (bool changed = true; changed;) {
    if (*work < count)
      return false;
    *work -= count;
    changed = false;
    for (size_t i = b->order.count; i-- > 0;) {
      uint32_t at = b->order.items[i];
      if (ways[at] == WAY_NONE &&
          escapes(b, at, pointer, given, ways, &tested)) {
        ways[at] = WAY_OUT;
        changed = true;
      }
    }
  }
  return tested && ways[0] != WAY_OUT;
}
