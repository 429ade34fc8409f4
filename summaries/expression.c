/* SPDX-License-Identifier: MIT */
/*
 * expression.c -- nodes as C expressions.
 *
 * Nodes are a graph in which one may be reached on exponentially many ways,
 * and an operand list, a name or a record can be as long as the file.  So a
 * depth and a length bound the work: beyond them stands `...`.  Every node
 * writes something, so the length also bounds how many are visited.
 */
#include "expression.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_DEPTH = 8, MAX_LEN = 120, MAX_MEMBERS = 1000 };

struct writer {
  const struct cca_table *table;
  struct cca_text *out;
  size_t limit; /* of out->len */
};

void cca_text_add_escaped(struct cca_text *out, const char *string) {
  for (const unsigned char *p = (const void *)string; *p; p++)
    if (*p == '"' || *p == '\\')
      cca_text_addf(out, "\\%c", *p);
    else if (*p == '\n')
      cca_text_adds(out, "\\n");
    else if (*p == '\t')
      cca_text_adds(out, "\\t");
    else if (*p < 0x20 || *p >= 0x7f)
      cca_text_addf(out, "\\x%02x", *p);
    else
      cca_text_add(out, p, 1);
}

static void write_node(struct writer *w, uint32_t i, int depth, int binding);

static void write_string(struct writer *w, uint32_t string) {
  cca_text_add_escaped(w->out, cca_table_string(w->table, string));
  if (w->out->len > w->limit) {
    w->out->len = w->limit;
    cca_text_adds(w->out, "...");
  }
}

/* The name of the member of RECORD that begins at OFFSET, or 0; of a record of
 * more than MAX_MEMBERS only the first are looked at. */
static uint32_t member_at(const struct cca_table *table, uint32_t record,
                          uint32_t offset) {
  struct cca_type type = cca_type_at(table, record);
  for (uint32_t i = 0; i < type.members_count && i < MAX_MEMBERS; i++) {
    struct cca_member m = cca_member_at(table, type.members_first + i);
    if (m.offset == offset)
      return m.name;
  }
  return 0;
}

/* The place itself, not its address: `p0->next`, `table[]`, `*p0`. */
static void write_loc(struct writer *w, uint32_t i, int depth) {
  struct cca_loc loc = cca_loc_at(w->table, i);
  struct cca_node base = cca_node_at(w->table, loc.base);
  uint32_t member =
      loc.record == CCA_NONE ? 0 : member_at(w->table, loc.record, loc.field);
  /* An object of which we name the address: say `x.y`, not `(&x)->y`. */
  bool object = base.op == CCA_OP_GLOBAL || base.op == CCA_OP_LOCAL;
  bool named = *cca_table_string(w->table, member);
  if (named) {
    write_node(w, loc.base, depth, object ? 0 : 9);
    cca_text_adds(w->out, object ? "." : "->");
    write_string(w, member);
  } else if (object && loc.offset == 0) {
    write_node(w, loc.base, depth, 0);
  } else if (loc.offset == 0) {
    cca_text_adds(w->out, "*");
    write_node(w, loc.base, depth, 9);
  } else {
    cca_text_adds(w->out, object ? "*(&" : "*(");
    write_node(w, loc.base, depth, object ? 0 : 4);
    cca_text_addf(w->out, " %c %" PRIu32 ")", loc.offset < 0 ? '-' : '+',
                  loc.offset < 0 ? 0 - (uint32_t)loc.offset
                                 : (uint32_t)loc.offset);
  }
  if (loc.flags & CCA_LOC_FLAGS_ELEMENT)
    cca_text_adds(w->out, "[]");
}

static void write_binary(struct writer *w, struct cca_node node, int depth,
                         const char *sign, int binds, int binding) {
  if (binds < binding)
    cca_text_adds(w->out, "(");
  write_node(w, node.a, depth, binds);
  cca_text_addf(w->out, " %s ", sign);
  write_node(w, node.b, depth, binds + 1);
  if (binds < binding)
    cca_text_adds(w->out, ")");
}

