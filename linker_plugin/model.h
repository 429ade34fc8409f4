/* SPDX-License-Identifier: MIT */
/*
 * model.h -- the whole program, as the passes of the solver share it.
 *
 * Units keep their rows where they are, in the summaries; the model numbers
 * what crosses units (functions, variables, types, locations, calls) and says
 * which row of which unit each is.  Passes run in the order of this header,
 * each filling its part; after its pass a part never changes.
 *
 * Ownership: everything lives in model.arena, or in the vectors here, until
 * cca__model_release().
 */
#ifndef CCA_MODEL_H
#define CCA_MODEL_H

#include "base/map.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "domain.h"
#include "solver.h"
#include "summaries/table.h"

/* ---- primitives.c: what the data file says of libc's functions ---- */

struct cca_primitive {
  const char *name;
  bool allocates, zeroed;
  bool imported;   /* another module says so, of its own function */
  uint8_t kind;    /* enum cca_kind, if it allocates */
  uint8_t size[2]; /* parameters whose product is the size, or CCA_NO_ROOT */
  uint8_t out;     /* stores the block through this parameter */
  uint8_t block;   /* resizes this parameter's block */
  uint8_t frees;   /* frees this parameter */
  uint8_t returns; /* returns this parameter */
  uint8_t inside;  /* returns a place in what this parameter points to, or null */
  uint8_t writes;  /* fills the memory at this parameter */
  uint8_t copies;  /* … with what is at this parameter */
  uint8_t fills;   /* … or with this value */
  uint8_t length;  /* returns the length of what is at this parameter */
  uint8_t file;    /* allocates only where this descriptor is -1 */
};

struct cca_primitives {
  struct cca_vec(struct cca_primitive) list;
  struct cca_map by_name; /* to index in list + 1 */
};

/* Parse TEXT (docs/primitives.md).  Returns 0, or negative with *ERR filled:
 * offset is the line. */
int cca__primitives_parse(struct cca_primitives *primitives,
                          struct cca_arena *arena, const char *text, size_t len,
                          struct cca_table_error *err);

/* Does P fill the memory at parameter I with what it makes, or reads? */
static inline bool cca__reads(const struct cca_primitive *p, uint32_t i) {
  return p->writes == i && !p->zeroed && p->fills == CCA_NO_ROOT &&
         p->copies == CCA_NO_ROOT;
}

/* ---- join.c: one numbering for all units ---- */

struct cca_function {
  const char *symbol;
  uint32_t unit, row; /* its definition, else the first unit that uses it */
  const struct cca_primitive *primitive; /* only if it is not defined here */
  uint32_t first_slot, param_count;      /* slots of its parameters */
  uint32_t first_call, call_count;       /* of its definition */
  uint64_t carriers; /* parameters that may point to a function */
  uint64_t generic;  /* parameters that may point to anything */
  uint8_t linkage;   /* enum cca_linkage */
  bool defined, address_taken, variadic, hidden;
  char result; /* first letter of its shape */
};

struct cca_variable {
  const char *symbol;
  uint32_t unit, row;
  bool defined;
};

/* A place in memory that stands for all like it: member `offset` of every
 * record of a type, or offset bytes into one variable. */
struct cca_location {
  uint32_t type;     /* record, or CCA_NONE */
  uint32_t variable; /* CCA_NONE if type is not */
  uint32_t offset;   /* CCA_ANY_ELEMENT: all elements of an array */
  uint32_t through;  /* the one variable through which calls load from it;
                        CCA_NONE: none yet; CCA_MANY: several, or pointers */
};
#define CCA_ANY_ELEMENT 0xfffffffeu
#define CCA_MANY 0xfffffffeu

struct cca_input {
  const struct cca_table *table; /* NULL: no summary */
  const char *name;              /* source file, or the object if missing */
  uint32_t *functions, *variables, *types, *locations; /* row to number;
                             locations: CCA_NONE where it is none */
  uint32_t first_call;  /* number of its first call */
  uint32_t first_local; /* number of its first local object */
};

