/* SPDX-License-Identifier: MIT */
/*
 * run-show.c -- from the snapshots in a folder to one text; see run-show.h.
 *
 * In:  files PID.NUMBER (docs/snapshot.schema.json), and others.
 * Out: tables, one for each snapshot; or one document with all of them.
 */
#include "run-show.h"

#include "allocs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What there is ---- */

struct found {
  char *path;
  unsigned long pid, number;
  bool first;    /* of the program itself */
  bool interval; /* before what the process writes itself */
};
struct founds cca_vec(struct found);
struct heaps cca_vec(struct cca_heap);

static int found_order(const void *a, const void *b) {
  const struct found *x = a, *y = b;
  if (x->first != y->first)
    return x->first ? -1 : 1;
  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  if (x->interval != y->interval)
    return x->interval ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static struct founds find_snapshots(const char *folder, pid_t program) {
  struct founds founds = {0};
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    struct found found = {0};
    int end = 0;
    if (sscanf(entry->d_name, "%lu.%lu%n", &found.pid, &found.number, &end) < 2)
      continue;
    found.interval = !strcmp(entry->d_name + end, ".interval");
    if (entry->d_name[end] && !found.interval)
      continue;
    struct cca_text path = {0};
    cca_text_addf(&path, "%s/%s", folder, entry->d_name);
    found.path = path.data;
    found.first = found.pid == (unsigned long)program;
    cca_vec_push(&founds, found);
  }
  if (dir)
    closedir(dir);
  if (founds.count)
    qsort(founds.items, founds.count, sizeof founds.items[0], found_order);
  return founds;
}

static struct heaps read_heaps(const struct founds *founds) {
  struct heaps heaps = {0};
  for (size_t i = 0; i < founds->count; i++) {
    struct cca_heap heap;
    const char *why;
    if (cca_heap_read(&heap, founds->items[i].path, &why) < 0) {
      cca_complain("run", "the snapshot of process %lu cannot be read: %s",
                   founds->items[i].pid, why);
      cca_heap_release(&heap);
    } else {
      const struct cca_heap *last =
          heaps.count ? &heaps.items[heaps.count - 1] : NULL;
      heap.number = last && last->pid == heap.pid ? last->number + 1 : 0;
      cca_vec_push(&heaps, heap);
    }
  }
  return heaps;
}

/* From the last one on, so that each is whole while it is taken away. */
static void subtract(struct heaps *heaps) {
  for (size_t i = heaps->count; i-- > 1;)
    if (heaps->items[i].pid == heaps->items[i - 1].pid)
      cca_heap_subtract(&heaps->items[i], &heaps->items[i - 1]);
}

/* ---- The forms ---- */

static json_t *document_of(const struct heaps *heaps, int exit_status) {
  json_t *document = json_object(), *processes = json_array();
  for (size_t i = 0; i < heaps->count; i++)
    json_array_append_new(processes, cca_heap_json(&heaps->items[i]));
  json_object_set_new(document, "version", json_integer(1));
  json_object_set_new(document, "exit_status", json_integer(exit_status));
  json_object_set_new(document, "processes", processes);
  return document;
}

static void write_document(const struct heaps *heaps,
                           const struct cca_show *show, struct cca_text *out) {
  json_t *document = document_of(heaps, show->exit_status);
  if (show->format == CCA_HEAP_HTML) {
    cca_heap_html(document, out);
  } else {
    char *text = json_dumps(document, JSON_INDENT(2));
    cca_text_adds(out, text ? text : "");
    cca_text_adds(out, "\n");
    free(text);
  }
  json_decref(document);
}

/* Forms that add all up, and so take one snapshot of each process. */
static void write_stacks(const struct heaps *heaps, const struct cca_show *show,
                         struct cca_text *out) {
  struct cca_vec(const struct cca_heap *) last = {0};
  for (size_t i = 0; i < heaps->count; i++)
    if (i + 1 == heaps->count || heaps->items[i + 1].pid != heaps->items[i].pid)
      cca_vec_push(&last, &heaps->items[i]);
  if (show->format == CCA_HEAP_FOLDED) {
    for (size_t i = 0; i < last.count; i++)
      cca_heap_folded(last.items[i], &show->heap, out);
  } else if (!cca_heap_pprof(last.items, last.count, &show->heap, out)) {
    cca_complain("run", "the profile is too large for its format");
  }
  cca_vec_release(&last);
}

bool cca_run_show(const char *folder, const struct cca_show *show,
                  struct cca_run_symbols *symbols,
                  const struct cca_screen *screen, struct cca_text *out) {
  struct founds founds = find_snapshots(folder, show->program);
  struct heaps heaps = read_heaps(&founds);
  bool left = founds.count && founds.items[0].first;
  if (show->diff)
    subtract(&heaps);
  for (size_t i = 0; i < heaps.count; i++)
    cca_run_symbols_ask(symbols, &heaps.items[i]);
  for (size_t i = 0; i < heaps.count; i++)
    cca_run_symbols_name(symbols, &heaps.items[i]);
  switch (show->format) {
  case CCA_HEAP_JSON:
  case CCA_HEAP_HTML:
    write_document(&heaps, show, out);
    break;
  case CCA_HEAP_FOLDED:
  case CCA_HEAP_PPROF:
    write_stacks(&heaps, show, out);
    break;
  case CCA_HEAP_TEXT:
  default:
    for (size_t i = 0; i < heaps.count; i++)
      cca_heap_text(&heaps.items[i], &show->heap, screen, out);
    break;
  }
  for (size_t i = 0; i < heaps.count; i++)
    cca_heap_release(&heaps.items[i]);
  for (size_t i = 0; i < founds.count; i++)
    free(founds.items[i].path);
  cca_vec_release(&heaps);
  cca_vec_release(&founds);
  return left;
}
