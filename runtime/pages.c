/* SPDX-License-Identifier: MIT */
/*
 * pages.c -- memory of the runtime's own; see pages.h.
 */
#include "pages.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

void *cca_pages_map(size_t len) {
  int saved = errno;
  void *pages = mmap(NULL, len, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = saved;
  return pages == MAP_FAILED ? NULL : pages;
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
