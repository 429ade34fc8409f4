/* SPDX-License-Identifier: MIT */
/*
 * callsites.c -- what does each call of an allocation function allocate?
 *
 * Input:     verdicts, and what reaches parameters and fields.
 * Output:    a classified site for each such call.
 *
 * The type comes from what the call's arguments bring, never from what the
 * callee adds for itself: its header, its floor, its rounding.  A factory is
 * the exception, since there the type *is* what the callee adds.
 *
 *   typed         one type, or several (shape `several`)
 *   pass-through  inside a wrapper: the size is the caller's own parameter
 *   bytes         no sizeof by nature: a constant, a length, content
 *   untyped       a size kept in memory that is sometimes a type's and
 *                 sometimes not; the reason says where
 *   open          it calls a function of another module, of which nothing is
 *                 known, and gives it the size of one type
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

/* ---- Text ---- */

struct namer {
  struct cca_model *model;
  uint32_t function;
  bool by_name;
  struct cca_arena *arena;
};

static void name_param(const struct namer *namer, uint32_t i,
                       struct cca_text *out) {
  if (namer->by_name && namer->function != CCA_NONE) {
    const struct cca_function *f =
        &namer->model->functions.items[namer->function];
    const struct cca_table *t = namer->model->units[f->unit].table;
    struct cca_func row = cca_func_at(t, f->row);
    if (i < row.params_count) {
      const char *name =
          cca_table_string(t, cca_param_at(t, row.params_first + i).name);
      if (*name) {
        cca_text_adds(out, name);
        return;
      }
    }
  }
  cca_text_addf(out, "p%u", i);
}

static void name_field(const struct namer *namer, struct cca_atom atom,
                       struct cca_text *out) {
  if (!atom.index) {
    cca_text_adds(out, "*");
    name_param(namer, atom.root, out);
    return;
  }
  const char *name = cca__location_name(namer->model, atom.index, namer->arena);
  if (atom.root < CCA_DEEP_ROOT) {
    const char *dot = strrchr(name, '.');
    name_param(namer, atom.root, out);
    cca_text_adds(out, "->");
    name = dot ? dot + 1 : name;
  }
  cca_text_adds(out, name);
}

static void name_atom(struct cca_atom atom, struct cca_text *out,
                      void *payload) {
  const struct namer *namer = payload;
  switch (atom.kind) {
  case CCA_ATOM_SIZEOF:
    cca_text_adds(out, "sizeof(");
    cca_text_adds(out, cca__type_name(namer->model, atom.index, false));
    cca_text_adds(out, ")");
    break;
  case CCA_ATOM_PART:
    cca_text_addf(out, "offsetof(%s, %u)",
                  cca__type_name(namer->model, atom.index, false), atom.detail);
    break;
  case CCA_ATOM_PARAM:
    name_param(namer, atom.index, out);
    break;
  case CCA_ATOM_FIELD:
    name_field(namer, atom, out);
    break;
  case CCA_ATOM_CONTENT:
    cca_text_adds(out, "length(");
    if (atom.root < CCA_DEEP_ROOT)
      name_param(namer, atom.root, out);
    cca_text_adds(out, ")");
    break;
  default:
    cca_text_adds(out, "?");
  }
}

const char *cca__size_text(struct cca_model *model, uint32_t function,
                           const struct cca_size *size, bool by_name,
                           struct cca_arena *arena) {
  struct cca_arena names = {0};
  struct namer namer = {model, function, by_name, &names};
  struct cca_text text = {0};
  cca_size_print(size, &text, name_atom, &namer);
  const char *kept = cca_arena_strdup(arena, text.data ? text.data : "");
  cca_text_release(&text);
  cca_arena_release(&names);
  return kept;
}

/* ---- What the arguments bring ---- */

static bool from_caller(const struct cca_term *term) {
  for (uint32_t k = 0; k < term->atom_count; k++)
    if (term->atoms[k].kind == CCA_ATOM_PARAM ||
        term->atoms[k].kind == CCA_ATOM_CONTENT ||
        (term->atoms[k].kind == CCA_ATOM_FIELD &&
         term->atoms[k].root < CCA_DEEP_ROOT))
      return true;
  return false;
}

