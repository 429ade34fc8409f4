/* SPDX-License-Identifier: MIT */
/*
 * sites.h -- where in the machine code are the calls of the summary?
 *
 *     struct cca_sites sites;
 *     struct cca_site_calls calls = {0};
 *     cca_site_calls_of_table(&calls, &summary);  or  cca_site_calls_add(...)
 *     if (cca_sites_join(&sites, object, len, calls.items, calls.count) == 0)
 *       cca_sites_to_builder(&sites, builder);
 *     cca_sites_release(&sites);
 *
 * A call of the source has no row if the compiler removed it, and several if
 * it was copied.  At one return address several calls may meet: malloc(), and
 * the call of the wrapper that was inlined around it.  Their rows stand
 * together, the innermost call first; the outer ones have the flag `inlined`.
 *
 * Memory: base/memory.h.
 */
#ifndef CCA_SITES_H
#define CCA_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "summaries/table.h"

/* A call as the summary knows it; strings are borrowed. */
struct cca_site_call {
  const char *function; /* symbol of the function in which it stands */
  uint32_t line, column;
  const char *callee; /* symbol; NULL: indirect */
  const char *unit;   /* its source, if calls of several are joined */
};
struct cca_site_calls cca_vec(struct cca_site_call);

/* A row of chunk SITE. */
struct cca_site_row {
  uint32_t call;       /* index of the call */
  const char *section; /* name; borrowed from the object */
  uint32_t index;      /* the section's number */
  uint32_t offset;     /* of the return address in the section */
  uint32_t flags;      /* CCA_SITE_FLAGS_… */
};

struct cca_sites {
  struct cca_vec(
      struct cca_site_row) rows; /* by section, offset, inwards out */
  uint32_t code_calls;           /* calls and tail jumps that the code has */
  uint32_t joined_calls;         /* of these, with a row */
};

/* One call for each row of CALL, in order.  Borrows from TABLE. */
void cca_site_calls_of_table(struct cca_site_calls *calls,
                             const struct cca_table *table);

/*
 * Join the LEN bytes of OBJECT, or of a linked module, with COUNT calls.  Of
 * functions of one name in several units, those of the code are told apart by
 * the debug information, and without it have no rows.  Returns NULL with
 * *SITES filled, owned by the caller and borrowing from OBJECT; or what is
 * wrong (a static string), *SITES being empty.  An object of a machine that we
 * know nothing about gives no rows.
 */
const char *cca_sites_join(struct cca_sites *sites, const void *object,
                           size_t len, const struct cca_site_call *calls,
                           size_t count);

/* Add all rows to BUILDER, whose rows of CALL are the calls joined. */
void cca_sites_to_builder(const struct cca_sites *sites,
                          struct cca_builder *builder);

void cca_sites_release(struct cca_sites *sites);

#endif
