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

#include <pthread.h>

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

/*
 * Stacks that were walked before.  A path says what the words are that the walk
 * met, and where: if the stack has the same words at the same places, the walk
 * would take the same way, and end at the same label.  To compare them takes no
 * load that waits for another one, which is what makes a walk slow.
 *
 * A path belongs to one thread; a signal handler may come at any time.
 */
struct cca_path {
  uintptr_t ra; /* 0: none is here */
  uint32_t label;
  uint16_t count, reach; /* bytes above the stack pointer, in units of 64 */
  uintptr_t fp;          /* less the stack pointer; with USES_FP in count */
  struct {
    uint32_t at;       /* bytes above the stack pointer */
    uint32_t relative; /* ~0: less the stack pointer; 0 */
    uintptr_t word;
  } seen[6];
};
enum {
  CCA_PATH_SEEN = 6,
  CCA_PATH_USES_FP = 8, /* in count */
  CCA_PATHS = CCA_PATHS_SIZE / sizeof(struct cca_path) - 1,
};

struct cca_paths {
  uint64_t generation; /* of the facts that they come from */
  uint32_t busy;       /* one is being written, perhaps below us */
  char padding[sizeof(struct cca_path) - 12];
  struct cca_path path[CCA_PATHS];
};

uint32_t cca__walk(struct cca_frame frame, size_t size,
                   struct cca_path *remember, struct cca_paths *paths);

extern void *__libc_stack_end;

static inline uintptr_t cca_thread_pointer(void) {
#ifdef __x86_64__
  uintptr_t pointer; /* pthread_self(), which is a call */
  __asm__("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
#else
  return (uintptr_t)pthread_self();
#endif
}

enum { CCA_STACK_NEAR = 64 << 20 }; /* further from its end is another stack */

/* Where the calling thread's stack ends, above; 0 if SP is on no stack that we
 * know.  glibc puts what describes a thread at the end of its stack, and the
 * first thread has it elsewhere. */
static inline uintptr_t cca_stack_end(uintptr_t sp) {
  uintptr_t end = (uintptr_t)__libc_stack_end;
  if (end - sp < CCA_STACK_NEAR)
    return end;
  end = cca_thread_pointer();
  return end - sp < CCA_STACK_NEAR ? end : 0;
}

__attribute__((always_inline)) static inline bool
cca_path_fits(const struct cca_path *path, const struct cca_frame *frame) {
  if (path->ra != frame->ra ||
      frame->sp + path->reach * 64u > cca_stack_end(frame->sp))
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
cca_walk(struct cca_frame frame, size_t size, struct cca_paths *paths) {
  uint64_t fact = cca_facts_get(frame.ra);
  uint32_t label = cca_fact_label(fact);
  struct cca_path *path = NULL;
  if (cca_likely(label && !(fact & CCA_FACT_GOES_ON))) {
    if (cca_likely(cca_label_fits(&cca_labels[label], size)))
      return label;
  } else if (cca_likely(paths &&
                        paths->generation == cca_load(&cca_facts_generation))) {
    /* The size tells the types apart that one wrapper is called for. */
    uint64_t hash = (frame.ra ^ size * 0x9e3779b9) * 0x9e3779b97f4a7c15;
    path = &paths->path[(hash >> 32) * CCA_PATHS >> 32];
    if (cca_likely(cca_path_fits(path, &frame)) &&
        cca_likely(cca_label_fits(&cca_labels[path->label], size)))
      return path->label;
  }
  return cca__walk(frame, size, path, paths);
}

/* Look at the link map again.  False: somebody else is at it. */
bool cca_walk_link_map_changed(void);

#endif