/* SIZE without what the callee adds for itself. */
static const struct cca_size *brought(struct cca_arena *arena,
                                      const struct cca_size *size) {
  struct cca_size *kept = cca_arena_zalloc(arena, 1, sizeof *kept);
  for (uint32_t i = 0; i < size->alt_count; i++) {
    struct cca_alt alt = size->alts[i];
    alt.terms = cca_arena_alloc(arena, alt.term_count * sizeof *alt.terms);
    alt.term_count = 0;
    for (uint32_t t = 0; t < size->alts[i].term_count; t++)
      if (from_caller(&size->alts[i].terms[t]))
        alt.terms[alt.term_count++] = size->alts[i].terms[t];
    if (alt.term_count)
      kept->alts[kept->alt_count++] = alt;
  }
  return kept->alt_count ? kept : size;
}

/* ---- From a size to a class ---- */

static void add_type(struct cca_callsite *site, uint32_t type) {
  for (uint32_t i = 0; i < site->type_count; i++)
    if (site->types[i] == type)
      return;
  if (site->type_count < CCA_CALLSITE_TYPES)
    site->types[site->type_count++] = type;
}

/* Is a member of record TYPE, the last one, what OTHER is, or an array of it?
 */
static bool ends_with(const struct cca_model *model, uint32_t type,
                      uint32_t other) {
  struct cca_type_place place = model->types.items[type];
  const struct cca_input *unit = &model->units[place.unit];
  struct cca_type t = cca_type_at(unit->table, place.row);
  if (!cca__is_record(t) || !t.members_count)
    return false;
  struct cca_member last =
      cca_member_at(unit->table, t.members_first + t.members_count - 1);
  for (int depth = 0; last.of != CCA_NONE && depth < 4; depth++) {
    if (unit->types[last.of] == other)
      return true;
    struct cca_type of = cca_type_at(unit->table, last.of);
    last.of = of.kind == CCA_TYPE_KIND_ARRAY ? of.element : CCA_NONE;
  }
  return false;
}

/* Does A, of two types in a size of which only what is in it is known, tell
 * more about the object than B? */
static bool tells_more(const struct cca_model *model, uint32_t a, uint32_t b) {
  bool records[] = {cca__is_record(cca__type(model, a)),
                    cca__is_record(cca__type(model, b))};
  return records[0] &&
         (!records[1] || (ends_with(model, a, b) && !ends_with(model, b, a)));
}

/* The shape and types of one alternative. */
static void read_alt(struct cca_model *model, const struct cca_alt *alt,
                     struct cca_callsite *site) {
  uint32_t fixed = CCA_NONE, element = CCA_NONE;
  bool cut = false, more = false;
  int64_t constant = 0;
  for (uint32_t t = 0; t < alt->term_count; t++) {
    const struct cca_term *term = &alt->terms[t];
    uint32_t type = CCA_NONE;
    bool part = false;
    for (uint32_t k = 0; k < term->atom_count; k++)
      if (cca_atom_is_sizeof(term->atoms[k])) {
        type = term->atoms[k].index;
        part = term->atoms[k].kind == CCA_ATOM_PART;
      }
    if (type != CCA_NONE && term->factor < 0)
      continue; /* a header that is not handed out */
    if (type == CCA_NONE) {
      if (term->atom_count)
        more = true;
      else
        constant = term->factor;
    } else if (term->atom_count == 1 && (term->factor == 1 || part) &&
               !alt->bag && fixed == CCA_NONE) {
      fixed = type;
      cut |= part;
    } else if (element == CCA_NONE ||
               (alt->bag && tells_more(model, type, element)))
      element = type;
  }
  uint8_t shape = CCA_SIZE_SHAPE_UNKNOWN;
  if (fixed != CCA_NONE && element == CCA_NONE) {
    add_type(site, fixed);
    shape = cut || more || constant > 0 ? CCA_SIZE_SHAPE_FLEXIBLE
                                        : CCA_SIZE_SHAPE_ONE;
  } else if (fixed == CCA_NONE && element != CCA_NONE) {
    add_type(site, element);
    site->header = constant > 0 ? constant : 0;
    shape = constant > 0 ? CCA_SIZE_SHAPE_HEADER : CCA_SIZE_SHAPE_ARRAY;
  } else if (fixed != CCA_NONE) {
    bool record = cca__is_record(cca__type(model, fixed));
    add_type(site, record ? fixed : element);
    shape = record ? CCA_SIZE_SHAPE_FLEXIBLE : CCA_SIZE_SHAPE_HEADER;
    site->header = record ? 0 : cca__type_bytes(fixed, model);
    if (fixed == element)
      shape = CCA_SIZE_SHAPE_ARRAY;
  } else
    return;
  if (site->shape == CCA_SIZE_SHAPE_UNKNOWN)
    site->shape = shape;
  else if (site->shape != shape)
    site->shape = shape == CCA_SIZE_SHAPE_FLEXIBLE ||
                          site->shape == CCA_SIZE_SHAPE_FLEXIBLE
                      ? CCA_SIZE_SHAPE_FLEXIBLE
                      : CCA_SIZE_SHAPE_ARRAY;
}

