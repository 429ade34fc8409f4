/* SPDX-License-Identifier: MIT */
/*
 * ccallocs/runtime.h -- ask the running program: what is this pointer?
 *
 *     struct cca_object object;
 *     if (cca_describe(p, &object) == CCA_OK)
 *       printf("%s at +%zu\n", object.type, object.offset);
 *
 * Link with libccallocs-runtime (`pkg-config --libs cc-allocs-runtime`), which
 * then stands between the program and its malloc, or run the program with
 * `allocs run`, which loads it.  Types are known of the calls in modules that
 * were built with cc-allocs; of all others, where they begin and end.
 *
 * Ownership: strings are borrowed; they live as long as the process, even if
 *            the module that they are about is closed.
 * Threads:   any.  Whoever asks about an object sees to it that nobody frees it
 *            meanwhile.
 * Signals:   may be asked from a handler.
 */
#ifndef CCALLOCS_RUNTIME_H
#define CCALLOCS_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "ccallocs/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An object of the heap. */
struct cca_object {
  void *start;
  size_t size;   /* bytes that were asked for */
  size_t offset; /* of the pointer from the start */

  const char *site_class; /* "typed", "bytes", "untyped" */
  const char *type;       /* of the elements, in C; NULL unless typed */
  uint64_t type_identity; /* equal for equal types in all modules; 0: none */
  size_t type_size;       /* bytes of one element */
  const char *shape;      /* "one", "array", "flexible", ... */
  size_t header;          /* shape "header": bytes before the elements */
  size_t count;           /* elements that are there; 0: unknown */
  const char *reason;     /* untyped: why; else "" */

  const char *module;   /* path; NULL: unknown */
  const char *file;     /* of the call that allocated it; NULL: unknown */
  uint32_t line;        /* 0: unknown */
  const char *function; /* in which the call stands; NULL: unknown */
  const char *callee;   /* that it calls; NULL: unknown */
};

/*
 * What is at POINTER, which may be anything, and may point into an object?
 *
 * Returns CCA_OK and fills *OUT, or CCA_ERR_NOT_FOUND: no object of the heap is
 * there, or one from before the runtime was loaded.
 */
CCA_API int cca_describe(const void *pointer, struct cca_object *out);

/*
 * The objects in the order of their addresses: the first that begins behind
 * AFTER, NULL for the first of all.  Returns NULL if there is none.  Objects
 * may be allocated meanwhile and may or may not be met; none may be freed.
 *
 *     for (void *p = NULL; (p = cca_next_object(p));)
 *       if (cca_describe(p, &object) == CCA_OK && ...)
 */
CCA_API void *cca_next_object(const void *after);

/*
 * Write what is known by now about the modules of this process for the next one
 * that has them, where CC_ALLOCS_CACHE says (allocs-run(1), "Caches"); at the
 * end of the process that is done anyway.
 *
 * Returns CCA_OK, or CCA_ERR_REFUSED: no cache was asked for, it is not to be
 * written, there is no room, or another thread is at it.
 * Threads, signals: any.
 */
CCA_API int cca_cache_save(void);

#ifdef __cplusplus
}
#endif

#endif
