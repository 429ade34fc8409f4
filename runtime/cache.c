/* SPDX-License-Identifier: MIT */
/*
 * cache.c -- from a cache file to what the runtime knows; see cache.h.
 *
 * In:    the modules at start, and a file that an earlier process has left.
 * Out:   which reason there is against it; if none, classifications that need
 *        no check, labels that are mapped, and answers about return
 *        addresses.
 * Holds: nothing is answered that this process would have concluded
 *        otherwise: a call that depends on where another one is bound to is
 *        believed only if the loader has bound it to the same place.
 *
 * Answers are looked for when an address is first met, and go into the
 * process's own table then, so that a process pays for what it meets and shares
 * the rest.
 */
#include "cache.h"

#include "addresses.h"
#include "cache-file.h"
#include "cache-state.h"
#include "labels.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct cca_cache_state cca_cache_state;
#define state cca_cache_state

extern char **environ;

/* ---- The environment ---- */

static void copy_folder(char to[PATH_MAX], const char *name) {
  const char *value = getenv(name);
  if (value && *value == '/' && strlen(value) < PATH_MAX)
    memcpy(to, value, strlen(value) + 1);
}

static void read_environment(void) {
  copy_folder(state.folder, "CC_ALLOCS_CACHE");
  copy_folder(state.shared, "CC_ALLOCS_CACHE_SHARED");
  if (!*state.folder && !*state.shared)
    return;
  state.reason = CCA_CACHE_RIGHTS;
  if (getauxval(AT_SECURE))
    return;
  state.reason = CCA_CACHE_ABSENT;
  state.wanted = true;
  const char *when = getenv("CC_ALLOCS_CACHE_WRITE");
  state.when = !*state.folder || (when && !strcmp(when, "never"))
                   ? CCA_CACHE_NEVER
               : when && !strcmp(when, "asked") ? CCA_CACHE_ASKED
                                                : CCA_CACHE_AT_EXIT;
  const char *number = getenv("CC_ALLOCS_CACHE_SIGNAL");
  char *end = NULL;
  long signal = number ? strtol(number, &end, 10) : 0;
  if (number && !*end && signal > 0 && signal < NSIG &&
      state.when != CCA_CACHE_NEVER)
    state.signal = (int)signal;
}

bool cca_cache_is_wanted(void) {
  if (!state.is_read && environ) {
    state.is_read = true;
    state.reason = CCA_CACHE_OFF;
    read_environment();
  }
  return state.wanted;
}

int cca_cache_signal(void) { return cca_cache_is_wanted() ? state.signal : 0; }

/* ---- What this process is ---- */

void cca_cache_identity(const struct cca_loaded *m, struct cca_identity *out) {
  *out = (struct cca_identity){.path = m->path,
                               .digest = m->digest,
                               .span = m->high - m->low,
                               .known = m->identified &&
                                        m->high - m->low <= UINT32_MAX};
  for (unsigned i = 0; i < m->build_id_len; i++) {
    out->build_id[2 * i] = "0123456789abcdef"[m->build_id[i] >> 4];
    out->build_id[2 * i + 1] = "0123456789abcdef"[m->build_id[i] & 15];
  }
}

bool cca_cache_is_same(const struct cca_identity *a,
                       const struct cca_identity *b) {
  return a->digest == b->digest && a->span == b->span &&
         !strcmp(a->path, b->path) && !strcmp(a->build_id, b->build_id);
}

static uint64_t add_word(uint64_t sum, const char *name) {
  const char *value = getenv(name);
  value = value ? value : "";
  return cca_cache_sum(sum, value, strlen(value) + 1);
}

static uint64_t options_of(void) {
  uint64_t words[2] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
  uint64_t sum = cca_cache_sum(0, words, sizeof words);
  return add_word(add_word(sum, "GLIBC_TUNABLES"), "LD_AUDIT");
}

/* ---- Labels that come with it ---- */

