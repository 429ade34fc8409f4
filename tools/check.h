/* SPDX-License-Identifier: MIT */
/*
 * check.h -- the parts of `allocs check`.
 *
 * check.c        the command
 * check-judge.c  which sites contradict themselves
 * check-print.c  -> messages like a compiler's, or JSON
 */
#ifndef CCA_CHECK_H
#define CCA_CHECK_H

#include "base/text.h"
#include "report.h"
#include "screen.h"

enum cca_check_kind {
  CCA_CHECK_POINTER_FOR_OBJECT, /* T *p = xmalloc(sizeof(T *)) */
  CCA_CHECK_OBJECT_FOR_POINTER, /* T **p = xmalloc(n * sizeof(T)) */
  CCA_CHECK_TOO_SMALL,          /* struct big *p = xmalloc(sizeof(small)) */
};

/* A site whose size is of one type, and whose result is used as another. */
struct cca_check_finding {
  enum cca_check_kind kind;
  uint32_t site;  /* row of ALLOCSITE */
  uint32_t alloc; /* row of ALLOC: what is called there; NONE: a primitive */
  uint32_t of, used_as; /* rows of TYPE */
  bool many;            /* the size is not one of OF */
};

struct cca_check {
  const struct cca_report *report;    /* borrowed */
  struct cca_check_finding *findings; /* in REPORT's arena, by place */
  uint32_t count;
  uint32_t compared; /* sites at which two types were compared */
};

/* Fill CHECK from REPORT, which is not filtered. */
void cca_check_judge(struct cca_check *check, struct cca_report *report);

/* The word of a kind: pointer-for-object. */
const char *cca_check_kind_name(enum cca_check_kind kind);

/* Each appends to OUT. */
void cca_check_text(const struct cca_check *check,
                    const struct cca_screen *screen, struct cca_text *out);
void cca_check_json(const struct cca_check *check, struct cca_text *out);

#endif
