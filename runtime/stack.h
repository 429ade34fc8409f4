/* SPDX-License-Identifier: MIT */
/*
 * stack.h -- where the stacks of a process's threads end.
 */
#ifndef CCA_STACK_H
#define CCA_STACK_H

#include <pthread.h>
#include <stdint.h>

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

#endif
