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
#include "labels.h"
#include "modules.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  MAX_FRAMES = 64,
  PAGE = 4096,
  NEAR = 64 << 20, /* further from its end is not on this stack */
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

/* ---- What is known about an address ---- */

static void closed(const struct cca_loaded *module) {
  cca_facts_forget(module->low, module->high);
}

void cca_walk_link_map_changed(void) { cca_modules_refresh(closed); }

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

__attribute__((noinline, cold)) static uint64_t find_out(uintptr_t address) {
  const struct cca_loaded *m = cca_modules_find(address);
  if (!m && has_module(address) && cca_modules_refresh(closed))
    m = cca_modules_find(address);
  if (!m) /* not kept: a module may come to be there */
    return cca_fact_of(0, (struct cca_row){CCA_ROW_NONE, 0, 0}, true);
  uint32_t label = cca_module_label(m, address);
  bool goes_on = m->classified != CCA_CLASSIFIED_YES;
  if (label)
    goes_on =
        cca_allocsite_at(&m->table, (uint32_t)cca_labels[label].at).class ==
        CCA_SITE_CLASS_PASS_THROUGH;
  uint64_t fact = cca_fact_of(label, cca_unwind_row(m, address), goes_on);
  cca_facts_set(address, fact);
  return fact;
}

/* ---- The stack ---- */

extern void *__libc_stack_end;

static inline uintptr_t thread_pointer(void) {
#ifdef __x86_64__
  uintptr_t pointer; /* pthread_self(), which is a call */
  __asm__("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
#else
  return (uintptr_t)pthread_self();
#endif
}

/* Where the calling thread's stack ends, above.  glibc puts what describes a
 * thread at the end of its stack, and the first thread has it elsewhere. */
static inline uintptr_t stack_end(uintptr_t sp) {
  uintptr_t end = (uintptr_t)__libc_stack_end;
  if (end - sp < NEAR)
    return end;
  end = thread_pointer();
  return end - sp < NEAR ? end : 0;
}

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
  return !end && address - sp < NEAR &&
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

/* Where FRAME, whose row is not the plain one, ends; 0: it cannot be followed,
 * and *WHY says why. */
static uintptr_t odd_frame(struct cca_frame *frame, uint64_t fact,
                           uintptr_t end, enum cca_reason *why) {
  uintptr_t cfa, offset = cca_fact_offset(fact);
  *why = CCA_REASON_BROKEN;
  switch (cca_fact_kind(fact)) {
  case CCA_ROW_SP:
    return frame->sp + offset;
  case CCA_ROW_FP:
    cfa = frame->fp + offset;
    return cfa > frame->sp ? cfa : 0;
  case CCA_ROW_DEREF:
    if (!on_stack(frame->fp - offset, frame->sp, end) ||
        !on_stack(frame->fp, frame->sp, end))
      return 0;
    cfa = *(const uintptr_t *)(frame->fp - offset);
    frame->fp = *(const uintptr_t *)frame->fp;
    return cfa > frame->sp ? cfa : 0;
  case CCA_ROW_END:
    *why = CCA_REASON_NO_SITE;
    return 0;
  case CCA_ROW_SIGNAL:
    *why = CCA_REASON_SIGNAL;
    return 0;
  case CCA_ROW_NONE:
  default:
    *why = CCA_REASON_NO_UNWIND;
    return 0;
  }
}

uint32_t cca_walk(struct cca_frame frame, size_t size) {
  const uintptr_t first = frame.ra;
  uintptr_t end = 0;
  uint32_t wrapper = 0; /* the outermost pass-through site */
  for (unsigned depth = 0; depth < MAX_FRAMES; depth++) {
    uint64_t fact = cca_facts_get(frame.ra);
    if (cca_unlikely(!fact))
      fact = find_out(frame.ra);
    uint32_t label = cca_fact_label(fact);
    if (!(fact & CCA_FACT_GOES_ON))
      return label ? settle(label, frame.ra, size)
                   : lost(wrapper, CCA_REASON_UNLISTED, frame.ra);
    wrapper = label ? label : wrapper;
    if (depth == 0)
      end = stack_end(frame.sp);

    uintptr_t cfa = frame.sp + cca_fact_offset(fact);
    if (cca_fact_kind(fact) != CCA_ROW_SP) {
      enum cca_reason why;
      cfa = odd_frame(&frame, fact, end, &why);
      if (cca_unlikely(!cfa))
        return lost(wrapper, why, first);
    }
    if (cca_unlikely(!on_stack(cfa - 8, frame.sp, end)))
      return lost(wrapper, CCA_REASON_BROKEN, first);
    uintptr_t saved = cca_fact_saved(fact);
    if (saved) {
      if (cca_unlikely(!on_stack(cfa - saved, frame.sp, end)))
        return lost(wrapper, CCA_REASON_BROKEN, first);
      frame.fp = *(const uintptr_t *)(cfa - saved);
    }
    frame.ra = *(const uintptr_t *)(cfa - 8);
    frame.sp = cfa;
  }
  return lost(wrapper, CCA_REASON_DEEP, first);
}
