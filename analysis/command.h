/* SPDX-License-Identifier: MIT */
/*
 * command.h -- what does this compiler command do, and how can its C sources
 * be compiled a second time, for analysis alone?
 *
 * The user's arguments are only read.  They go to the user's compiler as they
 * came; what is made here is a second, smaller list for the analysis, in which
 * a misunderstood option costs a summary and never a build.
 */
#ifndef CCA_COMMAND_H
#define CCA_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/vec.h"

enum cca_command_mode {
  CCA_COMMAND_PASS,    /* nothing of ours: run the compiler and be gone */
  CCA_COMMAND_COMPILE, /* -c: each source becomes an object of its own */
  CCA_COMMAND_BUILD,   /* sources in, linked output out */
  CCA_COMMAND_LINK,    /* no source that we analyse, but something to link */
};

enum cca_command_language {
  CCA_COMMAND_C,
  CCA_COMMAND_CPP_OUTPUT, /* C that is preprocessed already */
  CCA_COMMAND_OTHER,      /* another language, or a file to be read once */
};

/* A file that the compiler compiles, of whatever language. */
struct cca_command_source {
  const char *path;
  enum cca_command_language language;
  const char *object; /* COMPILE: the file that the compiler will write */
};

struct cca_command {
  enum cca_command_mode mode;
  const char *why; /* PASS: the option or the lack that made it so */
  struct cca_vec(struct cca_command_source) sources; /* in their order */
  struct cca_vec(const char *) args; /* for the analysis; a NULL follows */
  struct cca_arena arena;            /* owns every string here */
};

/*
 * Understand ARGS (COUNT of them, without the compiler's own name).  Response
 * files are read.  Cannot fail: what is not understood passes.  ARGS must
 * outlive the result; release it with cca_command_release().
 */
void cca_command_parse(struct cca_command *command, const char *const *args,
                       size_t count);
void cca_command_release(struct cca_command *command);

#endif
