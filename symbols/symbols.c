/* SPDX-License-Identifier: MIT */
/*
 * symbols.c -- libccallocs-symbols: ccallocs/symbols.h.
 *
 * In:  paths of modules.
 * Out: a table of each, made here or by a server, and asked afterwards.
 *
 * What is asked goes to lookup.c, which knows nothing of where a table came
 * from.  A module's state is what its queries return instead of an answer; it
 * is CCA_OK for good once the table is there, so that queries take no lock.
 */
#include "ccallocs/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "build.h"
#include "client.h"
#include "lookup.h"
#include "module.h"
#include "summaries/error.h"

struct cca_symbols {
  struct cca_symbols_options options;
};

struct cca_symbols_module {
  _Atomic int state;
  struct cca_table table;
  struct cca_text image; /* made here */
  struct cca_table_client client;
  struct stat file; /* as it was before it was read */
  char *build_id;   /* that it has to have; NULL: any */
  char *path;
};

int cca_symbols_open(struct cca_symbols **out,
                     const struct cca_symbols_options *options,
                     struct cca_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out)
    return cca_error_set(err, CCA_ERR_MEMORY, 0, "out of memory");
  if (options)
    memcpy(&(*out)->options, options,
           options->size < sizeof *options ? options->size : sizeof *options);
  return CCA_OK;
}

void cca_symbols_close(struct cca_symbols *symbols) { free(symbols); }

/* There is a table: is it the one that was meant? */
static int check_build_id(const struct cca_symbols_module *module,
                          struct cca_error *err) {
  const char *id = cca_table_string(&module->table,
                                    cca_image_at(&module->table, 0).build_id);
  if (module->build_id && strcasecmp(module->build_id, id))
    return cca_error_set(err, CCA_ERR_STALE, 0, "its build id is %s, not %s",
                         id, module->build_id);
  return CCA_OK;
}

static int no_module(struct cca_error *err) {
  int error = errno;
  cca_error_set(err, CCA_ERR_NO_MODULE, 0, "cannot be opened: %s",
                strerror(error));
  errno = error;
  return CCA_ERR_NO_MODULE;
}

static int build(struct cca_symbols_module *module, struct cca_error *err) {
  struct cca_table_error wrong;
  int status = cca_symbols_build(module->path, &module->image, err);
  if (status == CCA_ERR_IO)
    return no_module(err);
  if (status < 0)
    return status;
  if (cca_table_open(&module->table, &cca_symbols_schema, module->image.data,
                     module->image.len, &wrong) < 0)
    return cca_error_set(err, CCA_ERR_CORRUPT, 0, "%s", wrong.text);
  return check_build_id(module, err);
}

/* What is started if there is no server; NULL: nothing. */
static const char *start_of(const struct cca_symbols *symbols) {
  const char *start = symbols->options.start;
  return !start ? "allocs" : *start ? start : NULL;
}

static int ask_server(const struct cca_symbols *symbols,
                      struct cca_symbols_module *module,
                      struct cca_error *err) {
  char path[PATH_MAX];
  if (!realpath(module->path, path))
    return no_module(err);
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return no_module(err);
  int status = cca_table_client_ask(&module->client, symbols->options.server,
                                    start_of(symbols), path, file, err);
  close(file);
  atomic_store_explicit(&module->state, status, memory_order_release);
  return status == CCA_ERR_NOT_READY
             ? cca_symbols_wait(module, symbols->options.timeout_ms, err)
             : status;
}

int cca_symbols_load(struct cca_symbols *symbols, const char *path,
                     const char *build_id, struct cca_symbols_module **out,
                     struct cca_error *err) {
  *out = NULL;
  struct cca_symbols_module *module = calloc(1, sizeof *module);
  if (module) {
    module->client.socket = module->client.file = module->client.starting = -1;
    module->path = strdup(path);
    module->build_id = build_id ? strdup(build_id) : NULL;
  }
  int status = CCA_OK;
  if (!module || !module->path || (build_id && !module->build_id))
    status = cca_error_set(err, CCA_ERR_MEMORY, 0, "out of memory");
  else if (stat(path, &module->file) < 0)
    status = no_module(err);
  else if (symbols->options.server)
    for (int turn = 0; turn < 2; turn++) {
      status = ask_server(symbols, module, err);
      if (status != CCA_ERR_SERVER_GONE || !start_of(symbols))
        break;
      cca_table_client_release(&module->client); /* it ended: another one */
    }
  else
    status = build(module, err);
  if (status < 0 && status != CCA_ERR_NOT_READY &&
      status != CCA_ERR_TIMED_OUT) {
    int error = errno;
    cca_symbols_unload(module);
    errno = error;
    return status;
  }
  *out = module;
  return status;
}

