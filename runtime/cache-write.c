/* SPDX-License-Identifier: MIT */
/*
 * cache-write.c -- what this process leaves for the next one; see cache.h.
 *
 * In:    what is known of return addresses by now, the labels of sites, and of
 *        the cache that was used what was not met this time.
 * Out:   a file that is there as a whole, or nothing.
 * Holds: a call is kept with all that its conclusion rests on: its module's
 *        build, and the word of memory by which it was bound.
 *
 * All of it is collected into pages of our own, sorted by module and offset,
 * and given back.  It may be done in a signal handler.
 */
#include "cache.h"

#include "addresses.h"
#include "cache-state.h"
#include "ccallocs/runtime.h"
#include "client-cache.h"
#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define state cca_cache_state

/* A call, as it is collected. */
struct item {
  uint32_t row;    /* of its module; first, the module's number */
  uint32_t is_old; /* not found out by this process, but by an earlier one */
  struct cca_cache_call call;
  struct cca_cache_binding binding; /* if call.binding is not CCA_NONE; its
                                       definer likewise */
};

struct draft {
  struct cca_identity *identities; /* of rows */
  struct cca_cache_module *modules;
  uint32_t module_count;
  uint32_t row_of[CCA_MAX_MODULES];      /* by number of a loaded module */
  uint32_t row_of_kept[CCA_MAX_MODULES]; /* by row of the cache in use */
  struct item *items;
  uint32_t item_count, item_room;
  struct cca_cache_call *calls;
  struct cca_cache_binding *bindings;
  struct cca_label *labels;
  uint32_t call_count, binding_count, label_count;
  struct cca_client_content clients;
  struct cca_cache_blob blobs[1 + CCA_MAX_BLOBS]; /* the first: the labels */
};

/* What was found out about modules that were opened, when it was: once they are
 * closed, nobody knows what they were bound to. */
struct notes {
  struct notes *before;
  uint32_t count;
  struct item items[];
};
enum {
  NOTES_BYTES = 1 << 16,
  NOTES = (NOTES_BYTES - sizeof(struct notes)) / sizeof(struct item),
  MAX_NOTED = 1 << 16
};
static struct notes *notes; /* the newest */
static uint32_t noted;      /* in all of them */
static uint32_t notes_lock;

/* ---- Modules ---- */

static uint32_t add_row(struct draft *d, const struct cca_identity *is,
                        const struct cca_cache_module *row) {
  d->identities[d->module_count] = *is;
  d->modules[d->module_count] = *row;
  return d->module_count++;
}

/* A row for module NUMBER.  One that is closed has a row only once, however
 * often it was opened: that of the last of its builds. */
static void add_loaded(struct draft *d, uint32_t number, bool is_gone) {
  const struct cca_loaded *m = &cca_modules[number];
  struct cca_identity is;
  cca_cache_identity(m, &is);
  for (uint32_t i = state.modules; is_gone && i < d->module_count; i++)
    if (!strcmp(d->identities[i].path, is.path)) {
      if (cca_cache_is_same(&d->identities[i], &is))
        d->row_of[number] = i;
      return;
    }
  struct cca_cache_module row = {
      .note_size = (uint32_t)m->note_len,
      .classified = m->classified,
      .sites = m->classified == CCA_CLASSIFIED_YES
                   ? cca_allocsite_count(&m->table)
                   : 0,
      .flags = m->late ? CCA_CACHE_MODULE_FLAGS_LATE : 0,
  };
  if (m->late && !is.known)
    return;
  d->row_of[number] = add_row(d, &is, &row);
}

/* A module that was opened by an earlier process and not by this one; unless it
 * is there, built anew. */
static void add_kept(struct draft *d, uint32_t kept) {
  const struct cca_table *t = &state.cache.table;
  struct cca_cache_module row = cca_cache_module_at(t, kept);
  struct cca_identity is = {.path = cca_table_string(t, row.path),
                            .digest = (uint64_t)row.digest,
                            .span = (uint64_t)row.span,
                            .known = true};
  const char *build_id = cca_table_string(t, row.build_id);
  if (strlen(build_id) >= sizeof is.build_id ||
      d->module_count == CCA_MAX_MODULES)
    return;
  memcpy(is.build_id, build_id, strlen(build_id) + 1);
  for (uint32_t i = state.modules; i < d->module_count; i++)
    if (!strcmp(d->identities[i].path, is.path))
      return;
  d->row_of_kept[kept] = add_row(d, &is, &row);
}

