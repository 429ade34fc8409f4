/* SPDX-License-Identifier: MIT */
/*
 * labels.c -- the tables of labels and counters; see labels.h.
 */
#include "labels.h"

#include "pages.h"
#include "stack.h"

#include <sys/syscall.h>
#include <unistd.h>

struct cca_label *cca_labels;
struct cca_met *cca_mets;
uint32_t cca_label_numbers;
struct cca_counter *cca_counters[CCA_SHARDS];
__thread struct cca_shard cca__shard;

static uint32_t threads; /* that asked for a shard */

enum { COUNTERS = CCA_MAX_LABELS * sizeof(struct cca_counter) };

/* Counters, and behind them the paths. */
static struct cca_counter *make_shard(uint32_t i) {
  struct cca_counter *there = cca_load_acquire(&cca_counters[i]), *fresh;
  if (there || !(fresh = cca_pages_map(COUNTERS + sizeof(struct cca_paths))))
    return there;
  if (__atomic_compare_exchange_n(&cca_counters[i], &there, fresh, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return fresh;
  return there; /* FRESH was never touched: address space, not memory */
}

bool cca_labels_init(void) {
  cca_labels = cca_pages_map(CCA_MAX_LABELS * sizeof *cca_labels);
  cca_mets = cca_pages_map(CCA_MAX_LABELS * sizeof *cca_mets);
  if (!cca_labels || !cca_mets || !make_shard(CCA_SHARDS - 1))
    return false;
  for (uint32_t i = 0; i < CCA_REASONS; i++)
    cca_labels[i] =
        (struct cca_label){.reason = (uint8_t)i, .module = CCA_NO_MODULE};
  cca_labels[0].reason = CCA_REASON_NO_SITE;
  cca_label_numbers = CCA_REASONS;
  return true;
}

void cca_labels_expect(void) {
  size_t len = cca_load(&cca_label_numbers) * sizeof(struct cca_counter);
  struct cca_counter *first = make_shard(0);
  if (first)
    cca_pages_prepare(first, len);
}

uint32_t cca_labels_take(uint32_t count) {
  uint32_t first = cca_load(&cca_label_numbers);
  do
    if (count > CCA_MAX_LABELS - first)
      return 0;
  while (!__atomic_compare_exchange_n(&cca_label_numbers, &first, first + count,
                                      false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED));
  return first;
}

/* Where the calling thread's stack ends.  glibc puts what describes a thread
 * there, and the first thread has it elsewhere. */
static uintptr_t stack_end(void) {
  return syscall(SYS_gettid) == getpid() ? (uintptr_t)__libc_stack_end
                                         : cca_thread_pointer();
}

/* The calling thread's shard, from its first allocation on.  The last is always
 * there. */
struct cca_shard cca__labels_shard(void) {
  uint32_t i = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
  struct cca_shard shard = {0};
  if (i < CCA_SHARDS - 1 && (shard.counters = make_shard(i)))
    shard.paths = (void *)((char *)shard.counters + COUNTERS);
  if (!shard.counters) {
    if (i >= CCA_SHARDS)
      cca_store(&threads, CCA_SHARDS); /* do not run over */
    shard = (struct cca_shard){cca_counters[CCA_SHARDS - 1], .locked = true};
  }
  shard.stack_end = stack_end();
  return cca__shard = shard;
}

struct cca_counter cca_labels_sum(uint32_t label) {
  struct cca_counter sum = {0};
  for (uint32_t i = 0; i < CCA_SHARDS; i++) {
    struct cca_counter *shard = cca_load_acquire(&cca_counters[i]);
    if (!shard)
      continue;
    sum.objects += cca_load(&shard[label].objects);
    sum.bytes += cca_load(&shard[label].bytes);
    sum.freed_objects += cca_load(&shard[label].freed_objects);
    sum.freed_bytes += cca_load(&shard[label].freed_bytes);
  }
  return sum;
}

void cca_labels_after_fork(void) {
  for (uint32_t label = 0; label < cca_label_numbers; label++) {
    struct cca_counter sum = cca_labels_sum(label);
    if (!sum.objects && !sum.bytes)
      continue;
    for (uint32_t i = 0; i < CCA_SHARDS; i++)
      if (cca_counters[i])
        cca_counters[i][label] = (struct cca_counter){0};
    cca_counters[CCA_SHARDS - 1][label] = (struct cca_counter){
        sum.objects - sum.freed_objects, sum.bytes - sum.freed_bytes, 0, 0};
  }
}
