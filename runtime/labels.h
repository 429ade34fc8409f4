/* SPDX-License-Identifier: MIT */
/*
 * labels.h -- what objects are labelled with, and what is counted for each
 * label.
 *
 * Every object carries the number of a label, 32 bits.  A label is one of
 *   - a row of ALLOCSITE of a module's classification: rows of one module have
 *     consecutive numbers, from the module's first;
 *   - a place without one: a return address and the reason why there is no
 * type, numbered as they are met;
 *   - a reason alone (numbers below CCA_REASONS), when numbers run out.
 * Numbers are never used again, so that a label outlives its module.
 *
 * Counters are four words a label, in shards: the first threads have one each,
 * the others share the last.  A snapshot adds the shards up; nothing has to be
 * stopped for it, and no object is looked at.
 */
#ifndef CCA_LABELS_H
#define CCA_LABELS_H

#include "atomics.h"

#include <stddef.h>

/* Why an object has no type. */
enum cca_reason {
  CCA_REASON_NONE,
  CCA_REASON_NO_SITE,   /* no function on the stack has a classification */
  CCA_REASON_UNLISTED,  /* ... has one, but this call is none of its sites */
  CCA_REASON_AMBIGUOUS, /* ... and it may be any of several sites */
  CCA_REASON_INSIDE,    /* ... nor is it, and calls code without one, which
                           allocates for itself */
  CCA_REASON_NO_UNWIND, /* the stack cannot be followed: no rows, or a JIT */
  CCA_REASON_SIGNAL,    /* the stack ends at a signal handler */
  CCA_REASON_DEEP,      /* too many frames */
  CCA_REASON_BROKEN,    /* the stack is not as the rows say */
  CCA_REASON_SIZE,      /* the site has a type that does not fit the size */
  CCA_REASONS
};

/* The same for people; describe.c. */
extern const char *const cca_reason_texts[CCA_REASONS];

enum {
  CCA_MAX_LABELS = 1 << 17,
  CCA_SHARDS = 16,
  CCA_NO_MODULE = 0xffff,
};

/* How a size has to be, for the type of a site to be believed. */
enum cca_fit {
  CCA_FIT_ANY,      /* no type is claimed */
  CCA_FIT_AT_LEAST, /* one element, or a header */
  CCA_FIT_EXACT,    /* one element and nothing else */
  CCA_FIT_MULTIPLE, /* elements and nothing else; none is right too */
};

struct cca_label {
  union {
    uint32_t least; /* bytes; of CCA_FIT_MULTIPLE the element's */
    uint32_t
        inside; /* CCA_REASON_INSIDE: number of the module that allocates */
  };
  uint8_t fit;      /* enum cca_fit */
  uint8_t reason;   /* CCA_REASON_NONE: a row of the module's ALLOCSITE */
  uint16_t module;  /* number in modules.h, or CCA_NO_MODULE */
  uint64_t divisor; /* CCA_FIT_MULTIPLE: 2^64 / least, rounded up */
  uintptr_t at;     /* the row; of a place without one, the return address */
};
_Static_assert(sizeof(struct cca_label) == 24, "docs/cache-format.md");

/* Of a label that is a call of another module's function which was met: where
 * it led.  Apart, so that pages of labels that come from a cache stay shared.
 */
struct cca_met {
  uint16_t definer; /* number of the module; CCA_NO_MODULE: in none */
  uint8_t binding;  /* enum cca_binding */
};

/* Enough for sums of what 2^64 bytes of allocations could be. */
struct cca_counter {
  uint64_t objects, bytes, freed_objects, freed_bytes;
};

extern struct cca_label *cca_labels;
extern struct cca_met *cca_mets;   /* by label */
extern uint32_t cca_label_numbers; /* in use: 0 ... this - 1 */
extern struct cca_counter *cca_counters[CCA_SHARDS];

/* Map the tables.  False: no memory, and nothing may be recorded. */
bool cca_labels_init(void);

/* The first thread will count objects of all labels that there are by now. */
void cca_labels_expect(void);

/* COUNT new consecutive numbers, or 0. */
uint32_t cca_labels_take(uint32_t count);

/* What was counted for LABEL until now. */
struct cca_counter cca_labels_sum(uint32_t label);

/* In a forked child: what is live becomes all that there ever was. */
void cca_labels_after_fork(void);

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
  size_t size;  /* of the object, which the label fits */
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
  CCA_PATHS_BITS = 7,
  CCA_PATHS = 1 << CCA_PATHS_BITS,
};
_Static_assert(sizeof(struct cca_path) == 128, "two lines of the cache");

struct cca_paths {
  struct cca_path path[CCA_PATHS];
  uint64_t generation; /* of the facts that they come from */
  uint32_t busy;       /* one is being written, perhaps below us */
};

struct cca_shard {
  struct cca_counter *counters;
  struct cca_paths *paths; /* NULL if shared */
  uintptr_t stack_end;     /* of the thread's own stack, above */
  bool locked;             /* shared with other threads */
};
struct cca_shard cca__labels_shard(void);
extern __thread struct cca_shard cca__shard
    __attribute__((tls_model("initial-exec")));

static inline struct cca_shard cca_labels_shard(void) {
  return cca_likely(cca__shard.counters != NULL) ? cca__shard
                                                 : cca__labels_shard();
}

/* Can an object of SIZE bytes have the type that LABEL claims? */
static inline bool cca_label_fits(const struct cca_label *label, size_t size) {
  switch (label->fit) {
  case CCA_FIT_ANY:
    return true;
  case CCA_FIT_AT_LEAST:
    return size >= label->least;
  case CCA_FIT_EXACT:
    return size == label->least;
  default: /* a product without a division, where both are 32 bits wide */
    return size >> 32 ? size % label->least == 0
                      : size * label->divisor <= label->divisor - 1;
  }
}

#endif
