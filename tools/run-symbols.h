/* SPDX-License-Identifier: MIT */
/*
 * run-symbols.h -- functions and lines of the addresses of a run's heaps.
 *
 * The processes that are watched do nothing for it, and nobody waits for it
 * while they run: tables are those that an earlier run has left, or made by a
 * symbol server (docs/symserver.md).
 */
#ifndef CCA_RUN_SYMBOLS_H
#define CCA_RUN_SYMBOLS_H

#include "heap.h"
#include "symbols-store.h"

struct cca_run_symbols_options {
  bool off;           /* addresses stay as they are */
  const char *server; /* the socket of the one that is asked, "" the usual one;
                         NULL: one of our own, which ends with us */
  bool no_start;      /* SERVER, if it is not there */
  const char *folder; /* ours alone: that one's socket is made in it */
  unsigned wait_ms;   /* for tables, once all are to be shown */
  struct cca_symbols_store store; /* of tables that were made before */
  bool show_cache;                /* say of each whether it was there */
};

struct cca_run_symbols;

/* Begin, before the first process of the run is started: files that changed
 * later are not what that process has mapped, unless their build id says so.
 * OPTIONS are borrowed.  Starts nothing yet.  Owned. */
struct cca_run_symbols *
cca_run_symbols_begin(const struct cca_run_symbols_options *options);

/* Are any wanted? */
bool cca_run_symbols_wanted(const struct cca_run_symbols *symbols);

/* Have the tables made of all modules in which HEAP has addresses.  Does not
 * wait for them. */
void cca_run_symbols_ask(struct cca_run_symbols *symbols,
                         const struct cca_heap *heap);

/* Wait for these tables, and write into HEAP what they say of its addresses.
 * What they cannot say, and why, is complained about, once for each module. */
void cca_run_symbols_name(struct cca_run_symbols *symbols,
                          struct cca_heap *heap);

/* Keep the tables that were made, if that is wanted; release SYMBOLS, and end
 * the server, if it is our own. */
void cca_run_symbols_end(struct cca_run_symbols *symbols);

#endif
