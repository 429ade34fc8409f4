/* SPDX-License-Identifier: MIT */
/*
 * cache.c -- `allocs cache`: what programs under `allocs run` have left for the
 * next time (docs/caches.md): list, verify, prune, and say why not.
 */
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "allocs.h"
#include "cache-store.h"
#include "symbols-store.h"

static const char help[] =
    "usage: allocs cache list|verify|prune|why [OPTION...] [NAME...]\n"
    "\n"
    "What programs under allocs run have left for the next time, and symbol "
    "tables.\n"
    "\n"
    "  list    the caches, those that were used last first\n"
    "  verify  read each of them, or those NAMEd, as the runtime would\n"
    "  prune   remove what was used longest ago, and what nobody can use\n"
    "  why     what keeps each of them, or those NAMEd, from being used now\n"
    "\n"
    "A NAME is a cache's, as list says, or the path of its program.\n"
    "\n"
    "      --dir DIR   the folder; else CC_ALLOCS_CACHE, or cc-allocs in\n"
    "                  XDG_CACHE_HOME or ~/.cache\n"
    "      --shared    the folder is shared: the superuser's files are good\n"
    "      --size MIB  prune: what all together may have; 256\n"
    "      --all       prune: remove all\n"
    "      --json      for programs\n"
    "      --help      this text\n"
    "\n"
    "Exit status: 0 done, and nothing is wrong; 1 verify or why found "
    "something, "
    "or\n"
    "there is no cache; 2 wrong usage, or the folder cannot be used.\n";

struct options {
  char *folder; /* owned */
  enum cca_cache_trust trust;
  uint64_t bytes;
  bool json;
  char **names;
  int name_count;
};

/* Is E asked for? */
static bool is_named(const struct options *o, const struct cca_cache_entry *e) {
  for (int i = 0; i < o->name_count; i++) {
    char *path = realpath(o->names[i], NULL);
    bool same = !strcmp(o->names[i], e->name) ||
                (*e->program && (!strcmp(o->names[i], e->program) ||
                                 (path && !strcmp(path, e->program))));
    free(path);
    if (same)
      return true;
  }
  return o->name_count == 0;
}

static json_t *json_of(const struct cca_cache_entry *e) {
  return json_pack(
      "{s:s, s:I, s:I, s:s, s:o, s:I, s:I, s:I, s:I, s:b}", "name", e->name,
      "bytes", (json_int_t)e->size, "used", (json_int_t)e->used, "state",
      e->is_part ? "part" : cca_cache_word(e->reason), "program",
      *e->program ? json_stringn_nocheck(e->program, strlen(e->program))
                  : json_null(),
      "modules", (json_int_t)e->modules, "calls", (json_int_t)e->calls,
      "clients", (json_int_t)e->clients, "areas", (json_int_t)e->areas,
      "symbols", e->symbols);
}

static int print_json(json_t *document) {
  char *text = json_dumps(document, JSON_INDENT(2) | JSON_SORT_KEYS);
  json_decref(document);
  int status = text ? cca_print("cache", text, strlen(text)) : CCA_EXIT_ERROR;
  if (status == CCA_EXIT_OK)
    status = cca_print("cache", "\n", 1);
  free(text);
  return status;
}

/* ---- list, verify ---- */

static void add_row(struct cca_grid *grid, const struct cca_cache_entry *e) {
  char date[32] = "";
  time_t used = (time_t)e->used;
  struct tm when;
  if (gmtime_r(&used, &when))
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", &when);
  bool good = e->reason == CCA_CACHE_USED && !e->is_part;
  cca_cell(grid, CCA_STYLE_NAME, e->name);
  cca_cellf(grid, CCA_STYLE_PLAIN, "%llu", (unsigned long long)e->size);
  cca_cell(grid, CCA_STYLE_DIM, date);
  cca_cellf(grid, CCA_STYLE_PLAIN, "%u", e->modules);
  if (e->symbols)
    cca_cell(grid, CCA_STYLE_PLAIN, "symbols");
  else
    cca_cellf(grid, CCA_STYLE_PLAIN, "%u", e->calls);
  cca_cell(grid, good ? CCA_STYLE_PLAIN : CCA_STYLE_WARN,
           good         ? e->program
           : e->is_part ? "(being written, or left by a writer)"
                        : cca_cache_text(e->reason));
}