static void add_modules(struct draft *d, uint32_t loaded) {
  memset(d->row_of, 0xff, sizeof d->row_of);
  memset(d->row_of_kept, 0xff, sizeof d->row_of_kept);
  uint64_t gone[CCA_MAX_MODULES / 64] = {0};
  for (uint32_t i = 0; i < loaded; i++)
    if (cca_load(&cca_modules[i].gone))
      gone[i / 64] |= 1ull << i % 64;
    else
      add_loaded(d, i, false);
  for (uint32_t i = loaded; i-- > 0;)
    if (gone[i / 64] >> i % 64 & 1)
      add_loaded(d, i, true);
  if (!state.in_use)
    return;
  uint32_t rows = cca_cache_module_count(&state.cache.table);
  for (uint32_t i = 0; i < rows && i < CCA_MAX_MODULES; i++) {
    uint16_t number = state.loaded[i];
    if (number != CCA_NO_MODULE && number < loaded)
      d->row_of_kept[i] = d->row_of[number];
    if (d->row_of_kept[i] == CCA_NONE && i >= state.modules)
      add_kept(d, i);
  }
}

/* ---- Calls ---- */

static void add_item(struct draft *d, const struct item *item) {
  if (d->item_count < d->item_room)
    d->items[d->item_count++] = *item;
}

/* What the call that returns to ADDRESS in M, to which LABEL was given, depends
 * on; false: it cannot be kept. */
static bool add_binding(const struct cca_loaded *m, uint32_t through,
                        uint32_t label, struct item *item) {
  struct cca_allocsite site = cca_allocsite_at(&m->table, through);
  const struct cca_loaded *definer;
  enum cca_binding answer = cca_binding_find(m, &site, &definer);
  const uintptr_t *word =
      cca_binding_word(m, cca_table_string(&m->table, site.callee));
  if (answer < CCA_BINDING_SILENT || !definer || !word ||
      (answer == CCA_BINDING_ALLOCATES) != (label != 0))
    return false;
  item->call.binding = 0;
  item->binding = (struct cca_cache_binding){
      .site = through,
      .word = (uint32_t)((uintptr_t)word - m->low),
      .definer = (uint32_t)(definer - cca_modules),
      .target = (uint32_t)(cca_load(word) - definer->low),
      .answer = answer};
  return true;
}

/* What WORD says of the call that returns to ADDRESS in M, which is there;
 * false: it cannot be kept. */
static bool describe(const struct cca_loaded *m, uint64_t address,
                     uint64_t word, struct item *out) {
  uint32_t label = cca_fact_label(word), through;
  *out = (struct item){
      .row = (uint32_t)(m - cca_modules),
      .call = {.offset = (uint32_t)(address - m->low),
               .unwind = (uint32_t)((word & ~CCA_FACT_LATE) >> 32),
               .site = CCA_NONE,
               .binding = CCA_NONE}};
  if (label && cca_labels[label].reason == CCA_REASON_AMBIGUOUS) {
    out->call.flags = CCA_CACHE_CALL_FLAGS_AMBIGUOUS;
    return true;
  }
  if (label && (m->classified != CCA_CLASSIFIED_YES ||
                label - m->first_label >= cca_allocsite_count(&m->table)))
    return false;
  if (label)
    out->call.site = label - m->first_label;
  cca_module_label(m, address, &through);
  return through == CCA_NONE || add_binding(m, through, label, out);
}

/* May what is known of the calls of row SITE of M be kept? */
static bool is_allowed(const struct cca_loaded *m, uint32_t site) {
  return site == CCA_NONE || cca_client_cache_takes(m->first_label + site);
}

