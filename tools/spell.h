/* SPDX-License-Identifier: MIT */
/*
 * spell.h -- types of the debug information as C text that needs no header.
 */
#ifndef CCA_SPELL_H
#define CCA_SPELL_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/vec.h"

/* One declaration while it is being written. */
struct cca_speller {
  struct cca_arena *arena; /* of all text */
  const char *reason;      /* what cannot be written: "a type without a tag" */
  struct cca_vec(const char *) tags; /* `struct foo`; as met; to be released */
};

/* The declaration of the function DIE under the name NAME, without `;`, or
 * NULL, and W->reason says what is in the way.  Typedefs are seen through. */
const char *cca_spell_function(struct cca_speller *w, Dwarf_Die *die,
                               const char *name);

/* What DIE's DW_AT_type leads to, into *TYPE; false: it has none, void. */
bool cca_die_type(Dwarf_Die *die, Dwarf_Die *type);

/* Is the flag NAME, DW_AT_*, set? */
bool cca_die_has(Dwarf_Die *die, unsigned name);

/* The number in attribute NAME, or OTHERWISE. */
uint64_t cca_die_number(Dwarf_Die *die, unsigned name, uint64_t otherwise);

enum { CCA_QUAL_CONST = 1, CCA_QUAL_VOLATILE = 2, CCA_QUAL_RESTRICT = 4 };

/* Go from *TYPE through its typedefs and qualifiers, which are added to *QUALS;
 * false: to void. */
bool cca_die_see_through(Dwarf_Die *type, unsigned *quals);

#endif
