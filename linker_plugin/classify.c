/* SPDX-License-Identifier: MIT */
/*
 * classify.c -- which functions allocate, and which only look like it?
 *
 * Input:     behaviours, and which types reach which parameter.
 * Output:    a verdict for each function, and for each location that holds
 *            functions.
 *
 * An allocation function hands out memory that its caller could not reach
 * before, and its caller says how much: a parameter enters the size, and what
 * is added to it is no more than constants, rounding, and headers that the
 * result lies behind.  What adds a record's size, an element count of its own
 * or what a buffer holds is told apart and reported under its own name:
 *
 *   factory   the type is fixed inside
 *   content   fills the block with something of its own making
 *   grow      resizes a block that it keeps, by what it finds in memory
 *   cursor    hands out a place inside a block that it keeps
 *   lazy      finds it, or creates it on first use
 *
 * A constructor that takes a length (ngx_create_pool) and an allocation
 * function that sets a header (luaC_newobj) look alike from inside; whether
 * any caller passes a sizeof decides.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

/* What one alternative of a size is made of. */
struct shape {
  bool params;  /* a term of parameters (times factors) */
  bool records; /* sizeof a record, or of elements of any type: n * sizeof(T) */
  bool bases;   /* sizeof a scalar alone: a count, a link or a canary */
  bool fields;  /* a term read through a parameter */
  bool content; /* a term that is a length of content, or not understood */
};

static bool is_record(const struct cca_model *model, struct cca_atom atom) {
  return atom.kind == CCA_ATOM_PART ||
         cca__is_record(cca__type(model, atom.index));
}

static bool takes_param(const struct cca_alt *alt) {
  for (uint32_t t = 0; t < alt->term_count; t++)
    for (uint32_t k = 0; k < alt->terms[t].atom_count; k++)
      if (alt->terms[t].atoms[k].kind == CCA_ATOM_PARAM)
        return true;
  return false;
}

static struct shape shape_of(const struct cca_model *model,
                             const struct cca_alt *alt) {
  struct shape shape = {0};
  for (uint32_t t = 0; t < alt->term_count; t++) {
    const struct cca_term *term = &alt->terms[t];
    bool params = false, types = false, records = false, fields = false,
         other = false;
    for (uint32_t k = 0; k < term->atom_count; k++) {
      struct cca_atom atom = term->atoms[k];
      switch (atom.kind) {
      case CCA_ATOM_PARAM:
        params = true;
        break;
      case CCA_ATOM_SIZEOF:
      case CCA_ATOM_PART:
        types = true;
        records |= is_record(model, atom);
        break;
      case CCA_ATOM_FIELD: /* a variable is as good as a constant */
        fields |= atom.root < CCA_DEEP_ROOT;
        other |= atom.root == CCA_DEEP_ROOT;
        break;
      default:
        other = true;
      }
    }
    if (types && term->factor < 0 && takes_param(alt))
      continue; /* a header that is not handed out */
    if (types)
      *(records || term->atom_count > 1 || alt->bag ? &shape.records
                                                    : &shape.bases) = true;
    else if (params)
      shape.params = true;
    else if (other)
      shape.content = true;
    else if (fields)
      shape.fields = true;
  }
  return shape;
}

/* Judges of several threads share the model, and each has memory of its own. */
struct judge {
  struct cca_model *model;
  struct cca_arena arena;
};

enum grade {
  GRADE_NONE,
  GRADE_FLOOR,
  GRADE_CONTENT,
  GRADE_FIXED,
  GRADE_FIELD,
  GRADE_SIZED
};

struct candidate {
  enum grade grade;
  const struct cca_origin *origin;
  const struct cca_size *size; /* rebased */
  uint64_t args;
  bool product;
  bool grows; /* by a parameter, from what is found in memory */
};

