/* SPDX-License-Identifier: MIT */
/*
 * prototypes.h -- how functions are declared in C, from debug information.
 *
 *     struct cca_prototypes *all = cca_prototypes_new();
 *     cca_prototypes_want(all, "xmalloc");
 *     cca_prototypes_read(all, "prog");
 *     const struct cca_prototype *p = cca_prototypes_find(all, "xmalloc");
 *     if (p->text) puts(p->text); else puts(p->reason);
 *     cca_prototypes_free(all);
 *
 * Names are C identifiers, so they may be written into C and shell text.
 * Memory: base/memory.h.  Everything found is borrowed until
 * cca_prototypes_free().
 */
#ifndef CCA_PROTOTYPES_H
#define CCA_PROTOTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cca_prototype_class {
  CCA_PROTOTYPE_INTEGER, /* enumerations too */
  CCA_PROTOTYPE_POINTER,
  CCA_PROTOTYPE_OTHER, /* floating point, records by value */
};

struct cca_prototype_param {
  enum cca_prototype_class class;
  uint32_t bytes; /* of an integer; else 0 */
  bool to_number; /* a pointer through which an integer may be written */
};

struct cca_prototype {
  const char *name;
  /*
   * A declaration without its `;`, in types that need no header:
   * `void *xmalloc(unsigned long)`; the same type as the program's own, and
   * one that may stand before all of the program's text in each of its units.
   * NULL: there is none, and REASON says why.
   */
  const char *text;
  const char *reason;
  bool is_static, is_known; /* known: its debug information was found */
  bool returns_pointer;
  struct cca_prototype_param *params; /* also if TEXT is NULL, if known */
  size_t param_count;
  const char **tags; /* `struct foo`, to be declared before; sorted */
  size_t tag_count;
};

struct cca_prototypes;
struct cca_prototypes *cca_prototypes_new(void);
void cca_prototypes_free(struct cca_prototypes *all);

/* Look for NAME, a C identifier; before reading. */
void cca_prototypes_want(struct cca_prototypes *all, const char *name);

/* Read the debug information of PATH: executable, shared object, object or
 * archive.  A file without any is no error; what is wrong with a file has been
 * said by who opened it before. */
void cca_prototypes_read(struct cca_prototypes *all, const char *path);

/* After all files were read: what is known of NAME, or NULL if it was not
 * wanted. */
const struct cca_prototype *cca_prototypes_find(struct cca_prototypes *all,
                                                const char *name);

/* Is NAME a C identifier, and no keyword? */
bool cca_prototype_is_identifier(const char *name);

#endif
