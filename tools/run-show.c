/* SPDX-License-Identifier: MIT */
/*
 * run-show.c -- from the snapshots in a folder to one text; see run-show.h.
 *
 * In:    files PID.NUMBER (docs/snapshot.schema.json), and others.
 * Out:   tables, one for each snapshot; or one document with all of them.
 * Holds: a program may start any number of processes: they are read and written
 *        one after the other, but for a profile, which is compressed as a
 * whole.
 */
#include "run-show.h"

#include "allocs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What there is ---- */

struct found {
  char *path;
  unsigned long pid, number;
  bool first;    /* of the program itself */
  bool interval; /* before what the process writes itself */
};
struct founds cca_vec(struct found);

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

/* One snapshot after the other: of many processes no more than one is there at
 * a time. */
struct walk {
  const struct founds *founds;
  size_t next;
  bool silent;               /* what cannot be read was said before */
  const struct found *last;  /* that could be read; NULL: none yet */
  const struct found *older; /* that before it, of the same process, or NULL */
  uint64_t pid, number;      /* of LAST */
};

static int read_one(const struct found *found, bool silent,
                    struct cca_heap *heap) {
  const char *why;
  int status = cca_heap_read(heap, found->path, &why);
  if (status < 0 && !silent)
    cca_complain("run", "the snapshot of process %lu cannot be read: %s",
                 found->pid, why);
  if (status < 0)
    cca_heap_release(heap);
  return status;
}

/* The next snapshot that can be read, in HEAP, which the caller releases;
 * false: that was all. */
static bool walk_on(struct walk *walk, struct cca_heap *heap) {
  while (walk->next < walk->founds->count) {
    const struct found *found = &walk->founds->items[walk->next++];
    if (read_one(found, walk->silent, heap) < 0)
      continue;
    bool same = walk->last && walk->pid == heap->pid;
    heap->number = same ? walk->number + 1 : 0;
    walk->older = same ? walk->last : NULL;
    walk->last = found;
    walk->pid = heap->pid;
    walk->number = heap->number;
    return true;
  }
  return false;
}

/* HEAP, where the walk is, less the one before of its process. */
static void subtract_older(const struct walk *walk, struct cca_heap *heap) {
  struct cca_heap older;
  if (!walk->older || read_one(walk->older, true, &older) < 0)
    return;
  cca_heap_subtract(heap, &older);
  cca_heap_release(&older);
}

/* Have all tables made before one is waited for. */
static void ask_for_symbols(const struct founds *founds,
                            struct cca_run_symbols *symbols) {
  struct walk walk = {.founds = founds, .silent = true};
  struct cca_heap heap;
  while (cca_run_symbols_wanted(symbols) && walk_on(&walk, &heap)) {
    cca_run_symbols_ask(symbols, &heap);
    cca_heap_release(&heap);
  }
}

/* ---- The forms ---- */

/* What is made of the heaps, as they come. */
struct form {
  const struct cca_show *show;
  const struct cca_screen *screen;
  struct cca_text out;  /* what is not written yet */
  int file, *error;     /* where to; why that has failed, or 0 */
  size_t processes;     /* of a document */
  struct cca_heap last; /* of forms that want one snapshot of each */
  bool has_last;        /* process: that of the one that they are at */
  struct cca_heap_pprof *profile; /* or NULL */
};

enum { AT_ONCE = 1 << 16 };

/* Write what there is, if it is as much as LEAST. */
static void flush(struct form *form, size_t least) {
  const char *at = form->out.data;
  size_t left = form->out.len;
  if (left < least)
    return;
  while (left && !*form->error) {
    ssize_t done = write(form->file, at, left);
    if (done < 0 && errno != EINTR)
      *form->error = errno;
    at += done > 0 ? done : 0;
    left -= done > 0 ? (size_t)done : 0;
  }
  form->out.len = 0;
}

/* Add TEXT of the document. */
static void add_json(struct form *form, const char *text) {
  if (form->show->format == CCA_HEAP_HTML)
    cca_heap_html_add(text, &form->out);
  else
    cca_text_adds(&form->out, text);
}

