/* SPDX-License-Identifier: MIT */
/*
 * hooks.c -- malloc and its family, between the program and its malloc.
 *
 * In:  calls of the program and of all its libraries.
 * Out: the same calls of the next malloc in the search order (glibc's, or
 *      whatever the program has), and for each object a label, an entry in the
 *      index, and counts; those that are not small are asked for with a trailer
 *      (heap.h).
 *
 * The first call may come before any constructor, and from dlsym() while it
 * looks for the next malloc; such calls are served from a small arena, whose
 * blocks are never objects.  If something is not as it should be, the runtime
 * steps aside: calls are handed on as they are, and nothing more is recorded.
 *
 * On the way through, nothing is locked and nothing is allocated but what the
 * program asked for.
 */
#include "hooks.h"

#include "addresses.h"
#include "clients.h"
#include "heap.h"
#include "modules.h"
#include "walk.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#define HOOK __attribute__((visibility("default")))

/* WATCHED is READY, and clients are told. */
enum { ASLEEP, STARTING, ASIDE, READY, WATCHED };
static int state;
struct cca_below cca_below;

/* A request beyond this fails below us, as it should. */
#define LIMIT ((size_t)PTRDIFF_MAX - 4096)

bool cca_hooks_ready(void) { return cca_load(&state) >= READY; }

void cca_hooks_watch(bool watched) {
  int from = watched ? READY : WATCHED, to = watched ? WATCHED : READY;
  __atomic_compare_exchange_n(&state, &from, to, false, __ATOMIC_RELEASE,
                              __ATOMIC_RELAXED);
}

/* Asked only where objects are recorded. */
static inline bool is_watched(void) {
  return cca_unlikely(cca_load(&state) != READY);
}

/* ---- Before there is a malloc below ---- */

enum { ARENA = 1 << 16, ARENA_HEADER = 16 };
static char arena[ARENA] __attribute__((aligned(16)));
static size_t arena_used;

static bool in_arena(const void *block) {
  return (uintptr_t)block - (uintptr_t)arena < ARENA;
}

/* Zeroed, as all of the arena is. */
static void *arena_alloc(size_t align, size_t size) {
  if (size > ARENA || align > 4096)
    return NULL;
  align = align < 16 ? 16 : align;
  size_t room = (size + 15) / 16 * 16 + ARENA_HEADER + align;
  size_t at = __atomic_fetch_add(&arena_used, room, __ATOMIC_RELAXED);
  if (at > ARENA || room > ARENA - at)
    return NULL;
  char *block = arena + at + ARENA_HEADER;
  block += -(uintptr_t)block & (align - 1);
  *(size_t *)(block - ARENA_HEADER) = size;
  return block;
}

static size_t arena_size(const void *block) {
  return *(const size_t *)((const char *)block - ARENA_HEADER);
}

/* Move a block of the arena to the heap; its size there is SIZE. */
static void *arena_leave(void *block, size_t size) {
  void *copy = malloc(size);
  size_t old = arena_size(block);
  return copy ? memcpy(copy, block, old < size ? old : size) : NULL;
}

static void find_below(void) {
  cca_below.malloc = dlsym(RTLD_NEXT, "malloc");
  cca_below.calloc = dlsym(RTLD_NEXT, "calloc");
  cca_below.realloc = dlsym(RTLD_NEXT, "realloc");
  cca_below.free = dlsym(RTLD_NEXT, "free");
  cca_below.memalign = dlsym(RTLD_NEXT, "memalign");
  cca_below.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  cca_below.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
  cca_below.usable_size = dlsym(RTLD_NEXT, "malloc_usable_size");
}

/* Who does not know its blocks' sizes would be asked about those of another. */
static bool same_module(void *a, void *b) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  struct dl_find_object x, y; /* dladdr() looks for names, too */
  return _dl_find_object(a, &x) == 0 && _dl_find_object(b, &y) == 0 &&
         x.dlfo_link_map == y.dlfo_link_map;
#else
  Dl_info x, y;
  return dladdr(a, &x) && dladdr(b, &y) && x.dli_fbase == y.dli_fbase;
#endif
}

/*
 * Is it glibc's malloc?  Believed if it is in glibc and its blocks say what
 * malloc_usable_size() says; a malloc that only looks like it does not.  A
 * freed block that was mapped by itself moves the size from which glibc maps
 * blocks, unless it is as large as the last one here.
 */
