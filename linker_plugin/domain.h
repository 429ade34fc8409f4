/* SPDX-License-Identifier: MIT */
/*
 * domain.h -- sizes as the solver knows them: alternatives of sums of products.
 *
 * `(n > 0 ? n : 1) * sizeof(struct foo) + 16`, seen inside a function whose
 * parameter 0 is n, is two alternatives:  p0*sizeof(struct foo) + 16  and
 * sizeof(struct foo) + 16.  Sum and alternative are different things: a floor
 * is not a header.
 *
 * Everything is bounded.  What outgrows CCA_SIZE_ALTS, _TERMS or _ATOMS
 * becomes a *bag*: the atoms that flowed in, without the shape.  A bag only
 * grows, over finitely many atoms, which is why fixpoints over sizes end.
 *
 * Sizes never change once made and live in the arena that made them.
 */
#ifndef CCA_DOMAIN_H
#define CCA_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/text.h"

enum {
  CCA_SIZE_ALTS = 6,
  CCA_SIZE_TERMS = 6,
  CCA_SIZE_ATOMS = 3,
  CCA_DEEP_ROOT = 0xfe, /* reached through a parameter, but not its own */
  CCA_NO_ROOT = 0xff
};

enum cca_atom_kind {
  CCA_ATOM_SIZEOF,  /* index: type */
  CCA_ATOM_PART,    /* index: record type; offsetof: a record cut short */
  CCA_ATOM_PARAM,   /* index: parameter of the function at hand */
  CCA_ATOM_FIELD,   /* index: location; root: the parameter whose own member
                       it is, CCA_DEEP_ROOT, or CCA_NO_ROOT: a variable's */
  CCA_ATOM_CONTENT, /* length of what memory holds; root as above */
  CCA_ATOM_OPAQUE,  /* anything else */
};

struct cca_atom {
  uint8_t kind; /* enum cca_atom_kind */
  uint8_t root;
  uint16_t detail; /* PART: the offset, capped */
  uint32_t index;
};

/* Is ATOM the size of a type, or of its beginning? */
static inline bool cca_atom_is_sizeof(struct cca_atom atom) {
  return atom.kind == CCA_ATOM_SIZEOF || atom.kind == CCA_ATOM_PART;
}

struct cca_term {
  int64_t factor; /* not 0 */
  uint32_t atom_count;
  struct cca_atom atoms[CCA_SIZE_ATOMS]; /* sorted */
};

struct cca_alt {
  bool bag;            /* atoms without a shape: factors are 1, one atom each */
  uint32_t term_count; /* 0: the constant 0 */
  struct cca_term *terms; /* sorted by atoms; at most one without atoms */
};

struct cca_size {
  uint32_t alt_count; /* 0: no value at all */
  struct cca_alt alts[CCA_SIZE_ALTS];
};

/* All results are borrowed from ARENA. */
const struct cca_size *cca_size_none(void);
const struct cca_size *cca_size_constant(struct cca_arena *arena,
                                         int64_t value);
const struct cca_size *cca_size_atom(struct cca_arena *arena, int64_t factor,
                                     struct cca_atom atom);
const struct cca_size *cca_size_add(struct cca_arena *arena,
                                    const struct cca_size *a,
                                    const struct cca_size *b);
const struct cca_size *cca_size_sub(struct cca_arena *arena,
                                    const struct cca_size *a,
                                    const struct cca_size *b);
const struct cca_size *cca_size_mul(struct cca_arena *arena,
                                    const struct cca_size *a,
                                    const struct cca_size *b);
/* Exact where every term divides; a bag otherwise. */
const struct cca_size *cca_size_div(struct cca_arena *arena,
                                    const struct cca_size *a,
                                    const struct cca_size *b);
/* Either: the alternatives of both, which the result shares. */
const struct cca_size *cca_size_join(struct cca_arena *arena,
                                     const struct cca_size *a,
                                     const struct cca_size *b);
/* Everything that flows in from both, without shape. */
const struct cca_size *cca_size_mix(struct cca_arena *arena,
                                    const struct cca_size *a,
                                    const struct cca_size *b);
/* A without its constant terms smaller than LIMIT: what rounding adds. */
const struct cca_size *cca_size_without_slack(struct cca_arena *arena,
                                              const struct cca_size *a,
                                              int64_t limit);
/* NOW, with what is not in BEFORE as bags: a size that grows on each turn of a
 * recursion has no shape. */
const struct cca_size *cca_size_widen(struct cca_arena *arena,
                                      const struct cca_size *before,
                                      const struct cca_size *now);
const struct cca_size *cca_size_copy(struct cca_arena *arena,
                                     const struct cca_size *a);

/* Put *VALUE_OF(atom) in place of each atom; NULL keeps the atom. */
typedef const struct cca_size *cca_size_value_of(struct cca_atom atom,
                                                 void *payload);
const struct cca_size *cca_size_substitute(struct cca_arena *arena,
                                           const struct cca_size *a,
                                           cca_size_value_of *value_of,
                                           void *payload);

bool cca_size_equal(const struct cca_size *a, const struct cca_size *b);

/* If A is one constant, its value in *VALUE. */
bool cca_size_is_constant(const struct cca_size *a, int64_t *value);
bool cca_size_has(const struct cca_size *a, enum cca_atom_kind kind);
/* The parameters in A, as bits (parameters past 63 are not seen). */
uint64_t cca_size_params(const struct cca_size *a);

/* How many bytes TYPE has. */
typedef int64_t cca_type_bytes(uint32_t type, void *payload);

/* The bytes of ATOM, if it is the size of a type or of its beginning; else 0. */
static inline int64_t cca_atom_bytes(struct cca_atom atom,
                                     cca_type_bytes *bytes, void *payload) {
  return atom.kind == CCA_ATOM_PART     ? atom.detail
         : atom.kind == CCA_ATOM_SIZEOF ? bytes(atom.index, payload)
                                        : 0;
}

/*
 * The size that remains behind a result that points OFFSET into a block of
 * size A: the differences of those pairs of alternatives that leave the least.
 * sizeof(T) cancels against its value in bytes, which SIZE_OF gives.
 */
const struct cca_size *cca_size_rebase(struct cca_arena *arena,
                                       const struct cca_size *a,
                                       const struct cca_size *offset,
                                       cca_type_bytes *bytes, void *payload);

/* For people: `p0 * sizeof(struct foo) + 16`.  NAME_OF adds an atom's words. */
typedef void cca_atom_name(struct cca_atom atom, struct cca_text *out,
                           void *payload);
void cca_size_print(const struct cca_size *a, struct cca_text *out,
                    cca_atom_name *name, void *payload);

#endif