struct cca_type_place {
  uint32_t unit, row;
};

struct cca_model {
  const struct cca_solver_request *request;
  struct cca_arena arena;
  struct cca_primitives primitives;

  struct cca_input *units;
  size_t unit_count;
  struct cca_vec(struct cca_function) functions;
  struct cca_vec(struct cca_variable) variables;
  struct cca_vec(struct cca_type_place) types;
  struct cca_vec(struct cca_location) locations; /* 0 is never used */
  uint32_t call_count, local_count, param_slots;
  uint32_t *unit_of_calls; /* where to look for a call, see join.c */

  /* ---- resolve.c ---- */
  uint32_t *targets_first; /* [call_count + 1] into targets */
  uint32_t *targets;       /* functions, ascending */
  uint8_t *target_rule;    /* [call_count], enum cca_rule */
  uint32_t *callers_first; /* [functions + 1] into callers */
  uint32_t *callers;       /* calls */
  uint32_t *stores_first;  /* [locations + 1] into stores */
  struct cca_store_place {
    uint32_t unit, row;
  } * stores;
  uint32_t *pointees_first; /* [locations + 1] into pointees */
  uint32_t *pointees;       /* functions stored there */

  /* ---- compose.c ---- */
  struct cca_behaviour *behaviours; /* [functions] */
  uint8_t *traits;                  /* [functions], enum cca_trait */

  /* ---- agree.c ---- */
  uint8_t *agreed; /* [functions]: the parameter that is the size of what it
                      returns, or CCA_NO_ROOT; NULL: nobody was asked yet */
  uint8_t *given_back; /* …: the parameter that it gives back to such memory */

  /* ---- flow.c ---- */
  struct cca_flow *flow;

  /* ---- classify.c ---- */
  struct cca_verdict *verdicts; /* [functions] */
  struct cca_verdict *pointers; /* [locations]: of the functions stored there */
};

enum cca_rule {
  CCA_RULE_NONE, /* no target known */
  CCA_RULE_DIRECT,
  CCA_RULE_STORED,    /* all that is stored where it was loaded from */
  CCA_RULE_SIGNATURE, /* every address-taken function of the C type */
  CCA_RULE_SHAPE,     /* … of the generalised type */
};

void cca__join(struct cca_model *model);
void cca__model_release(struct cca_model *model);

/* For how many threads are COUNT functions or units enough? */
size_t cca__threads(const struct cca_model *model, size_t count);

struct cca_call_place {
  uint32_t unit, row;
};
struct cca_call_place cca__call_place(const struct cca_model *model,
                                      uint32_t call);
struct cca_call cca__call(const struct cca_model *model, uint32_t call);
struct cca_type cca__type(const struct cca_model *model, uint32_t type);
static inline bool cca__is_record(struct cca_type type) {
  return type.kind == CCA_TYPE_KIND_STRUCT || type.kind == CCA_TYPE_KIND_UNION;
}
/* C spelling without `struct`/`union`/`enum` if PLAIN. */
const char *cca__type_name(const struct cca_model *model, uint32_t type,
                           bool plain);
int64_t cca__type_bytes(uint32_t type, void *model);
/* `record.field`, `variable`, `variable.field`; into ARENA. */
const char *cca__location_name(const struct cca_model *model, uint32_t location,
                               struct cca_arena *arena);

/* ---- resolve.c: which functions can each call reach? ---- */
void cca__resolve(struct cca_model *model);
/* Is CALL, number NUMBER, of the unit with TABLE by a pointer in memory to what
 * nobody put there? */
bool cca__calls_hook(const struct cca_model *model,
                     const struct cca_table *table, const struct cca_call *call,
                     uint32_t number);

/* ---- eval.c: values inside one function ---- */