/* Is this call how its function, itself an allocation function, comes by what
 * it hands out? */
static bool hands_on(const struct cca_model *model, uint32_t caller,
                     uint32_t call, const struct cca_size *size) {
  const struct cca_verdict *v = &model->verdicts[caller];
  const struct cca_behaviour *b = &model->behaviours[caller];
  if (!cca__is_asked(v) || !(v->size_args & cca_size_params(size)))
    return false;
  if (cca__fresh_by(b->returned, call))
    return true;
  for (uint32_t i = 0; i < b->out_count; i++)
    if (b->outs[i].origin.block->call == call)
      return true;
  return false;
}

/* What is known of a size that the atoms of SIZE only name. */
static bool read_reach(struct cca_model *model, uint32_t caller,
                       const struct cca_size *size, struct cca_callsite *site,
                       struct cca_arena *arena, bool *params) {
  for (uint32_t i = 0; i < size->alt_count; i++)
    for (uint32_t t = 0; t < size->alts[i].term_count; t++)
      for (uint32_t k = 0; k < size->alts[i].terms[t].atom_count; k++) {
        struct cca_atom atom = size->alts[i].terms[t].atoms[k];
        const struct cca_reach *reach = NULL;
        if (atom.kind == CCA_ATOM_PARAM) {
          reach = cca__flow_param(model, caller, atom.index);
          *params = true;
        } else if (atom.kind == CCA_ATOM_FIELD && atom.index)
          reach = cca__flow_location(model, atom.index);
        if (!reach || !reach->type_count)
          continue;
        if (reach->unsized && atom.kind == CCA_ATOM_FIELD) {
          site->reason = cca_arena_printf(
              arena, "the size is kept in %s, which also holds other numbers",
              cca__location_name(model, atom.index, arena));
          continue;
        }
        for (uint32_t r = 0; r < reach->type_count; r++)
          add_type(site, reach->types[r]);
      }
  return site->type_count != 0;
}

/* A call, as it is read. */
struct reading {
  struct cca_model *model;
  struct cca_arena *texts;
  struct cca_eval *eval; /* has entered the caller's body */
  struct cca_handles *handles;
  const struct cca_input *unit;
  const struct cca_call *call;
  uint32_t caller;
  const struct cca_verdict *verdict;
  const struct cca_size *inner; /* in terms of the callee */
  const struct cca_size *size;  /* … of the caller */
};

/* What the objects have that the callee keeps its size in: containers, slabs.
 * False if that is not known of these very objects. */
static bool read_handles(const struct reading *r, struct cca_callsite *site) {
  struct cca_reach found = {0};
  uint32_t atoms = 0;
  for (uint32_t i = 0; i < r->inner->alt_count; i++)
    for (uint32_t t = 0; t < r->inner->alts[i].term_count; t++)
      for (uint32_t k = 0; k < r->inner->alts[i].terms[t].atom_count; k++) {
        struct cca_atom atom = r->inner->alts[i].terms[t].atoms[k];
        atoms++;
        if (atom.kind != CCA_ATOM_FIELD || !atom.index ||
            atom.root >= CCA_DEEP_ROOT || atom.root >= r->call->args_count)
          continue;
        uint32_t node =
            cca_operand_at(r->unit->table, r->call->args_first + atom.root)
                .node;
        struct cca_reach one =
            cca__handles_reach(r->handles, site->call, node, atom.index);
        cca__reach_join(&found, &one, false);
      }
  if (found.more || found.unsized == (found.type_count != 0))
    return false;
  for (uint32_t i = 0; i < found.type_count; i++)
    add_type(site, found.types[i]);
  site->shape = !found.type_count ? CCA_SIZE_SHAPE_UNKNOWN
                : atoms == 1      ? CCA_SIZE_SHAPE_ONE
                                  : CCA_SIZE_SHAPE_ARRAY;
  site->class = found.type_count ? CCA_SITE_CLASS_TYPED : CCA_SITE_CLASS_BYTES;
  return true;
}

