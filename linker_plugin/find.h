/* SPDX-License-Identifier: MIT */
/*
 * find.h -- which linker would have run without us, and of which kind is it?
 *
 * Memory: none is allocated, so that a linker can be run where there is none.
 */
#ifndef CCA_FIND_H
#define CCA_FIND_H

#include <limits.h>
#include <stdbool.h>

enum cca_linker_kind {
  CCA_LINKER_UNKNOWN,
  CCA_LINKER_BFD, /* GNU ld */
  CCA_LINKER_GOLD,
  CCA_LINKER_LLD,
  CCA_LINKER_MOLD,
};

/*
 * Put the path of the linker that a compiler driver means by NAME ("ld",
 * "ld.gold", …), our own shims left out, into FOUND; false if there is none.
 * CALLED is the path by which it called the shim.
 */
bool cca_linker_find(char found[PATH_MAX], const char *name,
                     const char *called);

/* By the name of the program behind PATH, or by what it says of itself. */
enum cca_linker_kind cca_linker_kind(const char *path);

/* "bfd", "gold", "lld", "mold", "unknown"; and back. */
const char *cca_linker_kind_name(enum cca_linker_kind kind);
enum cca_linker_kind cca_linker_kind_of(const char *name);

#endif