/* The parameters of the alternatives that make SIZE a caller's size. */
static void grade_size(const struct cca_model *model, struct candidate *c) {
  for (uint32_t i = 0; i < c->size->alt_count; i++) {
    const struct cca_alt *alt = &c->size->alts[i];
    struct shape shape = shape_of(model, alt);
    enum grade grade = GRADE_NONE;
    if (shape.records)
      grade = GRADE_FIXED;
    else if (shape.params && !shape.fields && !shape.content)
      grade = GRADE_SIZED;
    else if (shape.fields && !shape.content && !shape.params)
      grade = GRADE_FIELD;
    else if (shape.content || shape.fields)
      grade = GRADE_CONTENT;
    else if (shape.bases)
      grade = GRADE_FLOOR;
    c->grows |= shape.params && (shape.fields || shape.content);
    if (grade == GRADE_SIZED)
      for (uint32_t t = 0; t < alt->term_count; t++) {
        uint32_t params = 0;
        for (uint32_t k = 0; k < alt->terms[t].atom_count; k++) {
          struct cca_atom atom = alt->terms[t].atoms[k];
          if (atom.kind != CCA_ATOM_PARAM)
            continue;
          params++;
          c->args |= atom.index < 64 ? (uint64_t)1 << atom.index : 0;
        }
        c->product |= params > 1;
      }
    if (grade > c->grade)
      c->grade = grade;
  }
}

/* Does the result point somewhere that the size does not account for? */
static bool points_inside(const struct cca_size *offset) {
  for (uint32_t i = 0; i < offset->alt_count; i++) {
    if (offset->alts[i].bag && !offset->alts[i].term_count)
      return true;
    for (uint32_t t = 0; t < offset->alts[i].term_count; t++)
      for (uint32_t k = 0; k < offset->alts[i].terms[t].atom_count; k++) {
        struct cca_atom atom = offset->alts[i].terms[t].atoms[k];
        if (atom.kind == CCA_ATOM_OPAQUE || atom.kind == CCA_ATOM_CONTENT ||
            (atom.kind == CCA_ATOM_FIELD && atom.root != CCA_NO_ROOT))
          return true;
      }
  }
  return false;
}

static struct candidate weigh(struct judge *j,
                              const struct cca_origin *origin) {
  struct candidate c = {.origin = origin};
  c.size = cca_size_rebase(&j->arena, origin->block->size, origin->offset,
                           cca__type_bytes, j->model);
  grade_size(j->model, &c);
  return c;
}

/* Does the size of a type, and no more, reach any of the parameters ARGS? */
static bool sizeof_arrives(const struct cca_model *model, uint32_t function,
                           uint64_t args) {
  for (uint32_t i = 0; i < 64; i++)
    if (args >> i & 1 && cca__flow_param(model, function, i)->pure)
      return true;
  return false;
}

/* Is the element size in the field a type's? Then the object is a pool. */
static bool sizeof_in_fields(const struct cca_model *model,
                             const struct cca_size *size) {
  for (uint32_t i = 0; i < size->alt_count; i++)
    for (uint32_t t = 0; t < size->alts[i].term_count; t++)
      for (uint32_t k = 0; k < size->alts[i].terms[t].atom_count; k++) {
        struct cca_atom atom = size->alts[i].terms[t].atoms[k];
        if (atom.kind == CCA_ATOM_FIELD && atom.root < CCA_DEEP_ROOT &&
            cca__flow_location(model, atom.index)->type_count)
          return true;
      }
  return false;
}

/* Is O off the stock of an allocator that ORIGINS has a fresh block of, too? */
static bool is_lent(const struct cca_origins *origins,
                    const struct cca_origin *o) {
  return o->kind == CCA_ORIGIN_LOADED && o->taken && o->loc == CCA_NONE &&
         cca__fresh_by(origins, o->call);
}

/* Is FRESH the whole object, and may it be one that is found and stays where it
 * is? */
static bool stays(const struct cca_origins *origins,
                  const struct cca_origin *fresh) {
  int64_t start;
  bool found = false;
  if (!cca_size_is_constant(fresh->offset, &start) || start)
    return false;
  for (uint32_t i = 0; i < origins->count; i++) {
    const struct cca_origin *o = &origins->items[i];
    if (o->kind != CCA_ORIGIN_LOADED || is_lent(origins, o))
      continue;
    if (o->taken || !cca_size_is_constant(o->offset, &start) || start)
      return false;
    found = true;
  }
  return found;
}

/* Found where it was kept, or else created and kept there.  A factory that
 * moves on what is there, or returns a place in it, has a stock of its own. */