/* The record that FUNCTION is declared to return a pointer to, or CCA_NONE. */
static uint32_t returned_record(const struct cca_model *model,
                                uint32_t function) {
  const struct cca_function *f = &model->functions.items[function];
  const struct cca_input *unit = &model->units[f->unit];
  uint32_t result = cca_func_at(unit->table, f->row).result;
  return result != CCA_NONE && cca__is_record(cca_type_at(unit->table, result))
             ? unit->types[result]
             : CCA_NONE;
}

/* A factory that returns a place in what it makes, a record of a chunk: the
 * member that begins there is what its callers get, or one of an array of what
 * it is declared to return, wherever in the chunk. */
static void settle_member(const struct cca_model *model,
                          const struct cca_size *offset,
                          struct cca_callsite *site) {
  int64_t start;
  bool fixed = cca_size_is_constant(offset, &start);
  uint32_t declared = returned_record(model, site->target);
  if (fixed ? start <= 0 : declared == CCA_NONE)
    return;
  struct cca_type_place place = model->types.items[site->types[0]];
  const struct cca_input *unit = &model->units[place.unit];
  struct cca_type type = cca_type_at(unit->table, place.row);
  for (uint32_t i = 0; i < type.members_count; i++) {
    struct cca_member member =
        cca_member_at(unit->table, type.members_first + i);
    if (member.of == CCA_NONE || (fixed && member.offset != start))
      continue;
    struct cca_type of = cca_type_at(unit->table, member.of);
    bool array = of.kind == CCA_TYPE_KIND_ARRAY && of.element != CCA_NONE;
    uint32_t row = array ? of.element : member.of;
    bool meant = fixed ? cca__is_record(cca_type_at(unit->table, row))
                       : array && unit->types[row] == declared;
    if (meant) {
      site->types[0] = unit->types[row];
      site->shape = array && fixed ? CCA_SIZE_SHAPE_ARRAY : CCA_SIZE_SHAPE_ONE;
    }
    if (meant || fixed)
      return;
  }
}

static void settle_on(struct cca_callsite *site, uint32_t type) {
  for (uint32_t i = 0; type != CCA_NONE && i < site->type_count; i++)
    if (site->types[i] == type) {
      site->types[0] = type;
      site->type_count = 1;
    }
}

/* A constructor that makes one of several records gives its callers the one
 * that it is declared to return, or else the one that the caller takes the
 * result for, if that is among them. */
static void settle_records(const struct cca_model *model,
                           struct cca_callsite *site) {
  settle_on(site, returned_record(model, site->target));
  settle_on(site, site->used_as);
}

/* Of several types the one that the result is used as comes first. */
static void prefer_used(struct cca_callsite *site) {
  for (uint32_t i = 1; i < site->type_count; i++)
    if (site->types[i] == site->used_as) {
      site->types[i] = site->types[0];
      site->types[0] = site->used_as;
    }
}

static bool used_as_record(const struct cca_model *model,
                           const struct cca_callsite *site) {
  return site->used_as != CCA_NONE &&
         cca__is_record(cca__type(model, site->used_as));
}

