/* SPDX-License-Identifier: MIT */
/*
 * cache-store.c -- the folder of caches, from outside; see cache-store.h.
 *
 * In:    a folder, which is looked at with the runtime's own care.
 * Out:   what is in it; and less of it.
 * Holds: nothing but files with names of caches is ever removed.
 */
#include "cache-store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "symbols-store.h"

char *cca_cache_home(void) {
  const char *named = secure_getenv("CC_ALLOCS_CACHE"),
             *xdg = secure_getenv("XDG_CACHE_HOME"),
             *home = secure_getenv("HOME");
  struct cca_text path = {0};
  if (named && *named == '/')
    cca_text_adds(&path, named);
  else if (xdg && *xdg == '/')
    cca_text_addf(&path, "%s/cc-allocs", xdg);
  else if (home && *home == '/')
    cca_text_addf(&path, "%s/.cache/cc-allocs", home);
  return path.data;
}

char *cca_cache_home_shared(void) {
  const char *named = secure_getenv("CC_ALLOCS_CACHE_SHARED");
  if (named)
    return *named == '/' ? strdup(named) : NULL;
  return access("/var/cache/cc-allocs", X_OK) == 0
             ? strdup("/var/cache/cc-allocs")
             : NULL;
}

bool cca_cache_homes(const char *named, char **own, char **shared) {
  *own = *shared = NULL;
  if (named) {
    mkdir(named, 0700); /* if it is not there */
    *own = realpath(named, NULL);
    return *own != NULL;
  }
  *own = cca_cache_home();
  *shared = cca_cache_home_shared();
  return true;
}

/* Is NAME that of a cache, sixteen digits and `.cache', or of a part of one? */
static bool is_ours(const char *name, bool *is_part) {
  if (strspn(name, "0123456789abcdef") != 16 ||
      strncmp(name + 16, ".cache", 6) != 0)
    return false;
  const char *rest = name + 22;
  *is_part = *rest == '.' &&
             !strcmp(rest + 1 + strspn(rest + 1, "0123456789"), ".part");
  return !*rest || *is_part;
}

static void look_at(struct cca_cache_entry *entry, int folder,
                    enum cca_cache_trust trust) {
  struct cca_cache_file file;
  struct cca_cache cache;
  entry->reason = cca_cache_file_open(&file, folder, entry->name, trust);
  if (entry->reason != CCA_CACHE_USED)
    return;
  entry->reason = cca_cache_open(&cache, file.image, file.len, NULL);
  if (entry->reason == CCA_CACHE_USED) {
    const struct cca_table *t = &cache.table;
    entry->modules = cca_cache_module_count(t);
    entry->calls = cca_cache_call_count(t);
    entry->clients = cca_cache_client_count(t);
    entry->areas = cca_cache_area_count(t);
    size_t size;
    const void *symbols =
        cca_cache_area(&cache, CCA_NONE, CCA_SYMBOLS_AREA, &size);
    struct cca_table table;
    entry->symbols = symbols != NULL;
    if (symbols && cca_table_open(&table, &cca_symbols_schema, symbols, size,
                                  NULL) != CCA_TABLE_OK)
      entry->reason = CCA_CACHE_BROKEN;
    if (entry->modules) {
      const char *path = cca_table_string(t, cca_cache_module_at(t, 0).path);
      size_t len = strnlen(path, sizeof entry->program - 1);
      memcpy(entry->program, path, len);
    }
  }
  cca_cache_file_release(&file);
}

static int last_used_first(const void *a, const void *b) {
  const struct cca_cache_entry *x = a, *y = b;
  return x->used != y->used ? (x->used < y->used ? 1 : -1)
                            : strcmp(x->name, y->name);
}

void cca_cache_list_read(struct cca_cache_list *list, const char *path,
                         enum cca_cache_trust trust) {
  *list = (struct cca_cache_list){0};
  int folder = cca_cache_folder(path, trust, &list->folder);
  DIR *dir = folder < 0 ? NULL : fdopendir(dup(folder));
  for (struct dirent *found; dir && (found = readdir(dir));) {
    struct cca_cache_entry entry = {0};
    struct stat status;
    if (!is_ours(found->d_name, &entry.is_part) ||
        fstatat(folder, found->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0)
      continue;
    strcpy(entry.name, found->d_name);
    entry.size = (uint64_t)status.st_size;
    entry.used = status.st_mtim.tv_sec;
    if (!entry.is_part)
      look_at(&entry, folder, trust);
    cca_vec_push(list, entry);
  }
  if (list->count)
    qsort(list->items, list->count, sizeof list->items[0], last_used_first);
  if (dir)
    closedir(dir);
  if (folder >= 0)
    close(folder);
}

void cca_cache_list_release(struct cca_cache_list *list) {
  free(list->items);
  *list = (struct cca_cache_list){0};
}

size_t cca_cache_prune(const char *path, uint64_t bytes,
                       void (*say)(const struct cca_cache_entry *entry)) {
  enum { HOUR = 3600 };
  struct cca_cache_list list;
  enum cca_cache_reason why;
  uint64_t kept = 0;
  size_t removed = 0;
  cca_cache_list_read(&list, path, CCA_CACHE_OWN);
  int folder = cca_cache_folder(path, CCA_CACHE_OWN, &why);
  for (size_t i = 0; folder >= 0 && i < list.count; i++) {
    const struct cca_cache_entry *e = &list.items[i];
    bool stays = e->is_part
                     ? time(NULL) - e->used < HOUR
                     : e->reason == CCA_CACHE_USED && e->size <= bytes - kept;
    if (stays && !e->is_part)
      kept += e->size;
    if (stays || unlinkat(folder, e->name, 0) < 0)
      continue;
    removed++;
    if (say)
      say(e);
  }
  if (folder >= 0)
    close(folder);
  cca_cache_list_release(&list);
  return removed;
}

void cca_cache_keep_small(const char *path) {
  const uint64_t most = (uint64_t)CCA_CACHE_STORE_MIB << 20;
  enum cca_cache_reason why;
  uint64_t bytes = 0;
  int folder = cca_cache_folder(path, CCA_CACHE_OWN, &why);
  DIR *dir = folder < 0 ? NULL : fdopendir(folder);
  for (struct dirent *found; dir && (found = readdir(dir));) {
    struct stat status;
    bool is_part;
    if (is_ours(found->d_name, &is_part) &&
        fstatat(dirfd(dir), found->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
      bytes += (uint64_t)status.st_size;
  }
  if (dir)
    closedir(dir);
  else if (folder >= 0)
    close(folder);
  if (bytes > most)
    cca_cache_prune(path, most, NULL);
}
