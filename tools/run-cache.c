/* SPDX-License-Identifier: MIT */
/*
 * run-cache.c -- from --cache to the runtime, and what became of it; see
 * run-cache.h.
 *
 * In:  options; files PID.cache, which any process may have written.
 * Out: the environment of the program; messages.
 */
#include "run-cache.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocs.h"
#include "base/file.h"
#include "cache-store.h"
#include "run-symbols.h"

bool cca_run_cache_is_when(const char *word) {
  return !strcmp(word, "exit") || !strcmp(word, "asked") ||
         !strcmp(word, "never");
}

int cca_run_cache_prepare(const struct cca_run_cache_options *options) {
  char *folder = NULL, *shared = NULL, number[16];
  if (!options->off && !cca_cache_homes(options->folder, &folder, &shared)) {
    cca_complain("run", "--cache: %s: %s", options->folder, strerror(errno));
    return -1;
  }
  unsetenv("CC_ALLOCS_CACHE");
  unsetenv("CC_ALLOCS_CACHE_SHARED");
  unsetenv("CC_ALLOCS_CACHE_WRITE");
  unsetenv("CC_ALLOCS_CACHE_SIGNAL");
  if (folder)
    setenv("CC_ALLOCS_CACHE", folder, 1);
  if (shared)
    setenv("CC_ALLOCS_CACHE_SHARED", shared, 1);
  if (options->when)
    setenv("CC_ALLOCS_CACHE_WRITE", options->when, 1);
  snprintf(number, sizeof number, "%d", options->signal);
  if (options->signal)
    setenv("CC_ALLOCS_CACHE_SIGNAL", number, 1);
  free(folder);
  free(shared);
  return 0;
}

/* What LINE of process PID says, for people. */
static void say(unsigned long pid, char *line) {
  char *field[7];
  for (int i = 0; i < 7; i++)
    field[i] = line ? strsep(&line, "\t\n") : NULL;
  if (!field[6])
    return;
  enum cca_cache_reason reason = CCA_CACHE_USED;
  while (reason < CCA_CACHE_REASONS &&
         strcmp(field[0], cca_cache_word(reason)) != 0)
    reason++;
  struct cca_text about = {0};
  cca_screen_clean(&about, field[1]);
  unsigned long kept = strtoul(field[2], NULL, 10),
                used = strtoul(field[3], NULL, 10),
                stale = strtoul(field[4], NULL, 10),
                missed = strtoul(field[5], NULL, 10);
  bool written = !strcmp(field[6], "written");
  if (reason == CCA_CACHE_USED)
    cca_complain("run",
                 "process %lu: the cache was used: %lu of its %lu calls were "
                 "met, %lu not as they were, %lu others%s",
                 pid, used + stale, kept, stale, missed,
                 written ? "; written anew" : "");
  else
    cca_complain("run", "process %lu: the cache was not used: %s%s%s%s", pid,
                 cca_cache_text(reason), about.len ? ": " : "",
                 about.len ? about.data : "", written ? "; written" : "");
  cca_text_release(&about);
}

static int by_number(const void *a, const void *b) {
  unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;
  return x < y ? -1 : x > y;
}

static void say_all(const char *folder) {
  enum { MAX_PROCESSES = 4096, MAX_FILE = 1 << 14 };
  unsigned long *pids = cca_malloc(MAX_PROCESSES * sizeof *pids);
  size_t count = 0;
  DIR *dir = opendir(folder);
  for (struct dirent *found; dir && (found = readdir(dir));) {
    int end = 0;
    if (count < MAX_PROCESSES &&
        sscanf(found->d_name, "%lu.cache%n", &pids[count], &end) == 1 && end &&
        !found->d_name[end])
      count++;
  }
  if (dir)
    closedir(dir);
  qsort(pids, count, sizeof *pids, by_number);
  for (size_t i = 0; i < count; i++) {
    struct cca_text path = {0}, line = {0};
    cca_text_addf(&path, "%s/%lu.cache", folder, pids[i]);
    if (!cca_file_read(path.data, MAX_FILE, &line) && line.len)
      say(pids[i], line.data);
    cca_text_release(&path);
    cca_text_release(&line);
  }
  free(pids);
}

void cca_run_cache_of_symbols(const struct cca_run_cache_options *options,
                              struct cca_run_symbols_options *symbols) {
  symbols->store = (struct cca_symbols_store){
      getenv("CC_ALLOCS_CACHE"), getenv("CC_ALLOCS_CACHE_SHARED"),
      !options->when || !strcmp(options->when, "exit")};
  symbols->show_cache = options->show;
}

void cca_run_cache_say(const struct cca_run_cache_options *options,
                       const char *folder) {
  const char *store = getenv("CC_ALLOCS_CACHE");
  if (options->show && store)
    say_all(folder);
  else if (options->show)
    cca_complain("run", "there is no cache: %s",
                 options->off ? "--no-cache" : "no folder for it is known");
}

void cca_run_cache_trim(void) {
  const char *store = getenv("CC_ALLOCS_CACHE"),
             *when = getenv("CC_ALLOCS_CACHE_WRITE");
  if (store && (!when || strcmp(when, "never") != 0))
    cca_cache_keep_small(store);
}
