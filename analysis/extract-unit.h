/* SPDX-License-Identifier: MIT */
/*
 * extract-unit.h -- what the passes of the extraction share, and a map of
 * which file has what.  Private to analysis/extract*.c.
 *
 * One `struct unit` lives for a whole bitcode module, one `struct body` is
 * emptied for each function.  Nodes, locations and operands of a function are
 * first built in the body, eagerly, in reverse post-order; when the function
 * is done, those that a call, store or return needs become rows.
 */
#ifndef CCA_EXTRACT_UNIT_H
#define CCA_EXTRACT_UNIT_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/numbers.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "summaries/table.h"

typedef LLVMMetadataRef di; /* a node of debug information, or NULL */

/* DWARF's tags, as LLVMGetDINodeTag() returns them. */
enum di_tag {
  DI_ARRAY = 0x01,
  DI_ENUM = 0x04,
  DI_MEMBER = 0x0d,
  DI_POINTER = 0x0f,
  DI_STRUCT = 0x13,
  DI_SUBROUTINE = 0x15,
  DI_TYPEDEF = 0x16,
  DI_UNION = 0x17,
  DI_SUBRANGE = 0x21,
  DI_BASE = 0x24,
  DI_CONST = 0x26,
  DI_VOLATILE = 0x35,
  DI_RESTRICT = 0x37,
  DI_ATOMIC = 0x47,
};

/* A record that access paths name: by its debug information, or, where that
 * is not found, by LLVM's type. */
struct record {
  di type;
  LLVMTypeRef plain;
  bool is_va_list; /* the ABI's record behind va_list */
};

/* What is known of a type before it is promoted to a row. */
struct type_info {
  di type;
  const char *name;  /* C spelling, once asked for; in unit.arena */
  uint32_t row;      /* CCA_NONE: none yet */
  di outer;          /* of a record without a name: the record around it */
  const char *alias; /* of one: the typedef that names it, or its member */
  uint32_t next;     /* in the list of records with the same name, from 1 */
};

/* The variable behind an alloca, from its dbg.declare. */
struct variable {
  LLVMValueRef slot;
  di variable;
};

struct global_info {
  LLVMValueRef value;
  uint32_t row;
  di variable;
};

struct unit {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTargetDataRef layout;
  struct cca_builder *out;
  const char *folder; /* where the unit was compiled; "" if not known */
  unsigned kcfi_kind, debug_kind; /* of metadata */
  struct cca_arena arena;

  /* extract-types.c; numbers are index + 1 */
  struct cca_vec(struct type_info) types;
  struct cca_numbers type_of_di;
  struct cca_map type_rows; /* identity and spelling -> row + 1 */
  struct cca_vec(uint32_t) full; /* rows whose members are wanted, in order */
  struct cca_vec(di) row_types; /* by row */
  struct cca_numbers file_rows; /* DIFile -> row + 1 */
  struct cca_map files;         /* name -> row */
  struct cca_vec(const char *) file_names; /* by row */

  /* extract-records.c */
  struct cca_map record_names; /* "s:tag", "u:tag" -> type_info + 1 */
  struct cca_vec(uint32_t) nameless; /* type_infos of nameless records */
  struct cca_vec(struct record) records;
  struct cca_numbers record_of_di, record_of_plain; /* -> index + 1 */
  struct cca_numbers di_of_plain; /* -> type_info + 1; CCA_NONE: none */
  struct cca_numbers plain_rows;  /* -> row + 1 */

  /* extract-symbols.c */
  struct cca_numbers func_rows;   /* function or alias -> row + 1 */
  struct cca_numbers global_of;   /* global -> index + 1 */
  struct cca_vec(struct global_info) globals;
  uint32_t memory_rows[3]; /* memcpy, memmove, memset: row + 1 */

  /* extract-before.c: what only the unpromoted code tells */
  struct cca_vec(struct variable) variables;
  struct cca_numbers variable_of; /* alloca -> index + 1 */
  struct cca_numbers param_names; /* parameter -> index + 1 */
  struct cca_vec(di) uses;        /* types that results are used as */
  struct cca_numbers use_of;      /* call -> index + 1 */

  /* extract-initials.c: (row of a global, offset) that a copy has set */
  struct cca_map initials;
};

/* Memory as a function names it: see LOC in summary.def. */
struct spot {
  uint32_t base; /* node */
  int32_t offset;
  uint32_t record, field; /* index + 1 into unit.records */
  uint32_t outer, outer_field;
  uint32_t size, flags;
};

/* A spot while its path is being followed. */
struct path {
  struct spot spot;
  int64_t offset;
  di type;        /* of the object that is being looked into; or NULL */
  int64_t inside; /* bytes into it */
  bool declared;  /* type is only what the pointer was declared to point to */
};

