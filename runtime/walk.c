/* SPDX-License-Identifier: MIT */
/*
 * walk.c -- from a call of malloc() to the site that it is of; see walk.h.
 *
 * In:  a frame, the words of addresses.h, and the stack.
 * Out: a label.
 *
 * What is known about an address is found out when it is first met: its module,
 * whether it is a site there, its row.  After that a frame costs one look into
 * the table, one check and one or two loads from the stack.
 *
 * Rows may lie: hand-written assembly has wrong ones, and a caller of a JIT may
 * leave anything in the frame pointer.  So a frame must end above the one
 * below, and what is read must be on the stack that we stand on, or else in a
 * page that is mapped.
 */
#include "walk.h"

#include "addresses.h"
#include "bindings.h"
#include "cache.h"
#include "labels.h"
#include "modules.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  MAX_FRAMES = 64,
  PAGE = 4096,
};

/* ---- Labels without a site ---- */

static uint32_t place(enum cca_reason reason, uintptr_t address) {
  uint64_t key = (uint64_t)reason << 48 | (address & ((1ull << 48) - 1));
  uint32_t label = (uint32_t)cca_facts_get(key);
  if (cca_likely(label))
    return label;
  const struct cca_loaded *m = cca_modules_find(address);
  label = cca_labels_take(1);
  if (!label)
    return reason;
  cca_labels[label] = (struct cca_label){
      .reason = (uint8_t)reason,
      .module = m ? (uint16_t)(m - cca_modules) : CCA_NO_MODULE,
      .at = m ? address - m->bias : address};
  cca_facts_set(key, label);
  /* If another thread was writing, the place gets another label next time. */
  return label;
}

/* The call that returns to ADDRESS led into another module, without a
 * classification, which allocated where it returns to INNER.  The place is the
 * call; of one that leads into several modules, a call and a module. */
static uint32_t inside(uintptr_t inner, uintptr_t address) {
  uint64_t key =
      (uint64_t)CCA_REASON_INSIDE << 48 | (address & ((1ull << 48) - 1));
  uint32_t label = (uint32_t)cca_facts_get(key);
  if (cca_likely(label)) {
    const struct cca_loaded *m = &cca_modules[cca_labels[label].inside];
    if (cca_likely(inner >= m->low && inner < m->high && !cca_load(&m->gone)))
      return label;
  }
  const struct cca_loaded *m = cca_modules_find(inner),
                          *caller = cca_modules_find(address);
  if (!m || !caller)
    return place(CCA_REASON_UNLISTED, address);
  uint32_t number = (uint32_t)(m - cca_modules);
  if (label)
    key |= (uint64_t)(number + 1) << 52;
  if (label && (label = (uint32_t)cca_facts_get(key)))
    return label;
  label = cca_labels_take(1);
  if (!label)
    return CCA_REASON_UNLISTED;
  cca_labels[label] =
      (struct cca_label){.inside = number,
                         .reason = CCA_REASON_INSIDE,
                         .module = (uint16_t)(caller - cca_modules),
                         .at = address - caller->bias};
  cca_facts_set(key, label);
  return label;
}

/* ---- What is known about an address ---- */

static void closed(const struct cca_loaded *module) {
  cca_facts_forget(module->low, module->high);
}

bool cca_walk_link_map_changed(void) { return cca_modules_refresh(closed); }

/* Is any module there?  The loader answers without a lock; before glibc 2.35
 * there is no such function, and we cannot know. */
static bool has_module(uintptr_t address) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  struct dl_find_object found;
  return _dl_find_object((void *)address, &found) == 0;
#else
  (void)address;
  return true;
#endif
}

/* Is it still MODULE that is at ADDRESS, where one of our callers is?  What is
 * being called is not closed, so that its entry in the link map stays. */
static bool is_there(const struct cca_loaded *module, uintptr_t address) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  struct dl_find_object found;
  return _dl_find_object((void *)address, &found) == 0 &&
         (uintptr_t)found.dlfo_map_start == module->low &&
         found.dlfo_link_map->l_addr == module->bias &&
         !strcmp(found.dlfo_link_map->l_name, module->path);
