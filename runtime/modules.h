/* SPDX-License-Identifier: MIT */
/*
 * modules.h -- the link map: which module an address is in, what that module
 * says about its allocations, and where its unwinding rows are.
 *
 * Modules are entered as they are met and keep their number; one that was
 * closed is marked.  The classification of a module that was there from the
 * start is used where it lies; what dlopen() brought may go again, so of that
 * the classification is copied.
 *
 * Threads: looking is lock-free.  Entering is done under a lock that is only
 * tried: who does not get it finds nothing, and asks again for its next object.
 */
#ifndef CCA_MODULES_H
#define CCA_MODULES_H

#include "labels.h"
#include "summaries/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CCA_MAX_MODULES = 1024, CCA_MAX_BUILD_ID = 32 };

/* enum cca_classified is summaries/cache.def's. */
enum { CCA_CLASSIFIED_KINDS = CCA_CLASSIFIED_NEWER + 1 };

struct cca_loaded {
  uintptr_t bias, low, high; /* where it lies: [low, high) */
  const char *path;          /* kept; the program's is where exec found it */
  bool late;                 /* was met after the others */
  bool may_go;               /* was opened, and may be closed */
  uint32_t gone;             /* was closed */
  uint32_t classified;       /* enum cca_classified */
  struct cca_table table;    /* if so */
  uint32_t first_label;      /* number of its row 0 */
  const void *dynamic;       /* the dynamic section; NULL: none */
  size_t dynamic_count;      /* its entries, at most */
  const unsigned char *eh_header, *eh_low, *eh_high; /* .eh_frame_hdr, and the
                                       segment that it is in; NULL: none */
  uint8_t build_id_len; /* 0: it has none, or a longer one */
  uint8_t build_id[CCA_MAX_BUILD_ID];
  /* For caches (cache.h): */
  const unsigned char *note; /* the classification's bytes; NULL: none */
  size_t note_len;
  uintptr_t data_low, data_high; /* the segment that is written */
  uint64_t digest;               /* docs/cache-format.md, "CACHE_MODULE" */
  bool identified;               /* by build id or bytes */
  uint32_t kept;                 /* its row in the cache, or CCA_NONE */
};

/* Those entered: 0 ... cca_module_numbers - 1. */
extern struct cca_loaded cca_modules[CCA_MAX_MODULES];
extern uint32_t cca_module_numbers;

/* Grows whenever one was entered or marked as closed. */
extern uint64_t cca_module_changes;

/* The module with ADDRESS in it; NULL: none is known, perhaps not yet. */
const struct cca_loaded *cca_modules_find(uintptr_t address);

/*
 * From now on the link map may be looked at.  Where dl_iterate_phdr() is not
 * libc's but of a module that was put before it (the sanitizers'), that is not
 * so until all modules' constructors ran.
 */
void cca_modules_allow(void);

/* Look at the link map again: enter what is new, and mark what was closed,
 * calling CLOSED for it.  False: somebody else is at it, or it is too early. */
bool cca_modules_refresh(void (*closed)(const struct cca_loaded *module));

/* In a forked child: the lock is free, whoever held it. */
void cca_modules_after_fork(void);

/* The number of MODULE's site whose call returns to ADDRESS, 0 if none does;
 * CCA_REASON_AMBIGUOUS: it may be any of several, which say different things.
 * Exact: the nearest row says nothing.  *THROUGH: the row of the site that
 * calls another module's function there, on which all depends, or CCA_NONE. */
uint32_t cca_module_label(const struct cca_loaded *module, uintptr_t address,
                          uint32_t *through);

/* What the site in ROW of the checked classification T asks of a size; its
 * module is not filled in. */
struct cca_label cca_module_label_of(const struct cca_table *t, uint32_t row);

#endif
