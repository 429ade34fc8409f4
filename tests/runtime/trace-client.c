/* SPDX-License-Identifier: MIT */
/*
 * trace-client.c -- a client that writes down each event, for the tests.
 *
 * In:  options: NAME, LOG; with NAME, its lines begin with that.
 * Out: a line an event in the file LOG.  Of objects, those of calls in modules
 *      of the current folder, but what libc allocates there for itself; they
 *      have numbers in the order in which they came, and keep them when they
 *      move.  Of modules, those of the folder.
 *
 * VARIABLE, ID, VERSION and INTERFACE may be defined otherwise than they should be.
 */
#include <ccallocs/client.h>
#include <ccallocs/runtime.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef VARIABLE
#define VARIABLE cca_client
#endif
#ifndef ID
#define ID "test.trace"
#endif
#ifndef VERSION
#define VERSION "1"
#endif
#ifndef INTERFACE
#define INTERFACE CCA_CLIENT_INTERFACE
#endif

enum { MOST = 4096 };

static int file = -1;
static char name[16], folder[256];
static void *starts[MOST];
static int numbers;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
  char line[512];
  int len = snprintf(line, sizeof line, "%s", name);
  va_list args;
  va_start(args, format);
  len += vsnprintf(line + len, sizeof line - (size_t)len, format, args);
  va_end(args);
  if (write(file, line, (size_t)len) != len)
    close(file);
}

static int is_mine(const struct cca_client_module *m) {
  return !strncmp(m->path, folder, strlen(folder)) ||
         !strncmp(m->path, "./", 2);
}

/* What OBJECT is; NULL: of no call of ours. */
static const char *type_of(const struct cca_client_object *object) {
  static __thread char text[128];
  struct cca_client_site site;
  struct cca_client_module module;
  struct cca_client_type type;
  struct cca_object o;
  if (cca_client_site(object->site, &site) != CCA_OK ||
      cca_client_module(site.module, &module) != CCA_OK || !is_mine(&module) ||
      !strcmp(site.unknown, "inside"))
    return NULL;
  const char *unknown = *site.unknown ? site.unknown : site.site_class;
  int typed = cca_client_site_type(object->site, 0, &type) == CCA_OK;
  snprintf(text, sizeof text, "%s%s, %zu bytes", typed ? type.name : unknown,
           !strcmp(site.shape, "array") ? "[]" : "", object->size);
  /* The other interface says the same of what is there. */
  if (cca_describe(object->start, &o) == CCA_OK &&
      (o.start != object->start || o.size != object->size ||
       (typed && (!o.type || strcmp(o.type, type.name)))))
    return "contradicted";
  return text;
}

static int *number_at(void *start) {
  static int none;
  for (int i = numbers; i-- > 0;)
    if (starts[i] == start) {
      none = i + 1;
      return &none;
    }
  none = 0;
  return &none;
}

static int begin(const char *options, void **data, struct cca_error *err) {
  char path[256] = "";
  if (!strcmp(options, "no")) {
    snprintf(err->text, sizeof err->text, "it was told not to");
    return CCA_ERR_REFUSED;
  }
  if (sscanf(options, "%15[^,],%255s", name, path) != 2 ||
      !getcwd(folder, sizeof folder))
    return CCA_ERR_IO;
  file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  *data = starts;
  strcat(name, " ");
  say("begin\n");
  return CCA_OK;
}

static void end(void *data) { say("end%s\n", data == starts ? "" : "?"); }
static void forked(void *data) { say("forked%s\n", data == starts ? "" : "?"); }
static void snapshot(void *data) {
  say("snapshot%s\n", data == starts ? "" : "?");
}

static void allocated(void *data, const struct cca_client_object *object) {
  (void)data;
  const char *type = type_of(object);
  if (!type || numbers == MOST)
    return;
  starts[numbers++] = object->start;
  say("allocated #%d: %s\n", numbers, type);
#ifdef ALLOCATES /* neither of which is an event */
  free(realloc(malloc(100), 1000));
#endif
}

static void freed(void *data, const struct cca_client_object *object) {
  (void)data;
  const char *type = type_of(object);
  int *at = number_at(object->start);
  if (!type)
    return;
  say("freed #%d: %s\n", *at, type);
  if (*at)
    starts[*at - 1] = NULL;
  errno = E2BIG; /* the program does not see it */
}

static __thread int resized_number;

static void resizing(void *data, const struct cca_client_object *object) {
  (void)data;
  const char *type = type_of(object);
  int *at = number_at(object->start);
  resized_number = *at;
  if (type)
    say("resizing #%d: %s\n", *at, type);
  if (*at)
    starts[*at - 1] = NULL;
}

static void resized(void *data, const struct cca_client_object *before,
                    const struct cca_client_object *after) {
  (void)data;
  const char *type = type_of(after);
  if (!type)
    return;
  say("resized #%d: %s, %s\n", resized_number, type,
      after->size == before->size && after->site == before->site ? "failed"
      : after->start == before->start                            ? "there"
                                                                 : "moved");
  if (resized_number)
    starts[resized_number - 1] = after->start;
}

static void say_module(const char *what, uint32_t number) {
  struct cca_client_module m;
  if (cca_client_module(number, &m) == CCA_OK && is_mine(&m))
    say("%s %s, %u sites%s\n", what, strrchr(m.path, '/') + 1, m.sites,
        m.closed ? ", closed" : "");
}
static void module_loaded(void *data, uint32_t module) {
  (void)data;
  struct cca_client_module m; /* it can be looked at */
  if (cca_client_module(module, &m) == CCA_OK)
    (void)*(volatile const char *)(uintptr_t)m.start;
  say_module("loaded", module);
}
static void module_unloaded(void *data, uint32_t module) {
  (void)data;
  say_module("unloaded", module);
}

/* clang-format off */
const struct cca_client VARIABLE = {
    INTERFACE,
    .id = ID,
    .version = VERSION,
    .begin = begin,
    .end = end,
    .forked = forked,
    .snapshot = snapshot,
    .allocated = allocated,
    .freed = freed,
    .resizing = resizing,
    .resized = resized,
    .module_loaded = module_loaded,
    .module_unloaded = module_unloaded,
};
/* clang-format on */
