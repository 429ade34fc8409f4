/* SPDX-License-Identifier: MIT */
/*
 * heap.h -- objects: what is kept about each, and how it is found again.
 *
 * Every block is asked for with 8 bytes more, the trailer, which are the last
 * of what malloc_usable_size() says the block has: the label of the object, and
 * how many bytes lie between its end and the trailer.  A header would have to
 * keep the alignment that memalign() promised, and realloc() would move it; a
 * trailer is in nobody's way.  Because it ends the usable block, the size that
 * the program is told is smaller by as much.
 */
#ifndef CCA_HEAP_H
#define CCA_HEAP_H

#include "labels.h"
#include "starts.h"

#include <string.h>

/* The malloc below us, whichever the program has. */
struct cca_below {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void (*free)(void *);
  void *(*memalign)(size_t, size_t);
  int (*posix_memalign)(void **, size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  size_t (*usable_size)(void *);
  bool is_glibc; /* whose blocks say how long they are */
};
extern struct cca_below cca_below;

struct cca_trailer {
  uint32_t label, slack;
};
enum { CCA_TRAILER = sizeof(struct cca_trailer) };

/* The block at START, which is in the index of starts: its usable bytes,
 * trailer left out. */
static inline size_t cca_heap_room(uintptr_t start) {
  if (cca_likely(cca_below.is_glibc)) {
    /* The word before a block: its size with all overhead, and three flags,
     * the second of which says that the block is mapped by itself. */
    size_t word = *(const size_t *)(start - 8);
    return (word & ~(size_t)7) - 8 - (word & 2) * 4 - CCA_TRAILER;
  }
  return cca_below.usable_size((void *)start) - CCA_TRAILER;
}

static inline struct cca_trailer cca_heap_trailer(uintptr_t start,
                                                  size_t room) {
  struct cca_trailer trailer;
  memcpy(&trailer, (const char *)start + room, sizeof trailer);
  return trailer;
}

/* Bytes that the program asked for.  Only it could have broken the trailer;
 * then the block is taken to be full. */
static inline size_t cca_heap_size(struct cca_trailer trailer, size_t room) {
  return trailer.slack <= room ? room - trailer.slack : room;
}

static inline uint32_t cca_heap_label(struct cca_trailer trailer) {
  return cca_likely(trailer.label < cca_load(&cca_label_numbers))
             ? trailer.label
             : CCA_REASON_BROKEN;
}

#endif