/* Add ITEM, whose modules are numbers, if both have rows. */
static void add_described(struct draft *d, struct item item) {
  const struct cca_loaded *m = &cca_modules[item.row];
  item.row = d->row_of[item.row];
  if (item.call.binding != CCA_NONE)
    item.binding.definer = d->row_of[item.binding.definer];
  if (item.row != CCA_NONE && is_allowed(m, item.call.site) &&
      (item.call.binding == CCA_NONE || item.binding.definer != CCA_NONE))
    add_item(d, &item);
}

static void add_fact(struct draft *d, uint64_t key, uint64_t word) {
  const struct cca_loaded *m = cca_modules_find(key);
  struct item item;
  if (m && d->row_of[m - cca_modules] != CCA_NONE &&
      describe(m, key, word, &item))
    add_described(d, item);
}

static void add_facts(struct draft *d, const struct cca_facts *facts) {
  for (uint64_t at = 0; at <= facts->mask; at += sizeof(struct cca_fact)) {
    const struct cca_fact *slot = cca_facts_slot(facts, at);
    uint64_t key = cca_load_acquire(&slot->key), word = cca_load(&slot->word);
    if (word && key >= 4096 && key >> 48 == 0)
      add_fact(d, key, word);
  }
}

void cca_cache_met(const struct cca_loaded *m, uintptr_t address,
                   uint64_t word) {
  struct item item;
  if (!m->late || !m->identified || state.when == CCA_CACHE_NEVER ||
      !describe(m, address, word, &item) || !cca_try(&notes_lock))
    return;
  struct notes *last = notes;
  if ((!last || last->count == NOTES) && noted < MAX_NOTED &&
      (last = cca_pages_map(NOTES_BYTES))) {
    last->before = notes;
    cca_store_release(&notes, last);
  }
  if (last && last->count < NOTES) {
    last->items[last->count] = item;
    cca_store_release(&last->count, last->count + 1);
    cca_store(&noted, noted + 1);
  }
  cca_leave(&notes_lock);
}

/* What was met in modules that are gone. */
static void add_closed(struct draft *d) {
  for (const struct notes *n = cca_load_acquire(&notes); n; n = n->before)
    for (uint32_t i = 0; i < cca_load_acquire(&n->count); i++)
      if (cca_load(&cca_modules[n->items[i].row].gone))
        add_described(d, n->items[i]);
}

/* What an earlier process met in the module of row KEPT and this one did not.
 */
static void add_unmet(struct draft *d, uint32_t kept) {
  const struct cca_table *t = &state.cache.table;
  struct cca_cache_module was = cca_cache_module_at(t, kept);
  const struct cca_loaded *m = state.loaded[kept] == CCA_NO_MODULE
                                   ? NULL
                                   : &cca_modules[state.loaded[kept]];
  for (uint32_t i = 0; i < was.calls_count; i++) {
    struct item item = {.row = d->row_of_kept[kept],
                        .is_old = 1,
                        .call = cca_cache_call_at(t, was.calls_first + i)};
    if (m &&
        ((!cca_load(&m->gone) && cca_facts_get(m->low + item.call.offset)) ||
         !is_allowed(m, item.call.site)))
      continue;
    if (item.call.binding != CCA_NONE) {
      item.binding = cca_cache_binding_at(t, item.call.binding);
      if (item.binding.definer >= CCA_MAX_MODULES)
        continue;
      item.binding.definer = d->row_of_kept[item.binding.definer];
      if (item.binding.definer == CCA_NONE)
        continue;
    }
    add_item(d, &item);
  }
}

/* ---- In order ---- */

static bool is_same_call(const struct item *a, const struct item *b) {
  return a->row == b->row && a->call.offset == b->call.offset;
}

/* A call may be there more than once: its module was opened again.  What was
 * found out last by whom does not matter, but that it is the same each time. */
static bool is_before(const struct item *a, const struct item *b) {
  if (!is_same_call(a, b))
    return a->row != b->row ? a->row < b->row : a->call.offset < b->call.offset;
  return a->is_old != b->is_old ? a->is_old < b->is_old
                                : memcmp(a, b, sizeof *a) < 0;
}

