/* SPDX-License-Identifier: MIT */
/*
 * client-cache.c -- clients and caches; see client-cache.h.
 *
 * In:    who is registered, and the cache that cache.c has found.
 * Out:   who the clients are, by the builds of their libraries; what they say
 *        to the cache; their areas, mapped as they are meant; and those for the
 *        next one.
 * Holds: an area is only what was checked and agreed to: until all clients said
 *        yes none can be written, and none is executable that can be written.
 *
 * The file is mapped privately as a whole, so that pages that are written
 * become this process's own, and all others stay everybody's.
 */
#include "client-cache.h"

#include "cache-state.h"
#include "cache.h"
#include "clients-state.h"
#include "walk.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define state cca_cache_state

enum { MAX_AREA = 1 << 28 };

static struct cca_registered *rows[CCA_CLIENTS_MAX]; /* libraries, by id */
static struct cca_cache_tool tools[CCA_CLIENTS_MAX]; /* the same */
static uint32_t count;
static bool is_new, is_withheld; /* no area can be had */
static bool is_executable;       /* those that should be */
static uint64_t forbidden[CCA_MAX_LABELS / 64];

/* ---- Who they are ---- */

/* Their rows.  Returns the row of one that cannot be identified, or CCA_NONE.
 */
static uint32_t find_rows(void) {
  uint32_t unknown = CCA_NONE;
  count = cca_clients_tools(tools);
  for (uint32_t i = 0; i < cca_registered_count; i++)
    for (uint32_t row = 0; row < count; row++) {
      struct cca_registered *r = &cca_registry[i];
      if (strcmp(tools[row].id, r->id) != 0)
        continue;
      rows[row] = r;
      r->cache.row = row;
      const struct cca_loaded *m = cca_modules_find((uintptr_t)r->client.id);
      if (!m || !m->identified)
        unknown = row;
    }
  return unknown;
}

/* ---- Areas of the cache that is used ---- */

/* Area I, if it is one of CLIENT's. */
static bool area_of(uint32_t client, uint32_t i, struct cca_cache_area *out) {
  *out = cca_cache_area_at(&state.cache.table, i);
  return out->client == client;
}

static void *bytes_of(const struct cca_cache_area *area) {
  return (char *)state.file.image + (size_t)area->offset * CCA_CACHE_PAGE;
}

static bool protect(const struct cca_cache_area *area, int rights) {
  size_t len = (area->size + (size_t)CCA_CACHE_PAGE - 1) / CCA_CACHE_PAGE *
               CCA_CACHE_PAGE;
  return syscall(SYS_mprotect, bytes_of(area), len, rights) == 0;
}

/* Let CLIENT's areas be what they are, or, to be patched, all be written. */
static void protect_all(uint32_t client, bool to_be_patched) {
  static const int rights[] = {
      [CCA_AREA_KIND_READ_ONLY] = PROT_READ,
      [CCA_AREA_KIND_EXECUTABLE] = PROT_READ | PROT_EXEC,
      [CCA_AREA_KIND_WRITABLE] = PROT_READ | PROT_WRITE,
  };
  struct cca_cache_area area;
  for (uint32_t i = 0; i < cca_cache_area_count(&state.cache.table); i++) {
    if (!area_of(client, i, &area))
      continue;
    bool done = protect(&area, to_be_patched ? PROT_READ | PROT_WRITE
                                             : rights[area.kind]);
    if (!done && area.kind == CCA_AREA_KIND_EXECUTABLE)
      is_executable = false;
    else if (!done)
      is_withheld = true;
  }
}

int cca_client_area(const struct cca_client_cache *cache, const char *name,
                    struct cca_client_area *out) {
  const struct cca_table *t = &state.cache.table;
  struct cca_cache_area area;
  if (!cca_load_acquire(&state.in_use) || cache->row == CCA_NONE || is_withheld)
    return CCA_ERR_NOT_FOUND;
  for (uint32_t i = 0; i < cca_cache_area_count(t); i++)
    if (area_of(cache->row, i, &area) &&
        !strcmp(cca_table_string(t, area.name), name)) {
      if (area.kind == CCA_AREA_KIND_EXECUTABLE && !is_executable)
        return CCA_ERR_NOT_FOUND;
      *out = (struct cca_client_area){cca_table_string(t, area.name), area.kind,
                                      bytes_of(&area), area.size};
      return CCA_OK;
    }
  return CCA_ERR_NOT_FOUND;
}

/* ---- At start ---- */