static int list(const struct options *o, const struct cca_cache_list *all,
                bool verify) {
  static const char *const titles[] = {"name",    "bytes", "used (UTC)",
                                       "modules", "calls", "program"};
  struct cca_grid grid = {.columns = 6, .indent = 0, .right = 1 << 1 | 3 << 3};
  json_t *rows = json_array();
  int status = CCA_EXIT_OK;
  size_t shown = 0;
  for (size_t i = 0; i < 6; i++)
    cca_cell(&grid, CCA_STYLE_DIM, titles[i]);
  for (size_t i = 0; i < all->count; i++) {
    const struct cca_cache_entry *e = &all->items[i];
    if (!is_named(o, e) || (verify && e->is_part))
      continue;
    shown++;
    if (verify && e->reason != CCA_CACHE_USED)
      status = CCA_EXIT_NOTHING;
    json_array_append_new(rows, json_of(e));
    add_row(&grid, e);
  }
  int printed;
  if (o->json) {
    printed = print_json(json_pack("{s:i, s:s, s:o}", "version", 1, "folder",
                                   o->folder, "caches", rows));
  } else {
    struct cca_text out = {0};
    struct cca_screen screen = cca_screen_of(STDOUT_FILENO, CCA_COLOR_AUTO);
    cca_grid_print(&grid, &screen, &out);
    printed = shown ? cca_print("cache", out.data, out.len) : CCA_EXIT_OK;
    cca_text_release(&out);
    json_decref(rows);
  }
  if (!shown) {
    if (!o->json)
      cca_complain("cache", "%s: no cache%s", o->folder,
                   o->name_count ? " of that name" : " in it");
    status = CCA_EXIT_NOTHING;
  }
  return printed == CCA_EXIT_OK ? status : printed;
}

/* ---- prune ---- */

static void say_removed(const struct cca_cache_entry *e) {
  struct cca_text line = {0};
  cca_text_addf(&line, "%s  %llu bytes, %s\n", e->name,
                (unsigned long long)e->size,
                e->is_part                    ? "left by a writer"
                : e->reason == CCA_CACHE_USED ? "used longest ago"
                                              : cca_cache_text(e->reason));
  cca_print("cache", line.data, line.len);
  cca_text_release(&line);
}

static json_t *removed; /* for --json */
static void note_removed(const struct cca_cache_entry *e) {
  json_array_append_new(removed, json_of(e));
}

static int prune(const struct options *o) {
  removed = json_array();
  cca_cache_prune(o->folder, o->bytes, o->json ? note_removed : say_removed);
  if (o->json)
    return print_json(json_pack("{s:i, s:s, s:o}", "version", 1, "folder",
                                o->folder, "removed", removed));
  json_decref(removed);
  return CCA_EXIT_OK;
}

/* ---- why ---- */

/* The first module of T that is not what it was: its row, and why. */
static enum cca_cache_reason find_changed(const struct cca_table *t,
                                          bool symbols, uint32_t *which) {
  for (uint32_t i = 0; i < cca_cache_module_count(t); i++) {
    struct cca_cache_module was = cca_cache_module_at(t, i);
    const char *path = cca_table_string(t, was.path);
    struct cca_identity is, bytes;
    struct stat status;
    *which = i;
    if (*path != '/') /* the kernel's own */
      continue;
    /* Symbols may be those of an object that was never linked, of which the
     * runtime would say nothing. */
    bool is_module = cca_cache_identify(path, &is);
    if (symbols ? !cca_symbols_identify(path, &bytes, &status) : !is_module)
      return CCA_CACHE_MODULES;
    if (symbols)
      is.digest = bytes.digest;
    if (strcmp(cca_table_string(t, was.build_id), is.build_id) != 0)
      return CCA_CACHE_REBUILT;
    if ((uint64_t)was.digest != is.digest)
      return *is.build_id ? CCA_CACHE_CHANGED : CCA_CACHE_REBUILT;
  }
  *which = CCA_NONE;
  return CCA_CACHE_USED;
}

static enum cca_cache_reason find_why(const struct options *o, int folder,
                                      const struct cca_cache_entry *e,
                                      struct cca_text *about) {
  struct cca_cache_file file;
  struct cca_cache cache;
  uint32_t which;
  enum cca_cache_reason reason =
      cca_cache_file_open(&file, folder, e->name, o->trust);
  if (reason != CCA_CACHE_USED)
    return reason;
  reason = cca_cache_open(&cache, file.image, file.len, NULL);
  if (reason == CCA_CACHE_USED &&
      strcmp(cca_table_string(&cache.table,
                              cca_cache_head_at(&cache.table, 0).runtime),
             "cc-allocs " CCA_VERSION) != 0)
    reason = CCA_CACHE_RUNTIME;
  if (reason == CCA_CACHE_USED) {
    reason = find_changed(&cache.table, e->symbols, &which);
    if (which != CCA_NONE)
      cca_screen_clean(
          about,
          cca_table_string(&cache.table,
                           cca_cache_module_at(&cache.table, which).path));
  }
  cca_cache_file_release(&file);
  return reason;
}

