/* SPDX-License-Identifier: MIT */
/*
 * heap.h -- the heap of a process by type, from a snapshot of the runtime.
 *
 * heap-read.c   one snapshot into a model
 * heap-text.c   a table for people
 * heap-modules.c what the classifications of its modules came to
 * heap-json.c   for programs; docs/run.schema.json
 * heap-folded.c stacks for flame graphs
 * heap-pprof.c  a profile for pprof
 * heap-html.c   a page for a browser, with the same in it
 * run-symbols.c functions and lines of its addresses
 *
 * A snapshot comes from a process that may do anything: it is checked as it is
 * read, and what it says is never more than shown.
 *
 * Memory: base/memory.h; all strings are borrowed from the heap's arena.
 */
#ifndef CCA_HEAP_BY_TYPE_H
#define CCA_HEAP_BY_TYPE_H

#include <jansson.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "screen.h"

/* Signed: in the difference of two snapshots less may be live than before. */
struct cca_tally {
  int64_t objects, bytes;           /* allocated */
  int64_t live_objects, live_bytes; /* of these, not freed */
};

void cca_tally_add(struct cca_tally *sum, const struct cca_tally *more);

/* PATH behind its last slash, for people; borrowed from it. */
const char *cca_heap_base_name(const char *path);

/* PATH for people: of one that is absolute the end says enough. */
const char *cca_heap_short_name(const char *path);

/* A function in the source, and the line in it. */
struct cca_heap_frame {
  const char *function, *file; /* "": unknown */
  uint32_t line, column;       /* 0: unknown */
};

/* One call of the source that allocated, or one place of which less is known.
 */
struct cca_heap_site {
  struct cca_tally tally;
  const char *module;                   /* path; "": unknown */
  const char *build_id;                 /* of the module; "": unknown */
  const char *file, *function, *callee; /* "": unknown */
  uint32_t line, column;
  const char *address; /* of a place: "0x1234", relative to the module; or "".
                          FUNCTION to COLUMN are what run-symbols.c knows */
  const struct cca_heap_frame *around; /* of a place: into which FUNCTION was
                                          inlined, from the inside outwards */
  size_t around_count;
  const char *reason; /* why it has no type; else "" */
  const char *inside; /* path of the module that it led into, which allocated
                         for itself; else "" */
};

enum cca_heap_kind { CCA_HEAP_TYPED, CCA_HEAP_BYTES, CCA_HEAP_UNTYPED };

/* A type with a shape; bytes; or a reason why there is no type. */
struct cca_heap_row {
  enum cca_heap_kind kind;
  const char *name;     /* as in the report: "struct foo[]"; the reason */
  const char *word;     /* of a reason: that of the snapshot */
  const char *identity; /* of the type: "0x..."; else "" */
  uint64_t type_size;   /* 0: unknown */
  const char *shape;    /* "" unless typed */
  struct cca_tally tally;
  struct cca_vec(struct cca_heap_site) sites; /* most bytes first */
};

/* A function of another module that a module calls with the size of a type. */
struct cca_heap_import {
  const char *symbol;
  const char *binding; /* "allocates", "no", "silent", "unknown",
                           "unbound", "unmet" */
  const char *module;  /* path of the one it is bound to; "": unknown */
};

struct cca_heap_module {
  const char *path, *classified; /* "no", "yes", "broken", ... */
  const char *build_id;          /* in hexadecimal; "": unknown */
  const char *symbols;           /* "yes", "stale", ...; "": not asked for */
  uint64_t functions, sites, missing;
  bool closed;
  struct cca_vec(struct cca_heap_import) imports;
};

struct cca_heap {
  struct cca_arena arena;
  uint64_t pid, parent, number;
  const char *moment;  /* "exit", "signal" */
  bool is_difference;  /* by cca_heap_subtract() */
  const char *program; /* path of its first module */
  struct cca_vec(struct cca_heap_module) modules;
  struct cca_vec(struct cca_heap_row) rows; /* typed, bytes, untyped; by rank */
  struct cca_tally total, typed, bytes, untyped;
};

/* Read the snapshot in the file at PATH.  Returns 0, or -1 with *WHY (owned by
 * HEAP's arena); the heap is released either way. */
int cca_heap_read(struct cca_heap *heap, const char *path, const char **why);
void cca_heap_release(struct cca_heap *heap);

/* Take from NEWER what OLDER, a snapshot of the same process, had: what is left
 * was allocated since, or is live now and was not.  Rows of which nothing is
 * left are removed. */
void cca_heap_subtract(struct cca_heap *newer, const struct cca_heap *older);

/* Is any module classified? */
bool cca_heap_is_known(const struct cca_heap *heap);

struct cca_heap_options {
  bool live;     /* rank by what is live instead of what was allocated */
  bool sites;    /* the sites of each type */
  bool modules;  /* and what is known of its modules */
  unsigned most; /* rows to show; 0: all */
};

/* Append the table to OUT. */
void cca_heap_text(const struct cca_heap *heap,
                   const struct cca_heap_options *options,
                   const struct cca_screen *screen, struct cca_text *out);

/* Append what is known of the modules to OUT. */
void cca_heap_modules_text(const struct cca_heap *heap,
                           const struct cca_screen *screen,
                           struct cca_text *out);

/* The object of one process; owned. */
json_t *cca_heap_json(const struct cca_heap *heap);

/* Append the page to OUT: how it begins, all that `allocs run --json` writes,
 * in as many pieces as it comes, and how it ends. */
void cca_heap_html_begin(struct cca_text *out);
void cca_heap_html_add(const char *json, struct cca_text *out);
void cca_heap_html_end(struct cca_text *out);

/* Append a line for each site to OUT; options->live says which bytes. */
void cca_heap_folded(const struct cca_heap *heap,
                     const struct cca_heap_options *options,
                     struct cca_text *out);

/* A profile of several heaps, of which nothing is borrowed; options->live,
 * which is, says which of its numbers is shown first.  Owned, until its end
 * appends it to OUT; false: it is too large. */
struct cca_heap_pprof;
struct cca_heap_pprof *
cca_heap_pprof_begin(const struct cca_heap_options *options);
void cca_heap_pprof_add(struct cca_heap_pprof *profile,
                        const struct cca_heap *heap);
bool cca_heap_pprof_end(struct cca_heap_pprof *profile, struct cca_text *out);

#endif
