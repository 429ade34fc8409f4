/* SPDX-License-Identifier: MIT */
/*
 * domain.c -- arithmetic on alternatives of sums of products (domain.h).
 *
 * Every operation works on one alternative of each operand and joins the
 * results, so the shapes multiply and are cut at the bounds.  Terms are kept
 * sorted by their atoms: addition merges like terms, equality is memcmp-like.
 */
#include "domain.h"

#include <string.h>

static int atom_order(struct cca_atom a, struct cca_atom b) {
  if (a.kind != b.kind)
    return a.kind < b.kind ? -1 : 1;
  if (a.index != b.index)
    return a.index < b.index ? -1 : 1;
  if (a.root != b.root)
    return a.root < b.root ? -1 : 1;
  return a.detail == b.detail ? 0 : a.detail < b.detail ? -1 : 1;
}

static int term_order(const struct cca_term *a, const struct cca_term *b) {
  if (a->atom_count != b->atom_count)
    return a->atom_count > b->atom_count ? -1 : 1; /* constants last */
  for (uint32_t i = 0; i < a->atom_count; i++) {
    int order = atom_order(a->atoms[i], b->atoms[i]);
    if (order)
      return order;
  }
  return 0;
}

static bool alt_equal(const struct cca_alt *a, const struct cca_alt *b) {
  if (a->bag != b->bag || a->term_count != b->term_count)
    return false;
  for (uint32_t i = 0; i < a->term_count; i++)
    if (a->terms[i].factor != b->terms[i].factor ||
        term_order(&a->terms[i], &b->terms[i]) != 0)
      return false;
  return true;
}

/* A sum under construction.  Terms past its count have no value: there are
 * many sums, and most have one term. */
struct sum {
  bool bag;
  uint32_t count;
  struct cca_term terms[CCA_SIZE_TERMS];
};

static void sum_start(struct sum *sum, bool bag) {
  sum->bag = bag;
  sum->count = 0;
}

static bool sum_has_atom(const struct sum *sum, struct cca_atom atom) {
  for (uint32_t i = 0; i < sum->count; i++)
    if (sum->terms[i].atom_count && !atom_order(sum->terms[i].atoms[0], atom))
      return true;
  return false;
}

static void sum_insert(struct sum *sum, struct cca_term term) {
  uint32_t at = 0;
  while (at < sum->count && term_order(&sum->terms[at], &term) < 0)
    at++;
  memmove(&sum->terms[at + 1], &sum->terms[at],
          (sum->count - at) * sizeof term);
  sum->terms[at] = term;
  sum->count++;
}

static void sum_add_atom(struct sum *sum, struct cca_atom atom) {
  if (sum->count < CCA_SIZE_TERMS && !sum_has_atom(sum, atom))
    sum_insert(sum, (struct cca_term){1, 1, {atom}});
}

/* From here on the sum is a bag: one entry for each atom, factors forgotten. */
static void sum_to_bag(struct sum *sum) {
  if (sum->bag)
    return;
  struct sum old = *sum;
  sum->bag = true;
  sum->count = 0;
  for (uint32_t i = 0; i < old.count; i++)
    for (uint32_t k = 0; k < old.terms[i].atom_count; k++)
      sum_add_atom(sum, old.terms[i].atoms[k]);
}

static void sum_add(struct sum *sum, struct cca_term term) {
  if (!term.factor)
    return;
  if (sum->bag) {
    for (uint32_t k = 0; k < term.atom_count; k++)
      sum_add_atom(sum, term.atoms[k]);
    return;
  }
  for (uint32_t i = 0; i < sum->count; i++)
    if (term_order(&sum->terms[i], &term) == 0) {
      int64_t factor;
      if (__builtin_add_overflow(sum->terms[i].factor, term.factor, &factor))
        factor = 1;
      sum->terms[i].factor = factor;
      if (!factor) {
        sum->count--;
        memmove(&sum->terms[i], &sum->terms[i + 1],
                (sum->count - i) * sizeof term);
      }
      return;
    }
  if (sum->count == CCA_SIZE_TERMS) {
    sum_to_bag(sum);
    sum_add(sum, term);
    return;
  }
  sum_insert(sum, term);
}

static void sum_add_alt(struct sum *sum, const struct cca_alt *alt,
                        int64_t factor) {
  if (alt->bag)
    sum_to_bag(sum);
  for (uint32_t i = 0; i < alt->term_count; i++) {
    struct cca_term term = alt->terms[i];
    if (__builtin_mul_overflow(term.factor, factor, &term.factor))
      term.factor = 1;
    sum_add(sum, term);
  }
}

