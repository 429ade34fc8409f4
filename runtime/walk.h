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

#include "addresses.h"
#include "labels.h"
#include "stack.h"

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

uint32_t cca__walk(struct cca_frame frame, size_t size,
                   struct cca_path *remember, struct cca_paths *paths);

__attribute__((always_inline)) static inline bool
cca_path_fits(const struct cca_path *path, const struct cca_frame *frame,
              uintptr_t stack_end) {
  uintptr_t room = stack_end - frame->sp;
  if (path->ra != frame->ra || cca_unlikely(room >= CCA_STACK_NEAR) ||
      cca_unlikely(path->reach * 64u > room))
    return false;
  uint32_t count = path->count;
  if (count & CCA_PATH_USES_FP && frame->fp - frame->sp != path->fp)
    return false;
  count &= CCA_PATH_USES_FP - 1;
  for (uint32_t i = 0; i < count; i++) {
    uintptr_t word = *(const uintptr_t *)(frame->sp + path->seen[i].at);
    if (word - (frame->sp & -(uintptr_t)(path->seen[i].relative & 1)) !=
        path->seen[i].word)
      return false;
  }
  return true;
}

/* The label of an object of SIZE bytes that FRAME asks for. */
__attribute__((always_inline)) static inline uint32_t
cca_walk(struct cca_frame frame, size_t size, struct cca_shard shard) {
  struct cca_paths *paths = shard.paths;
  struct cca_path *path = NULL;
  if (cca_likely(paths &&
                 paths->generation == cca_load(&cca_facts_generation))) {
    /* The size tells the types apart that one wrapper is called for. */
    uint64_t hash = (frame.ra ^ size * 0x9e3779b9) * 0x9e3779b97f4a7c15;
    path = &paths->path[hash >> (64 - CCA_PATHS_BITS)];
    if (cca_path_fits(path, &frame, shard.stack_end) &&
        cca_likely(path->size == size ||
                   cca_label_fits(&cca_labels[path->label], size)))
      return path->label;
  }
  uint64_t fact = cca_facts_get(frame.ra);
  uint32_t label = cca_fact_label(fact);
  if (cca_likely(label && !(fact & CCA_FACT_GOES_ON)) &&
      cca_likely(cca_label_fits(&cca_labels[label], size)))
    return label;
  return cca__walk(frame, size, path, paths);
}

/* Look at the link map again.  False: somebody else is at it. */
bool cca_walk_link_map_changed(void);

#endif