/* What jansson writes of the whole document, without having all of it at once:
 * indented by two, or, for a page, compact. */
static void add_process(struct form *form, const struct cca_heap *heap) {
  bool compact = form->show->format == CCA_HEAP_HTML;
  json_t *process = cca_heap_json(heap);
  char *text = json_dumps(process, compact ? JSON_COMPACT : JSON_INDENT(2));
  json_decref(process);
  if (!text)
    return;
  add_json(form, form->processes++ ? "," : "");
  for (char *line, *rest = text; (line = strsep(&rest, "\n"));) {
    add_json(form, compact ? "" : "\n    ");
    add_json(form, line);
  }
  free(text);
}

static void begin(struct form *form) {
  bool is_page = form->show->format == CCA_HEAP_HTML;
  if (form->show->format == CCA_HEAP_PPROF)
    form->profile = cca_heap_pprof_begin(&form->show->heap);
  if (is_page)
    cca_heap_html_begin(&form->out);
  if (is_page || form->show->format == CCA_HEAP_JSON)
    cca_text_addf(&form->out,
                  is_page ? "{\"version\":1,\"exit_status\":%d,\"processes\":["
                          : "{\n  \"version\": 1,\n  \"exit_status\": %d,\n"
                            "  \"processes\": [",
                  form->show->exit_status);
}

/* Forms that add all up take the last snapshot of each process. */
static void add_last(struct form *form) {
  if (form->has_last && form->profile)
    cca_heap_pprof_add(form->profile, &form->last);
  else if (form->has_last)
    cca_heap_folded(&form->last, &form->show->heap, &form->out);
}

/* HEAP, which is theirs from here on, comes in place of the one before it, or
 * behind that. */
static void keep_last(struct form *form, const struct cca_heap *heap) {
  if (form->has_last && form->last.pid != heap->pid)
    add_last(form);
  if (form->has_last)
    cca_heap_release(&form->last);
  form->last = *heap;
  form->has_last = true;
}

/* HEAP is the form's. */
static void add(struct form *form, struct cca_heap *heap) {
  switch (form->show->format) {
  case CCA_HEAP_FOLDED:
  case CCA_HEAP_PPROF:
    keep_last(form, heap);
    break;
  case CCA_HEAP_JSON:
  case CCA_HEAP_HTML:
    add_process(form, heap);
    cca_heap_release(heap);
    break;
  case CCA_HEAP_TEXT:
  default:
    cca_heap_text(heap, &form->show->heap, form->screen, &form->out);
    cca_heap_release(heap);
    break;
  }
  flush(form, AT_ONCE);
}

static void finish(struct form *form) {
  add_last(form);
  if (form->has_last)
    cca_heap_release(&form->last);
  if (form->profile && !cca_heap_pprof_end(form->profile, &form->out))
    cca_complain("run", "the profile is too large for its format");
  if (form->show->format == CCA_HEAP_JSON) {
    cca_text_adds(&form->out, form->processes ? "\n  ]\n}\n" : "]\n}\n");
  } else if (form->show->format == CCA_HEAP_HTML) {
    cca_text_adds(&form->out, "]}");
    cca_heap_html_end(&form->out);
  }
  flush(form, 0);
  cca_text_release(&form->out);
}

bool cca_run_show(const char *folder, const struct cca_show *show,
                  struct cca_run_symbols *symbols,
                  const struct cca_screen *screen, int file, int *error) {
  struct founds founds = find_snapshots(folder, show->program);
  struct form form = {
      .show = show, .screen = screen, .file = file, .error = error};
  struct walk walk = {.founds = &founds};
  struct cca_heap heap;
  bool left = founds.count && founds.items[0].first;
  ask_for_symbols(&founds, symbols);
  begin(&form);
  while (walk_on(&walk, &heap)) {
    if (show->diff)
      subtract_older(&walk, &heap);
    cca_run_symbols_name(symbols, &heap);
    add(&form, &heap);
  }
  finish(&form);
  for (size_t i = 0; i < founds.count; i++)
    free(founds.items[i].path);
  cca_vec_release(&founds);
  return left;
}