/* Let the item at I sink to its place in a heap of COUNT. */
static void sink(struct item *items, uint32_t count, uint32_t i) {
  struct item item = items[i];
  for (;;) {
    uint32_t child = 2 * i + 1;
    if (child >= count)
      break;
    if (child + 1 < count && is_before(&items[child], &items[child + 1]))
      child++;
    if (!is_before(&item, &items[child]))
      break;
    items[i] = items[child];
    i = child;
  }
  items[i] = item;
}

/* libc's qsort() allocates. */
static void sort(struct item *items, uint32_t count) {
  for (uint32_t i = count / 2; i-- > 0;)
    sink(items, count, i);
  for (uint32_t i = count; i-- > 1;) {
    struct item largest = items[0];
    items[0] = items[i];
    items[i] = largest;
    sink(items, i, 0);
  }
}

static void settle(struct draft *d) {
  sort(d->items, d->item_count);
  for (uint32_t i = 0; i < d->module_count; i++)
    d->modules[i].calls_first = d->modules[i].calls_count = 0;
  for (uint32_t i = 0; i < d->item_count; i++) {
    struct item *item = &d->items[i];
    if (i && is_same_call(&d->items[i - 1], item))
      continue;
    struct cca_cache_module *m = &d->modules[item->row];
    m->calls_first = m->calls_count++ ? m->calls_first : d->call_count;
    if (item->call.binding != CCA_NONE) {
      item->call.binding = d->binding_count;
      d->bindings[d->binding_count++] = item->binding;
    }
    d->calls[d->call_count++] = item->call;
  }
}

static void add_labels(struct draft *d) {
  memcpy(d->labels, cca_labels, CCA_REASONS * sizeof *d->labels);
  d->label_count = CCA_REASONS;
  for (uint32_t i = 0; i < state.modules; i++) {
    uint32_t sites = d->modules[i].sites;
    if (d->label_count + sites > CCA_MAX_LABELS)
      return; /* it will be refused, and written anew each time: too large */
    memcpy(d->labels + d->label_count, cca_labels + cca_modules[i].first_label,
           sites * sizeof *d->labels);
    d->label_count += sites;
  }
}

/* ---- The file ---- */

static bool publish(struct draft *d) {
  d->blobs[0] = (struct cca_cache_blob){
      CCA_NONE, CCA_CACHE_LABELS, CCA_AREA_KIND_WRITABLE, d->labels,
      d->label_count * (uint32_t)sizeof *d->labels};
  memcpy(d->blobs + 1, d->clients.blobs,
         d->clients.blob_count * sizeof *d->blobs);
  const struct cca_cache_key key = {.runtime = CCA_CACHE_RUNTIME_NAME,
                                    .options = state.options,
                                    .modules = d->identities,
                                    .module_count = d->module_count,
                                    .clients = d->clients.tools,
                                    .client_count = d->clients.tool_count};
  const struct cca_cache_content content = {
      &key,     d->modules,    d->calls,         d->bindings,
      d->blobs, d->call_count, d->binding_count, 1 + d->clients.blob_count};
  size_t size = cca_cache_size(&content);
  unsigned char *image = size ? cca_pages_map(size) : NULL;
  if (!image)
    return false;
  cca_cache_make(&content, image, size);
  enum cca_cache_reason why;
  cca_cache_folder_make(state.folder);
  int folder = cca_cache_folder(state.folder, CCA_CACHE_OWN, &why);
  bool good = folder >= 0 &&
              cca_cache_publish(folder, state.name, image, size, getpid());
  if (folder >= 0)
    close(folder);
  cca_pages_unmap(image, size);
  return good;
}

/* Places for COUNT things of SIZE bytes, from *NEXT on. */
static void *carve(char **next, size_t count, size_t size) {
  void *place = *next;
  *next += (count * size + 15) / 16 * 16;
  return place;
}

static void collect(struct draft *d, uint32_t loaded,
                    const struct cca_facts *facts) {
  add_modules(d, loaded);
  add_facts(d, facts);
  add_closed(d);
  for (uint32_t i = 0; i < CCA_MAX_MODULES; i++)
    if (d->row_of_kept[i] != CCA_NONE)
      add_unmet(d, i);
  settle(d);
  add_labels(d);
}