struct node {
  uint32_t op, a, b;
};

struct call_info {
  LLVMValueRef call;
  uint32_t block;
  uint32_t target;          /* node, or CCA_NONE */
  uint32_t args, arg_count; /* in body.args */
  uint32_t last;            /* arguments, see extract-last.c */
};

/* A local that marking made to hold what a static object begins with. */
struct copy_info {
  uint32_t global; /* node */
  uint32_t local;
};

struct store_info {
  uint32_t spot, value, line;
};

struct return_info {
  uint32_t value, line;
};

struct block_info {
  LLVMBasicBlockRef block;
  uint32_t order;      /* in reverse post-order, or CCA_NONE: not reached */
  uint32_t succs, succ_count; /* in body.edges */
  uint32_t pred, pred_count;  /* the last of them, and how many */
  bool in_loop, always;
};

struct body {
  struct unit *unit;
  LLVMValueRef function; /* NULL: static initialisers */
  uint32_t func_row;     /* CCA_NONE for them */
  di param_types;        /* the list; NULL if it does not fit the IR's */

  /* extract-nodes.c */
  struct cca_vec(struct node) nodes;
  struct cca_vec(uint32_t) operands;
  struct cca_vec(struct spot) spots;
  struct cca_vec(LLVMValueRef) locals;
  struct cca_vec(uint32_t) node_index, spot_index; /* hash tables, stamped */
  struct cca_vec(uint32_t) node_rows, spot_rows, local_rows;

  /* extract-values.c, extract-places.c */
  struct cca_numbers node_of; /* value -> node + 1 */
  struct cca_numbers path_of; /* pointer -> path + 1 */
  struct cca_vec(struct path) paths;
  struct cca_numbers local_of; /* alloca -> local + 1 */
  int late, late_left; /* values asked for before their turn: see value() */

  /* extract-flow.c */
  struct cca_vec(struct block_info) blocks; /* as laid out */
  struct cca_vec(uint32_t) edges;
  struct cca_vec(uint32_t) order; /* blocks, in reverse post-order */
  struct cca_vec(uint32_t) spare, spare2;
  struct cca_numbers block_of; /* -> block + 1 */

  /* extract-body.c, extract-calls.c */
  struct cca_numbers call_of; /* -> call + 1 */
  struct cca_vec(struct call_info) calls;
  struct cca_vec(uint32_t) args;
  struct cca_vec(struct store_info) stores;
  struct cca_vec(struct return_info) returns;
  struct cca_vec(struct copy_info) copies; /* extract-initials.c */
  struct cca_vec(struct store_info) copied; /* stores into these */
};

/* extract-debug.c: debug information, read through the C API */
LLVMValueRef cca__di_operand(struct unit *u, di node, unsigned i);
di cca__di_child(struct unit *u, di node, unsigned i);
unsigned cca__di_count(struct unit *u, di node);
enum di_tag cca__di_tag(di node); /* 0 if it is no node with a tag */
const char *cca__di_name(struct unit *u, di node); /* "" if it has none */
di cca__di_base(struct unit *u, di type); /* of derived types and arrays */
di cca__di_strip(struct unit *u, di type);    /* typedefs, qualifiers */
bool cca__di_is_record(di type);
bool cca__di_is_bytes(struct unit *u, di type);
int64_t cca__di_size(struct unit *u, di type); /* bytes; 0 if unknown */
int64_t cca__di_elements(struct unit *u, di array); /* -1 if unknown */
/* The member of RECORD that covers byte AT: NULL if there is none. */
di cca__di_member_at(struct unit *u, di record, int64_t at);
di cca__di_variable_type(struct unit *u, di variable);

/* extract-types.c */
struct type_info *cca__type_info(struct unit *u, di type);
uint32_t cca__type_row(struct unit *u, di type);  /* without members */
uint32_t cca__type_used(struct unit *u, di type); /* with members */
uint32_t cca__type_plain(struct unit *u, LLVMTypeRef record);
void cca__types_finish(struct unit *u); /* fills in the members */
uint32_t cca__file_row(struct unit *u, di file);
uint32_t cca__file_row_of(struct unit *u, LLVMValueRef instruction);

/* extract-names.c */
const char *cca__type_name(struct unit *u, di type);
uint64_t cca__type_identity(struct unit *u, di type);

/* extract-records.c */
void cca__records_index(struct unit *u);
uint32_t cca__record_of(struct unit *u, di type);
uint32_t cca__record_of_plain(struct unit *u, LLVMTypeRef type);
uint32_t cca__record_row(struct unit *u, uint32_t record);
di cca__record_find(struct unit *u, LLVMTypeRef type);
bool cca__record_fits(struct unit *u, di record, LLVMTypeRef type);

