/* SPDX-License-Identifier: MIT */
/*
 * run-symbols.c -- functions and lines of the addresses of a run's heaps; see
 * run-symbols.h.
 *
 * In:    heaps with places: an address in a module, and that module's build id.
 * Out:   the same places with function, file, line, and the functions into
 *        which that was inlined.
 * Holds: no name comes from another file than the one that was mapped; a module
 *        whose bytes are hostile costs its own names.
 *
 * Only modules that have places are read.  They are read by a symbol server,
 * which by default is a child of ours: what crashes is a child of it, and the
 * tables are made side by side: all are asked for before one is waited for.
 * Tables with debug information are kept in the user's cache, and found there
 * by the next run (symbols-store.h); others take as little time as to look for
 * them, and debug information may yet come.
 */
#include "run-symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "allocs.h"
#include "base/file.h"
#include "ccallocs/symbols.h"
#include "symbols/lookup.h"
#include "symbols/server.h"

enum { START_MS = 5000, MAX_FRAMES = 256 };

struct module {
  struct cca_symbols_module *table; /* made now; NULL: there will be none */
  struct cca_symbols_kept kept;     /* or by an earlier run */
  bool is_kept;
  struct cca_text path;             /* of its file */
  struct stat file;                 /* the same, before it was read */
  int status;                       /* CCA_OK, or a cca_error_code */
  bool exact;                       /* it is known by its build id */
  bool told;                        /* of what is wrong */
  struct cca_error err;
};

struct cca_run_symbols {
  const struct cca_run_symbols_options *options;
  struct timespec begun;
  int64_t end; /* when nothing is waited for any more; 0: not yet */
  struct cca_symbols *symbols; /* NULL: not needed yet */
  bool failed;                 /* to start, which was said */
  pid_t server;                /* our own; 0: none */
  char *socket;                /* its; owned */
  char *program;               /* that is started as one; owned */
  struct cca_map numbers;      /* by path and build id, of MODULES */
  struct cca_vec(struct module) modules;
};

struct cca_run_symbols *
cca_run_symbols_begin(const struct cca_run_symbols_options *options) {
  struct cca_run_symbols *symbols = cca_calloc(1, sizeof *symbols);
  symbols->options = options;
  clock_gettime(CLOCK_REALTIME_COARSE, &symbols->begun); /* as files' times */
  return symbols;
}

/* ---- Our own server ---- */

static int ready_pipe;

static void ready(const char *path) {
  (void)path;
  if (write(ready_pipe, "", 1) == 1)
    close(ready_pipe);
}