enum cca_origin_kind {
  CCA_ORIGIN_NULL,
  CCA_ORIGIN_PARAM,  /* index: parameter */
  CCA_ORIGIN_LOADED, /* index: location; root: parameter it is reached by */
  CCA_ORIGIN_FRESH,  /* block */
  CCA_ORIGIN_STATIC, /* address of a variable, function, string, local */
  CCA_ORIGIN_UNKNOWN,
  CCA_ORIGIN_HOOK, /* what a pointer's target returns that nobody sets here */
};

enum cca_block_flags {
  CCA_BLOCK_ZEROED = 1 << 0,
  CCA_BLOCK_RESIZED =
      1 << 1,                /* of the block that parameter `param` points to */
  CCA_BLOCK_GROWN = 1 << 2,  /* of a block that was loaded from memory */
  CCA_BLOCK_COPIED = 1 << 3, /* filled from what `source` points to */
  CCA_BLOCK_CONTENT = 1 << 4, /* filled otherwise */
  CCA_BLOCK_BUILT = 1 << 5,   /* members at fixed offsets are set */
  CCA_BLOCK_CARVED = 1 << 6,  /* cut from memory held before */
  CCA_BLOCK_ALIGNED = 1 << 7, /* by a primitive that takes an alignment */
  CCA_BLOCK_DUP = 1 << 8,     /* by a primitive that copies a string */
  CCA_BLOCK_KEPT = 1 << 9,    /* also stored in memory of the program */
  CCA_BLOCK_ALWAYS = 1 << 10, /* the allocating call is on every path */
  CCA_BLOCK_AGREED = 1 << 11, /* by what callers say, see agree.c */
  CCA_BLOCK_PASSING = 1 << 12, /* where it is kept, other things are as well */
  CCA_BLOCK_SHARED = 1 << 13,  /* kept here or by what has handled it */
  CCA_BLOCK_READ = 1 << 14,    /* filled from its begin, by a primitive */
  CCA_BLOCK_PLACED = 1 << 15,  /* put into the array that it is found in */
};

/* Memory that the caller could not reach before. */
struct cca_block {
  const struct cca_size *size; /* in terms of the function at hand */
  uint16_t flags;
  uint8_t param, source; /* see flags; CCA_NO_ROOT: none or unknown */
  uint32_t call;         /* the call that made it, or CCA_NONE */
  uint32_t callee;       /* the function called there, or CCA_NONE */
  uint32_t line;         /* of the carving store, if CARVED here */
  uint32_t kept;         /* location where it is stored, if KEPT */
};

struct cca_origin {
  uint8_t kind, root;
  bool taken; /* LOADED: it is no longer there, or was not before; finds.c */
  uint32_t index;
  const struct cca_size *offset;
  const struct cca_block *block; /* FRESH only */
  uint32_t loc;  /* LOADED in the function at hand: its row of LOC */
  uint32_t call; /* LOADED by a callee: the call */
};

enum { CCA_ORIGINS = 12, CCA_OUTS = 4 };

struct cca_origins {
  uint32_t count;
  struct cca_origin items[CCA_ORIGINS];
};

/* The fresh block among ORIGINS (NULL: none) that CALL made, or NULL. */
static inline const struct cca_origin *
cca__fresh_by(const struct cca_origins *origins, uint32_t call) {
  for (uint32_t i = 0; origins && i < origins->count; i++)
    if (origins->items[i].kind == CCA_ORIGIN_FRESH &&
        origins->items[i].block->call == call)
      return &origins->items[i];
  return NULL;
}

/* Is there a fresh block among ORIGINS (NULL: none)? */
static inline bool cca__any_fresh(const struct cca_origins *origins) {
  for (uint32_t i = 0; origins && i < origins->count; i++)
    if (origins->items[i].kind == CCA_ORIGIN_FRESH)
      return true;
  return false;
}

/* Is there nothing else among ORIGINS? */
static inline bool cca__all_fresh(const struct cca_origins *origins) {
  for (uint32_t i = 0; i < origins->count; i++)
    if (origins->items[i].kind != CCA_ORIGIN_FRESH)
      return false;
  return origins->count != 0;
}