/* Append SUM to SIZE unless it is there; a full SIZE takes it into a bag. */
static void size_push(struct cca_arena *arena, struct cca_size *size,
                      const struct sum *sum) {
  struct cca_alt alt = {sum->bag, sum->count, (struct cca_term *)sum->terms};
  for (uint32_t i = 0; i < size->alt_count; i++)
    if (alt_equal(&size->alts[i], &alt))
      return;
  if (size->alt_count == CCA_SIZE_ALTS) {
    struct sum bag;
    sum_start(&bag, true);
    sum_add_alt(&bag, &size->alts[CCA_SIZE_ALTS - 1], 1);
    sum_add_alt(&bag, &alt, 1);
    size->alt_count--;
    size_push(arena, size, &bag);
    return;
  }
  alt.terms = NULL;
  if (sum->count) {
    alt.terms = cca_arena_alloc(arena, sum->count * sizeof *alt.terms);
    memcpy(alt.terms, sum->terms, sum->count * sizeof *alt.terms);
  }
  size->alts[size->alt_count++] = alt;
}

static struct cca_size *new_size(struct cca_arena *arena) {
  struct cca_size *size = cca_arena_alloc(arena, sizeof *size);
  size->alt_count = 0;
  return size;
}

/* Of the alternatives that are there. */
static size_t size_bytes(const struct cca_size *a) {
  return offsetof(struct cca_size, alts) + a->alt_count * sizeof a->alts[0];
}

const struct cca_size *cca_size_none(void) {
  static const struct cca_size none;
  return &none;
}

const struct cca_size *cca_size_constant(struct cca_arena *arena,
                                         int64_t value) {
  static const struct cca_size zero = {.alt_count = 1};
  if (!value)
    return &zero;
  struct cca_size *size = new_size(arena);
  struct sum sum;
  sum_start(&sum, false);
  sum_add(&sum, (struct cca_term){.factor = value});
  size_push(arena, size, &sum);
  return size;
}

const struct cca_size *cca_size_atom(struct cca_arena *arena, int64_t factor,
                                     struct cca_atom atom) {
  struct cca_size *size = new_size(arena);
  struct sum sum;
  sum_start(&sum, false);
  sum_add(&sum, (struct cca_term){factor, 1, {atom}});
  size_push(arena, size, &sum);
  return size;
}

static bool is_zero(const struct cca_size *a) {
  return a->alt_count == 1 && !a->alts[0].bag && !a->alts[0].term_count;
}

static const struct cca_size *linear(struct cca_arena *arena,
                                     const struct cca_size *a,
                                     const struct cca_size *b, int64_t sign) {
  if (is_zero(b))
    return a;
  struct cca_size *size = new_size(arena);
  for (uint32_t i = 0; i < a->alt_count; i++)
    for (uint32_t k = 0; k < b->alt_count; k++) {
      struct sum sum;
      sum_start(&sum, false);
      sum_add_alt(&sum, &a->alts[i], 1);
      sum_add_alt(&sum, &b->alts[k], sign);
      size_push(arena, size, &sum);
    }
  return size;
}

const struct cca_size *cca_size_add(struct cca_arena *arena,
                                    const struct cca_size *a,
                                    const struct cca_size *b) {
  return linear(arena, a, b, 1);
}

const struct cca_size *cca_size_sub(struct cca_arena *arena,
                                    const struct cca_size *a,
                                    const struct cca_size *b) {
  return linear(arena, a, b, -1);
}

static bool alt_is_zero(const struct cca_alt *alt) {
  return !alt->bag && !alt->term_count;
}

/* PRODUCT = A * B, or false if it has too many atoms. */
static bool term_mul(const struct cca_term *a, const struct cca_term *b,
                     struct cca_term *product) {
  if (a->atom_count + b->atom_count > CCA_SIZE_ATOMS)
    return false;
  *product = *a;
  if (__builtin_mul_overflow(a->factor, b->factor, &product->factor))
    product->factor = 1;
  for (uint32_t i = 0; i < b->atom_count; i++) {
    uint32_t at = product->atom_count++;
    while (at && atom_order(product->atoms[at - 1], b->atoms[i]) > 0) {
      product->atoms[at] = product->atoms[at - 1];
      at--;
    }
    product->atoms[at] = b->atoms[i];
  }
  return true;
}