static void write_list(struct writer *w, struct cca_node node, int depth) {
  cca_text_addf(w->out, "%s(", cca_op_name(node.op));
  for (uint32_t i = 0; i < node.b && w->out->len < w->limit; i++) {
    if (i)
      cca_text_adds(w->out, ", ");
    write_node(w, cca_operand_at(w->table, node.a + i).node, depth, 0);
  }
  cca_text_adds(w->out, ")");
}

static void write_call(struct writer *w, uint32_t i, int depth) {
  struct cca_call call = cca_call_at(w->table, i);
  if (call.callee != CCA_NONE)
    write_string(w, cca_func_at(w->table, call.callee).symbol);
  else if (call.target != CCA_NONE) /* it may lead back here, but not deeper */
    write_node(w, call.target, depth, 9);
  cca_text_adds(w->out, "(...)");
}

/* BINDING: how strongly what stands around it binds: 0 nothing, 3 &, 4 + and
 * -, 5 * and /, 9 what is written behind an expression. */
static void write_node(struct writer *w, uint32_t i, int depth, int binding) {
  if (depth == 0 || w->out->len >= w->limit) {
    cca_text_adds(w->out, "...");
    return;
  }
  depth--;
  const struct cca_table *table = w->table;
  struct cca_node node = cca_node_at(table, i);
  switch (node.op) {
  case CCA_OP_CONSTANT:
    cca_text_addf(w->out, "%" PRId64,
                  (int64_t)((uint64_t)node.b << 32 | node.a));
    return;
  case CCA_OP_SIZEOF:
    cca_text_adds(w->out, "sizeof(");
    write_string(w, cca_type_at(table, node.a).name);
    cca_text_adds(w->out, ")");
    return;
  case CCA_OP_OFFSETOF: {
    cca_text_adds(w->out, "offsetof(");
    write_string(w, cca_type_at(table, node.a).name);
    uint32_t member = member_at(table, node.a, node.b);
    if (*cca_table_string(table, member)) {
      cca_text_adds(w->out, ", ");
      write_string(w, member);
      cca_text_adds(w->out, ")");
    } else {
      cca_text_addf(w->out, ", +%" PRIu32 ")", node.b);
    }
    return;
  }
  case CCA_OP_PARAM:
    cca_text_addf(w->out, "p%" PRIu32, node.a);
    return;
  case CCA_OP_LOAD:
    write_loc(w, node.a, depth);
    return;
  case CCA_OP_ADDRESS:
    cca_text_adds(w->out, "&");
    write_loc(w, node.a, depth);
    return;
  case CCA_OP_CALL:
    write_call(w, node.a, depth);
    return;
  case CCA_OP_FUNC:
    write_string(w, cca_func_at(table, node.a).symbol);
    return;
  case CCA_OP_GLOBAL:
    write_string(w, cca_global_at(table, node.a).symbol);
    return;
  case CCA_OP_LOCAL:
    write_string(w, cca_local_at(table, node.a).name);
    return;
  case CCA_OP_ADD:
    write_binary(w, node, depth, "+", 4, binding);
    return;
  case CCA_OP_SUB:
    write_binary(w, node, depth, "-", 4, binding);
    return;
  case CCA_OP_MUL:
    write_binary(w, node, depth, "*", 5, binding);
    return;
  case CCA_OP_DIV:
    write_binary(w, node, depth, "/", 5, binding);
    return;
  case CCA_OP_AND:
    write_binary(w, node, depth, "&", 3, binding);
    return;
  case CCA_OP_EITHER:
  case CCA_OP_MIX:
    write_list(w, node, depth);
    return;
  case CCA_OP_OPAQUE:
    cca_text_addf(w->out, "?%s", cca_opaque_why_name(node.a));
    return;
  }
}

void cca_expression_write(const struct cca_table *table, uint32_t node,
                          struct cca_text *out) {
  struct writer w = {table, out, out->len + MAX_LEN};
  write_node(&w, node, MAX_DEPTH, 0);
}

void cca_expression_write_loc(const struct cca_table *table, uint32_t loc,
                              struct cca_text *out) {
  struct writer w = {table, out, out->len + MAX_LEN};
  write_loc(&w, loc, MAX_DEPTH);
}