/* A fresh block that is stored in *param. */
struct cca_out {
  uint8_t param;
  struct cca_origin origin;
};

struct cca_behaviour {
  const struct cca_origins *returned; /* if it returns a pointer; else NULL */
  const struct cca_size *number;      /* if it returns an integer; else NULL */
  const struct cca_primitive *primitive; /* as in its cca_function */
  uint64_t frees;    /* parameters it frees on (nearly) every path */
  uint64_t may_free; /* … on some path */
  uint64_t writes;   /* parameters whose memory it fills */
  uint64_t reads;    /* … from its begin, by a primitive: a file, say */
  uint64_t builds;   /* … in which it sets members */
  uint64_t deep;     /* … where pointers lie to memory that it may fill */
  uint64_t uses;     /* parameters it passes on, or what their members lead to */
  uint64_t links;    /* … it puts at the head of a list */
  uint64_t keeps;    /* … it puts anywhere */
  uint64_t takes;    /* … it unlinks: what they lead to it puts elsewhere */
  uint64_t resizes;  /* … whose block it returns in another size */
  struct cca_out *outs; /* out_count of them */
  uint32_t out_count;
};

/* What every call asks of its callees, in one byte, since there are millions
 * of calls and a behaviour is a cache miss. */
enum cca_trait {
  CCA_TRAIT_HANDS_OUT = 1, /* fresh memory for its caller, by whatever way */
  CCA_TRAIT_TOUCHES = 2,   /* fills, frees or resizes what a parameter is */
  CCA_TRAIT_IMPORTED = 4,  /* defined nowhere here, and no primitive */
};

/* Results are borrowed until the next cca__eval_enter(). */
struct cca_eval;
struct cca_eval *cca__eval_new(struct cca_model *model);
void cca__eval_free(struct cca_eval *eval);
void cca__eval_enter(struct cca_eval *eval, uint32_t function);
/* A body that may not be the function's chosen definition. */
void cca__eval_enter_body(struct cca_eval *eval, uint32_t unit, uint32_t row);
const struct cca_size *cca__eval_size(struct cca_eval *eval, uint32_t node);
const struct cca_origins *cca__eval_origins(struct cca_eval *eval,
                                            uint32_t node);
/* Add to ORIGINS, which NODE has, what the function makes and puts into an array
 * of which NODE is an element: a summary does not say which one that is. */
void cca__eval_add_elements(struct cca_eval *eval, uint32_t node,
                            struct cca_origins *origins);
/* SIZE, over the parameters of a callee, at CALL, over those of the caller. */
const struct cca_size *cca__eval_at_call(struct cca_eval *eval, uint32_t call,
                                         const struct cca_size *size);
struct cca_arena *cca__eval_arena(struct cca_eval *eval);
/* Does CALL of P map a file, or what may be one, so that nothing is new? */
bool cca__eval_maps_file(struct cca_eval *eval, const struct cca_call *call,
                         const struct cca_primitive *p);
/* Static initialisers belong to no function: the unit to evaluate in. */
void cca__eval_enter_unit(struct cca_eval *eval, uint32_t unit);
/* The parameter that NODE points into: CCA_NO_ROOT if it is none.  Reached
 * through loads as well, unless DIRECT. */
uint8_t cca__eval_root(const struct cca_eval *eval, uint32_t node, bool direct);
/* The same, if all values that NODE may have point into one parameter; null,
 * and what a loop moves on, count for nothing. */
uint8_t cca__eval_source(const struct cca_eval *eval, uint32_t node,
                         bool direct);

/* Do two rows of LOC surely name the same memory? */
bool cca__eval_same_place(const struct cca_eval *eval, uint32_t a, uint32_t b);

/* A function body, as compose.c and carve.c look at it. */
struct cca_body {
  struct cca_model *model;
  struct cca_eval *eval; /* has entered it */
  const struct cca_input *unit;
  struct cca_func row;
  uint32_t function;
};