static bool is_lazy(const struct cca_origins *origins,
                    const struct cca_origin *fresh, bool factory) {
  const struct cca_block *block = fresh->block;
  int64_t start;
  if (block->flags & CCA_BLOCK_PLACED)
    return true;
  if (block->flags & CCA_BLOCK_ALWAYS)
    return false;
  if (factory && block->flags & CCA_BLOCK_SHARED && stays(origins, fresh))
    return true;
  if (!(block->flags & CCA_BLOCK_KEPT))
    return false;
  if (factory && (block->flags & CCA_BLOCK_PASSING ||
                  !cca_size_is_constant(fresh->offset, &start) || start))
    return false;
  for (uint32_t i = 0; i < origins->count; i++)
    if (origins->items[i].kind == CCA_ORIGIN_LOADED &&
        origins->items[i].index == block->kept &&
        (!factory ||
         (cca_size_is_constant(origins->items[i].offset, &start) && !start)))
      return true;
  return false;
}

/* Is there anything else among ORIGINS than null, and copies of an argument?
 * Then the result is no copy of it.  Where SIZEOFS arrive, what is filled in
 * beside the copy is a header. */
static bool has_others(const struct cca_origins *origins, bool sizeofs) {
  for (uint32_t i = 0; i < origins->count; i++) {
    const struct cca_origin *o = &origins->items[i];
    bool copy = o->kind == CCA_ORIGIN_FRESH &&
                o->block->flags & (CCA_BLOCK_COPIED | CCA_BLOCK_DUP) &&
                o->block->source != CCA_NO_ROOT &&
                (sizeofs || !(o->block->flags & CCA_BLOCK_CONTENT));
    if (!copy && !is_lent(origins, o) && o->kind != CCA_ORIGIN_NULL)
      return true;
  }
  return false;
}

/* May it be something that is found in memory? */
static bool finds(const struct cca_origins *origins) {
  for (uint32_t i = 0; i < origins->count; i++)
    if (origins->items[i].kind == CCA_ORIGIN_LOADED)
      return true;
  return false;
}

/* Does SIZE leave something out, and not by an argument's word: what the
 * function found in the content, or a fixed number? */
static bool is_part(const struct cca_size *size) {
  for (uint32_t i = 0; i < size->alt_count; i++)
    for (uint32_t t = 0; t < size->alts[i].term_count; t++) {
      const struct cca_term *term = &size->alts[i].terms[t];
      if (!size->alts[i].bag && term->factor < 0 &&
          (!term->atom_count || term->atoms[0].kind != CCA_ATOM_PARAM))
        return true;
    }
  return false;
}

static void decide_sized(const struct cca_model *model, uint32_t function,
                         const struct cca_origins *origins,
                         const struct candidate *c, struct cca_verdict *v) {
  uint16_t flags = c->origin->block->flags;
  bool sizeofs = sizeof_arrives(model, function, c->args);
  v->role = CCA_ROLE_ALLOCATES;
  v->kind = c->product ? CCA_KIND_CALLOC : CCA_KIND_MALLOC;
  if (flags & CCA_BLOCK_CARVED && !(flags & CCA_BLOCK_COPIED))
    v->kind = CCA_KIND_POOL;
  else if (flags & CCA_BLOCK_RESIZED)
    v->kind = CCA_KIND_REALLOC;
  else if (flags & (CCA_BLOCK_COPIED | CCA_BLOCK_DUP))
    v->kind = CCA_KIND_DUP;
  else if (flags & CCA_BLOCK_GROWN)
    v->kind = CCA_KIND_REALLOC;
  else if (flags & CCA_BLOCK_ALIGNED)
    v->kind = CCA_KIND_MEMALIGN;

  if (c->grows && flags & (CCA_BLOCK_RESIZED | CCA_BLOCK_GROWN)) {
    v->role = CCA_ROLE_ALIKE;
    v->kind = flags & CCA_BLOCK_COPIED ? CCA_KIND_CONCAT : CCA_KIND_GROW;
  } else if (points_inside(c->origin->offset)) {
    v->role = CCA_ROLE_ALIKE;
    v->kind = CCA_KIND_CURSOR;
  } else if (flags & CCA_BLOCK_CONTENT && !(flags & CCA_BLOCK_RESIZED) &&
             (!sizeofs || flags & CCA_BLOCK_READ)) {
    v->role = CCA_ROLE_ALIKE;
    v->kind = CCA_KIND_CONTENT;
  } else if (v->kind == CCA_KIND_DUP &&
             (has_others(origins, sizeofs) || is_part(c->size))) {
    v->role = CCA_ROLE_ALIKE;
    v->kind = CCA_KIND_CONTENT;
  } else if (flags & CCA_BLOCK_BUILT && !sizeofs) {
    v->role = CCA_ROLE_FACTORY;
    v->kind = CCA_KIND_FACTORY;
  }
}