#else
  (void)module;
  (void)address;
  return false;
#endif
}

static void note_binding(uint32_t label, enum cca_binding binding,
                         const struct cca_loaded *definer) {
  struct cca_met *met = &cca_mets[label];
  cca_store(&met->definer, definer ? (uint16_t)(definer - cca_modules)
                                   : (uint16_t)CCA_NO_MODULE);
  cca_store_release(&met->binding, (uint8_t)binding);
}

/* What the call of site ROW in MODULE is bound to; looks at the link map again
 * if it is in no module that we know. */
static enum cca_binding look_up(const struct cca_loaded *module, uint32_t row) {
  struct cca_allocsite site = cca_allocsite_at(&module->table, row);
  const struct cca_loaded *definer;
  enum cca_binding binding = cca_binding_find(module, &site, &definer);
  if (binding == CCA_BINDING_UNKNOWN && cca_modules_refresh(closed))
    binding = cca_binding_find(module, &site, &definer);
  if (definer && definer->may_go && cca_load_acquire(&cca_facts_closing) &&
      !is_there(definer, definer->low))
    return CCA_BINDING_UNKNOWN; /* another one is at its place by now */
  note_binding(module->first_label + row, binding, definer);
  return binding;
}

/* What the cache knows of ADDRESS in M, as if it were found out now. */
static uint64_t take_kept(const struct cca_loaded *m, uintptr_t address,
                          const struct cca_kept_call *kept) {
  uint32_t label = kept->is_ambiguous ? place(CCA_REASON_AMBIGUOUS, address)
                   : kept->site == CCA_NONE ? 0
                                            : m->first_label + kept->site;
  if (kept->binding != CCA_BINDING_UNMET)
    note_binding(m->first_label + kept->through, kept->binding, kept->definer);
  uint64_t fact =
      label | (uint64_t)kept->unwind << 32 | (m->may_go ? CCA_FACT_LATE : 0);
  cca_facts_set(address, fact);
  return fact;
}

__attribute__((noinline, cold)) static uint64_t find_out(uintptr_t address) {
  const struct cca_loaded *m = cca_modules_find(address);
  bool closing = cca_load_acquire(&cca_facts_closing);
  if (m && m->may_go && closing && !is_there(m, address))
    m = NULL;
  if (!m && has_module(address) && cca_modules_refresh(closed)) {
    m = cca_modules_find(address);
    if (m && m->may_go && closing && !is_there(m, address))
      m = NULL;
  }
  if (!m) /* not kept: a module may come to be there */
    return cca_fact_of(0, (struct cca_row){CCA_ROW_NONE, 0, 0}, true);
  struct cca_kept_call kept;
  if (!closing && cca_cache_find(m, address, &kept))
    return take_kept(m, address, &kept);
  uint32_t through, label = cca_module_label(m, address, &through);
  bool goes_on = m->classified != CCA_CLASSIFIED_YES, keep = true;
  if (label == CCA_REASON_AMBIGUOUS) {
    label = place(CCA_REASON_AMBIGUOUS, address);
  } else if (label) {
    enum cca_binding binding =
        through == CCA_NONE ? CCA_BINDING_ALLOCATES : look_up(m, through);
    keep = binding != CCA_BINDING_UNKNOWN;
    if (binding == CCA_BINDING_ALLOCATES)
      goes_on =
          cca_allocsite_at(&m->table, (uint32_t)cca_labels[label].at).class ==
          CCA_SITE_CLASS_PASS_THROUGH;
    else
      label = 0;
  }
  uint64_t fact = cca_fact_of(label, cca_unwind_row(m, address), goes_on) |
                  (m->may_go ? CCA_FACT_LATE : 0);
  if (keep && (!closing || !m->may_go)) {
    cca_cache_missed();
    cca_cache_met(m, address, fact);
    cca_facts_set(address, fact);
  }
  return fact;
}

/* ---- The stack ---- */

/* A stack that we know nothing about: is the page of ADDRESS mapped?  It is
 * asked for once by each thread, since pages of a live stack stay. */