/* May a value of this kind come from a sizeof in the function at hand? */
static inline bool cca__is_computed(enum cca_op op) {
  return op == CCA_OP_SIZEOF || op == CCA_OP_OFFSETOF ||
         (op >= CCA_OP_ADD && op <= CCA_OP_MIX);
}

/* Parameter I in a mask; those past 63 are in none. */
static inline uint64_t cca__bit(uint32_t i) {
  return i < 64 ? (uint64_t)1 << i : 0;
}

/* ---- effects.c: what happens to memory that parameters point to ---- */
void cca__effects(const struct cca_body *body, struct cca_behaviour *b);
/* Does F only look at what it is given?  One that gives a size does. */
bool cca__measures(const struct cca_function *f);

/* ---- blocks.c: what happens to a fresh block before it is handed out ---- */
void cca__describe_blocks(const struct cca_body *body,
                          struct cca_origins *origins, uint64_t may_free);

/* ---- finds.c: is what was found still there? ---- */
void cca__note_taken(const struct cca_body *body, struct cca_origins *found);
/* Is what BODY found only ever taken from where it is to be freed? */
bool cca__unlinks_to_free(const struct cca_body *body,
                          const struct cca_origins *found);

/* ---- carve.c: pieces of memory that was held before ---- */
void cca__carve(const struct cca_body *body, struct cca_origins *origins);

/* ---- components.c: the strongly connected ones of the call graph ---- */

/* The calls of a function are numbered in a row, and so are their targets: its
 * edges are those from FIRST to before END. */
struct cca_edges {
  uint32_t first, end; /* in the model's targets */
};
static inline struct cca_edges cca__edges(const struct cca_model *model,
                                          uint32_t function) {
  const struct cca_function *f = &model->functions.items[function];
  if (!f->defined)
    return (struct cca_edges){0, 0};
  return (struct cca_edges){
      model->targets_first[f->first_call],
      model->targets_first[f->first_call + f->call_count]};
}

struct cca_component {
  uint32_t first, count; /* in order */
  uint32_t level;        /* it calls itself, or what is on lower ones */
  bool recursive;
};

struct cca_components {
  uint32_t *order, ordered; /* functions, component by component */
  struct cca_vec(struct cca_component) list;
  uint32_t *by_level; /* places in list */
  uint32_t levels;    /* the highest, and 1 */
};

/* Fills *FOUND, which the caller releases. */
void cca__components_find(const struct cca_model *model,
                          struct cca_components *found);
void cca__components_release(struct cca_components *components);

/* ---- compose.c: what each function does, from what its callees do ---- */
void cca__compose(struct cca_model *model);

/* ---- agree.c: what cannot be followed, but callers agree on ---- */

/* From composed behaviours; true if there is any such function: then compose
 * again. */
bool cca__agree(struct cca_model *model);

/* ---- flow.c: which types reach which parameter and location? ---- */

enum { CCA_FLOW_TYPES = 8 };

/* What is known of a parameter or location that is asked for. */
struct cca_reach {
  uint32_t type_count;
  uint32_t types[CCA_FLOW_TYPES];
  bool more;    /* more types than fit */
  bool pure;    /* sizeof(T) and nothing else arrives at least once */
  bool unsized; /* something other than sizeof and 0 arrives as well */
};

/* Add TYPE; true if that is news. */
bool cca__reach_add(struct cca_reach *reach, uint32_t type);
/* Add what FROM has, but whether anything is pure only if PURE; true if any of
 * it is news. */
bool cca__reach_join(struct cca_reach *to, const struct cca_reach *from,
                     bool pure);
void cca__flow(struct cca_model *model);
void cca__flow_release(struct cca_model *model);
const struct cca_reach *cca__flow_param(const struct cca_model *model,
                                        uint32_t function, uint32_t param);
const struct cca_reach *cca__flow_location(const struct cca_model *model,
                                           uint32_t location);