static bool is_label(const struct cca_label *label, uint32_t module,
                     uint32_t row) {
  if (label->reason != CCA_REASON_NONE || label->module != module ||
      label->at != row || label->fit > CCA_FIT_MULTIPLE)
    return false;
  return label->fit != CCA_FIT_MULTIPLE ||
         (label->least > 1 && label->divisor == UINT64_MAX / label->least + 1);
}

/* Does the area hold the labels of all sites, and nothing else?  The modules'
 * first labels are noted. */
static bool check_labels(const struct cca_label *labels, size_t size,
                         uint32_t count) {
  const struct cca_table *t = &state.cache.table;
  uint64_t next = CCA_REASONS, numbers = size / sizeof *labels;
  if (size % sizeof *labels || numbers < CCA_REASONS ||
      numbers > CCA_MAX_LABELS ||
      memcmp(labels, cca_labels, CCA_REASONS * sizeof *labels) != 0)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    struct cca_cache_module m = cca_cache_module_at(t, i);
    if (m.classified != CCA_CLASSIFIED_YES)
      continue;
    if (m.sites > numbers - next)
      return false;
    for (uint32_t row = 0; row < m.sites; row++)
      if (!is_label(&labels[next + row], i, row))
        return false;
    next += m.sites;
  }
  return next == numbers;
}

/* Put the labels where ours are; without them they are computed. */
static void map_labels(uint32_t count) {
  size_t size;
  const unsigned char *area =
      cca_cache_area(&state.cache, CCA_NONE, CCA_CACHE_LABELS, &size);
  uint32_t numbers = (uint32_t)(size / sizeof *cca_labels) - CCA_REASONS;
  if (!area || cca_load(&cca_label_numbers) != CCA_REASONS || !numbers ||
      sysconf(_SC_PAGESIZE) != CCA_CACHE_PAGE)
    return;
  /* Read-only until all is there: to prepare pages that may be written makes a
   * copy of each. */
  long pages = syscall(SYS_mmap, cca_labels, size, PROT_READ,
                       MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, state.file.file,
                       (off_t)(area - state.cache.image));
  if (pages == -1)
    return;
  syscall(SYS_mprotect, cca_labels, size, PROT_READ | PROT_WRITE);
  uint32_t next = cca_labels_take(numbers);
  for (uint32_t i = 0; i < count; i++) {
    struct cca_cache_module m = cca_cache_module_at(&state.cache.table, i);
    if (m.classified != CCA_CLASSIFIED_YES)
      continue;
    cca_modules[i].first_label = next;
    next += m.sites;
  }
}

/* ---- Looking for one ---- */

static enum cca_cache_reason look_into(const char *path,
                                       enum cca_cache_trust trust,
                                       const struct cca_cache_key *key) {
  enum cca_cache_reason reason;
  int folder = cca_cache_folder(path, trust, &reason);
  if (folder < 0)
    return reason;
  reason = cca_cache_file_open(&state.file, folder, state.name, trust);
  syscall(SYS_close, folder);
  if (reason != CCA_CACHE_USED)
    return reason;
  reason = cca_cache_open(&state.cache, state.file.image, state.file.len, NULL);
  if (reason == CCA_CACHE_USED)
    reason = cca_cache_match(&state.cache, key, &state.which);
  size_t size;
  const void *labels =
      reason == CCA_CACHE_USED
          ? cca_cache_area(&state.cache, CCA_NONE, CCA_CACHE_LABELS, &size)
          : NULL;
  if (reason == CCA_CACHE_USED &&
      (!labels || !check_labels(labels, size, key->module_count)))
    reason = CCA_CACHE_BROKEN;
  if (reason != CCA_CACHE_USED)
    cca_cache_file_release(&state.file);
  return reason;
}

static void use(uint32_t count) {
  map_labels(count);
  /* Of what was met then, most will be met again. */
  uint32_t calls = cca_cache_call_count(&state.cache.table);
  cca_facts_expect(calls);
  if (calls > cca_load(&cca_label_numbers) / 2)
    cca_labels_expect();
  if (state.when != CCA_CACHE_NEVER && state.file.status.st_uid == geteuid())
    cca_cache_file_touch(&state.file);
  syscall(SYS_close, state.file.file);
  state.file.file = -1;
  cca_store_release(&state.in_use, 1);
}

