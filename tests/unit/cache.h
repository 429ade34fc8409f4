/* SPDX-License-Identifier: MIT */
/*
 * cache.h -- a small cache, of three modules (the last one opened late), with
 * two clients (the last one registered late) and areas; for the tests of
 * caches.
 */
#ifndef CACHE_H
#define CACHE_H

#include <stdlib.h>

#include "runtime/cache-image.h"

static const struct cca_identity cache_modules[] = {
    {"/bin/prog", "0123abcd", 11, 0x5000, true},
    {"/lib/liba.so", "", 12, 0x9000, true},
    {"/lib/plugin.so", "beef", 13, 0x4000, true},
};
static const struct cca_cache_tool cache_clients[] = {
    {"leaks", "3", "c0ffee", false}, {"own", "1", "#ab", true}};

static const struct cca_cache_key cache_key = {
    "cc-allocs 0.1", 0x77, cache_modules, 2, cache_clients, 1, "leaks.so"};

/* The bytes of a file, owned; SIZE of them. */
static inline unsigned char *make_cache(size_t *size) {
  static const struct cca_cache_module rows[] = {
      {.note_size = 64,
       .classified = CCA_CLASSIFIED_YES,
       .sites = 2,
       .calls_first = 0,
       .calls_count = 3},
      {.classified = CCA_CLASSIFIED_NO},
      {.classified = CCA_CLASSIFIED_YES,
       .note_size = 8,
       .sites = 1,
       .flags = CCA_CACHE_MODULE_FLAGS_LATE,
       .calls_first = 3,
       .calls_count = 1},
  };
  static const struct cca_cache_call calls[] = {
      {.offset = 0x1010, .unwind = 2, .site = 0, .binding = CCA_NONE},
      {.offset = 0x1020, .unwind = 2 | 8, .site = 1, .binding = 0},
      {.offset = 0x1030,
       .unwind = 1,
       .site = CCA_NONE,
       .binding = CCA_NONE,
       .flags = CCA_CACHE_CALL_FLAGS_AMBIGUOUS},
      {.offset = 0x1010, .unwind = 3, .site = 0, .binding = CCA_NONE},
  };
  static const struct cca_cache_binding bindings[] = {
      {1, 0x4008, 1, 0x2000, CCA_BINDING_ALLOCATES}};
  static const struct cca_cache_blob blobs[] = {
      {CCA_NONE, "mine", CCA_AREA_KIND_WRITABLE, "twelve bytes", 12},
      {0, "code", CCA_AREA_KIND_EXECUTABLE, "", 0},
      {0, "words", CCA_AREA_KIND_READ_ONLY, "a few", 5},
  };
  struct cca_cache_key all = cache_key;
  all.module_count = 3;
  all.client_count = 2;
  struct cca_cache_content content = {&all,  rows, calls, bindings,
                                      blobs, 4,    1,     3};
  *size = cca_cache_size(&content);
  unsigned char *out = calloc(1, *size);
  cca_cache_make(&content, out, *size);
  return out;
}

/* The checksum of what SIZE bytes at FILE are by now. */
static inline void sum_again(unsigned char *file, size_t size) {
  cca_save_8(file + size - 8, cca_cache_sum(0, file, size - 8));
}

#endif