/* The client that would not have the cache; CCA_NONE: none. */
static uint32_t ask(void) {
  for (uint32_t i = 0; i < count; i++)
    if (rows[i]->client.validate &&
        rows[i]->client.validate(rows[i]->data, &rows[i]->cache) < 0)
      return i;
  return CCA_NONE;
}

static void hand_over(void) {
  for (uint32_t i = 0; i < count; i++) {
    if (rows[i]->client.patch) {
      protect_all(i, true);
      rows[i]->client.patch(rows[i]->data, &rows[i]->cache);
    }
    protect_all(i, false);
  }
}

void cca_client_cache_begin(void) {
  int saved;
  if (!cca_cache_is_wanted())
    return;
  cca_walk_link_map_changed();
  uint32_t which = find_rows();
  cca_cache_clients(tools, count);
  if (which != CCA_NONE)
    cca_cache_refuse(CCA_CACHE_UNIDENTIFIED, which);
  if (!cca_load_acquire(&state.in_use) || !cca_clients_enter(&saved))
    return;
  is_withheld = sysconf(_SC_PAGESIZE) != CCA_CACHE_PAGE;
  is_executable = true;
  which = ask();
  if (which != CCA_NONE)
    cca_cache_refuse(CCA_CACHE_VETOED, which);
  else if (!is_withheld)
    hand_over();
  cca_clients_leave(saved);
}

/* ---- For the next one ---- */

int cca_client_keep(struct cca_client_cache *cache,
                    const struct cca_client_area *area) {
  if (!cache->is_open)
    return CCA_ERR_NOT_READY;
  if (!cca_client_is_name(area->name) || area->kind > CCA_AREA_KIND_WRITABLE ||
      !area->size || area->size > MAX_AREA)
    return CCA_ERR_CORRUPT;
  for (uint32_t i = 0; i < cache->count; i++)
    if (!strcmp(cache->areas[i].name, area->name))
      return CCA_ERR_CORRUPT;
  if (cache->count == CCA_MAX_AREAS)
    return CCA_ERR_MEMORY;
  void *copy = cca_pages_map(area->size);
  if (!copy)
    return CCA_ERR_MEMORY;
  memcpy(copy, area->bytes, area->size);
  memcpy(cache->areas[cache->count].name, area->name, strlen(area->name) + 1);
  cache->areas[cache->count].kind = area->kind;
  cache->areas[cache->count].size = area->size;
  cache->areas[cache->count].bytes = copy;
  cache->count++;
  return CCA_OK;
}

int cca_client_cache_collect(struct cca_cache_blob *out) {
  int saved, blobs = 0;
  if (!cca_clients_enter(&saved))
    return -1;
  for (uint32_t i = 0; i < count; i++) {
    struct cca_client_cache *cache = &rows[i]->cache;
    cache->is_open = true;
    if (rows[i]->client.keep)
      rows[i]->client.keep(rows[i]->data, cache);
    cache->is_open = false;
    for (uint32_t k = 0; k < cache->count; k++)
      out[blobs++] = (struct cca_cache_blob){
          i, cache->areas[k].name, cache->areas[k].kind, cache->areas[k].bytes,
          (uint32_t)cache->areas[k].size};
  }
  cca_clients_leave(saved);
  return blobs;
}

void cca_client_cache_release(void) {
  for (uint32_t i = 0; i < count; i++) {
    struct cca_client_cache *cache = &rows[i]->cache;
    for (uint32_t k = 0; k < cache->count; k++)
      cca_pages_unmap(cache->areas[k].bytes, cache->areas[k].size);
    cache->count = 0;
  }
}

void cca_client_renew(struct cca_client_cache *cache) {
  if (cache->row != CCA_NONE)
    cca_store(&is_new, true);
}

bool cca_client_cache_is_new(void) { return cca_load(&is_new); }

/* ---- Single items ---- */

bool cca_client_cache_takes(uint32_t label) {
  return !(cca_load(&forbidden[label / 64]) >> label % 64 & 1);
}

int cca_client_can_keep(uint32_t site) {
  if (site >= cca_client_site_count())
    return CCA_ERR_NOT_FOUND;
  const struct cca_label *label = &cca_labels[site];
  return label->reason == CCA_REASON_NONE && label->module != CCA_NO_MODULE &&
                 cca_modules[label->module].identified &&
                 cca_client_cache_takes(site)
             ? CCA_OK
             : CCA_ERR_REFUSED;
}

int cca_client_do_not_keep(uint32_t site) {
  if (site >= cca_client_site_count())
    return CCA_ERR_NOT_FOUND;
  cca_or(&forbidden[site / 64], 1ull << site % 64, true);
  return CCA_OK;
}