static int why(const struct options *o, const struct cca_cache_list *all) {
  enum cca_cache_reason reason;
  int folder = cca_cache_folder(o->folder, o->trust, &reason);
  int status = CCA_EXIT_NOTHING;
  json_t *rows = json_array();
  struct cca_text out = {0};
  bool any = false, wrong = false;
  for (size_t i = 0; i < all->count; i++) {
    const struct cca_cache_entry *e = &all->items[i];
    struct cca_text about = {0};
    if (e->is_part || !is_named(o, e))
      continue;
    reason = find_why(o, folder, e, &about);
    any = true;
    wrong |= reason != CCA_CACHE_USED;
    json_t *row = json_of(e);
    json_object_set_new(row, "why", json_string(cca_cache_word(reason)));
    json_object_set_new(row, "about",
                        about.len ? json_string(about.data) : json_null());
    json_array_append_new(rows, row);
    cca_text_addf(&out, "%s  ", e->name);
    cca_screen_clean(&out, e->program);
    cca_text_addf(&out, "\n  %s%s%s\n",
                  reason == CCA_CACHE_USED && e->symbols
                      ? "its file is what it was: its symbols are used"
                  : reason == CCA_CACHE_USED
                      ? "its modules are what they were: a process with them, "
                        "and the same options and clients, uses it"
                      : cca_cache_text(reason),
                  about.len ? ": " : "", about.len ? about.data : "");
    cca_text_release(&about);
  }
  if (folder >= 0)
    close(folder);
  if (any && !wrong)
    status = CCA_EXIT_OK;
  int printed = CCA_EXIT_OK;
  if (o->json) {
    printed = print_json(json_pack("{s:i, s:s, s:o}", "version", 1, "folder",
                                   o->folder, "caches", rows));
  } else {
    json_decref(rows);
    if (any)
      printed = cca_print("cache", out.data, out.len);
    else
      cca_complain("cache",
                   "%s: no cache of that name: a program leaves one when it "
                   "ends by exit()",
                   o->folder);
  }
  cca_text_release(&out);
  return printed == CCA_EXIT_OK ? status : printed;
}

/* ---- The command line ---- */

static int parse(struct options *o, int argc, char **argv) {
  enum { HELP = 256, DIR, SHARED, SIZE, ALL, JSON };
  static const struct option longs[] = {{"help", no_argument, NULL, HELP},
                                        {"dir", required_argument, NULL, DIR},
                                        {"shared", no_argument, NULL, SHARED},
                                        {"size", required_argument, NULL, SIZE},
                                        {"all", no_argument, NULL, ALL},
                                        {"json", no_argument, NULL, JSON},
                                        {0}};
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
    char *end = NULL;
    unsigned long long mib;
    switch (option) {
    case HELP:
    case 'h':
      return cca_show_help(help);
    case DIR:
      free(o->folder);
      o->folder = realpath(optarg, NULL);
      if (!o->folder) {
        cca_complain("cache", "--dir: there is no folder %s", optarg);
        return CCA_EXIT_ERROR;
      }
      break;
    case SHARED:
      o->trust = CCA_CACHE_SHARED;
      break;
    case SIZE:
      mib = strtoull(optarg, &end, 10);
      if (*optarg < '0' || *optarg > '9' || *end || mib > 1 << 20) {
        cca_complain("cache", "--size is a number of MiB, not `%s'", optarg);
        return CCA_EXIT_ERROR;
      }
      o->bytes = mib << 20;
      break;
    case ALL:
      o->bytes = 0;
      break;
    case JSON:
      o->json = true;
      break;
    default:
      cca_complain_option(option, argv);
      return CCA_EXIT_ERROR;
    }
  }
  return -1;
}

static int run(struct options *o, const char *command) {
  struct cca_cache_list all;
  if (!o->folder) {
    cca_complain("cache", "no folder: neither --dir, CC_ALLOCS_CACHE, "
                          "XDG_CACHE_HOME nor HOME says one");
    return CCA_EXIT_ERROR;
  }
  cca_cache_list_read(&all, o->folder, o->trust);
  int status = CCA_EXIT_ERROR;
  if (all.folder == CCA_CACHE_FOLDER && access(o->folder, F_OK) < 0)
    all.folder = CCA_CACHE_USED; /* nothing was ever written */
  if (all.folder != CCA_CACHE_USED)
    cca_complain("cache", "%s: %s", o->folder, cca_cache_text(all.folder));
  else if (!strcmp(command, "list"))
    status = list(o, &all, false);
  else if (!strcmp(command, "verify"))
    status = list(o, &all, true);
  else if (!strcmp(command, "prune"))
    status = prune(o);
  else
    status = why(o, &all);
  cca_cache_list_release(&all);
  return status;
}

int cca_cache_main(int argc, char **argv) {
  static const char *const commands[] = {"list", "verify", "prune", "why"};
  struct options o = {.bytes = (uint64_t)CCA_CACHE_STORE_MIB << 20,
                      .folder = cca_cache_home()};
  int status = parse(&o, argc, argv);
  if (status < 0) {
    const char *command = optind < argc ? argv[optind] : NULL;
    bool known = false;
    for (size_t i = 0; command && i < 4; i++)
      known |= !strcmp(command, commands[i]);
    if (!known) {
      cca_complain("cache", "say list, verify, prune or why%s%s%s",
                   command ? ", not `" : "", command ? command : "",
                   command ? "'" : "");
      status = CCA_EXIT_ERROR;
    } else if (!strcmp(command, "prune") && optind + 1 < argc) {
      cca_complain("cache", "prune: `%s' is too much; it takes options only",
                   argv[optind + 1]);
      status = CCA_EXIT_ERROR;
    } else {
      o.names = argv + optind + 1;
      o.name_count = argc - optind - 1;
      status = run(&o, command);
    }
  }
  free(o.folder);
  return status;
}
