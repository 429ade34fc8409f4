/* SPDX-License-Identifier: MIT */
/*
 * heap.h -- objects: what is kept about each, and how it is found again.
 *
 * Of small objects all is in the index (starts.h): most of a heap are such, and
 * many fill their blocks, so that 8 bytes more would cost 16.  The blocks of
 * others are asked for with a trailer, the last 8 bytes of what
 * malloc_usable_size() says the block has: the label of the object, and how
 * many bytes lie between its end and the trailer.  A header would have to keep
 * the alignment that memalign() promised, and realloc() would move it; a
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

/* What the malloc below is asked for, for an object of SIZE bytes. */
static inline size_t cca_heap_ask(size_t size) {
  if (cca_likely(size < CCA_SMALL))
    return size < CCA_SMALL_LEAST ? CCA_SMALL_LEAST : size;
  return size + CCA_TRAILER;
}

/* The block at START, which has a trailer: its usable bytes, trailer left
 * out. */
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

/* An object. */
struct cca_held {
  size_t room; /* bytes that are its own: 1 for what was asked to have none */
  size_t size; /* that the program asked for */
  uint32_t label;
  bool small;
};

/* What begins at START, if SMALL, which its number is, is 0 a block with a
 * trailer. */
static inline struct cca_held cca_heap_held(uintptr_t start, uint32_t small) {
  if (cca_likely(small)) {
    uint32_t size = cca_small_size(small);
    return (struct cca_held){size + !size, size, cca_small_label(small), true};
  }
  size_t room = cca_heap_room(start);
  struct cca_trailer trailer = cca_heap_trailer(start, room);
  return (struct cca_held){room, cca_heap_size(trailer, room),
                           cca_heap_label(trailer), false};
}

#endif