static void begin(struct cca_identity *modules, uint32_t count) {
  const char *clients = getenv("CC_ALLOCS_CLIENTS");
  const struct cca_cache_key key = {.runtime = CCA_CACHE_RUNTIME_NAME,
                                    .options = state.options,
                                    .modules = modules,
                                    .module_count = count,
                                    .client_list = clients ? clients : ""};
  for (uint32_t i = 0; i < count; i++) {
    cca_cache_identity(&cca_modules[i], &modules[i]);
    if (!modules[i].known && state.reason != CCA_CACHE_UNIDENTIFIED) {
      state.reason = CCA_CACHE_UNIDENTIFIED;
      state.which = i;
    }
  }
  cca_cache_name(&key, state.name);
  if (state.reason == CCA_CACHE_UNIDENTIFIED) {
    state.when = CCA_CACHE_NEVER;
    return;
  }
  if (*state.folder)
    state.reason = look_into(state.folder, CCA_CACHE_OWN, &key);
  if (state.reason != CCA_CACHE_USED && *state.shared) {
    uint32_t which = state.which;
    enum cca_cache_reason other =
        look_into(state.shared, CCA_CACHE_SHARED, &key);
    if (other == CCA_CACHE_USED ||
        (other != CCA_CACHE_ABSENT && (state.reason == CCA_CACHE_ABSENT ||
                                       state.reason == CCA_CACHE_FOLDER)))
      state.reason = other;
    else
      state.which = which;
  }
  if (state.reason == CCA_CACHE_USED)
    use(count);
}

void cca_cache_begin(uint32_t count) {
  if (!cca_cache_is_wanted())
    return;
  int saved = errno;
  state.modules = count;
  state.which = state.which_client = CCA_NONE;
  state.options = options_of();
  memset(state.loaded, 0xff, sizeof state.loaded);
  size_t size = count * sizeof(struct cca_identity);
  struct cca_identity *modules = cca_pages_map(size);
  if (modules) {
    begin(modules, count);
    cca_pages_unmap(modules, size);
  } else {
    state.reason = CCA_CACHE_ROOM;
  }
  errno = saved;
}

/* ---- Modules ---- */

/* The row of M, which was opened; it may not be there. */
static uint32_t find_late(const struct cca_loaded *m) {
  const struct cca_table *t = &state.cache.table;
  struct cca_identity is;
  cca_cache_identity(m, &is);
  for (uint32_t i = state.modules; is.known && i < cca_cache_module_count(t);
       i++) {
    struct cca_cache_module was = cca_cache_module_at(t, i);
    uint16_t there = i < CCA_MAX_MODULES ? state.loaded[i] : 0;
    if ((there == CCA_NO_MODULE || cca_load(&cca_modules[there].gone)) &&
        (uint64_t)was.digest == is.digest && (uint64_t)was.span == is.span &&
        !strcmp(cca_table_string(t, was.path), is.path) &&
        !strcmp(cca_table_string(t, was.build_id), is.build_id))
      return i;
  }
  return CCA_NONE;
}

static bool open_table(struct cca_loaded *m,
                       const struct cca_cache_module *row) {
  return m->note && m->note_len == row->note_size &&
         cca_table_reopen(&m->table, &cca_classification_schema, m->note,
                          m->note_len) == CCA_TABLE_OK &&
         cca_allocsite_count(&m->table) == row->sites;
}