static void alt_mul(const struct cca_alt *a, const struct cca_alt *b,
                    struct sum *sum) {
  if (alt_is_zero(a) || alt_is_zero(b))
    return; /* the constant 0 annihilates */
  bool fits = !a->bag && !b->bag;
  for (uint32_t i = 0; fits && i < a->term_count; i++)
    for (uint32_t k = 0; fits && k < b->term_count; k++) {
      struct cca_term product;
      fits = term_mul(&a->terms[i], &b->terms[k], &product);
      if (fits)
        sum_add(sum, product);
    }
  if (fits)
    return;
  sum_start(sum, true);
  sum_add_alt(sum, a, 1);
  sum_add_alt(sum, b, 1);
}

const struct cca_size *cca_size_mul(struct cca_arena *arena,
                                    const struct cca_size *a,
                                    const struct cca_size *b) {
  struct cca_size *size = new_size(arena);
  for (uint32_t i = 0; i < a->alt_count; i++)
    for (uint32_t k = 0; k < b->alt_count; k++) {
      struct sum sum;
      sum_start(&sum, false);
      alt_mul(&a->alts[i], &b->alts[k], &sum);
      size_push(arena, size, &sum);
    }
  return size;
}

/* QUOTIENT = A / B where B's atoms are among A's and the factor divides. */
static bool term_div(const struct cca_term *a, const struct cca_term *b,
                     struct cca_term *quotient) {
  if (b->factor == -1 || a->factor % b->factor)
    return false;
  *quotient = *a;
  quotient->factor = a->factor / b->factor;
  for (uint32_t k = 0; k < b->atom_count; k++) {
    uint32_t i = 0;
    while (i < quotient->atom_count &&
           atom_order(quotient->atoms[i], b->atoms[k]) != 0)
      i++;
    if (i == quotient->atom_count)
      return false;
    quotient->atom_count--;
    memmove(&quotient->atoms[i], &quotient->atoms[i + 1],
            (quotient->atom_count - i) * sizeof quotient->atoms[0]);
  }
  return true;
}

const struct cca_size *cca_size_div(struct cca_arena *arena,
                                    const struct cca_size *a,
                                    const struct cca_size *b) {
  struct cca_size *size = new_size(arena);
  for (uint32_t i = 0; i < a->alt_count; i++)
    for (uint32_t k = 0; k < b->alt_count; k++) {
      const struct cca_alt *x = &a->alts[i], *y = &b->alts[k];
      struct sum sum;
      sum_start(&sum, false);
      bool exact = !x->bag && !y->bag && y->term_count == 1;
      for (uint32_t t = 0; exact && t < x->term_count; t++) {
        struct cca_term quotient;
        exact = term_div(&x->terms[t], &y->terms[0], &quotient);
        if (exact)
          sum_add(&sum, quotient);
      }
      if (!exact) {
        sum_start(&sum, true);
        sum_add_alt(&sum, x, 1);
      }
      size_push(arena, size, &sum);
    }
  return size;
}

static void push_all(struct cca_arena *arena, struct cca_size *size,
                     const struct cca_size *from) {
  for (uint32_t i = 0; i < from->alt_count; i++) {
    struct sum sum;
    sum_start(&sum, false);
    sum_add_alt(&sum, &from->alts[i], 1);
    size_push(arena, size, &sum);
  }
}

const struct cca_size *cca_size_join(struct cca_arena *arena,
                                     const struct cca_size *a,
                                     const struct cca_size *b) {
  if (!a->alt_count)
    return b;
  if (!b->alt_count)
    return a;
  /* A's alternatives differ, so that they need no comparison. */
  struct cca_size *size = cca_arena_alloc(arena, sizeof *size);
  memcpy(size, a, size_bytes(a));
  push_all(arena, size, b);
  return size;
}

const struct cca_size *cca_size_mix(struct cca_arena *arena,
                                    const struct cca_size *a,
                                    const struct cca_size *b) {
  struct cca_size *size = new_size(arena);
  struct sum sum;
  sum_start(&sum, true);
  for (uint32_t i = 0; i < a->alt_count; i++)
    sum_add_alt(&sum, &a->alts[i], 1);
  for (uint32_t i = 0; i < b->alt_count; i++)
    sum_add_alt(&sum, &b->alts[i], 1);
  size_push(arena, size, &sum);
  return size;
}

const struct cca_size *cca_size_without_slack(struct cca_arena *arena,
                                              const struct cca_size *a,
                                              int64_t limit) {
  struct cca_size *size = new_size(arena);
  for (uint32_t i = 0; i < a->alt_count; i++) {
    struct sum sum;
    sum_start(&sum, false);
    const struct cca_alt *alt = &a->alts[i];
    if (alt->bag)
      sum_to_bag(&sum);
    for (uint32_t t = 0; t < alt->term_count; t++)
      if (alt->terms[t].atom_count || alt->term_count == 1 ||
          alt->terms[t].factor < 0 || alt->terms[t].factor >= limit)
        sum_add(&sum, alt->terms[t]);
    size_push(arena, size, &sum);
  }
  return size;
}