int cca_symbols_wait(struct cca_symbols_module *module, int timeout_ms,
                     struct cca_error *err) {
  int state = atomic_load_explicit(&module->state, memory_order_acquire);
  if (state != CCA_ERR_NOT_READY && state != CCA_ERR_TIMED_OUT)
    return state < 0 ? cca_error_set(err, state, 0, "it failed before") : state;
  state =
      cca_table_client_wait(&module->client, timeout_ms, &module->table, err);
  if (state == CCA_OK)
    state = check_build_id(module, err);
  atomic_store_explicit(&module->state, state, memory_order_release);
  return state;
}

void cca_symbols_unload(struct cca_symbols_module *module) {
  if (!module)
    return;
  cca_table_client_release(&module->client);
  cca_text_release(&module->image);
  free(module->build_id);
  free(module->path);
  free(module);
}

int cca_symbols_check(const struct cca_symbols_module *module) {
  struct stat now;
  if (stat(module->path, &now) < 0)
    return CCA_ERR_NO_MODULE;
  return cca_file_is_same(&module->file, &now) ? CCA_OK : CCA_ERR_STALE;
}

/* CCA_OK if the table is there; else what a query returns. */
static int state_of(const struct cca_symbols_module *module, size_t *count) {
  *count = 0;
  return atomic_load_explicit(&module->state, memory_order_acquire);
}

const struct cca_table *
cca_symbols_table(const struct cca_symbols_module *module) {
  return &module->table;
}

const char *cca_symbols_build_id(const struct cca_symbols_module *module) {
  size_t none;
  if (state_of(module, &none) < 0)
    return "";
  return cca_table_string(&module->table,
                          cca_image_at(&module->table, 0).build_id);
}

int cca_symbols_find(const struct cca_symbols_module *module, uint64_t offset,
                     struct cca_frame *frames, size_t room, size_t *count) {
  int state = state_of(module, count);
  return state < 0
             ? state
             : cca_lookup_address(&module->table, offset, frames, room, count);
}

int cca_symbols_lookup(const struct cca_symbols_module *module,
                       const char *name, struct cca_symbol_info *out,
                       size_t room, size_t *count) {
  int state = state_of(module, count);
  return state < 0 ? state
                   : cca_lookup_name(&module->table, name, out, room, count);
}

int cca_symbols_match(const struct cca_symbols_module *module,
                      const char *pattern, struct cca_symbol_info *out,
                      size_t room, size_t *count) {
  int state = state_of(module, count);
  return state < 0
             ? state
             : cca_lookup_pattern(&module->table, pattern, out, room, count);
}

uint32_t cca_symbols_count(const struct cca_symbols_module *module) {
  size_t none;
  return state_of(module, &none) < 0 ? 0 : cca_symbol_count(&module->table);
}

struct cca_symbol_info
cca_symbols_symbol(const struct cca_symbols_module *module, uint32_t i) {
  return cca_lookup_symbol(&module->table, i);
}

uint32_t cca_symbols_line_count(const struct cca_symbols_module *module) {
  size_t none;
  return state_of(module, &none) < 0 ? 0 : cca_line_from_count(&module->table);
}

struct cca_line_info cca_symbols_line(const struct cca_symbols_module *module,
                                      uint32_t i) {
  return cca_lookup_line(&module->table, i);
}

int cca_symbols_is_relocatable(const struct cca_symbols_module *module) {
  size_t none;
  return state_of(module, &none) == CCA_OK &&
         cca_image_at(&module->table, 0).parts & CCA_PARTS_RELOCATABLE;
}

uint32_t cca_symbols_section_count(const struct cca_symbols_module *module) {
  size_t none;
  return state_of(module, &none) < 0 ? 0 : cca_section_count(&module->table);
}

struct cca_section_info
cca_symbols_section(const struct cca_symbols_module *module, uint32_t i) {
  return cca_lookup_section(&module->table, i);
}
