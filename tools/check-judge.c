/* SPDX-License-Identifier: MIT */
/*
 * check-judge.c -- which allocation sites contradict themselves?
 *
 * Input:  sites, each with the type that its size is computed from, and the
 *         type that its result is converted to.
 * Output: those where one of the two must be a mistake.
 *
 * The two differ for many good reasons, so this asks whether the *amount* can
 * be right, not whether the types are the same.  It is wrong if it is the size
 * of a pointer where the object is meant, of the object where a pointer is
 * meant, or of something smaller than what the result is used as.
 *
 * All else is silent: docs/check.md lists why for each kind of difference.
 */
#include "check.h"

#include <string.h>

const char *cca_check_kind_name(enum cca_check_kind kind) {
  static const char *const names[] = {"pointer-for-object",
                                      "object-for-pointer", "too-small"};
  return names[kind];
}

static bool same(const struct cca_table *table, uint32_t a, uint32_t b) {
  if (a == CCA_NONE || b == CCA_NONE)
    return false;
  uint64_t x = (uint64_t)cca_type_at(table, a).identity;
  return a == b || (x && x == (uint64_t)cca_type_at(table, b).identity);
}

/* Is TYPE something that a size can be right or wrong for? */
static bool is_object(struct cca_type type) {
  switch (type.kind) {
  case CCA_TYPE_KIND_BASE:
  case CCA_TYPE_KIND_ENUM:
  case CCA_TYPE_KIND_STRUCT:
  case CCA_TYPE_KIND_UNION:
  case CCA_TYPE_KIND_POINTER:
    return type.size > 0 &&
           !(type.flags & (CCA_TYPE_FLAGS_BYTES | CCA_TYPE_FLAGS_INCOMPLETE));
  default:
    return false;
  }
}

/* Do the callers of ALLOC say how much, and use what they get as they like?  A
 * factory's result has its type from inside.  What has no row is a primitive.
 */
static bool is_allocator(const struct cca_table *table, uint32_t alloc) {
  if (alloc == CCA_NONE)
    return true;
  uint32_t kind = cca_alloc_at(table, alloc).kind;
  return cca_report_group_of(kind) == CCA_GROUP_ALLOCATION &&
         kind != CCA_KIND_DUP;
}

/* A size of nothing but one type's sizeof. */
struct amount {
  const char *sizeof_text; /* in the size; LEN bytes */
  size_t sizeof_len;
  int64_t factor; /* divides it */
  bool counted;   /* by something unknown; else it is FACTOR times */
};

static bool is_at(const char *text, const char *word) {
  return !strncmp(text, word, strlen(word));
}

