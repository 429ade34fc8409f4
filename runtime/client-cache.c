/* SPDX-License-Identifier: MIT */
/*
 * client-cache.c -- clients and caches; see client-cache.h.
 *
 * In:    who is registered, and when, and the cache that cache.c has found.
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

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define state cca_cache_state

enum { MAX_AREA = 1 << 28 };

/* Who takes part: the libraries of --client by id, then those that the program
 * has registered, as they came. */
static struct cca_registered *rows[CCA_CLIENTS_MAX];
static struct cca_cache_tool tools[CCA_CLIENTS_MAX]; /* the same */
static uint32_t listed, count;                       /* of --client; all */
static bool has_begun;
static bool is_new, is_withheld; /* no area can be had */
static bool is_executable;       /* those that should be */
static uint64_t forbidden[CCA_MAX_LABELS / 64];

/* ---- Who they are ---- */

/* R takes part, as number AT.  False: nothing says which build it is. */
static bool enter(struct cca_registered *r, uint32_t at) {
  bool late = r->origin == CCA_ORIGIN_PROGRAM;
  const struct cca_loaded *m = cca_modules_find(cca_client_code(&r->client));
  for (uint32_t i = count; i > at; i--) {
    rows[i] = rows[i - 1];
    tools[i] = tools[i - 1];
  }
  rows[at] = r;
  tools[at] =
      (struct cca_cache_tool){.id = r->id, .version = r->version, .late = late};
  if (m)
    cca_cache_build(m, tools[at].build_id);
  r->cache.takes_part = true;
  cca_store_release(&count, count + 1);
  return m && m->identified;
}

/* The libraries, by id.  Returns the number of one that cannot be identified,
 * or CCA_NONE. */
