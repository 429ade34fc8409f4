/* SPDX-License-Identifier: MIT */
/*
 * symbols-store.c -- symbol tables in the folders of caches; see
 * symbols-store.h.
 *
 * In:    the file of a module, of which only a checksum is taken.
 * Out:   the table that was made of these bytes, mapped and checked; or a cache
 *        file with one.
 * Holds: a table is believed for the very bytes that it was made of, not for a
 *        name, a time, or a build id alone, which strip and objcopy leave as it
 *        is.
 */
#include "symbols-store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cache-store.h"

enum { BLOCK = 1 << 20 };

static bool sum_of(int file, uint64_t *sum, uint64_t *size) {
  unsigned char *block = cca_malloc(BLOCK);
  size_t have = 0;
  ssize_t got;
  *sum = *size = 0;
  while ((got = read(file, block + have, BLOCK - have)) > 0 ||
         (got == 0 && have)) {
    have += (size_t)got;
    if (got && have < BLOCK)
      continue;
    *sum = cca_cache_sum(*sum, block, have);
    *size += have;
    have = 0;
  }
  free(block);
  return got == 0;
}

bool cca_symbols_identify(const char *path, const char *build_id,
                          struct cca_identity *out, struct stat *status) {
  *out = (struct cca_identity){.path = path};
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0)
    return false;
  out->known = strlen(build_id) < sizeof out->build_id &&
               fstat(file, status) == 0 && S_ISREG(status->st_mode) &&
               sum_of(file, &out->digest, &out->span) && out->span;
  close(file);
  if (out->known)
    memcpy(out->build_id, build_id, strlen(build_id) + 1);
  return out->known;
}

static struct cca_cache_key key_of(const struct cca_identity *is) {
  return (struct cca_cache_key){.runtime = "cc-allocs " CCA_VERSION,
                                .modules = is,
                                .module_count = 1,
                                .client_list = "\n" CCA_SYMBOLS_AREA};
}

static enum cca_cache_reason look_into(const struct cca_identity *is,
                                       struct cca_symbols_kept *kept) {
  const struct cca_cache_key key = key_of(is);
  struct cca_cache cache;
  uint32_t which;
  size_t size;
  enum cca_cache_reason reason =
      cca_cache_open(&cache, kept->file.image, kept->file.len, NULL);
  if (reason == CCA_CACHE_USED)
    reason = cca_cache_match(&cache, &key, &which);
  if (reason != CCA_CACHE_USED)
    return reason;
  const void *image = cca_cache_area(&cache, CCA_NONE, CCA_SYMBOLS_AREA, &size);
  return image && cca_table_open(&kept->table, &cca_symbols_schema, image, size,
                                 NULL) == CCA_TABLE_OK
             ? CCA_CACHE_USED
             : CCA_CACHE_BROKEN;
}

enum cca_cache_reason cca_symbols_find_kept(const char *path,
                                            enum cca_cache_trust trust,
                                            const struct cca_identity *is,
                                            struct cca_symbols_kept *kept) {
  const struct cca_cache_key key = key_of(is);
  char name[CCA_CACHE_NAME];
  enum cca_cache_reason reason;
  int folder = cca_cache_folder(path, trust, &reason);
  if (folder < 0)
    return reason;
  cca_cache_name(&key, name);
  reason = cca_cache_file_open(&kept->file, folder, name, trust);
  close(folder);
  if (reason != CCA_CACHE_USED)
    return reason;
  reason = look_into(is, kept);
  if (reason != CCA_CACHE_USED)
    cca_cache_file_release(&kept->file);
  else if (trust == CCA_CACHE_OWN)
    cca_cache_file_touch(&kept->file);
  return reason;
}

bool cca_symbols_keep(const char *path, const struct cca_identity *is,
                      const struct cca_table *table) {
  const uint64_t most = (uint64_t)CCA_CACHE_STORE_MIB << 18; /* a quarter */
  const struct cca_cache_key key = key_of(is);
  const struct cca_cache_module module = {0};
  const struct cca_cache_blob blob = {CCA_NONE, CCA_SYMBOLS_AREA,
                                      CCA_AREA_KIND_READ_ONLY, table->image,
                                      (uint32_t)table->len};
  const struct cca_cache_content content = {
      .key = &key, .modules = &module, .blobs = &blob, .blob_count = 1};
  char name[CCA_CACHE_NAME];
  enum cca_cache_reason why;
  if (table->len > most)
    return false;
  size_t size = cca_cache_size(&content);
  unsigned char *image = cca_calloc(1, size);
  cca_cache_make(&content, image, size);
  cca_cache_name(&key, name);
  cca_cache_folder_make(path);
  int folder = cca_cache_folder(path, CCA_CACHE_OWN, &why);
  bool good =
      folder >= 0 && cca_cache_publish(folder, name, image, size, getpid());
  if (folder >= 0)
    close(folder);
  free(image);
  return good;
}
