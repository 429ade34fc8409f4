/* SPDX-License-Identifier: MIT */
/*
 * extract-last.c -- calls that are the last that happens to a parameter.
 *
 * Input:     the calls of a body with their arguments, its blocks.
 * Output:    in call_info.last, the arguments that are a parameter of the
 *            function, after which no other call gets that parameter, where
 *            such calls together are on every way to a return, but those on
 *            which the parameter, or another pointer that is one, is null.
 *
 * What gives memory back does so last, and often by one of several functions:
 * `if (hook) hook(p); else free(p);`.  Which ways there are is known only here.
 * Searches share the budget of those for calls that always happen.
 */
#include "analysis/extract-unit.h"

enum { MAX_USES = 16, MAX_STOPS = 8 };

struct use {
  uint32_t call, arg;
};

/* Does a way lead from behind call FROM to one of the other USES, or back? */
static bool goes_on(struct body *b, uint32_t from, const struct use *uses,
                    uint32_t count, uint32_t *work) {
  const struct call_info *call = &b->calls.items[from];
  uint32_t blocks = (uint32_t)b->blocks.count, depth = 0;
  if (*work < blocks || b->blocks.items[call->block].in_loop)
    return true;
  *work -= blocks;
  for (uint32_t i = 0; i < count; i++) /* in the order of the code */
    if (b->calls.items[uses[i].call].block == call->block &&
        uses[i].call > from)
      return true;
  b->spare.count = b->spare2.count = 0;
  cca_vec_reserve(&b->spare, blocks);
  cca_vec_reserve(&b->spare2, blocks);
  for (uint32_t i = 0; i < blocks; i++)
    b->spare2.items[i] = 0; /* not seen */
  for (uint32_t i = 0; i < count; i++)
    b->spare2.items[b->calls.items[uses[i].call].block] = 2; /* a use */
  b->spare.items[depth++] = call->block;
  while (depth) {
    const struct block_info *info =
        &b->blocks.items[b->spare.items[--depth]];
    for (uint32_t k = 0; k < info->succ_count; k++) {
      uint32_t to = b->edges.items[info->succs + k];
      if (b->spare2.items[to] == 2)
        return true;
      if (!b->spare2.items[to]) {
        b->spare2.items[to] = 1;
        b->spare.items[depth++] = to;
      }
    }
  }
  return false;
}

/* The calls that get NODE, a parameter; 0 if there are too many. */
static uint32_t find_uses(const struct body *b, uint32_t node,
                          struct use *uses) {
  uint32_t count = 0;
  for (uint32_t c = 0; c < b->calls.count; c++) {
    const struct call_info *call = &b->calls.items[c];
    for (uint32_t i = 0; i < call->arg_count; i++) {
      if (b->args.items[call->args + i] != node)
        continue;
      if (count == MAX_USES)
        return 0;
      uses[count++] = (struct use){c, i};
    }
  }
  return count;
}

static void mark_last(struct body *b, uint32_t node, uint32_t *work) {
  struct use uses[MAX_USES], last[MAX_STOPS];
  uint32_t stops[MAX_STOPS], count = find_uses(b, node, uses), kept = 0;
  for (uint32_t i = 0; count > 1 && i < count && kept < MAX_STOPS; i++)
    if (!goes_on(b, uses[i].call, uses, count, work)) {
      stops[kept] = b->calls.items[uses[i].call].block;
      last[kept++] = uses[i];
    }
  if (kept < 2 || kept == MAX_STOPS ||
      !cca__flow_unless_null(b, stops, kept, node, true, work))
    return;
  for (uint32_t i = 0; i < kept; i++)
    if (last[i].arg < CCA_LAST_ARGS)
      b->calls.items[last[i].call].last |= 1u << last[i].arg;
}

void cca__calls_last(struct body *b, uint32_t *work) {
  uint64_t seen = 0;
  for (size_t c = 0; c < b->calls.count; c++)
    for (uint32_t i = 0; i < b->calls.items[c].arg_count; i++) {
      uint32_t node = b->args.items[b->calls.items[c].args + i];
      const struct node *n = &b->nodes.items[node];
      LLVMTypeRef type =
          LLVMTypeOf(LLVMGetOperand(b->calls.items[c].call, i));
      if (n->op != CCA_OP_PARAM || n->a >= 64 || seen >> n->a & 1 ||
          LLVMGetTypeKind(type) != LLVMPointerTypeKind ||
          *work < b->calls.count)
        continue;
      seen |= (uint64_t)1 << n->a;
      *work -= (uint32_t)b->calls.count;
      mark_last(b, node, work);
    }
}
