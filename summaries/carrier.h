/* SPDX-License-Identifier: MIT */
/*
 * carrier.h -- find the summaries and classifications that files carry.
 *
 *     struct cca_carrier *c = cca_carrier_new(NULL);
 *     cca_carrier_add_file(c, "libfoo.a");
 *     for (size_t i = 0; i < cca_carrier_count(c); i++) {
 *       const struct cca_carrier_item *item = cca_carrier_item(c, i);
 *       if (item->table) use(item->table); else puts(item->reason);
 *     }
 *
 * Where they are: an object has its summary in the section .cc_allocs, several
 * in a row after `ld -r`, and bitcode in a block behind it; an archive, plain
 * or thin, has members; a shared object or executable has a note of owner
 * "cc-allocs" in a PT_NOTE segment.
 *
 * Nothing here fails: what has no table, though it ought to, is an item with a
 * reason.  An object that can contribute nothing (neither code nor pointers in
 * its data) is no item at all.
 *
 * Ownership: items and tables belong to the carrier; bytes that were added
 *            must outlive it, files are mapped by it.
 * Memory:    base/memory.h.  Threads: none.
 */
#ifndef CCA_CARRIER_H
#define CCA_CARRIER_H

#include <stddef.h>
#include <stdint.h>

#include "note.h" /* CCA_NOTE_OWNER */
#include "table.h"

#define CCA_SECTION_NAME ".cc_allocs" /* of a summary in an object */

enum cca_carrier_kind {
  CCA_CARRIER_SUMMARY,
  CCA_CARRIER_CLASSIFICATION,
  CCA_CARRIER_MISSING,
};

enum cca_carrier_why { /* it is missing */
                       CCA_CARRIER_HAS_IT,
                       CCA_CARRIER_NO_SECTION, /* an object without summary */
                       CCA_CARRIER_NO_NOTE,    /* a linked module without
                                                  classification */
                       CCA_CARRIER_BITCODE,    /* LLVM bitcode without summary
                                                */
                       CCA_CARRIER_NOT_ELF, /* a linker script, or anything else
                                             */
                       CCA_CARRIER_UNREADABLE, /* the file cannot be opened */
                       CCA_CARRIER_CORRUPT,    /* breaks a rule of its format */
                       CCA_CARRIER_VERSION,    /* made by another version of the
                                                  analyser */
                       CCA_CARRIER_OLDER, /* in an older format, which we no
                                             longer read */
};

struct cca_carrier_item {
  const char *name; /* object, or archive(member) */
  enum cca_carrier_kind kind;
  const struct cca_table *table; /* opened; NULL if missing */
  uint32_t part;                 /* number of the table in its object */
  enum cca_carrier_why why;
  const char *reason; /* one line; NULL if there is a table */
};

struct cca_carrier;

/* PRODUCER: summaries whose UNIT.producer differs are missing, reason VERSION;
 * NULL takes all that can be read. */
struct cca_carrier *cca_carrier_new(const char *producer);
void cca_carrier_free(struct cca_carrier *carrier); /* NULL is fine */

/* Add what the file at PATH carries, archives with all their members. */
void cca_carrier_add_file(struct cca_carrier *carrier, const char *path);

/* As above for the one member of the archive at PATH whose content begins at
 * OFFSET, as a linker names it to its plugin; 0 is the file itself. */
void cca_carrier_add_member(struct cca_carrier *carrier, const char *path,
                            uint64_t offset);

/* As cca_carrier_add_file() for LEN bytes in memory, called NAME.  Members of
 * thin archives are not looked for. */
void cca_carrier_add_bytes(struct cca_carrier *carrier, const char *name,
                           const void *bytes, size_t len);

size_t cca_carrier_count(const struct cca_carrier *carrier);
const struct cca_carrier_item *
cca_carrier_item(const struct cca_carrier *carrier, size_t i);

#endif
