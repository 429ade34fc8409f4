/* SPDX-License-Identifier: MIT */
/*
 * atomics.h -- changes of one word, as cheap as the process allows.
 *
 * While a process has one thread nothing needs to be locked, but a signal
 * handler may still come between: there one instruction that reads, changes and
 * writes is enough, and costs a fifth of a locked one.  glibc says when a
 * second thread is about to start.
 */
#ifndef CCA_ATOMICS_H
#define CCA_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/single_threaded.h>

#define cca_load(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define cca_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define cca_store(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define cca_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define cca_unlikely(x) __builtin_expect(!!(x), 0)
#define cca_likely(x) __builtin_expect(!!(x), 1)

/* Is no other thread there that could change the same word? */
static inline bool cca_alone(void) {
  return cca_likely(__libc_single_threaded != 0);
}

/* *WORD += VALUE; LOCKED if another thread may be at it. */
static inline void cca_add(uint64_t *word, uint64_t value, bool locked) {
#ifdef __x86_64__
  if (!locked) {
    __asm__ volatile("addq %1, %0" : "+m"(*word) : "er"(value) : "cc");
    return;
  }
#endif
  (void)locked;
  __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
}

static inline void cca_or(uint64_t *word, uint64_t bits, bool locked) {
#ifdef __x86_64__
  if (!locked) {
    __asm__ volatile("orq %1, %0" : "+m"(*word) : "r"(bits) : "cc", "memory");
    return;
  }
#endif
  (void)locked;
  __atomic_fetch_or(word, bits, __ATOMIC_RELEASE);
}

static inline void cca_and(uint64_t *word, uint64_t bits, bool locked) {
#ifdef __x86_64__
  if (!locked) {
    __asm__ volatile("andq %1, %0" : "+m"(*word) : "r"(bits) : "cc", "memory");
    return;
  }
#endif
  (void)locked;
  __atomic_fetch_and(word, bits, __ATOMIC_RELEASE);
}

/* A lock that is only ever tried: who does not get it does without. */
static inline bool cca_try(uint32_t *lock) {
  return !__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE);
}
static inline void cca_leave(uint32_t *lock) {
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#endif