/* The end of the factor at TEXT: a type's name may have blanks and stars. */
static const char *factor_end(const char *text) {
  int depth = 0;
  for (; *text; text++) {
    depth += (*text == '(') - (*text == ')');
    if (!depth && (is_at(text, " * ") || is_at(text, " + ") ||
                   is_at(text, " - ") || is_at(text, " | ")))
      break;
  }
  return text;
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Read the term at *AT, and set *AT to its end.  False if it is anything but a
 * product with one sizeof, of the same type as before. */
static bool read_term(const char **at, struct amount *amount) {
  int64_t factor = 1;
  uint32_t sizeofs = 0;
  for (const char *end;; *at = end + 3) {
    end = factor_end(*at);
    size_t len = (size_t)(end - *at), digits = strspn(*at, "0123456789");
    if (is_at(*at, "sizeof(")) {
      if (amount->sizeof_text &&
          (len != amount->sizeof_len || strncmp(*at, amount->sizeof_text, len)))
        return false;
      amount->sizeof_text = *at;
      amount->sizeof_len = len;
      sizeofs++;
    } else if (!len || is_at(*at, "offsetof(") || is_at(*at, "f(") ||
               **at == '-')
      return false;
    else if (digits == len && digits < 10) {
      factor = 0; /* there is one number in a product at most */
      for (size_t i = 0; i < digits; i++)
        factor = factor * 10 + ((*at)[i] - '0');
    } else
      amount->counted = true;
    if (!is_at(end, " * ")) {
      *at = end;
      break;
    }
  }
  amount->factor = gcd(factor, amount->factor);
  return sizeofs == 1 && amount->factor > 0;
}

/*
 * Is SIZE, the expression of a site, made of one type's sizeof alone?  Sums,
 * `sizeof(T) * n + sizeof(T)`, and alternatives are of the same.  Headers,
 * tails and what is not understood make it something else.
 */
static bool read_amount(const char *size, struct amount *amount) {
  *amount = (struct amount){0};
  for (const char *at = size;; at += 3) {
    if (!read_term(&at, amount))
      return false;
    if (!*at)
      return true;
    amount->counted = true;
  }
}

/*
 * May a smaller object be used as AS on purpose?  A union holds
 * one of several; a structure of one member is storage that a library's callers
 * reserve for something that they do not see (GVariantIter is `gsize x[16]`).
 */
static bool is_storage(struct cca_type as) {
  return as.kind == CCA_TYPE_KIND_UNION ||
         (as.kind == CCA_TYPE_KIND_STRUCT && as.members_count == 1);
}

/* Is AMOUNT of FOUND's one type wrong for the other?  Sets the kind. */
static bool contradicts(const struct cca_table *table,
                        struct cca_check_finding *found,
                        const struct amount *amount) {
  struct cca_type of = cca_type_at(table, found->of);
  struct cca_type as = cca_type_at(table, found->used_as);
  if (of.kind == CCA_TYPE_KIND_POINTER && as.kind != CCA_TYPE_KIND_POINTER &&
      same(table, of.element, found->used_as)) {
    found->kind = CCA_CHECK_POINTER_FOR_OBJECT;
    return true;
  }
  if (as.kind == CCA_TYPE_KIND_POINTER && of.kind != CCA_TYPE_KIND_POINTER &&
      same(table, as.element, found->of)) { /* pointers are of one size */
    found->kind = CCA_CHECK_OBJECT_FOR_POINTER;
    return true;
  }
  found->kind = CCA_CHECK_TOO_SMALL;
  int64_t bytes;
  if (is_storage(as) || __builtin_mul_overflow(amount->factor, of.size, &bytes))
    return false;
  return amount->counted ? of.size < as.size && bytes % as.size != 0
                         : bytes < as.size;
}

static bool judge(struct cca_check *check, uint32_t row,
                  struct cca_check_finding *found) {
  const struct cca_table *table = check->report->table;
  struct cca_allocsite site = cca_allocsite_at(table, row);
  uint32_t alloc = check->report->alloc_of_site[row];
  struct amount amount;
  if (site.class != CCA_SITE_CLASS_TYPED || site.of == CCA_NONE ||
      site.used_as == CCA_NONE || site.shape == CCA_SIZE_SHAPE_SEVERAL)
    return false;
  if (!is_allocator(table, alloc) || !is_object(cca_type_at(table, site.of)) ||
      !is_object(cca_type_at(table, site.used_as)) ||
      !read_amount(cca_table_string(table, site.size), &amount))
    return false;
  check->compared++;
  *found =
      (struct cca_check_finding){.site = row,
                                 .alloc = alloc,
                                 .of = site.of,
                                 .used_as = site.used_as,
                                 .many = amount.counted || amount.factor != 1};
  return contradicts(table, found, &amount);
}

/* The same place, seen from several units. */
static bool is_again(const struct cca_table *table, uint32_t a, uint32_t b) {
  struct cca_allocsite x = cca_allocsite_at(table, a);
  struct cca_allocsite y = cca_allocsite_at(table, b);
  return x.line && x.file == y.file && x.line == y.line && x.column == y.column;
}

void cca_check_judge(struct cca_check *check, struct cca_report *report) {
  *check = (struct cca_check){.report = report};
  check->findings = cca_arena_zalloc(&report->arena, report->sites.count,
                                     sizeof *check->findings);
  for (uint32_t i = 0; i < report->sites.count; i++) {
    struct cca_check_finding *found = &check->findings[check->count];
    if (judge(check, report->sites.items[i], found) &&
        (!check->count ||
         !is_again(report->table, found[-1].site, found->site)))
      check->count++;
  }
}
