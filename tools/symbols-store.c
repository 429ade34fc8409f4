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
 *
 * A checksum of a large module takes milliseconds: it is taken where there is a
 * table that it may belong to, or one to be kept, and not for the many modules
 * without debug information.
 */
#include "symbols-store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cache-store.h"

enum { BLOCK = 1 << 20 };

/* Without memory, or where it cannot be read, false. */
static bool sum_of(int file, uint64_t *sum, uint64_t *size) {
  unsigned char *block = malloc(BLOCK);
  size_t have = 0;
  ssize_t got = block ? 0 : -1;
  *sum = *size = 0;
  while (block && ((got = read(file, block + have, BLOCK - have)) > 0 ||
                   (got == 0 && have))) {
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

bool cca_symbols_identify(const char *path, struct cca_identity *out,
                          struct stat *status) {
  *out = (struct cca_identity){.path = path};
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0)
    return false;
  out->known = fstat(file, status) == 0 && S_ISREG(status->st_mode) &&
               sum_of(file, &out->digest, &out->span) && out->span &&
               fstat(file, status) == 0;
  close(file);
  return out->known;
}

static bool set_build_id(struct cca_identity *is, const char *build_id) {
  size_t len = strlen(build_id);
  if (len >= sizeof is->build_id)
    return false;
  memcpy(is->build_id, build_id, len + 1);
  return true;
}

static struct cca_cache_key key_of(const struct cca_identity *is) {
  return (struct cca_cache_key){.runtime = "cc-allocs " CCA_VERSION,
                                .modules = is,
                                .module_count = 1,
                                .client_list = "\n" CCA_SYMBOLS_AREA};
}

static enum cca_cache_reason look_into(const char *path, const char *build_id,
                                       struct cca_symbols_kept *kept) {
  struct cca_identity is;
  const struct cca_cache_key key = key_of(&is);
  struct cca_cache cache;
  struct stat status;
  uint32_t which;
  size_t size;
  enum cca_cache_reason reason =
      cca_cache_open(&cache, kept->file.image, kept->file.len, NULL);
  if (reason != CCA_CACHE_USED)
    return reason;
  const struct cca_table *rows = &cache.table;
  if (!build_id) /* that of the same bytes is the same */
    build_id =
        cca_cache_module_count(rows)
            ? cca_table_string(rows, cca_cache_module_at(rows, 0).build_id)
            : "";
  if (!cca_symbols_identify(path, &is, &status) || !set_build_id(&is, build_id))
    return CCA_CACHE_UNIDENTIFIED;
  reason = cca_cache_match(&cache, &key, &which);
  if (reason != CCA_CACHE_USED)
    return reason;
  const void *image = cca_cache_area(&cache, CCA_NONE, CCA_SYMBOLS_AREA, &size);
  return image && cca_table_open(&kept->table, &cca_symbols_schema, image, size,
                                 NULL) == CCA_TABLE_OK
             ? CCA_CACHE_USED
             : CCA_CACHE_BROKEN;
}

static enum cca_cache_reason find_in(const char *where,
                                     enum cca_cache_trust trust,
                                     const char *path, const char *build_id,
                                     struct cca_symbols_kept *kept) {
  const struct cca_identity is = {.path = path};
  const struct cca_cache_key key = key_of(&is);
  char name[CCA_CACHE_NAME];
  enum cca_cache_reason reason;
  int folder = cca_cache_folder(where, trust, &reason);
  if (folder < 0)
    return reason;
  cca_cache_name(&key, name);
  reason = cca_cache_file_open(&kept->file, folder, name, trust);
  close(folder);
  if (reason != CCA_CACHE_USED)
    return reason;
  reason = look_into(path, build_id, kept);
  if (reason != CCA_CACHE_USED)
    cca_cache_file_release(&kept->file);
  else if (trust == CCA_CACHE_OWN)
    cca_cache_file_touch(&kept->file);
  return reason;
}

enum cca_cache_reason
cca_symbols_find_kept(const struct cca_symbols_store *store, const char *path,
                      const char *build_id, struct cca_symbols_kept *kept) {
  enum cca_cache_reason reason = CCA_CACHE_OFF;
  if (store->own)
    reason = find_in(store->own, CCA_CACHE_OWN, path, build_id, kept);
  if (reason == CCA_CACHE_USED || !store->shared)
    return reason;
  enum cca_cache_reason other =
      find_in(store->shared, CCA_CACHE_SHARED, path, build_id, kept);
  return other == CCA_CACHE_USED || !store->own ? other : reason;
}

/* Put TABLE, which was made of the module IS, into FOLDER. */
static bool publish(const char *path, const struct cca_identity *is,
                    const struct cca_table *table) {
  const struct cca_cache_key key = key_of(is);
  const struct cca_cache_module module = {0};
  const struct cca_cache_blob blob = {CCA_NONE, CCA_SYMBOLS_AREA,
                                      CCA_AREA_KIND_READ_ONLY, table->image,
                                      (uint32_t)table->len};
  const struct cca_cache_content content = {
      .key = &key, .modules = &module, .blobs = &blob, .blob_count = 1};
  char name[CCA_CACHE_NAME];
  enum cca_cache_reason why;
  size_t size = cca_cache_size(&content);
  unsigned char *image = size ? calloc(1, size) : NULL;
  if (!image)
    return false;
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

bool cca_symbols_keep(const struct cca_symbols_store *store, const char *path,
                      const struct stat *then, const struct cca_table *table) {
  const uint64_t most = (uint64_t)CCA_CACHE_STORE_MIB << 18; /* a quarter */
  const struct cca_image made_of = cca_image_at(table, 0);
  struct cca_identity is;
  struct stat now;
  return store->keep && store->own && made_of.parts & CCA_PARTS_DEBUG &&
         !(made_of.parts & CCA_PARTS_PARTIAL) &&
         made_of.size == (int64_t)then->st_size && table->len <= most &&
         cca_symbols_identify(path, &is, &now) &&
         cca_file_is_same(then, &now) &&
         set_build_id(&is, cca_table_string(table, made_of.build_id)) &&
         publish(store->own, &is, table);
}
