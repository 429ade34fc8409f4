/* SPDX-License-Identifier: MIT */
/*
 * job.c -- the files and command lines of one link.
 *
 * In:    the linker's command line, as given and as understood.
 * Out:   a private folder, the command lines of the solver and of the link.
 * Holds: after cca_job_end() nothing of ours is left, in TMPDIR, beside the
 *        output, or in the dependency file.
 *
 * Our arguments go in front of the user's.  The first plugin is asked first,
 * and only so do we see the files that gcc's LTO plugin claims; and no option
 * of the user's (--start-lib, -b) is in force there.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "job.h"

bool cca_linker_has_plugins(enum cca_linker_kind kind) {
  return kind == CCA_LINKER_BFD || kind == CCA_LINKER_GOLD;
}

/* The installation's folder PREFIX, from PREFIX/bin/ld.allocs; or NULL. */
static char *find_prefix(struct cca_arena *arena) {
  char self[4096];
  ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
  if (len <= 0)
    return NULL;
  for (int up = 0; up < 2; up++) {
    while (len > 0 && self[len - 1] != '/')
      len--;
    if (len == 0)
      return NULL;
    len--;
  }
  return cca_arena_strndup(arena, self, (size_t)len);
}

static int write_arguments(struct cca_job *job) {
  char *path = cca_arena_printf(&job->arena, "%s/arguments", job->dir);
  FILE *file = fopen(path, "wxe");
  if (!file)
    return -1;
  for (int i = 0; i < job->argc; i++)
    fwrite(job->argv[i], 1, strlen(job->argv[i]) + 1, file);
  int failed = ferror(file);
  return fclose(file) != 0 || failed ? -1 : 0;
}

/* Reserve OUTPUT.cc_allocs.o; if that can't be, take a name in the folder. */
static void choose_note(struct cca_job *job) {
  struct stat output;
  if (job->line->shows_inputs &&
      (stat(job->line->output, &output) != 0 || S_ISREG(output.st_mode))) {
    job->note =
        cca_arena_printf(&job->arena, "%s.cc_allocs.o", job->line->output);
    if (cca_folder_add_outside(&job->folder, job->note))
      return;
  }
  job->note = cca_arena_printf(&job->arena, "%s/note.o", job->dir);
}

static char **make_argv(struct cca_job *job, char *const *words, size_t count) {
  char **argv = cca_arena_zalloc(&job->arena, count + 1, sizeof *argv);
  memcpy(argv, words, count * sizeof *argv);
  return argv;
}

int cca_job_begin(struct cca_job *job, const struct cca_line *line,
                  enum cca_linker_kind kind, int argc, char **argv) {
  *job =
      (struct cca_job){.line = line, .kind = kind, .argc = argc, .argv = argv};
  char *prefix = find_prefix(&job->arena);
  job->dir = job->folder.path;
  job->plugin = cca_arena_printf(&job->arena, "%s/lib/cc-allocs/cca-plugin.so",
                                 prefix ? prefix : "");
  if (!prefix || access(job->plugin, R_OK) != 0 ||
      !cca_folder_make(&job->folder, "cca-ld")) {
    cca_arena_release(&job->arena);
    return -1;
  }
  if (write_arguments(job) != 0) {
    cca_job_end(job);
    return -1;
  }
  if (!line->is_relocatable)
    choose_note(job);

  struct cca_arena *a = &job->arena;
  char *allocs = cca_arena_printf(a, "%s/bin/allocs", prefix);
  char *solve[] = {allocs, cca_arena_strdup(a, "solve"),
                   cca_arena_strdup(a, "--link"), job->dir, job->note};
  char *patch[] = {allocs, cca_arena_strdup(a, "solve"),
                   cca_arena_strdup(a, "--patch"), job->dir,
                   cca_arena_strdup(a, cca_linker_kind_name(kind))};
  char *keep[] = {allocs, cca_arena_strdup(a, "solve"),
                  cca_arena_strdup(a, "--keep"), job->dir};
  job->keep = make_argv(job, keep, sizeof keep / sizeof *keep);
  job->solve = make_argv(job, solve, sizeof solve / sizeof *solve);
  job->patch = make_argv(job, patch, sizeof patch / sizeof *patch);
  return 0;
}

static bool wants_map(const struct cca_job *job) {
  return !job->line->map &&
         cca_line_has_map(job->line, job->kind == CCA_LINKER_MOLD);
}

char **cca_job_link(struct cca_job *job, char *linker, bool with_note) {
  struct cca_arena *a = &job->arena;
  char **argv = cca_arena_zalloc(a, (size_t)job->argc + 16, sizeof *argv),
       **next = argv;
  *next++ = linker;
  if (job->line->is_relocatable) {
    memcpy(next, job->argv, (size_t)job->argc * sizeof *next);
    return argv;
  }
  if (cca_linker_has_plugins(job->kind)) {
    *next++ = cca_arena_strdup(a, "-plugin");
    *next++ = job->plugin;
    *next++ = cca_arena_printf(a, "-plugin-opt=dir=%s", job->dir);
    *next++ = cca_arena_printf(a, "-plugin-opt=note=%s", job->note);
    *next++ = cca_arena_printf(a, "-plugin-opt=allocs=%s", job->solve[0]);
  } else if (with_note) {
    *next++ = job->note;
  }
  if (wants_map(job))
    *next++ = cca_arena_printf(a, "-Map=%s/map", job->dir);
  for (int i = 0; i < job->argc; i++)
    *next++ = job->argv[i];
  return argv;
}

/* Cut the LEN bytes at AT out of TEXT. */
static void cut(struct cca_text *text, char *at, size_t len) {
  memmove(at, at + len, text->len - (size_t)(at - text->data) - len);
  text->len -= len;
}

/* Take NOTE out of a dependency file's text, where it is an entry of the first
 * rule, one to a line or not, and may have an empty rule of its own. */
static void cut_entries(struct cca_text *text, const char *note) {
  size_t len = strlen(note);
  for (char *at = text->data;
       (at = memmem(at, text->len - (size_t)(at - text->data), note, len));) {
    char *end = at + len, *start = at;
    char before = at > text->data ? at[-1] : '\0';
    if (before == ' ' && (*end == ' ' || *end == '\n')) {
      while (start > text->data && strchr(" \\\n", start[-1]))
        start--;
      cut(text, start, (size_t)(end - start));
      at = start;
    } else if (before == '\n' && end[0] == ':' && end[1] == '\n') {
      cut(text, at - 1, len + 3);
      at--;
    } else {
      at = end;
    }
  }
}

void cca_job_clean(struct cca_job *job) {
  struct cca_text text = {0};
  size_t before = 0;
  if (job->note && job->line->dependency_file &&
      cca_file_read(job->line->dependency_file, SIZE_MAX, &text) == 0 &&
      text.len > 0) {
    before = text.len;
    cut_entries(&text, job->note);
  }
  if (text.len < before) {
    FILE *file = fopen(job->line->dependency_file, "we");
    if (file) {
      fwrite(text.data, 1, text.len, file);
      fclose(file);
    }
  }
  cca_text_release(&text);
}

void cca_job_end(struct cca_job *job) {
  cca_folder_remove(&job->folder);
  cca_arena_release(&job->arena);
}
