/* SPDX-License-Identifier: MIT */
/*
 * ccallocs/classification.h -- what a program that was built with cc-allocs
 * says about its own allocations.
 *
 * An executable or shared object carries a classification: its allocation
 * functions, its allocation sites with their types, the units that are missing.
 * docs/classification-format.md specifies the bytes; this header is the
 * supported way to read them.
 *
 *     struct cca_classification *c;
 *     if (cca_classification_open(&c, "prog", &err) < 0) ...
 *     for (uint32_t i = 0; i < cca_classification_function_count(c); i++)
 *       puts(cca_classification_function(c, i).name);
 *     cca_classification_free(c);
 *
 * Trust:     opening checks every offset, count, index and string once.  After
 *            CCA_OK no accessor can fail or leave the image, provided that
 *            its index is less than the count.
 * Ownership: results are borrowed; they live until cca_classification_free().
 * Threads:   a classification never changes after it was opened; share it.
 * Words:     kinds, classes and so on are given as the words of the report and
 *            of docs/glossary.md: "malloc", "typed".
 */
#ifndef CCALLOCS_CLASSIFICATION_H
#define CCALLOCS_CLASSIFICATION_H

#include <stddef.h>
#include <stdint.h>

#include "ccallocs/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cca_classification;

/* One allocation or deallocation function. */
struct cca_function_info {
  const char *name;        /* symbol; of a function pointer, record.field */
  const char *unit;        /* that defines it */
  const char *file;        /* NULL: unknown */
  uint32_t line;           /* 0: unknown */
  const char *kind;        /* "malloc", ..., "free" */
  const char *size;        /* size expression, for people */
  uint32_t size_arg_count; /* see cca_classification_size_arg() */
  const char *via;         /* "return", "out-parameter", "field", "none" */
  uint32_t via_parameter;  /* of out-parameters; what a "free" frees */
  int64_t offset;          /* of the result from the start of the block */
  const char *certainty;   /* "proved", "carved", "agreed" */
};

/* One call of an allocation function. */
struct cca_site_info {
  const char *unit;
  const char *file; /* NULL: unknown */
  uint32_t line;    /* 0: unknown */
  uint32_t column;
  const char *function; /* in which the call stands */
  const char *callee;
  const char *site_class; /* "typed", "bytes", "pass-through", "untyped", or
                             "open": typed, if another module's callee,
                             which it calls, allocates */
  const char *type;       /* of the elements, in C; NULL unless typed */
  const char *shape;      /* "one", "array", "flexible", ... */
  int64_t header;         /* shape "header": bytes before the elements */
  const char *size;       /* size expression, for people */
  const char *used_as;    /* what the result is converted to; NULL: unknown */
  const char *reason;     /* untyped: why; else empty */
};

/* One unit without a summary. */
struct cca_missing_info {
  const char *unit;
  const char *reason;
};

enum { CCA_NO_SITE = -1 };

/*
 * Read and check the classification of the file at PATH.
 *
 * On success returns CCA_OK and stores an owned classification in *OUT.  On
 * failure returns a negative cca_error_code, stores NULL in *OUT and fills
 * *ERR.
 */
CCA_API int cca_classification_open(struct cca_classification **out,
                                    const char *path, struct cca_error *err);

/* As above, of the LEN bytes of an ELF file at IMAGE, which must outlive
 * *OUT. */
CCA_API int cca_classification_open_mem(struct cca_classification **out,
                                        const void *image, size_t len,
                                        struct cca_error *err);

/* Release C and all that is borrowed from it.  C may be NULL. */
CCA_API void cca_classification_free(struct cca_classification *c);

CCA_API uint32_t
cca_classification_function_count(const struct cca_classification *c);
CCA_API struct cca_function_info
cca_classification_function(const struct cca_classification *c, uint32_t i);

/* The parameter, from 0, that is the Ith of those that enter FUNCTION's size.
 * Pre: I < size_arg_count of that function. */
CCA_API uint32_t cca_classification_size_arg(const struct cca_classification *c,
                                             uint32_t function, uint32_t i);

CCA_API uint32_t
cca_classification_site_count(const struct cca_classification *c);
CCA_API struct cca_site_info
cca_classification_site(const struct cca_classification *c, uint32_t i);

/*
 * The site whose call returns to ADDRESS, relative to where the module is
 * loaded; CCA_NO_SITE if the classification has none.
 */
CCA_API int64_t cca_classification_find_address(
    const struct cca_classification *c, uint64_t address);

CCA_API uint32_t
cca_classification_missing_count(const struct cca_classification *c);
CCA_API struct cca_missing_info
cca_classification_missing(const struct cca_classification *c, uint32_t i);

#ifdef __cplusplus
}
#endif

#endif
