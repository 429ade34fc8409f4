/* SPDX-License-Identifier: MIT */
/*
 * walk.h -- which site is this allocation of?
 *
 * The call that allocates is a site, and typed: done.  Otherwise it is the
 * inside of a wrapper, or code without a classification, and the innermost call
 * above it that says something decides.  What may lie between is only what
 * hands a size on: pass-through sites, and code that no classification
 * describes.  A call that a classification describes, and not as a site, ends
 * the walk without a type: what happens inside it is its own affair, and not
 * that of a site further out.
 *
 * Threads, signals: any.  Takes no lock that it would wait for, allocates
 * nothing.
 */
#ifndef CCA_WALK_H
#define CCA_WALK_H

#include <stddef.h>
#include <stdint.h>

/* A frame that has just called one of the hooks. */
struct cca_frame {
  uintptr_t ra; /* where the call returns to */
  uintptr_t sp; /* the stack pointer after that */
  uintptr_t fp; /* its frame pointer register */
};

/* The frame that called the function in which this stands. */
#define CCA_CALLER()                                                           \
  ((struct cca_frame){                                                         \
      (uintptr_t)__builtin_return_address(0),                                  \
      (uintptr_t)__builtin_frame_address(0) + 16,                              \
      *(const uintptr_t *)__builtin_frame_address(0),                          \
  })

/* The label of an object of SIZE bytes that FRAME asks for. */
uint32_t cca_walk(struct cca_frame frame, size_t size);

/* Look at the link map again, after dlopen() or dlclose(). */
void cca_walk_link_map_changed(void);

#endif