/* Is ORIGIN a copy of what an argument holds, and of nothing else?  The size
 * is the argument's own length, and perhaps a terminator. */
static bool is_copy(struct judge *j, const struct cca_origin *origin) {
  uint8_t source = origin->block->source;
  const struct cca_size *size = weigh(j, origin).size;
  if (source == CCA_NO_ROOT || !(origin->block->flags & CCA_BLOCK_COPIED) ||
      origin->block->flags & (CCA_BLOCK_KEPT | CCA_BLOCK_CONTENT))
    return false;
  for (uint32_t i = 0; i < size->alt_count; i++)
    for (uint32_t t = 0; t < size->alts[i].term_count; t++) {
      const struct cca_term *term = &size->alts[i].terms[t];
      if (!term->atom_count && (term->factor < 0 || term->factor > 1))
        return false;
      for (uint32_t k = 0; k < term->atom_count; k++)
        if (term->atoms[k].root != source)
          return false;
    }
  return true;
}

/* Is all that is handed out a copy, or null?  What a hook returns is believed
 * to be what the function that stands beside it does. */
static bool only_copies(struct judge *j, const struct cca_origins *origins) {
  for (uint32_t i = 0; i < origins->count; i++) {
    const struct cca_origin *origin = &origins->items[i];
    bool copy = origin->kind == CCA_ORIGIN_NULL ||
                origin->kind == CCA_ORIGIN_HOOK ||
                (origin->kind == CCA_ORIGIN_FRESH && is_copy(j, origin)) ||
                is_lent(origins, origin);
    if (!copy)
      return false;
  }
  return true;
}

static bool returns_record(const struct cca_model *model, uint32_t function) {
  const struct cca_function *f = &model->functions.items[function];
  const struct cca_table *t = model->units[f->unit].table;
  uint32_t result = cca_func_at(t, f->row).result;
  return result != CCA_NONE && cca__is_record(cca_type_at(t, result));
}

static void decide(struct judge *j, uint32_t function,
                   const struct cca_origins *origins, const struct candidate *c,
                   struct cca_verdict *v) {
  uint16_t flags = c->origin->block->flags;
  switch (c->grade) {
  case GRADE_SIZED:
    decide_sized(j->model, function, origins, c, v);
    return;
  case GRADE_FLOOR:
  case GRADE_FIXED:
    v->role = CCA_ROLE_FACTORY;
    v->kind = CCA_KIND_FACTORY;
    return;
  case GRADE_FIELD:
    if (sizeof_in_fields(j->model, c->size) && !finds(origins) &&
        !(flags & (CCA_BLOCK_CONTENT | CCA_BLOCK_COPIED | CCA_BLOCK_GROWN |
                   CCA_BLOCK_RESIZED))) {
      v->role = CCA_ROLE_ALLOCATES;
      v->kind = CCA_KIND_POOL;
      return;
    }
    break;
  default:
    break;
  }
  v->role = CCA_ROLE_ALIKE;
  if (flags & (CCA_BLOCK_GROWN | CCA_BLOCK_RESIZED))
    v->kind = CCA_KIND_GROW;
  else if (c->grade == GRADE_NONE && flags & CCA_BLOCK_BUILT &&
           returns_record(j->model, function)) {
    v->role = CCA_ROLE_FACTORY;
    v->kind = CCA_KIND_FACTORY;
  } else if (c->grade == GRADE_NONE)
    v->role = CCA_ROLE_NONE; /* some bytes, of a fixed number */
  else if (flags & CCA_BLOCK_COPIED && only_copies(j, origins)) {
    v->role = CCA_ROLE_ALLOCATES;
    v->kind = CCA_KIND_DUP;
  } else
    v->kind = CCA_KIND_CONTENT;
}