static bool is_glibc(void) {
  static const size_t sizes[] = {1, 24, 25, 1000, 1 << 16, 1 << 26};
  bool good = same_module((void *)cca_below.malloc, (void *)getauxval);
  for (size_t i = 0; good && i < sizeof sizes / sizeof sizes[0]; i++) {
    char *block = cca_below.malloc(sizes[i]);
    if (!block)
      return false;
    size_t usable = cca_below.usable_size(block);
    /* Under valgrind it is as long as was asked for, and nothing is before it.
     */
    if (i == 0 && usable != 24)
      good = false;
    cca_below.is_glibc = good;
    good = good && cca_heap_room((uintptr_t)block) + CCA_TRAILER == usable;
    cca_below.is_glibc = false;
    cca_below.free(block);
  }
  return good;
}

/* Find the malloc below and make the tables.  False: it is not done yet, by
 * whoever is at it. */
__attribute__((noinline, cold)) static bool wake_up(void) {
  int asleep = ASLEEP;
  if (!__atomic_compare_exchange_n(&state, &asleep, STARTING, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return asleep != STARTING;
  int saved = errno;
  find_below();
  bool good =
      cca_below.malloc && cca_below.calloc && cca_below.realloc &&
      cca_below.free && cca_below.memalign && cca_below.posix_memalign &&
      cca_below.aligned_alloc && cca_below.usable_size &&
      same_module((void *)cca_below.malloc, (void *)cca_below.usable_size) &&
      cca_facts_init() && cca_labels_init();
  cca_below.is_glibc = good && is_glibc();
  if (same_module((void *)dl_iterate_phdr, (void *)getauxval))
    cca_modules_allow();
  errno = saved;
  cca_store_release(&state, good ? READY : ASIDE);
  return true;
}

void cca_hooks_wake(void) { wake_up(); }

/* What a hook does when not all is well: in order, ARENA_RESULT while there is
 * no malloc below, BELOW_RESULT when we stand aside. */
#define UNLESS_READY(arena_result, below_result)                               \
  do {                                                                         \
    if (cca_unlikely(cca_load_acquire(&state) != READY) &&                     \
        cca_load(&state) != WATCHED) {                                         \
      if (!wake_up())                                                          \
        return arena_result;                                                   \
      if (state == ASIDE)                                                      \
        return below_result;                                                   \
    }                                                                          \
  } while (0)

/* ---- Objects ---- */

/* The block at START, of which the program has SIZE bytes, is an object. */
__attribute__((noinline)) static bool enter_large(uintptr_t start, size_t size,
                                                  uint32_t label) {
  size_t room = cca_heap_room(start);
  if (cca_unlikely(room > LIMIT || room < size))
    return false; /* a malloc that does not give what was asked for */
  size_t slack = room - size;
  struct cca_trailer trailer = {label, slack > UINT32_MAX ? UINT32_MAX
                                                          : (uint32_t)slack};
  memcpy((char *)start + room, &trailer, sizeof trailer);
  return cca_starts_add(start, room, !cca_alone());
}

/* False: it is none, and not recorded. */
__attribute__((always_inline)) static inline bool
enter(uintptr_t start, size_t size, uint32_t label, struct cca_shard shard) {
  if (cca_unlikely(!(cca_likely(size < CCA_SMALL)
                         ? cca_small_add(start, size, label)
                         : enter_large(start, size, label))))
    return false;
  cca_add(&shard.counters[label].objects, 1, shard.locked);
  cca_add(&shard.counters[label].bytes, size, shard.locked);
  return true;
}

/* What begins at START is new; or, if anything does, will be freed. */
__attribute__((noinline, cold)) static void tell_allocated(uintptr_t start) {
  struct cca_held held = cca_heap_held(start, cca_small_at(start));
  cca_clients_allocated(
      &(struct cca_client_object){(void *)start, held.size, held.label});
}

__attribute__((noinline, cold)) static void tell_freed(uintptr_t start) {
  uint32_t small = cca_small_at(start);
  if (!small && !cca_starts_has(start))
    return;
  struct cca_held held = cca_heap_held(start, small);
  cca_clients_freed(
      &(struct cca_client_object){(void *)start, held.size, held.label});
}

/* One function for all hooks, with all of the common way inlined. */
__attribute__((noinline)) static void *
entered(void *block, size_t size, uintptr_t ra, uintptr_t sp, uintptr_t fp) {
  if (cca_likely(block != NULL)) {
    struct cca_frame frame = {ra, sp, fp};
    struct cca_shard shard = cca_labels_shard();
    if (cca_likely(enter((uintptr_t)block, size, cca_walk(frame, size, shard),
                         shard)) &&
        is_watched())
      tell_allocated((uintptr_t)block);
  }
  return block;
}

static inline void count_freed(uint32_t label, size_t size,
                               struct cca_shard shard) {
  cca_add(&shard.counters[label].freed_objects, 1, shard.locked);
  cca_add(&shard.counters[label].freed_bytes, size, shard.locked);
}

static inline void take_out(uintptr_t start, struct cca_held held) {
  if (held.small)
    cca_small_remove(start, held.size);
  else
    cca_starts_remove(start, held.room, !cca_alone());
}

__attribute__((always_inline)) static inline void leave(uintptr_t start,
                                                        uint32_t small) {
  struct cca_held held = cca_heap_held(start, small);
  count_freed(held.label, held.size, cca_labels_shard());
  take_out(start, held);
}

/*
 * An object that is resized stays what it is, unless the call is a site that
 * says otherwise: then it is counted as freed there and allocated here.
 */
static void *resize(void *block, uint32_t small, size_t size,
                    struct cca_frame frame) {
  uintptr_t start = (uintptr_t)block;
  struct cca_held held = cca_heap_held(start, small);
  uint32_t label = held.label;
  size_t old = held.size;
  bool watched = is_watched();
  const struct cca_client_object before = {block, old, label};
  if (size == 0) { /* frees it, or gives something as small as can be */
    if (watched)
      cca_clients_freed(&before);
    leave(start, small);
    return cca_below.realloc(block, 0);
  }
  if (watched)
    cca_clients_resizing(&before);
  /* Once it is moved its old place is anybody's. */
  take_out(start, held);
  void *moved = cca_below.realloc(block, cca_heap_ask(size));
  if (!moved) {
    if (held.small)
      cca_small_add(start, old, label);
    else
      cca_starts_add(start, held.room, !cca_alone());
    if (watched)
      cca_clients_resized(&before, &before);
    return NULL;
  }
  struct cca_shard shard = cca_labels_shard();
  uint32_t now = cca_walk(frame, size, shard);
  if (cca_labels[now].reason != CCA_REASON_NONE &&
      cca_label_fits(&cca_labels[label], size))
    now = label;
  enter((uintptr_t)moved, size, now, shard);
  /* As if it had been freed and allocated; of the same label, only the
   * difference counts. */
  if (now != label) {
    count_freed(label, old, shard);
  } else {
    size_t both = old < size ? old : size;
    cca_add(&shard.counters[label].objects, -1ull, shard.locked);
    cca_add(&shard.counters[label].bytes, -(uint64_t)both, shard.locked);
    cca_add(&shard.counters[label].freed_bytes, old - both, shard.locked);
  }
  if (watched)
    cca_clients_resized(&before, &(struct cca_client_object){moved, size, now});
  return moved;
}

/* ---- The hooks ---- */

#define CCA_CALLER_WORDS CCA_CALLER().ra, CCA_CALLER().sp, CCA_CALLER().fp

HOOK void *malloc(size_t size) {
  UNLESS_READY(arena_alloc(16, size), cca_below.malloc(size));
  if (cca_unlikely(size > LIMIT))
    return cca_below.malloc(size);
  return entered(cca_below.malloc(cca_heap_ask(size)), size, CCA_CALLER_WORDS);
}

HOOK void *calloc(size_t count, size_t each) {
  size_t size;
  bool over = __builtin_mul_overflow(count, each, &size) || size > LIMIT;
  UNLESS_READY(over ? NULL : arena_alloc(16, size),
               cca_below.calloc(count, each));
  if (cca_unlikely(over))
    return cca_below.calloc(count, each);
  return entered(cca_below.calloc(1, cca_heap_ask(size)), size,
                 CCA_CALLER_WORDS);
}

HOOK void free(void *block) {
  if (!block)
    return;
  if (cca_unlikely(cca_load_acquire(&state) != READY)) {
    if (cca_load(&state) == WATCHED)
      tell_freed((uintptr_t)block);
    else if (in_arena(block) || !wake_up())
      return;
  }
  uint32_t small = cca_small_at((uintptr_t)block);
  if (cca_likely(small))
    leave((uintptr_t)block, small);
  else if (cca_starts_has((uintptr_t)block))
    leave((uintptr_t)block, 0);
  else if (in_arena(block))
    return;
  cca_below.free(block);
}

static inline void *do_realloc(void *block, size_t size,
                               struct cca_frame frame) {
  if (cca_unlikely(size > LIMIT))
    return cca_below.realloc(block, size);
  if (!block)
    return entered(cca_below.realloc(NULL, cca_heap_ask(size)), size, frame.ra,
                   frame.sp, frame.fp);
  uint32_t small = cca_small_at((uintptr_t)block);
  if (cca_likely(small || cca_starts_has((uintptr_t)block)))
    return resize(block, small, size, frame);
  return cca_below.realloc(block, size);
}

HOOK void *realloc(void *block, size_t size) {
  if (cca_unlikely(in_arena(block)))
    return arena_leave(block, size);
  UNLESS_READY(arena_alloc(16, size), cca_below.realloc(block, size));
  return do_realloc(block, size, CCA_CALLER());
}

HOOK void *reallocarray(void *block, size_t count, size_t each) {
  size_t size;
  if (__builtin_mul_overflow(count, each, &size)) {
    errno = ENOMEM;
    return NULL;
  }
  if (cca_unlikely(in_arena(block)))
    return arena_leave(block, size);
  UNLESS_READY(arena_alloc(16, size), cca_below.realloc(block, size));
  return do_realloc(block, size, CCA_CALLER());
}

HOOK void *memalign(size_t align, size_t size) {
  UNLESS_READY(arena_alloc(align, size), cca_below.memalign(align, size));
  if (cca_unlikely(size > LIMIT))
    return cca_below.memalign(align, size);
  return entered(cca_below.memalign(align, cca_heap_ask(size)), size,
                 CCA_CALLER_WORDS);
}

HOOK void *aligned_alloc(size_t align, size_t size) {
  UNLESS_READY(arena_alloc(align, size), cca_below.aligned_alloc(align, size));
  if (cca_unlikely(size > LIMIT))
    return cca_below.aligned_alloc(align, size);
  return entered(cca_below.aligned_alloc(align, cca_heap_ask(size)), size,
                 CCA_CALLER_WORDS);
}

HOOK int posix_memalign(void **block, size_t align, size_t size) {
  UNLESS_READY((*block = arena_alloc(align, size)) ? 0 : ENOMEM,
               cca_below.posix_memalign(block, align, size));
  if (cca_unlikely(size > LIMIT))
    return cca_below.posix_memalign(block, align, size);
  int status = cca_below.posix_memalign(block, align, cca_heap_ask(size));
  if (status == 0)
    entered(*block, size, CCA_CALLER_WORDS);
  return status;
}

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

HOOK void *valloc(size_t size) {
  size_t page = page_size();
  UNLESS_READY(arena_alloc(page, size), cca_below.memalign(page, size));
  if (cca_unlikely(size > LIMIT))
    return cca_below.memalign(page, size);
  return entered(cca_below.memalign(page, cca_heap_ask(size)), size,
                 CCA_CALLER_WORDS);
}

HOOK void *pvalloc(size_t size) {
  size_t page = page_size();
  if (cca_unlikely(size > LIMIT - page)) {
    errno = ENOMEM;
    return NULL;
  }
  size = (size + page - 1) / page * page;
  UNLESS_READY(arena_alloc(page, size), cca_below.memalign(page, size));
  return entered(cca_below.memalign(page, cca_heap_ask(size)), size,
                 CCA_CALLER_WORDS);
}

HOOK size_t malloc_usable_size(void *block) {
  if (!block)
    return 0;
  if (cca_unlikely(in_arena(block)))
    return arena_size(block);
  if (cca_unlikely(cca_load_acquire(&state) != READY) && !wake_up())
    return 0;
  return cca_starts_has((uintptr_t)block) ? cca_heap_room((uintptr_t)block)
                                          : cca_below.usable_size(block);
}

/*
 * What was closed takes its rows with it.  Whoever looks at the link map just
 * now may have seen the module still, so it is waited for; but not for ever:
 * while nobody says that all is forgotten nothing is believed, which is slow
 * and right.
 */
HOOK int dlclose(void *handle) {
  static int (*below)(void *);
  int (*next)(void *) = cca_load(&below);
  if (!next) {
    next = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    cca_store(&below, next);
  }
  if (!next || !cca_hooks_ready())
    return next ? next(handle) : -1;
  if (is_watched()) { /* of what came and went in between nobody would know */
    cca_walk_link_map_changed();
    cca_clients_modules();
  }
  cca_facts_begin_closing();
  int status = next(handle), saved = errno;
  for (int i = 0; i < 1000; i++) {
    if (cca_walk_link_map_changed()) {
      cca_facts_end_closing();
      break;
    }
    sched_yield();
  }
  cca_clients_modules();
  errno = saved;
  return status;
}