bool cca_cache_adopt(struct cca_loaded *m) {
  if (!cca_load_acquire(&state.in_use))
    return false;
  uint32_t number = (uint32_t)(m - cca_modules);
  uint32_t kept = m->late ? find_late(m) : number;
  if (kept == CCA_NONE || kept >= CCA_MAX_MODULES)
    return false;
  struct cca_cache_module row = cca_cache_module_at(&state.cache.table, kept);
  if (row.classified == CCA_CLASSIFIED_YES && !open_table(m, &row)) {
    m->first_label = 0;
    return false;
  }
  m->classified = row.classified;
  m->kept = kept;
  cca_store_release(&state.loaded[kept], (uint16_t)number);
  return true;
}

/* ---- Calls ---- */

/* Is what call B of M depends on as it was? */
static bool is_bound(const struct cca_loaded *m, struct cca_cache_binding b,
                     struct cca_kept_call *call) {
  uint16_t number = b.definer < CCA_MAX_MODULES
                        ? cca_load_acquire(&state.loaded[b.definer])
                        : CCA_NO_MODULE;
  uintptr_t word = m->low + b.word;
  if (number == CCA_NO_MODULE || word < m->data_low ||
      m->data_high - word < sizeof word || word >= m->data_high)
    return false;
  const struct cca_loaded *definer = &cca_modules[number];
  uintptr_t address = cca_load((const uintptr_t *)word);
  if (cca_load(&definer->gone) || address - definer->low != b.target)
    return false;
  call->definer = definer;
  call->through = b.site;
  call->binding = b.answer;
  return true;
}

bool cca_cache_find(const struct cca_loaded *m, uintptr_t address,
                    struct cca_kept_call *out) {
  if (m->kept == CCA_NONE || !cca_load_acquire(&state.in_use))
    return false;
  const struct cca_table *t = &state.cache.table;
  struct cca_cache_module row = cca_cache_module_at(t, m->kept);
  uint64_t offset = address - m->low;
  uint32_t low = row.calls_first, high = low + row.calls_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (cca_cache_call_at(t, middle).offset < offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == row.calls_first + row.calls_count)
    return false;
  struct cca_cache_call call = cca_cache_call_at(t, low);
  if (call.offset != offset)
    return false;
  *out = (struct cca_kept_call){.unwind = call.unwind,
                                .site = call.site,
                                .is_ambiguous =
                                    call.flags & CCA_CACHE_CALL_FLAGS_AMBIGUOUS,
                                .binding = CCA_BINDING_UNMET};
  if (call.binding != CCA_NONE &&
      !is_bound(m, cca_cache_binding_at(t, call.binding), out)) {
    __atomic_fetch_add(&state.stale, 1, __ATOMIC_RELAXED);
    return false;
  }
  __atomic_fetch_add(&state.used, 1, __ATOMIC_RELAXED);
  return true;
}

void cca_cache_missed(void) {
  if (state.wanted)
    __atomic_fetch_add(&state.missed, 1, __ATOMIC_RELAXED);
}

/* ---- Clients ---- */

void cca_cache_build(const struct cca_loaded *m,
                     char out[2 * CCA_BUILD_ID_MAX + 1]) {
  struct cca_identity is;
  cca_cache_identity(m, &is);
  memcpy(out, is.build_id, sizeof is.build_id);
  if (*out)
    return;
  out[0] = '#';
  cca_cache_digits(is.digest, out + 1);
  out[17] = 0;
}

void cca_cache_clients(const struct cca_cache_tool *clients, uint32_t count) {
  state.clients = clients;
  state.client_count = count;
  if (!cca_load_acquire(&state.in_use))
    return;
  const struct cca_cache_key key = {.clients = clients, .client_count = count};
  uint32_t which;
  enum cca_cache_reason reason =
      cca_cache_match_clients(&state.cache, &key, &which);
  if (reason != CCA_CACHE_USED)
    cca_cache_refuse(reason, which);
}

void cca_cache_refuse(enum cca_cache_reason reason, uint32_t client) {
  state.reason = reason;
  state.which_client = client;
  if (reason == CCA_CACHE_UNIDENTIFIED)
    state.when = CCA_CACHE_NEVER;
  cca_store_release(&state.in_use, 0);
}

void cca_cache_after_fork(void) { state.is_child = true; }