const struct cca_size *cca_size_widen(struct cca_arena *arena,
                                      const struct cca_size *before,
                                      const struct cca_size *now) {
  struct cca_size *size = new_size(arena);
  for (uint32_t i = 0; i < now->alt_count; i++) {
    struct sum sum;
    sum_start(&sum, false);
    bool known = false;
    for (uint32_t k = 0; k < before->alt_count; k++)
      known |= alt_equal(&now->alts[i], &before->alts[k]);
    sum.bag = !known;
    sum_add_alt(&sum, &now->alts[i], 1);
    size_push(arena, size, &sum);
  }
  return size;
}

const struct cca_size *cca_size_copy(struct cca_arena *arena,
                                     const struct cca_size *a) {
  struct cca_size *size = cca_arena_alloc(arena, size_bytes(a));
  memcpy(size, a, size_bytes(a));
  for (uint32_t i = 0; i < size->alt_count; i++) {
    struct cca_alt *alt = &size->alts[i];
    size_t len = alt->term_count * sizeof *alt->terms;
    if (!len)
      continue;
    alt->terms = cca_arena_alloc(arena, len);
    memcpy(alt->terms, a->alts[i].terms, len);
  }
  return size;
}

const struct cca_size *cca_size_substitute(struct cca_arena *arena,
                                           const struct cca_size *a,
                                           cca_size_value_of *value_of,
                                           void *payload) {
  const struct cca_size *result = cca_size_none();
  for (uint32_t i = 0; i < a->alt_count; i++) {
    const struct cca_alt *alt = &a->alts[i];
    const struct cca_size *sum = cca_size_constant(arena, 0);
    for (uint32_t t = 0; t < alt->term_count; t++) {
      const struct cca_term *term = &alt->terms[t];
      const struct cca_size *product =
          cca_size_constant(arena, alt->bag ? 1 : term->factor);
      for (uint32_t k = 0; k < term->atom_count; k++) {
        const struct cca_size *value = value_of(term->atoms[k], payload);
        if (!value || !value->alt_count)
          value =
              cca_size_atom(arena, 1,
                            value ? (struct cca_atom){.kind = CCA_ATOM_OPAQUE,
                                                      .root = CCA_NO_ROOT}
                                  : term->atoms[k]);
        product = cca_size_mul(arena, product, value);
      }
      sum = alt->bag ? cca_size_mix(arena, sum, product)
                     : cca_size_add(arena, sum, product);
    }
    if (alt->bag && !alt->term_count)
      sum = cca_size_mix(arena, sum, cca_size_none());
    result = cca_size_join(arena, result, sum);
  }
  return result;
}

bool cca_size_equal(const struct cca_size *a, const struct cca_size *b) {
  if (a == b)
    return true;
  if (a->alt_count != b->alt_count)
    return false;
  for (uint32_t i = 0; i < a->alt_count; i++)
    if (!alt_equal(&a->alts[i], &b->alts[i]))
      return false;
  return true;
}

bool cca_size_is_constant(const struct cca_size *a, int64_t *value) {
  if (a->alt_count != 1 || a->alts[0].bag || a->alts[0].term_count > 1)
    return false;
  if (a->alts[0].term_count && a->alts[0].terms[0].atom_count)
    return false;
  *value = a->alts[0].term_count ? a->alts[0].terms[0].factor : 0;
  return true;
}

bool cca_size_has(const struct cca_size *a, enum cca_atom_kind kind) {
  for (uint32_t i = 0; i < a->alt_count; i++)
    for (uint32_t t = 0; t < a->alts[i].term_count; t++)
      for (uint32_t k = 0; k < a->alts[i].terms[t].atom_count; k++)
        if (a->alts[i].terms[t].atoms[k].kind == kind)
          return true;
  return false;
}

uint64_t cca_size_params(const struct cca_size *a) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < a->alt_count; i++)
    for (uint32_t t = 0; t < a->alts[i].term_count; t++)
      for (uint32_t k = 0; k < a->alts[i].terms[t].atom_count; k++) {
        struct cca_atom atom = a->alts[i].terms[t].atoms[k];
        if (atom.kind == CCA_ATOM_PARAM && atom.index < 64)
          bits |= (uint64_t)1 << atom.index;
      }
  return bits;
}