/* The best of what FUNCTION hands out decides; equals add their arguments. */
static void judge_origins(struct judge *j, uint32_t function,
                          const struct cca_origins *origins,
                          struct cca_verdict *v) {
  struct candidate best = {0};
  uint64_t args = 0;
  bool resized = false, grows = false;
  for (uint32_t i = 0; i < origins->count; i++) {
    if (origins->items[i].kind != CCA_ORIGIN_FRESH)
      continue;
    struct candidate c = weigh(j, &origins->items[i]);
    uint16_t flags = c.origin->block->flags;
    grows |= c.grows && flags & CCA_BLOCK_COPIED;
    bool better =
        c.grade > best.grade || (c.grade == best.grade && best.origin &&
                                 !resized && flags & CCA_BLOCK_RESIZED);
    if (c.grade > best.grade)
      args = 0;
    if (c.grade >= best.grade)
      args |= c.args;
    if (c.grade == GRADE_FIXED && best.grade == GRADE_FIXED && !better)
      best.size = cca_size_join(&j->arena, best.size, c.size);
    if (better || !best.origin) {
      best = c;
      resized = flags & CCA_BLOCK_RESIZED;
    }
  }
  if (!best.origin)
    return;
  best.args = args;
  decide(j, function, origins, &best, v);
  if (v->role == CCA_ROLE_NONE)
    return;
  if (v->role == CCA_ROLE_ALLOCATES && grows &&
      !(best.origin->block->flags & CCA_BLOCK_RESIZED)) {
    v->role = CCA_ROLE_ALIKE; /* adds to what is there, or begins with it */
    v->kind = CCA_KIND_CONCAT;
  }
  bool sized_lazy = false;
  if (v->role != CCA_ROLE_ALIKE &&
      is_lazy(origins, best.origin, v->role == CCA_ROLE_FACTORY)) {
    sized_lazy = v->role == CCA_ROLE_ALLOCATES &&
                 sizeof_arrives(j->model, function, args);
    v->role = CCA_ROLE_ALIKE;
    v->kind = CCA_KIND_LAZY;
  }
  v->size = best.size;
  v->size_args = v->role == CCA_ROLE_ALLOCATES || sized_lazy ? args : 0;
  v->offset = best.origin->offset;
  v->block = best.origin->block;
  v->certainty = v->block->flags & CCA_BLOCK_AGREED   ? CCA_CERTAINTY_AGREED
                 : v->block->flags & CCA_BLOCK_CARVED ? CCA_CERTAINTY_CARVED
                                                      : CCA_CERTAINTY_PROVED;
  if (v->block->flags & CCA_BLOCK_ZEROED)
    v->flags |= CCA_ALLOC_FLAGS_ZEROED;
  for (uint32_t i = 0; i < origins->count; i++)
    if (origins->items[i].kind == CCA_ORIGIN_NULL)
      v->flags |= CCA_ALLOC_FLAGS_MAY_FAIL;
}

/* Is the block that is found through parameter PARAM resized, too? */
static bool resizes_out(const struct cca_behaviour *b, uint8_t param) {
  for (uint32_t i = 0; i < b->out_count; i++)
    if (b->outs[i].param == param &&
        b->outs[i].origin.block->flags & CCA_BLOCK_GROWN)
      return true;
  return false;
}

static void judge_outs(struct judge *j, uint32_t function,
                       struct cca_verdict *v) {
  const struct cca_behaviour *b = &j->model->behaviours[function];
  for (uint32_t i = 0; i < b->out_count; i++) {
    struct cca_origins one = {1, {b->outs[i].origin}};
    struct cca_verdict out = {0};
    judge_origins(j, function, &one, &out);
    if (out.role != CCA_ROLE_ALLOCATES || !out.size_args ||
        out.block->flags & CCA_BLOCK_GROWN)
      continue;
    *v = out;
    if (v->kind == CCA_KIND_DUP && v->block->source == b->outs[i].param)
      v->kind = CCA_KIND_REALLOC; /* a copy of what was there before */
    v->via = CCA_VIA_OUT_PARAMETER;
    v->via_param = b->outs[i].param;
    if (v->kind == CCA_KIND_MALLOC && resizes_out(b, v->via_param))
      v->kind = CCA_KIND_REALLOC;
    return;
  }
}

