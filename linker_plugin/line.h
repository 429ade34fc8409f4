/* SPDX-License-Identifier: MIT */
/*
 * line.h -- what a linker's command line says, for GNU ld, gold, lld and mold.
 *
 * The line is only read: whoever runs the linker passes the original on.
 * What is not understood is skipped, so a new option costs at most some
 * precision and never a link.
 *
 * Ownership: everything is borrowed from the line until cca_line_release().
 * Memory:    base/memory.h.
 */
#ifndef CCA_LINE_H
#define CCA_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/vec.h"

struct cca_strings cca_vec(const char *);

/* A file or library on the line, with the options that hold at its place. */
struct cca_line_input {
  const char *name; /* a path; of a library what follows -l */
  bool is_library;
  bool is_static; /* -Bstatic: only archives are looked for */
  bool is_whole;  /* --whole-archive */
  bool is_lazy;   /* --start-lib: taken only if needed, like a member */
};

struct cca_line {
  const char *output;          /* "a.out" if not given */
  const char *map;             /* -Map FILE; NULL: none */
  const char *dependency_file; /* --dependency-file; NULL: none */
  const char *sysroot;         /* NULL: none */
  const char *why_untouched;   /* the link is not for us; NULL: it is */
  bool is_relocatable;         /* -r: nothing is solved */
  bool shows_inputs;           /* names of inputs are printed or recorded */
  bool map_on_stdout;          /* -M, --print-map, -Map=- */
  bool has_cref;               /* --cref: goes into a map if there is one */
  bool is_static;              /* -static, -static-pie: no shared objects */
  struct cca_line_inputs cca_vec(struct cca_line_input) inputs;
  struct cca_strings library_paths; /* -L, in order */
  struct cca_strings roots;         /* symbols wanted by -u, -e, --init, … */
  struct cca_strings wraps;         /* --wrap */
  struct cca_strings defsyms;       /* pairs: alias, target */
  struct cca_arena arena;
};

/* Read ARGS (COUNT of them, without the linker's name), @files included. */
void cca_line_parse(struct cca_line *line, size_t count,
                    const char *const *args);

/*
 * Can a map of this link be read afterwards, the user's or, by an option more,
 * ours?  Not if it goes to the standard output, or what does so (--cref) would
 * go into it; nor, if the linker MAY_BE_MOLD and a symbol is an alias by
 * --defsym: mold 1.10 then fails an assertion of its own.
 */
bool cca_line_has_map(const struct cca_line *line, bool may_be_mold);

void cca_line_release(struct cca_line *line);

#endif