/* ---- handles.c: … and which a member of one object? ---- */
struct cca_handles;
struct cca_handles *cca__handles_new(struct cca_model *model);
void cca__handles_free(struct cca_handles *h);
/* What is put into member LOCATION of the object that NODE, an argument of
 * CALL, points to. */
struct cca_reach cca__handles_reach(struct cca_handles *h, uint32_t call,
                                    uint32_t node, uint32_t location);

/* ---- classify.c: what is an allocation function, and of which kind? ---- */

enum cca_role {
  CCA_ROLE_NONE,
  CCA_ROLE_ALLOCATES, /* malloc, calloc, realloc, memalign, dup, pool */
  CCA_ROLE_FACTORY,
  CCA_ROLE_ALIKE, /* lazy, grow, content, concat, cursor */
};

struct cca_verdict {
  uint8_t role, kind, via, via_param, certainty;
  uint16_t flags; /* enum cca_alloc_flags */
  uint64_t size_args;
  const struct cca_size *size; /* rebased; over its parameters */
  const struct cca_size *offset;
  const struct cca_block *block; /* NULL for a primitive */
  uint64_t frees;                /* parameters; a deallocation function */
};

/* Do callers say how large what is made is?  So they do where it is only made if
 * it is not found. */
static inline bool cca__is_asked(const struct cca_verdict *v) {
  return v->role == CCA_ROLE_ALLOCATES ||
         (v->role == CCA_ROLE_ALIKE && v->kind == CCA_KIND_LAZY &&
          v->size_args);
}

void cca__classify(struct cca_model *model);
/* The call's verdict: of the first of its targets that has one; NULL: none.
 * *TARGET is that function. */
const struct cca_verdict *cca__call_verdict(const struct cca_model *model,
                                            uint32_t call, uint32_t *target);
/* The location through which an indirect call goes, or CCA_NONE. */
uint32_t cca__call_location(const struct cca_model *model, uint32_t call);

/* ---- callsites.c: what does each call of one of them allocate? ---- */

enum { CCA_CALLSITE_TYPES = CCA_FLOW_TYPES };

struct cca_callsite {
  uint32_t call, target; /* the function called */
  uint32_t location;     /* through which pointer; CCA_NONE: directly */
  uint8_t class, shape;  /* enum cca_site_class, cca_size_shape */
  uint32_t param;        /* open: the argument that the rest is about */
  uint32_t type_count, types[CCA_CALLSITE_TYPES]; /* the element type first */
  uint32_t used_as;                               /* CCA_NONE: unknown */
  int64_t header;
  const char *size;   /* for people */
  const char *reason; /* untyped: why; else NULL */
};
struct cca_callsites cca_vec(struct cca_callsite);

/* In the order of calls. */
void cca__callsites(struct cca_model *model, struct cca_callsites *sites);

/* ---- pairs.c: which deallocation function gets whose blocks? ---- */

struct cca_pair {
  const char *allocator, *deallocator; /* as ALLOC names them, or libc's */
  uint32_t calls; /* of the latter, that get what the former made */
};
struct cca_pairs cca_vec(struct cca_pair);

/* Most calls first; names into ARENA.  The model is only read. */
void cca__pairs(const struct cca_model *model, struct cca_arena *arena,
                struct cca_pairs *pairs);

/* ---- imports.c: which types' sizes leave the module? ---- */

struct cca_import_sizeof {
  uint32_t function, param, type;
};
struct cca_imports cca_vec(struct cca_import_sizeof);

/* In the order of function, parameter and type.  The model is only read. */
void cca__imports(struct cca_model *model, struct cca_imports *found);

/* For people: `p0 * sizeof(struct foo)`; FUNCTION's parameters go by their
 * names if BY_NAME.  Into ARENA. */
const char *cca__size_text(struct cca_model *model, uint32_t function,
                           const struct cca_size *size, bool by_name,
                           struct cca_arena *arena);

/* ---- emit.c: the classification's rows ---- */
int cca__emit(struct cca_model *model, struct cca_solver_result *result,
              struct cca_table_error *err);

#endif