/* extract-symbols.c */
void cca__symbols_find(struct unit *u);
void cca__symbols_add(struct unit *u);
int cca__symbol_memory(LLVMValueRef function);
/* Result and parameters as declared, or NULL if the IR has other ones. */
di cca__symbol_types(struct unit *u, LLVMValueRef function);
enum mark_kind { MARK_NONE, MARK_SIZEOF, MARK_OFFSETOF };
enum mark_kind cca__mark_of(struct unit *u, LLVMValueRef global, di *type,
                            uint32_t *offset);
bool cca__symbol_is_ours(LLVMValueRef value);
bool cca__symbol_is_string(LLVMValueRef global);
bool cca__symbol_is_template(LLVMValueRef global);
uint64_t cca__symbol_signature(struct unit *u, LLVMValueRef function);
const char *cca__symbol_shape(struct unit *u, LLVMTypeRef function_type);

/* extract-before.c */
void cca__before_variables(struct unit *u);
void cca__before_uses(struct unit *u);

/* extract-flow.c */
void cca__flow_order(struct body *b);
void cca__flow_dominators(struct body *b);
/* Is POINTER null whenever control goes from block FROM to block TO, which a
 * test nearby says? */
bool cca__flow_is_null(struct body *b, LLVMValueRef pointer, uint32_t from,
                       uint32_t to);
/* The parameter of whose bytes PHI counts those before the first that is 0, in a
 * loop that ends in no other way; or NULL. */
LLVMValueRef cca__flow_measured(struct body *b, LLVMValueRef phi);
/* Does every way to a return go through one of the blocks STOPS, but where
 * POINTER, a node, is null; or, if GIVEN, where it says that it is somebody
 * else's, or another pointer that the function is given is null?  False, too,
 * when *WORK, visits left, is used up. */
bool cca__flow_unless_null(struct body *b, const uint32_t *stops,
                           uint32_t stop_count, uint32_t pointer, bool given,
                           uint32_t *work);

/* extract-nodes.c */
uint32_t cca__node(struct body *b, enum cca_op op, uint32_t x, uint32_t y);
uint32_t cca__node_constant(struct body *b, int64_t value);
bool cca__node_is_constant(const struct body *b, uint32_t node,
                           int64_t *value);
uint32_t cca__node_opaque(struct body *b, enum cca_opaque_why why);
uint32_t cca__node_binary(struct body *b, enum cca_op op, uint32_t x,
                          uint32_t y);
/* either or mix of the COUNT nodes at NODES; duplicates are dropped. */
uint32_t cca__node_list(struct body *b, enum cca_op op, const uint32_t *nodes,
                        size_t count);
uint32_t cca__spot(struct body *b, struct spot spot);
void cca__nodes_emit(struct body *b, uint32_t first_call);
uint32_t cca__spot_row(struct body *b, uint32_t spot); /* once emitted */
void cca__nodes_clear(struct body *b);
void cca__body_release(struct body *b);

/* extract-values.c */
uint32_t cca__value(struct body *b, LLVMValueRef value);
uint32_t cca__value_compute(struct body *b, LLVMValueRef instruction);

/* extract-places.c */
struct path cca__place(struct body *b, LLVMValueRef pointer);
uint32_t cca__place_value(struct body *b, LLVMValueRef gep);
uint32_t cca__place_spot(struct body *b, struct path path, uint32_t size);

void cca__place_move(struct unit *u, struct path *path, int64_t bytes);

/* extract-calls.c */
void cca__calls_number(struct body *b);
void cca__call_args(struct body *b, LLVMValueRef call);
void cca__calls_emit(struct body *b);

/* extract-last.c */
/* Fills in call_info.last; *WORK is what is left to visit. */
void cca__calls_last(struct body *b, uint32_t *work);

/* extract-body.c */
void cca__body_extract(struct body *b, LLVMValueRef function);
void cca__body_alias(struct body *b, LLVMValueRef alias);
void cca__body_clear(struct body *b);
void cca__body_store(struct body *b, uint32_t spot, uint32_t value,
                     uint32_t line);
void cca__body_emit_stores(struct body *b, uint32_t func);

/* extract-initials.c */
void cca__initials_call(struct body *b, LLVMValueRef call);
/* What a load from a template finds there, or NULL. */
LLVMValueRef cca__initial_loaded(struct unit *u, LLVMValueRef load);
bool cca__initials_is_template(struct unit *u, LLVMValueRef pointer);
bool cca__initials_is_copy(struct unit *u, LLVMValueRef pointer);
void cca__initials_split(struct body *b);
void cca__initials_keep(struct body *b);
void cca__initials_extract(struct body *b);

#endif