static uint32_t enter_listed(void) {
  const char *unknown = NULL;
  for (uint32_t i = 0; i < cca_registered_count; i++) {
    struct cca_registered *r = &cca_registry[i];
    uint32_t at = 0;
    if (r->origin != CCA_ORIGIN_LISTED)
      continue;
    while (at < count && strcmp(tools[at].id, r->id) < 0)
      at++;
    if (!enter(r, at))
      unknown = r->id;
  }
  for (uint32_t i = 0; i < count; i++) {
    rows[i]->cache.row = i;
    if (tools[i].id == unknown)
      return i;
  }
  return CCA_NONE;
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

/* ---- May it be used? ---- */

static bool would_have(struct cca_registered *r) {
  return !r->client.validate || r->client.validate(r->data, &r->cache) >= 0;
}

static void hand_over(struct cca_registered *r) {
  if (is_withheld)
    return;
  if (r->client.patch) {
    protect_all(r->cache.row, true);
    r->client.patch(r->data, &r->cache);
  }
  protect_all(r->cache.row, false);
}

/* All libraries, before any of them writes. */
static void ask_listed(void) {
  for (uint32_t i = 0; i < listed; i++)
    if (!would_have(rows[i])) {
      cca_cache_refuse(CCA_CACHE_VETOED, i);
      return;
    }
  for (uint32_t i = 0; i < listed; i++)
    hand_over(rows[i]);
}

static void join(struct cca_registered *r) {
  uint32_t number = count;
  cca_walk_link_map_changed();
  bool is_known = enter(r, number);
  state.client_count = count;
  if (!is_known)
    cca_cache_refuse(CCA_CACHE_UNIDENTIFIED, number);
  if (!cca_load_acquire(&state.in_use))
    return;
  uint32_t row;
  enum cca_cache_reason reason =
      cca_cache_match_late(&state.cache, &tools[number], &row);
  if (reason == CCA_CACHE_USED) {
    r->cache.row = row;
    if (!would_have(r))
      reason = CCA_CACHE_VETOED;
  }
  if (reason == CCA_CACHE_USED)
    hand_over(r);
  else
    cca_cache_refuse(reason, number);
}

void cca_client_cache_join(struct cca_registered *r) {
  if (has_begun)
    join(r);
}

void cca_client_cache_begin(void) {
  int saved;
  if (!cca_cache_is_wanted() || !cca_clients_enter(&saved))
    return;
  while (!cca_try(&cca_registry_lock))
    sched_yield();
  cca_walk_link_map_changed();
  uint32_t unknown = enter_listed();
  listed = count;
  cca_cache_clients(tools, count);
  if (unknown != CCA_NONE)
    cca_cache_refuse(CCA_CACHE_UNIDENTIFIED, unknown);
  is_withheld = sysconf(_SC_PAGESIZE) != CCA_CACHE_PAGE;
  is_executable = true;
  if (cca_load_acquire(&state.in_use))
    ask_listed();
  for (uint32_t i = 0; i < cca_registered_count; i++)
    if (cca_registry[i].origin == CCA_ORIGIN_PROGRAM)
      join(&cca_registry[i]);
  has_begun = true;
  cca_leave(&cca_registry_lock);
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

static void add_blob(struct cca_client_content *out, struct cca_cache_blob b) {
  if (out->blob_count < CCA_MAX_BLOBS)
    out->blobs[out->blob_count++] = b;
}

static void add_areas(struct cca_client_content *out, uint32_t number,
                      struct cca_registered *r) {
  struct cca_client_cache *cache = &r->cache;
  cache->is_open = true;
  if (r->client.keep)
    r->client.keep(r->data, cache);
  cache->is_open = false;
  for (uint32_t k = 0; k < cache->count; k++)
    add_blob(out, (struct cca_cache_blob){
                      number, cache->areas[k].name, cache->areas[k].kind,
                      cache->areas[k].bytes, (uint32_t)cache->areas[k].size});
}

/* What late client ROW of the cache in use, who did not come, has in it. */
static void add_absent_areas(struct cca_client_content *out, uint32_t number,
                             uint32_t row) {
  struct cca_cache_area area;
  for (uint32_t i = 0; i < cca_cache_area_count(&state.cache.table); i++)
    if (area_of(row, i, &area))
      add_blob(out, (struct cca_cache_blob){
                        number, cca_table_string(&state.cache.table, area.name),
                        area.kind, bytes_of(&area), area.size});
}

/* Is late client ROW of the cache in use absent?  Then *OUT is what it was. */
static bool is_absent(uint32_t row, uint32_t there,
                      struct cca_cache_tool *out) {
  const struct cca_table *t = &state.cache.table;
  struct cca_cache_client was = cca_cache_client_at(t, row);
  const char *id = cca_table_string(t, was.id),
             *build_id = cca_table_string(t, was.build_id);
  *out = (struct cca_cache_tool){
      .id = id, .version = cca_table_string(t, was.version), .late = true};
  if (!(was.flags & CCA_CACHE_CLIENT_FLAGS_LATE) ||
      strlen(build_id) >= sizeof out->build_id)
    return false;
  memcpy(out->build_id, build_id, strlen(build_id) + 1);
  for (uint32_t i = 0; i < there; i++)
    if (!strcmp(tools[i].id, id))
      return false;
  return true;
}

/* Where a client of the key is from: rows[], or, behind that, the cache in use.
 */
typedef uint32_t source;

/* TOOL, from FROM, among the late ones of the key, by id. */
static void add_late(struct cca_client_content *out,
                     source sources[CCA_CLIENTS_MAX],
                     const struct cca_cache_tool *tool, source from) {
  uint32_t at = out->tool_count;
  if (at == CCA_CLIENTS_MAX)
    return;
  for (; at > listed && strcmp(out->tools[at - 1].id, tool->id) > 0; at--) {
    out->tools[at] = out->tools[at - 1];
    sources[at] = sources[at - 1];
  }
  out->tools[at] = *tool;
  sources[at] = from;
  out->tool_count++;
}

static void gather(struct cca_client_content *out, uint32_t there,
                   source sources[CCA_CLIENTS_MAX]) {
  struct cca_cache_tool tool;
  out->tool_count = listed;
  for (uint32_t i = 0; i < listed; i++) {
    out->tools[i] = tools[i];
    sources[i] = i;
  }
  for (uint32_t i = listed; i < there; i++)
    add_late(out, sources, &tools[i], i);
  if (!cca_load_acquire(&state.in_use))
    return;
  for (uint32_t i = 0; i < cca_cache_client_count(&state.cache.table); i++)
    if (is_absent(i, there, &tool))
      add_late(out, sources, &tool, CCA_CLIENTS_MAX + i);
}

bool cca_client_cache_collect(struct cca_client_content *out) {
  int saved;
  source sources[CCA_CLIENTS_MAX];
  if (!cca_clients_enter(&saved))
    return false;
  gather(out, cca_load_acquire(&count), sources);
  out->blob_count = 0;
  for (uint32_t i = 0; i < out->tool_count; i++)
    if (sources[i] < CCA_CLIENTS_MAX)
      add_areas(out, i, rows[sources[i]]);
    else
      add_absent_areas(out, i, sources[i] - CCA_CLIENTS_MAX);
  cca_clients_leave(saved);
  return true;
}

void cca_client_cache_release(void) {
  for (uint32_t i = 0; i < cca_load_acquire(&count); i++) {
    struct cca_client_cache *cache = &rows[i]->cache;
    for (uint32_t k = 0; k < cache->count; k++)
      cca_pages_unmap(cache->areas[k].bytes, cache->areas[k].size);
    cache->count = 0;
  }
}

void cca_client_renew(struct cca_client_cache *cache) {
  if (cache->takes_part)
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