__attribute__((noreturn)) static void serve(const char *socket, pid_t parent) {
  const struct cca_server_options options = {.socket = socket,
                                             .memory = 1ull << 30,
                                             .workers = 2,
                                             .seconds = 120,
                                             .worker_bytes = 4ull << 30};
  /* Nothing is handed on to the program from here. */
  for (int i = 1; i < NSIG; i++)
    signal(i, i == SIGINT || i == SIGQUIT ? SIG_IGN : SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  _exit(cca_server_run(&options, ready) != NULL);
}

static void end_server(struct cca_run_symbols *symbols) {
  if (symbols->server <= 0)
    return;
  kill(symbols->server, SIGKILL); /* at once; its workers end with it */
  while (waitpid(symbols->server, NULL, 0) < 0 && errno == EINTR)
    ;
  symbols->server = 0;
}

/* Start it, and wait until it listens.  NULL, or what is wrong. */
static const char *start_server(struct cca_run_symbols *symbols) {
  struct cca_text path = {0};
  int ends[2];
  pid_t parent = getpid();
  char byte;
  cca_text_addf(&path, "%s/symbols", symbols->options->folder);
  symbols->socket = path.data;
  if (pipe2(ends, O_CLOEXEC) < 0)
    return strerror(errno);
  symbols->server = fork();
  if (symbols->server == 0) {
    ready_pipe = ends[1];
    close(ends[0]);
    serve(symbols->socket, parent);
  }
  close(ends[1]);
  struct pollfd wait = {ends[0], POLLIN, 0};
  bool there = symbols->server > 0 && poll(&wait, 1, START_MS) == 1 &&
               read(ends[0], &byte, 1) == 1;
  close(ends[0]);
  if (there)
    return NULL;
  end_server(symbols);
  return "their server did not start";
}

/* False: there are no symbols, which was said. */
static bool start(struct cca_run_symbols *symbols) {
  if (symbols->symbols || symbols->failed)
    return !symbols->failed;
  const char *wrong = NULL;
  struct cca_symbols_options options = {
      .size = sizeof options, .server = symbols->options->server, .start = ""};
  struct cca_error err;
  if (!options.server) {
    wrong = start_server(symbols);
    options.server = symbols->socket;
  } else if (!symbols->options->no_start) {
    symbols->program = cca_file_beside_program("allocs");
    options.start = symbols->program;
  }
  if (!wrong && cca_symbols_open(&symbols->symbols, &options, &err) < 0)
    wrong = err.text;
  if (wrong)
    cca_complain("run", "addresses stay without functions: %s", wrong);
  symbols->failed = wrong != NULL;
  return !wrong;
}

/* ---- Modules ---- */

/* Is the file at PATH as it was when the run began? */
static bool is_as_before(const struct cca_run_symbols *symbols,
                         const char *path) {
  struct stat file;
  return stat(path, &file) == 0 &&
         (file.st_ctim.tv_sec < symbols->begun.tv_sec ||
          (file.st_ctim.tv_sec == symbols->begun.tv_sec &&
           file.st_ctim.tv_nsec <= symbols->begun.tv_nsec));
}

static struct module *find(const struct cca_run_symbols *symbols,
                           const char *path, const char *build_id) {
  struct cca_text key = {0};
  cca_text_addf(&key, "%s\n%s", build_id, path);
  const uint32_t *at = cca_map_find(&symbols->numbers, key.data, key.len);
  cca_text_release(&key);
  return at ? &symbols->modules.items[*at] : NULL;
}

/* ---- Tables of earlier runs ---- */

/* Is the table of MODULE in a cache? */
static bool find_kept(const struct cca_run_symbols *symbols,
                      struct module *module, const char *path,
                      const char *build_id) {
  const struct cca_run_symbols_options *options = symbols->options;
  enum cca_cache_reason reason =
      cca_symbols_find_kept(&options->store, path, build_id, &module->kept);
  if (options->show_cache && reason != CCA_CACHE_OFF)
    cca_complain(
        "run", "symbols of %s: the cache was %s%s", path,
        reason == CCA_CACHE_USED ? "" : "not used: ", cca_cache_text(reason));
  module->is_kept = reason == CCA_CACHE_USED;
  return module->is_kept;
}

/* Leave the table of MODULE, if it was made now, for the next run. */
static void keep_table(const struct cca_run_symbols *symbols,
                       const struct module *module) {
  if (!module->is_kept && module->status == CCA_OK)
    cca_symbols_keep(&symbols->options->store, module->path.data, &module->file,
                     cca_symbols_table(module->table));
}

/* ---- Loading ---- */

/* Load the module, if nobody has yet. */
static void load(struct cca_run_symbols *symbols, const char *path,
                 const char *build_id) {
  struct module module = {.status = CCA_ERR_NO_MODULE, .exact = *build_id};
  struct cca_text key = {0};
  bool is_new;
  cca_text_addf(&key, "%s\n%s", build_id, path);
  uint32_t *at = cca_map_at(&symbols->numbers, key.data, key.len, &is_new);
  cca_text_release(&key);
  if (!is_new)
    return;
  *at = (uint32_t)symbols->modules.count;
  if (*path != '/') /* the kernel's own, or what cannot be found again */
    module.told = true;
  else if (!*build_id && access(path, F_OK) == 0 &&
           !is_as_before(symbols, path))
    module.status = CCA_ERR_STALE;
  else if (find_kept(symbols, &module, path, build_id))
    module.status = CCA_OK;
  else if (!start(symbols)) /* which was said */
    module = (struct module){.status = CCA_ERR_SERVER_GONE, .told = true};
  else {
    stat(path, &module.file); /* where there is no file, the next says it */
    module.status =
        cca_symbols_load(symbols->symbols, path, *build_id ? build_id : NULL,
                         &module.table, &module.err);
  }
  cca_text_adds(&module.path, path);
  cca_vec_push(&symbols->modules, module);
}

static bool is_place(const struct cca_heap_site *site) {
  return *site->address && *site->module;
}

bool cca_run_symbols_wanted(const struct cca_run_symbols *symbols) {
  return !symbols->options->off;
}

void cca_run_symbols_ask(struct cca_run_symbols *symbols,
                         const struct cca_heap *heap) {
  if (symbols->options->off)
    return;
  for (size_t i = 0; i < heap->rows.count; i++) {
    const struct cca_heap_row *row = &heap->rows.items[i];
    for (size_t j = 0; j < row->sites.count; j++)
      if (is_place(&row->sites.items[j]))
        load(symbols, row->sites.items[j].module, row->sites.items[j].build_id);
  }
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_until(struct module *module, int64_t end) {
  int64_t left = end - now_ms();
  if (module->status != CCA_ERR_NOT_READY &&
      module->status != CCA_ERR_TIMED_OUT)
    return;
  module->status =
      cca_symbols_wait(module->table, left > 0 ? (int)left : 0, &module->err);
  if (module->status == CCA_ERR_NOT_READY)
    module->status = CCA_ERR_TIMED_OUT;
  if (module->status == CCA_OK && !module->exact)
    module->status = cca_symbols_check(module->table);
}

/* ---- What is said of them ---- */

static const char *word_of(int status) {
  switch (status) {
  case CCA_OK:
    return "yes";
  case CCA_ERR_STALE:
    return "stale";
  case CCA_ERR_TIMED_OUT:
    return "late";
  case CCA_ERR_SERVER_GONE:
    return "no-server";
  case CCA_ERR_NO_MODULE:
    return "no-file";
  default:
    return "unreadable";
  }
}

static void complain(struct module *module, const char *path) {
  const char *why = module->err.text;
  if (module->told || module->status == CCA_OK)
    return;
  module->told = true;
  if (module->status == CCA_ERR_STALE)
    why = "its file was replaced since";
  else if (module->status == CCA_ERR_TIMED_OUT)
    why = "its symbols were not read in time; --symbols-wait gives them more";
  cca_complain("run", "%s: addresses stay without functions: %s", path, why);
}

/* ---- Places ---- */

static const char *keep(struct cca_heap *heap, const char *text) {
  return text ? cca_arena_strdup(&heap->arena, text) : "";
}

static void name(struct cca_heap *heap, struct cca_heap_site *site,
                 const struct cca_table *table) {
  struct cca_frame frames[MAX_FRAMES];
  size_t count;
  uint64_t address = strtoull(site->address, NULL, 16);
  /* A call is before the address that it returns to. */
  if (!address ||
      cca_lookup_address(table, address - 1, frames, MAX_FRAMES, &count) ==
          CCA_ERR_NOT_FOUND ||
      !count)
    return;
  count = count < MAX_FRAMES ? count : MAX_FRAMES;
  site->function = keep(heap, frames[0].pretty);
  site->file = keep(heap, frames[0].file);
  site->line = frames[0].line;
  site->column = frames[0].column;
  struct cca_heap_frame *around =
      cca_arena_zalloc(&heap->arena, count, sizeof *around);
  for (size_t i = 1; i < count; i++)
    around[i - 1] = (struct cca_heap_frame){keep(heap, frames[i].pretty),
                                            keep(heap, frames[i].file),
                                            frames[i].line, frames[i].column};
  site->around = around;
  site->around_count = count - 1;
}

void cca_run_symbols_name(struct cca_run_symbols *symbols,
                          struct cca_heap *heap) {
  if (!symbols->end)
    symbols->end = now_ms() + symbols->options->wait_ms;
  cca_run_symbols_ask(symbols, heap);
  for (size_t i = 0; i < heap->modules.count; i++) {
    struct cca_heap_module *m = &heap->modules.items[i];
    struct module *module = find(symbols, m->path, m->build_id);
    if (!module)
      continue;
    wait_until(module, symbols->end);
    complain(module, m->path);
    m->symbols = word_of(module->status);
  }
  for (size_t i = 0; i < heap->rows.count; i++)
    for (size_t j = 0; j < heap->rows.items[i].sites.count; j++) {
      struct cca_heap_site *site = &heap->rows.items[i].sites.items[j];
      const struct module *module =
          is_place(site) ? find(symbols, site->module, site->build_id) : NULL;
      if (module && module->status == CCA_OK)
        name(heap, site,
             module->is_kept ? &module->kept.table
                             : cca_symbols_table(module->table));
    }
}

void cca_run_symbols_end(struct cca_run_symbols *symbols) {
  for (size_t i = 0; i < symbols->modules.count; i++) {
    struct module *module = &symbols->modules.items[i];
    keep_table(symbols, module);
    if (module->is_kept)
      cca_cache_file_release(&module->kept.file);
    cca_symbols_unload(module->table);
    cca_text_release(&module->path);
  }
  cca_symbols_close(symbols->symbols);
  end_server(symbols);
  cca_vec_release(&symbols->modules);
  cca_map_release(&symbols->numbers);
  free(symbols->socket);
  free(symbols->program);
  free(symbols);
}