static void judge_primitive(struct cca_arena *arena,
                            const struct cca_primitive *p,
                            struct cca_verdict *v) {
  if (p->frees != CCA_NO_ROOT)
    v->frees = (uint64_t)1 << p->frees;
  if (!p->allocates)
    return;
  v->role = CCA_ROLE_ALLOCATES;
  v->kind = p->kind;
  v->via = p->out == CCA_NO_ROOT ? CCA_VIA_RETURN : CCA_VIA_OUT_PARAMETER;
  v->via_param = p->out == CCA_NO_ROOT ? 0 : p->out;
  v->flags = p->zeroed ? CCA_ALLOC_FLAGS_ZEROED : 0;
  v->size = cca_size_constant(arena, 1);
  v->offset = cca_size_constant(arena, 0);
  for (int i = 0; i < 2; i++)
    if (p->size[i] != CCA_NO_ROOT) {
      v->size_args |= (uint64_t)1 << p->size[i];
      v->size =
          cca_size_mul(arena, v->size,
                       cca_size_atom(arena, 1,
                                     (struct cca_atom){.kind = CCA_ATOM_PARAM,
                                                       .root = CCA_NO_ROOT,
                                                       .index = p->size[i]}));
    }
  if (p->kind == CCA_KIND_DUP && !v->size_args)
    v->size = cca_size_atom(
        arena, 1,
        (struct cca_atom){.kind = CCA_ATOM_CONTENT, .root = p->copies});
}

/* Is null all that is returned? */
static bool is_null(const struct cca_origins *returned) {
  for (uint32_t i = 0; i < returned->count; i++)
    if (returned->items[i].kind != CCA_ORIGIN_NULL)
      return false;
  return returned->count != 0;
}

static void judge(struct judge *j, uint32_t function) {
  struct cca_model *model = j->model;
  const struct cca_function *f = &model->functions.items[function];
  struct cca_verdict *v = &model->verdicts[function];
  if (f->primitive) {
    judge_primitive(&j->arena, f->primitive, v);
    return;
  }
  if (!f->defined)
    return;
  const struct cca_origins *returned = model->behaviours[function].returned;
  if (returned)
    judge_origins(j, function, returned, v);
  if (v->role == CCA_ROLE_NONE)
    judge_outs(j, function, v);
  if (v->role == CCA_ROLE_NONE &&
      (f->result == 'v' || (returned && is_null(returned))))
    v->frees = model->behaviours[function].frees;
  if (!f->hidden && f->linkage != CCA_LINKAGE_INTERNAL)
    v->flags |= CCA_ALLOC_FLAGS_EXPORTED;
}

static void judge_all(void *judges, size_t thread, size_t first, size_t end) {
  for (size_t i = first; i < end; i++)
    judge((struct judge *)judges + thread, (uint32_t)i);
}

/* Does somebody put there what a caller gives, a hook of his own?  Where there
 * is a function from the start, others only replace it by their like. */
static bool is_hook(const struct cca_model *model, uint32_t location) {
  bool hook = false;
  for (uint32_t i = model->stores_first[location];
       i < model->stores_first[location + 1]; i++) {
    struct cca_store_place place = model->stores[i];
    const struct cca_table *t = model->units[place.unit].table;
    struct cca_store store = cca_store_at(t, place.row);
    if (store.func == CCA_NONE)
      return false;
    hook |= cca_node_at(t, store.value).op == CCA_OP_PARAM;
  }
  return hook;
}

/*
 * A place that holds functions is an allocation function itself if calls go
 * through it and all that is known to be stored there allocates (or frees; but
 * what a hook does to what is dropped, its owner alone knows).
 */