static void read_size(const struct reading *r, struct cca_callsite *site) {
  struct cca_model *model = r->model;
  const struct cca_verdict *verdict = r->verdict;
  const struct cca_size *size = r->size;
  uint32_t caller = r->caller;
  if (hands_on(model, caller, site->call, size)) {
    site->class = CCA_SITE_CLASS_PASS_THROUGH;
    return;
  }
  for (uint32_t i = 0; i < size->alt_count; i++)
    read_alt(model, &size->alts[i], site);
  site->class = CCA_SITE_CLASS_TYPED;
  if (!site->type_count && !read_handles(r, site)) {
    bool params = false;
    bool found = read_reach(model, caller, size, site, r->texts, &params);
    uint8_t role =
        caller == CCA_NONE ? CCA_ROLE_NONE : model->verdicts[caller].role;
    if (params && (role == CCA_ROLE_ALLOCATES || site->type_count != 1)) {
      /* What makes content of what it is given, or adds it to a buffer, hands
       * nothing on to its callers. */
      bool content = role == CCA_ROLE_ALIKE && !used_as_record(model, site);
      site->class =
          content ? CCA_SITE_CLASS_BYTES : CCA_SITE_CLASS_PASS_THROUGH;
      site->type_count = 0;
      site->reason = NULL;
    } else if (found) {
      site->shape = CCA_SIZE_SHAPE_UNKNOWN;
      site->reason = NULL;
    } else if (site->reason && used_as_record(model, site))
      site->class = CCA_SITE_CLASS_UNTYPED;
    else {
      site->class = CCA_SITE_CLASS_BYTES;
      site->reason = NULL;
    }
  }
  if (!site->type_count && site->class == CCA_SITE_CLASS_BYTES &&
      verdict->role == CCA_ROLE_FACTORY) {
    /* A constructor that takes a length: what it returns is its type. */
    uint32_t declared = returned_record(model, site->target);
    if (declared != CCA_NONE) {
      site->class = CCA_SITE_CLASS_TYPED;
      site->shape = CCA_SIZE_SHAPE_FLEXIBLE;
      add_type(site, declared);
    }
  }
  if (verdict->role == CCA_ROLE_FACTORY && site->type_count > 1)
    settle_records(model, site);
  if (verdict->role == CCA_ROLE_FACTORY && site->type_count == 1)
    settle_member(model, verdict->offset, site);
  prefer_used(site);
  if (site->type_count > 1)
    site->shape = CCA_SIZE_SHAPE_SEVERAL;
}

static bool classify_call(struct reading *r, struct cca_callsite *site) {
  struct cca_model *model = r->model;
  const struct cca_call *call = r->call;
  uint32_t number = site->call;
  const struct cca_primitive *p =
      model->functions.items[site->target].primitive;
  int64_t value;
  if (p && cca__eval_maps_file(r->eval, call, p))
    return false;
  site->location =
      call->target == CCA_NONE ? CCA_NONE : cca__call_location(model, number);
  site->used_as =
      call->used_as == CCA_NONE ? CCA_NONE : r->unit->types[call->used_as];
  r->inner = r->verdict->role == CCA_ROLE_FACTORY
                 ? r->verdict->size
                 : brought(cca__eval_arena(r->eval), r->verdict->size);
  r->size = cca__eval_at_call(r->eval, number, r->inner);
  if (r->verdict->role == CCA_ROLE_ALLOCATES &&
      cca_size_is_constant(r->size, &value) && !value)
    return false; /* realloc(p, 0) frees */
  r->caller = r->unit->functions[call->func];
  read_size(r, site);
  site->size = cca__size_text(model, r->caller, r->size, true, r->texts);
  return true;
}

/* ---- What may allocate in another module ---- */

/* The undefined function that CALL reaches, and that returns a pointer, or
 * CCA_NONE. */
static uint32_t open_target(const struct cca_model *model, uint32_t call) {
  uint32_t first = model->targets_first[call];
  if (model->targets_first[call + 1] - first != 1 ||
      model->target_rule[call] != CCA_RULE_DIRECT)
    return CCA_NONE;
  uint32_t target = model->targets[first];
  return model->traits[target] & CCA_TRAIT_IMPORTED &&
                 model->functions.items[target].result == 'p'
             ? target
             : CCA_NONE;
}

/* Is there a number among the arguments of FUNCTION, but for PARAM? */
static bool has_other_number(const struct cca_model *model, uint32_t function,
                             uint32_t param) {
  const struct cca_function *f = &model->functions.items[function];
  const struct cca_table *t = model->units[f->unit].table;
  const char *shape = cca_table_string(t, cca_func_at(t, f->row).shape);
  for (size_t i = 1; shape[0] && shape[i]; i++)
    if (shape[i] != 'p' && i != param + 1)
      return true;
  return false;
}

