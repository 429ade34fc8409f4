/* SPDX-License-Identifier: MIT */
/*
 * symbols.c -- libccallocs-symbols: ccallocs/symbols.h, in this process.
 *
 * In:  paths of modules.
 * Out: a table of each, which is made when it is loaded and asked afterwards.
 *
 * Whoever loads a module gets a table of its own; what is asked goes to
 * lookup.c, which knows nothing of where a table came from.
 */
#include "ccallocs/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "build.h"
#include "lookup.h"
#include "module.h"

struct cca_symbols {
  struct cca_symbols_options options;
};

struct cca_symbols_module {
  struct cca_table table;
  struct cca_text image;
  struct stat file; /* as it was before it was read */
  char path[];
};

int cca_symbols_open(struct cca_symbols **out,
                     const struct cca_symbols_options *options,
                     struct cca_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out)
    return cca_symbols_fail(err, CCA_ERR_MEMORY, "out of memory");
  if (options && options->size >= sizeof **out)
    (*out)->options = *options;
  return CCA_OK;
}

void cca_symbols_close(struct cca_symbols *symbols) { free(symbols); }

static int build(struct cca_symbols_module *module, const char *build_id,
                 struct cca_error *err) {
  struct cca_table_error wrong;
  if (stat(module->path, &module->file) < 0)
    return cca_symbols_fail(err, CCA_ERR_NO_MODULE, "cannot be opened: %s",
                            strerror(errno));
  int status = cca_symbols_build(module->path, &module->image, err);
  if (status == CCA_ERR_IO)
    return cca_symbols_fail(err, CCA_ERR_NO_MODULE, "cannot be opened: %s",
                            strerror(errno));
  if (status < 0)
    return status;
  if (cca_table_open(&module->table, &cca_symbols_schema, module->image.data,
                     module->image.len, &wrong) < 0)
    return cca_symbols_fail(err, CCA_ERR_CORRUPT, "%s", wrong.text);
  if (build_id && strcasecmp(build_id, cca_symbols_build_id(module)))
    return cca_symbols_fail(err, CCA_ERR_STALE, "its build id is %s, not %s",
                            cca_symbols_build_id(module), build_id);
  return CCA_OK;
}

int cca_symbols_load(struct cca_symbols *symbols, const char *path,
                     const char *build_id, struct cca_symbols_module **out,
                     struct cca_error *err) {
  (void)symbols; /* all modules come from this process */
  size_t len = strlen(path) + 1;
  *out = NULL;
  struct cca_symbols_module *module = calloc(1, sizeof *module + len);
  if (!module)
    return cca_symbols_fail(err, CCA_ERR_MEMORY, "out of memory");
  memcpy(module->path, path, len);
  int status = build(module, build_id, err);
  if (status < 0) {
    int error = errno;
    cca_symbols_unload(module);
    errno = error;
    return status;
  }
  *out = module;
  return CCA_OK;
}

void cca_symbols_unload(struct cca_symbols_module *module) {
  if (module)
    cca_text_release(&module->image);
  free(module);
}

static bool same_time(struct timespec a, struct timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

int cca_symbols_check(const struct cca_symbols_module *module) {
  struct stat now;
  const struct stat *then = &module->file;
  if (stat(module->path, &now) < 0)
    return CCA_ERR_NO_MODULE;
  return now.st_dev == then->st_dev && now.st_ino == then->st_ino &&
                 now.st_size == then->st_size &&
                 same_time(now.st_mtim, then->st_mtim)
             ? CCA_OK
             : CCA_ERR_STALE;
}

const char *cca_symbols_build_id(const struct cca_symbols_module *module) {
  return cca_table_string(&module->table,
                          cca_image_at(&module->table, 0).build_id);
}

int cca_symbols_find(const struct cca_symbols_module *module, uint64_t offset,
                     struct cca_frame *frames, size_t room, size_t *count) {
  return cca_lookup_address(&module->table, offset, frames, room, count);
}

int cca_symbols_lookup(const struct cca_symbols_module *module,
                       const char *name, struct cca_symbol_info *out,
                       size_t room, size_t *count) {
  return cca_lookup_name(&module->table, name, out, room, count);
}

int cca_symbols_match(const struct cca_symbols_module *module,
                      const char *pattern, struct cca_symbol_info *out,
                      size_t room, size_t *count) {
  return cca_lookup_pattern(&module->table, pattern, out, room, count);
}

uint32_t cca_symbols_count(const struct cca_symbols_module *module) {
  return cca_symbol_count(&module->table);
}

struct cca_symbol_info
cca_symbols_symbol(const struct cca_symbols_module *module, uint32_t i) {
  return cca_lookup_symbol(&module->table, i);
}

uint32_t cca_symbols_line_count(const struct cca_symbols_module *module) {
  return cca_line_from_count(&module->table);
}

struct cca_line_info cca_symbols_line(const struct cca_symbols_module *module,
                                      uint32_t i) {
  return cca_lookup_line(&module->table, i);
}