__attribute__((noinline, cold)) static bool is_mapped(uintptr_t address) {
  static __thread uintptr_t known[4] __attribute__((tls_model("initial-exec")));
  uintptr_t page = address & -(uintptr_t)PAGE;
  uintptr_t *slot = &known[page / PAGE % 4];
  if (*slot == page)
    return true;
  unsigned char in_core;
  int saved = errno;
  bool there = mincore((void *)page, PAGE, &in_core) == 0;
  errno = saved;
  if (there)
    *slot = page;
  return there;
}

/* May the word at ADDRESS be read, which should be on the stack above SP? */
static inline bool on_stack(uintptr_t address, uintptr_t sp, uintptr_t end) {
  if (cca_unlikely(address < sp || address % sizeof(uintptr_t)))
    return false;
  if (cca_likely(address < end))
    return true;
  return !end && address - sp < CCA_STACK_NEAR &&
         (address / PAGE == sp / PAGE || is_mapped(address));
}

/* ---- The walk ---- */

/* The walk ended before the type was met.  If it went through a wrapper, that
 * says more than an address. */
static uint32_t lost(uint32_t wrapper, enum cca_reason reason,
                     uintptr_t address) {
  return wrapper ? wrapper : place(reason, address);
}

/* The label of a site, unless the object contradicts it. */
static inline uint32_t settle(uint32_t label, uintptr_t ra, size_t size) {
  return cca_likely(cca_label_fits(&cca_labels[label], size))
             ? label
             : place(CCA_REASON_SIZE, ra);
}

/* What a walk has met, from which a path is made. */
struct trail {
  struct cca_path path;
  uintptr_t sp; /* where it began */
  bool whole;   /* all of it is in the path */
};

/* The walk went on by what the word at ADDRESS is. */
static inline void met(struct trail *trail, uintptr_t address, bool relative) {
  uint32_t i = trail->path.count & (CCA_PATH_USES_FP - 1);
  uintptr_t reach = (address - trail->sp) / 64 + 1;
  if (i == CCA_PATH_SEEN || reach > UINT16_MAX) {
    trail->whole = false;
    return;
  }
  if (trail->path.reach < reach)
    trail->path.reach = (uint16_t)reach;
  trail->path.seen[i].at = (uint32_t)(address - trail->sp);
  trail->path.seen[i].relative = relative;
  trail->path.seen[i].word =
      *(const uintptr_t *)address - (relative ? trail->sp : 0);
  trail->path.count++;
}

/* Where the frame pointer is that a walk would need: in its register, or, since
 * it was saved, in a word of the stack. */
struct pointer {
  uintptr_t value; /* in the register */
  uintptr_t at;    /* where it was saved; 0: it was not */
};

static inline bool read_pointer(struct pointer *fp, struct trail *trail,
                                uintptr_t sp, uintptr_t end, uintptr_t *value) {
  if (!fp->at) {
    trail->path.count |= CCA_PATH_USES_FP;
    trail->path.fp = fp->value - trail->sp;
    *value = fp->value;
    return true;
  }
  if (!on_stack(fp->at, sp, end))
    return false;
  met(trail, fp->at, true);
  *value = *(const uintptr_t *)fp->at;
  return true;
}

/* Where a frame ends whose row is not the plain one; 0: it cannot be followed,
 * and *WHY says why.  START is where the walk began. */
static uintptr_t odd_frame(uintptr_t sp, struct pointer *fp, uint64_t fact,
                           uintptr_t end, struct trail *trail,
                           enum cca_reason *why) {
  uintptr_t cfa, pointer, offset = cca_fact_offset(fact);
  *why = CCA_REASON_BROKEN;
  switch (cca_fact_kind(fact)) {
  case CCA_ROW_FP:
    if (!read_pointer(fp, trail, trail->sp, end, &pointer))
      return 0;
    cfa = pointer + offset;
    return cfa > sp ? cfa : 0;
  case CCA_ROW_DEREF:
    if (!read_pointer(fp, trail, trail->sp, end, &pointer) ||
        !on_stack(pointer - offset, sp, end) || !on_stack(pointer, sp, end))
      return 0;
    met(trail, pointer - offset, true);
    cfa = *(const uintptr_t *)(pointer - offset);
    fp->at = pointer;
    return cfa > sp ? cfa : 0;
  case CCA_ROW_END:
    *why = CCA_REASON_NO_SITE;
    return 0;
  case CCA_ROW_SIGNAL:
    *why = CCA_REASON_SIGNAL;
    return 0;
  case CCA_ROW_SP:
  case CCA_ROW_NONE:
  default:
    *why = CCA_REASON_NO_UNWIND;
    return 0;
  }
}