/* What one thread finds, in consecutive units. */
struct part {
  struct cca_model *model;
  struct cca_eval *eval;
  struct cca_arena texts; /* becomes the model's */
  struct cca_callsites sites;
};

/* SITE, a call of a function that is not known to allocate, has call and
 * used_as: is it open?  *ENTERED: is its function's body in PART's eval? */
static bool classify_open(struct part *part, uint32_t u,
                          const struct cca_call *call, bool *entered,
                          struct cca_callsite *site) {
  struct cca_model *model = part->model;
  struct cca_eval *eval = part->eval;
  const struct cca_input *unit = &model->units[u];
  site->target = open_target(model, site->call);
  if (site->target == CCA_NONE)
    return false;
  for (uint32_t a = 0; a < call->args_count; a++) {
    uint32_t node = cca_operand_at(unit->table, call->args_first + a).node;
    if (!cca__is_computed(cca_node_at(unit->table, node).op))
      continue;
    if (!*entered)
      cca__eval_enter_body(eval, u, call->func);
    *entered = true;
    struct cca_callsite one = {.call = site->call};
    const struct cca_size *size = cca__eval_size(eval, node);
    for (uint32_t i = 0; i < size->alt_count; i++)
      read_alt(model, &size->alts[i], &one);
    if (!one.type_count)
      continue;
    if (site->type_count || one.type_count > 1)
      return false;
    one.target = site->target;
    one.location = CCA_NONE;
    one.class = CCA_SITE_CLASS_OPEN;
    one.param = a;
    one.used_as =
        call->used_as == CCA_NONE ? CCA_NONE : unit->types[call->used_as];
    one.size = cca__size_text(model, unit->functions[call->func], size, true,
                              &part->texts);
    if (has_other_number(model, one.target, a))
      one.shape = CCA_SIZE_SHAPE_UNKNOWN;
    *site = one;
  }
  return site->type_count != 0;
}

static void classify_unit(struct part *part, struct cca_handles *handles,
                          uint32_t u) {
  struct cca_model *model = part->model;
  const struct cca_input *unit = &model->units[u];
  uint32_t entered = CCA_NONE;
  for (uint32_t i = 0; unit->table && i < cca_call_count(unit->table); i++) {
    struct cca_call call = cca_call_at(unit->table, i);
    struct cca_callsite site = {.call = unit->first_call + i};
    const struct cca_verdict *verdict =
        cca__call_verdict(model, site.call, &site.target);
    if (!verdict) {
      bool inside = entered == call.func;
      if (classify_open(part, u, &call, &inside, &site))
        cca_vec_push(&part->sites, site);
      entered = inside ? call.func : entered;
      continue;
    }
    if (entered != call.func)
      cca__eval_enter_body(part->eval, u, call.func);
    entered = call.func;
    struct reading r = {.model = model,
                        .texts = &part->texts,
                        .eval = part->eval,
                        .handles = handles,
                        .unit = unit,
                        .call = &call,
                        .verdict = verdict};
    if (classify_call(&r, &site))
      cca_vec_push(&part->sites, site);
  }
}

static void classify_units(void *parts, size_t thread, size_t first,
                           size_t end) {
  struct part *part = (struct part *)parts + thread;
  struct cca_handles *handles = cca__handles_new(part->model);
  part->eval = cca__eval_new(part->model);
  for (size_t u = first; u < end; u++)
    classify_unit(part, handles, (uint32_t)u);
  cca__handles_free(handles);
  cca__eval_free(part->eval);
}

void cca__callsites(struct cca_model *model, struct cca_callsites *sites) {
  struct part parts[CCA_THREADS_MAX] = {0};
  size_t threads = cca__threads(model, model->functions.count);
  for (size_t i = 0; i < threads; i++)
    parts[i].model = model;
  cca_parallel(threads, model->unit_count, classify_units, parts);
  for (size_t i = 0; i < threads; i++) {
    cca_vec_join(sites, &parts[i].sites);
    cca_arena_join(&model->arena, &parts[i].texts);
  }
}