static bool collect_and_publish(void) {
  const struct cca_facts *facts = cca_load_acquire(&cca_facts);
  uint32_t loaded = cca_load_acquire(&cca_module_numbers);
  uint32_t calls = (uint32_t)cca_load(&facts->used) + 64,
           kept = state.in_use ? cca_cache_call_count(&state.cache.table) : 0;
  if (calls > UINT32_MAX - kept || calls + kept > 1 << 24 || !state.modules)
    return false;
  calls += kept + cca_load(&noted);
  size_t size = sizeof(struct draft) + 128 +
                CCA_MAX_MODULES * (sizeof(struct cca_identity) +
                                   sizeof(struct cca_cache_module)) +
                calls * (sizeof(struct item) + sizeof(struct cca_cache_call) +
                         sizeof(struct cca_cache_binding)) +
                CCA_MAX_LABELS * sizeof(struct cca_label);
  char *pages = cca_pages_map(size), *next = pages;
  if (!pages)
    return false;
  struct draft *d = carve(&next, 1, sizeof *d);
  d->identities = carve(&next, CCA_MAX_MODULES, sizeof *d->identities);
  d->modules = carve(&next, CCA_MAX_MODULES, sizeof *d->modules);
  d->items = carve(&next, calls, sizeof *d->items);
  d->calls = carve(&next, calls, sizeof *d->calls);
  d->bindings = carve(&next, calls, sizeof *d->bindings);
  d->labels = carve(&next, CCA_MAX_LABELS, sizeof *d->labels);
  d->item_room = calls;
  bool good = cca_client_cache_collect(&d->clients);
  if (good) {
    collect(d, loaded, facts);
    good = publish(d);
    cca_client_cache_release();
  }
  cca_pages_unmap(pages, size);
  return good;
}

/* One at a time; and not while a module is being closed, whose symbols are
 * read.
 */
bool cca_cache_write(void) {
  static uint32_t lock;
  int saved = errno;
  bool good = false;
  if (cca_cache_is_wanted() && state.when != CCA_CACHE_NEVER &&
      !cca_load_acquire(&cca_facts_closing) && cca_try(&lock)) {
    good = collect_and_publish();
    cca_leave(&lock);
  }
  errno = saved;
  return good;
}

__attribute__((visibility("default"))) int cca_cache_save(void) {
  return cca_cache_write() ? CCA_OK : CCA_ERR_REFUSED;
}

/* ---- At the end ---- */

/* Is there so much that the file does not have, that it is worth a new one? */
static bool is_worth_it(void) {
  uint32_t kept = state.in_use ? cca_cache_call_count(&state.cache.table) : 0;
  uint32_t fresh = cca_load(&state.missed) + cca_load(&state.stale);
  return !state.in_use || (fresh && fresh >= kept / 16) ||
         cca_client_cache_is_new();
}

/* One line, of words between tabs: which reason, of which module or client it
 * is, how many calls the cache has, were used, were not as they were, were not
 * there; whether it was written. */
static void report(const char *folder, bool written) {
  char text[PATH_MAX + 128];
  const char *about = "";
  if (state.which < state.modules)
    about = cca_modules[state.which].path;
  if (state.which_client < state.client_count)
    about = state.clients[state.which_client].id;
  int len = snprintf(
      text, sizeof text, "%s\t%s\t%u\t%u\t%u\t%u\t%s\n",
      cca_cache_word(state.reason), about,
      state.in_use ? cca_cache_call_count(&state.cache.table) : 0, state.used,
      state.stale, state.missed, written ? "written" : "-");
  if (len >= 0)
    cca_snapshot_say(folder, "cache", text, (size_t)len, O_TRUNC);
}

void cca_cache_end(const char *folder) {
  if (!cca_cache_is_wanted())
    return;
  bool written = state.when == CCA_CACHE_AT_EXIT && !state.is_child &&
                 is_worth_it() && cca_cache_write();
  int saved = errno;
  if (folder)
    report(folder, written);
  errno = saved;
}