static void judge_pointer(struct cca_model *model, uint32_t location) {
  struct cca_verdict *v = &model->pointers[location];
  uint32_t first = model->pointees_first[location];
  uint32_t end = model->pointees_first[location + 1];
  if (model->locations.items[location].through == CCA_NONE)
    return;
  const struct cca_verdict *found = NULL;
  uint64_t args = 0, frees = ~(uint64_t)0;
  uint32_t allocators = 0, known = 0;
  for (uint32_t i = first; i < end; i++) {
    uint32_t function = model->pointees[i];
    const struct cca_verdict *one = &model->verdicts[function];
    const struct cca_function *f = &model->functions.items[function];
    if (!f->defined && !f->primitive)
      continue;
    known++;
    frees &= one->frees;
    if (one->role != CCA_ROLE_ALLOCATES)
      continue;
    allocators++;
    args |= one->size_args;
    if (!found || (found->kind == CCA_KIND_MALLOC && one->kind != found->kind))
      found = one;
  }
  if (!known)
    return;
  if (allocators && 2 * allocators > known) {
    *v = *found;
    v->size_args = args;
  } else if (frees && !allocators && !is_hook(model, location))
    v->frees = frees;
  v->flags |= CCA_ALLOC_FLAGS_POINTER;
}

uint32_t cca__call_location(const struct cca_model *model, uint32_t number) {
  struct cca_call_place place = cca__call_place(model, number);
  const struct cca_input *unit = &model->units[place.unit];
  struct cca_call call = cca_call_at(unit->table, place.row);
  uint32_t node = call.target;
  for (int depth = 0; node != CCA_NONE && depth < 8; depth++) {
    struct cca_node n = cca_node_at(unit->table, node);
    if (n.op == CCA_OP_LOAD)
      return unit->locations[n.a];
    if (n.op != CCA_OP_EITHER || !n.b)
      break;
    node = cca_operand_at(unit->table, n.a).node;
  }
  return CCA_NONE;
}

const struct cca_verdict *cca__call_verdict(const struct cca_model *model,
                                            uint32_t call, uint32_t *target) {
  uint32_t first = model->targets_first[call];
  uint32_t end = model->targets_first[call + 1];
  uint32_t yes = 0;
  const struct cca_verdict *found = NULL;
  for (uint32_t i = first; i < end; i++) {
    if (!(model->traits[model->targets[i]] & CCA_TRAIT_HANDS_OUT))
      continue;
    const struct cca_verdict *v = &model->verdicts[model->targets[i]];
    if (!cca__is_asked(v) && v->role != CCA_ROLE_FACTORY)
      continue;
    yes++;
    if (!found ||
        (v->role == CCA_ROLE_ALLOCATES && found->role != CCA_ROLE_ALLOCATES)) {
      found = v;
      *target = model->targets[i];
    }
  }
  bool guess = model->target_rule[call] > CCA_RULE_STORED;
  return 2 * yes > end - first || (yes && !guess) ? found : NULL;
}

/*
 * A record's member is a deallocation function only beside one that allocates:
 * a method table, a memory's owner.  Elsewhere it is a hook that is told of
 * something's end, and what is there frees because its owner wants it to.
 */
static void drop_hooks(struct cca_model *model) {
  uint8_t *allocates = cca_calloc(model->types.count + 1, 1);
  for (uint32_t i = 1; i < model->locations.count; i++)
    if (model->locations.items[i].type != CCA_NONE)
      allocates[model->locations.items[i].type] |=
          model->pointers[i].role == CCA_ROLE_ALLOCATES;
  for (uint32_t i = 1; i < model->locations.count; i++)
    if (model->locations.items[i].type != CCA_NONE &&
        !allocates[model->locations.items[i].type])
      model->pointers[i].frees = 0;
  free(allocates);
}

void cca__classify(struct cca_model *model) {
  model->verdicts = cca_arena_zalloc(&model->arena, model->functions.count,
                                     sizeof *model->verdicts);
  model->pointers = cca_arena_zalloc(&model->arena, model->locations.count,
                                     sizeof *model->pointers);
  struct judge judges[CCA_THREADS_MAX] = {0};
  size_t threads = cca__threads(model, model->functions.count);
  for (size_t i = 0; i < threads; i++)
    judges[i].model = model;
  cca_parallel(threads, model->functions.count, judge_all, judges);
  for (size_t i = 0; i < threads; i++)
    cca_arena_join(&model->arena, &judges[i].arena);
  for (uint32_t i = 1; i < model->locations.count; i++)
    judge_pointer(model, i);
  drop_hooks(model);
}