/*
 * A - B for a rebase.  Like terms cancel; then a constant that B leaves
 * negative is paid for by sizeof terms of that many bytes.
 */
static struct sum difference(const struct cca_alt *a, const struct cca_alt *b,
                             cca_type_bytes *bytes, void *payload) {
  struct sum sum;
  sum_start(&sum, false);
  sum_add_alt(&sum, a, 1);
  sum_add_alt(&sum, b, -1);
  for (uint32_t t = 0; !sum.bag && t < sum.count; t++) {
    struct cca_term term = sum.terms[t];
    if (term.atom_count != 1 || !cca_atom_is_sizeof(term.atoms[0]))
      continue;
    int64_t constant = 0;
    for (uint32_t k = 0; k < sum.count; k++)
      if (!sum.terms[k].atom_count)
        constant = sum.terms[k].factor;
    int64_t value = cca_atom_bytes(term.atoms[0], bytes, payload);
    int64_t all;
    if (value <= 0 || __builtin_mul_overflow(value, term.factor, &all))
      continue;
    /* sizeof(T) - 24 with 24 bytes in T, or 24 - sizeof(T) */
    if ((all > 0 && constant <= -all) || (all < 0 && constant >= -all)) {
      sum_add(&sum, (struct cca_term){.factor = all});
      term.factor = -term.factor;
      sum_add(&sum, term);
      t = (uint32_t)-1;
    }
  }
  return sum;
}

/* How much a difference leaves: fewer and only positive terms are better. */
static uint32_t weight(const struct sum *sum) {
  uint32_t weight = sum->bag ? 100 : 0;
  for (uint32_t t = 0; t < sum->count; t++)
    weight += (sum->terms[t].factor < 0 ? 10 : 1) +
              (sum->terms[t].atom_count ? 2 : 0);
  return weight;
}

const struct cca_size *cca_size_rebase(struct cca_arena *arena,
                                       const struct cca_size *a,
                                       const struct cca_size *offset,
                                       cca_type_bytes *bytes, void *payload) {
  struct cca_size *size = new_size(arena);
  for (uint32_t i = 0; i < a->alt_count; i++) {
    struct sum best;
    sum_start(&best, false);
    uint32_t best_weight = UINT32_MAX;
    for (uint32_t k = 0; k < offset->alt_count; k++) {
      struct sum sum =
          difference(&a->alts[i], &offset->alts[k], bytes, payload);
      if (weight(&sum) < best_weight) {
        best_weight = weight(&sum);
        best = sum;
      }
    }
    size_push(arena, size, &best);
  }
  return size;
}

static void print_term(const struct cca_term *term, struct cca_text *out,
                       cca_atom_name *name, void *payload) {
  int64_t factor = term->factor;
  uint64_t shown = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
  if (!term->atom_count || shown != 1)
    cca_text_addf(out, "%llu", (unsigned long long)shown);
  for (uint32_t k = 0; k < term->atom_count; k++) {
    if (k || shown != 1)
      cca_text_adds(out, " * ");
    name(term->atoms[k], out, payload);
  }
}

/* A sum begins with a term that is added, if there is one. */
static void print_alt(const struct cca_alt *alt, struct cca_text *out,
                      cca_atom_name *name, void *payload) {
  uint32_t first = 0;
  while (first < alt->term_count && alt->terms[first].factor < 0)
    first++;
  if (alt->bag || first == alt->term_count)
    first = 0;
  if (!alt->term_count)
    cca_text_adds(out, alt->bag ? "?" : "0");
  if (alt->bag && alt->term_count)
    cca_text_adds(out, "f(");
  for (uint32_t i = 0; i < alt->term_count; i++) {
    uint32_t t = !i ? first : i <= first ? i - 1 : i;
    bool less = alt->terms[t].factor < 0;
    if (alt->bag)
      cca_text_adds(out, i ? ", " : "");
    else if (i)
      cca_text_adds(out, less ? " - " : " + ");
    else
      cca_text_adds(out, less ? "-" : "");
    print_term(&alt->terms[t], out, name, payload);
  }
  if (alt->bag && alt->term_count)
    cca_text_adds(out, ")");
}

void cca_size_print(const struct cca_size *a, struct cca_text *out,
                    cca_atom_name *name, void *payload) {
  if (!a->alt_count)
    cca_text_adds(out, "?");
  for (uint32_t i = 0; i < a->alt_count; i++) {
    if (i)
      cca_text_adds(out, " | ");
    print_alt(&a->alts[i], out, name, payload);
  }
}
