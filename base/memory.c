/* SPDX-License-Identifier: MIT */
/*
 * memory.c -- blocks of growing size, handed out front to back.
 *
 * Blocks are chained so that they can be freed; a request larger than a block
 * gets a block of its own.  No individual frees: a pass's data dies with it.
 */
#include "memory.h"

#include <limits.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cca_arena_block {
  struct cca_arena_block *previous;
  size_t size;
};

/* Zeroed blocks of this size are had from the system as they are; each page
 * costs whoever uses it first, so that threads share it. */
enum { FROM_SYSTEM = 32 << 20 };

/* Bytes before the first that a block hands out. */
enum { HEAD = (sizeof(struct cca_arena_block) + 7) & ~7 };

static void report_and_exit(size_t wanted) {
  (void)wanted;
  static const char text[] = "cc-allocs: out of memory\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
    _exit(72);
  _exit(71);
}

static void (*out_of_memory)(size_t) = report_and_exit;

void cca_memory_set_handler(void (*handler)(size_t wanted)) {
  out_of_memory = handler ? handler : report_and_exit;
}

void cca_memory_keep(void) {
  mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most that there may be */
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 16 << 20);
}

static size_t checked_product(size_t count, size_t size) {
  if (size && count > SIZE_MAX / size)
    out_of_memory(SIZE_MAX);
  return count * size;
}

void *cca_malloc(size_t size) {
  void *block = malloc(size ? size : 1);
  if (!block)
    out_of_memory(size);
  return block;
}

void *cca_calloc(size_t count, size_t size) {
  size_t bytes = checked_product(count, size);
  void *block = calloc(bytes ? bytes : 1, 1);
  if (!block)
    out_of_memory(bytes);
  return block;
}

void *cca_realloc(void *block, size_t count, size_t size) {
  size_t bytes = checked_product(count, size);
  void *moved = realloc(block, bytes ? bytes : 1);
  if (!moved)
    out_of_memory(bytes);
  return moved;
}

void *cca_arena_alloc(struct cca_arena *arena, size_t size) {
  if (size > SIZE_MAX - 64)
    out_of_memory(size);
  size = size ? (size + 7) & ~(size_t)7 : 8;
  if (size > arena->left) {
    size_t last = arena->blocks ? arena->blocks->size : 0;
    size_t want = last < 4096                ? 8192
                  : last < ((size_t)1 << 22) ? last * 2
                                             : last;
    if (want < size)
      want = size;
    struct cca_arena_block *block = cca_malloc(HEAD + want);
    block->previous = arena->blocks;
    block->size = want;
    arena->blocks = block;
    arena->next = (char *)block + HEAD;
    arena->left = want;
  }
  void *result = arena->next;
  arena->next += size;
  arena->left -= size;
  arena->used += size;
  return result;
}

void *cca_arena_zalloc(struct cca_arena *arena, size_t count, size_t size) {
  size_t bytes = checked_product(count, size);
  if (bytes < FROM_SYSTEM || bytes > SIZE_MAX - HEAD)
    return memset(cca_arena_alloc(arena, bytes), 0, bytes);
  struct cca_arena own = {.blocks = cca_calloc(1, HEAD + bytes), .used = bytes};
  void *result = (char *)own.blocks + HEAD;
  own.blocks->size = bytes;
  cca_arena_join(arena, &own);
  return result;
}

char *cca_arena_strndup(struct cca_arena *arena, const char *text, size_t len) {
  char *copy = cca_arena_alloc(arena, len + 1);
  memcpy(copy, text, len);
  copy[len] = 0;
  return copy;
}

char *cca_arena_strdup(struct cca_arena *arena, const char *text) {
  return cca_arena_strndup(arena, text, strlen(text));
}

char *cca_arena_printf(struct cca_arena *arena, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, format, args);
  char *text = cca_arena_alloc(arena, (size_t)(len < 0 ? 0 : len) + 1);
  text[0] = 0;
  vsnprintf(text, (size_t)(len < 0 ? 0 : len) + 1, format, again);
  va_end(again);
  va_end(args);
  return text;
}

void cca_arena_reset(struct cca_arena *arena) {
  struct cca_arena_block *kept = arena->blocks;
  if (!kept)
    return;
  arena->blocks = kept->previous;
  cca_arena_release(arena);
  kept->previous = NULL;
  arena->blocks = kept;
  arena->next = (char *)kept + HEAD;
  arena->left = kept->size;
}

void cca_arena_join(struct cca_arena *to, struct cca_arena *from) {
  struct cca_arena_block *last = from->blocks;
  if (last && to->blocks) {
    while (last->previous)
      last = last->previous;
    /* behind the block that TO goes on with */
    last->previous = to->blocks->previous;
    to->blocks->previous = from->blocks;
    to->used += from->used;
  } else if (last)
    *to = *from;
  *from = (struct cca_arena){0};
}

void cca_arena_release(struct cca_arena *arena) {
  while (arena->blocks) {
    struct cca_arena_block *block = arena->blocks;
    arena->blocks = block->previous;
    free(block);
  }
  *arena = (struct cca_arena){0};
}
