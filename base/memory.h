/* SPDX-License-Identifier: MIT */
/*
 * memory.h -- memory for the tools: an arena, and malloc that never fails.
 *
 * The analyser and the solver run in processes of their own, so running out
 * of memory ends the process and nothing else: every function here returns
 * usable memory or calls the out-of-memory handler, which does not return.
 * The runtime and the linker plugin, which are guests in somebody else's
 * process, do not use this file.
 *
 * Threads: none of this is shared between threads.
 */
#ifndef CCA_MEMORY_H
#define CCA_MEMORY_H

#include <stddef.h>

/*
 * What to do when memory runs out; must not return.  The default writes one
 * line to standard error and calls _exit(71).  HANDLER is kept, not copied.
 */
void cca_memory_set_handler(void (*handler)(size_t wanted));

/* For a process that works in passes and then ends: what one pass frees is kept
 * for the next, since to the system each page given back and had again costs
 * more than the work on it. */
void cca_memory_keep(void);

/* malloc, calloc and realloc of COUNT elements of SIZE bytes, products checked;
 * the results are owned by the caller, who releases them with free(). */
void *cca_malloc(size_t size);
void *cca_calloc(size_t count, size_t size);
void *cca_realloc(void *block, size_t count, size_t size);

/* A bump allocator: everything in it lives until cca_arena_release(). */
struct cca_arena {
  char *next;  /* first free byte of the current block */
  size_t left; /* free bytes in it */
  struct cca_arena_block *blocks;
  size_t used; /* bytes handed out, for statistics */
};

/* SIZE bytes aligned to 8, not initialised; borrowed from ARENA.
 * A zeroed struct cca_arena is an empty arena. */
void *cca_arena_alloc(struct cca_arena *arena, size_t size);

/* As above for COUNT elements of SIZE bytes, zeroed; the product is checked. */
void *cca_arena_zalloc(struct cca_arena *arena, size_t count, size_t size);

/* A NUL-terminated copy of the LEN bytes at TEXT; borrowed from ARENA. */
char *cca_arena_strndup(struct cca_arena *arena, const char *text, size_t len);
char *cca_arena_strdup(struct cca_arena *arena, const char *text);

/* printf into ARENA. */
char *cca_arena_printf(struct cca_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Forget everything in ARENA, but keep its newest block for what comes. */
void cca_arena_reset(struct cca_arena *arena);

/* What is in FROM lives as long as what is in TO; FROM is empty afterwards. */
void cca_arena_join(struct cca_arena *to, struct cca_arena *from);

/* Free everything in ARENA, which is empty and usable afterwards. */
void cca_arena_release(struct cca_arena *arena);

#endif