static uint32_t walk(struct cca_frame frame, uintptr_t *decided,
                     struct trail *trail) {
  struct pointer fp = {frame.fp, 0};
  uintptr_t ra = frame.ra, sp = frame.sp, end = cca_stack_end(sp);
  uint32_t wrapper = 0; /* the outermost pass-through site */
  for (unsigned depth = 0; depth < MAX_FRAMES; depth++) {
    uint64_t fact = cca_facts_get(ra);
    if (cca_unlikely(!fact))
      fact = find_out(ra);
    uint32_t label = cca_fact_label(fact);
    *decided = ra;
    if (!(fact & CCA_FACT_GOES_ON)) {
      if (label)
        return label;
      return depth && !wrapper ? inside(frame.ra, ra)
                               : lost(wrapper, CCA_REASON_UNLISTED, ra);
    }
    wrapper = label ? label : wrapper;

    uintptr_t cfa = sp + cca_fact_offset(fact);
    if (cca_fact_kind(fact) != CCA_ROW_SP) {
      enum cca_reason why;
      cfa = odd_frame(sp, &fp, fact, end, trail, &why);
      if (cca_unlikely(!cfa))
        return lost(wrapper, why, frame.ra);
    }
    if (cca_unlikely(!on_stack(cfa - 8, sp, end)))
      return lost(wrapper, CCA_REASON_BROKEN, frame.ra);
    if (cca_fact_saved(fact))
      fp.at = cfa - cca_fact_saved(fact);
    met(trail, cfa - 8, false);
    ra = *(const uintptr_t *)(cfa - 8);
    sp = cfa;
  }
  return lost(wrapper, CCA_REASON_DEEP, frame.ra);
}

/* In an order in which a signal handler never sees half of a path, and never
 * writes into one that is being written. */
static void remember(struct cca_paths *paths, struct cca_path *path,
                     const struct cca_path *fresh) {
  uint64_t generation = cca_load(&cca_facts_generation);
  if (paths->busy || cca_load(&cca_facts_closing))
    return;
  cca_store(&paths->busy, 1);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (paths->generation != generation) {
    for (size_t i = 0; i < CCA_PATHS; i++)
      cca_store(&paths->path[i].ra, 0);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    cca_store(&paths->generation, generation);
  }
  if (path) {
    uintptr_t ra = fresh->ra;
    cca_store(&path->ra, 0);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    memcpy((char *)path + sizeof path->ra,
           (const char *)fresh + sizeof path->ra,
           sizeof *path - sizeof path->ra);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    cca_store(&path->ra, ra);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  cca_store(&paths->busy, 0);
}

__attribute__((noinline)) uint32_t cca__walk(struct cca_frame frame,
                                             size_t size, struct cca_path *path,
                                             struct cca_paths *paths) {
  uintptr_t decided;
  struct trail trail;
  trail.path.ra = frame.ra;
  trail.path.size = size;
  trail.path.count = 0;
  trail.path.reach = 0;
  trail.path.fp = 0;
  trail.sp = frame.sp;
  trail.whole = true;
  uint64_t generation = cca_load(&cca_facts_generation);
  uint32_t label = walk(frame, &decided, &trail);
  trail.path.label = label;
  uint32_t settled = settle(label, decided, size);
  if (paths && settled == label && trail.whole && trail.path.count &&
      generation == cca_load(&cca_facts_generation))
    remember(paths, path, &trail.path);
  return settled;
}
