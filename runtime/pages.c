/* SPDX-License-Identifier: MIT */
/*
 * pages.c -- memory of the runtime's own; see pages.h.
 */
#include "pages.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *cca_pages_map(size_t len) {
  int saved = errno;
  /* Not by mmap(), which may be a sanitizer's, to whom the pages would be
   * written by this thread: what others read there it takes for a race. */
  long pages = syscall(SYS_mmap, NULL, len, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = saved;
  return pages == -1 ? NULL : (void *)pages;
}

void cca_pages_prepare(void *start, size_t len) {
  enum { POPULATE_WRITE = 23, PAGE = 4096 }; /* since Linux 5.14 */
  int saved = errno;
  uintptr_t from = (uintptr_t)start & -(uintptr_t)PAGE;
  syscall(SYS_madvise, from, (uintptr_t)start + len - from, POPULATE_WRITE);
  errno = saved;
}

void cca_pages_unmap(void *pages, size_t len) {
  syscall(SYS_munmap, pages, len);
}

void *cca_pages_keep(const void *bytes, size_t len) {
  enum { BLOCK = 1 << 16 };
  static char *next;
  static size_t left;
  size_t rounded = (len + 7) & ~(size_t)7;
  if (rounded < len)
    return NULL;
  char *copy;
  if (rounded > BLOCK / 4) {
    copy = cca_pages_map(rounded);
  } else {
    if (rounded > left) {
      char *block = cca_pages_map(BLOCK);
      if (!block)
        return NULL;
      next = block;
      left = BLOCK;
    }
    copy = next;
    next += rounded;
    left -= rounded;
  }
  return copy ? memcpy(copy, bytes, len) : NULL;
}
