/* SPDX-License-Identifier: MIT */
/*
 * clients.c -- who is registered, and telling them; see clients.h and
 * include/ccallocs/client.h.
 *
 * In:  libraries of the environment, a program's own clients; what the hooks
 *      and the link map have to tell.
 * Out: calls of the clients' functions.  While no client wants to know about
 *      objects or modules the hooks come here not at all: hooks.c goes another
 *      way only when it is watched.
 *
 * A client is code of somebody else in a process of somebody else.  Before any
 * of it is called its variable is read and checked; what it says is copied, and
 * its library stays.  Whatever is wrong with it, the process goes on without.
 */
#include "clients-state.h"

#include "atomics.h"
#include "client-cache.h"
#include "clients.h"
#include "hooks.h"
#include "modules.h"
#include "pages.h"
#include "recorder.h"
#include "snapshot.h"
#include "summaries/error.h"
#include "walk.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What a client was told of a module. */
enum { TOLD_NOTHING, TOLD_LOADED, TOLD_UNLOADED };

struct cca_registered cca_registry[CCA_CLIENTS_MAX];
uint32_t cca_registered_count;
uint32_t cca_registry_lock;
static uint32_t telling;  /* one at a time tells of modules */
static uint64_t told_map; /* cca_module_changes that all were told of, + 1 */
static __thread bool busy /* in an event */
    __attribute__((tls_model("initial-exec")));

/* ---- Telling ---- */

/* What was closed first: another may have its place. */
static void tell_one(struct cca_registered *r) {
  uint32_t modules = cca_load_acquire(&cca_module_numbers);
  for (uint32_t i = 0; i < modules; i++)
    if (r->told[i] == TOLD_LOADED && cca_load(&cca_modules[i].gone)) {
      r->told[i] = TOLD_UNLOADED;
      if (r->client.module_unloaded)
        r->client.module_unloaded(r->data, i);
    }
  for (uint32_t i = 0; i < modules; i++)
    if (r->told[i] == TOLD_NOTHING && !cca_load(&cca_modules[i].gone)) {
      r->told[i] = TOLD_LOADED;
      if (r->client.module_loaded)
        r->client.module_loaded(r->data, i);
    }
}

static void tell_modules(void) {
  uint64_t changes = cca_load_acquire(&cca_module_changes) + 1;
  if (cca_likely(changes == cca_load(&told_map)) || !cca_try(&telling))
    return;
  for (uint32_t i = 0; i < cca_load_acquire(&cca_registered_count); i++)
    tell_one(&cca_registry[i]);
  cca_store(&told_map, changes);
  cca_leave(&telling);
}

bool cca_clients_enter(int *saved) {
  if (busy)
    return false;
  *saved = errno;
  busy = true;
  tell_modules();
  return true;
}

void cca_clients_leave(int saved) {
  busy = false;
  errno = saved;
}

/* Give EVENT to all who want it. */
#define TELL(event, ...)                                                       \
  do {                                                                         \
    int saved;                                                                 \
    if (!cca_clients_enter(&saved))                                            \
      break;                                                                   \
    for (uint32_t i = 0; i < cca_load_acquire(&cca_registered_count); i++)     \
      if (cca_registry[i].client.event)                                        \
        cca_registry[i].client.event(cca_registry[i].data, ##__VA_ARGS__);     \
    cca_clients_leave(saved);                                                  \
  } while (0)

void cca_clients_allocated(const struct cca_client_object *object) {
  TELL(allocated, object);
}

void cca_clients_freed(const struct cca_client_object *object) {
  TELL(freed, object);
}

void cca_clients_resizing(const struct cca_client_object *object) {
  TELL(resizing, object);
}

void cca_clients_resized(const struct cca_client_object *before,
                         const struct cca_client_object *after) {
  TELL(resized, before, after);
}

void cca_clients_modules(void) {
  int saved;
  if (cca_load(&cca_registered_count) && cca_clients_enter(&saved))
    cca_clients_leave(saved);
}

void cca_clients_snapshot(void) { TELL(snapshot); }

void cca_clients_end(void) {
  TELL(end);
  cca_hooks_watch(false);
}

void cca_clients_forked(void) {
  cca_leave(&cca_registry_lock);
  cca_leave(&telling);
  TELL(forked);
}

/* ---- Registering ---- */

bool cca_client_is_name(const char *name) {
  size_t len = 0;
  while (name && len <= CCA_MAX_CLIENT_NAME && name[len] > ' ' &&
         name[len] <= '~')
    len++;
  return len && len <= CCA_MAX_CLIENT_NAME && !name[len];
}

/* Are the bytes of CLIENT behind what we know of it 0? */
static bool is_known(const struct cca_client *client) {
  for (size_t i = sizeof *client; i < client->size; i++)
    if (((const unsigned char *)client)[i])
      return false;
  return true;
}

/* May CLIENT be looked at, and be registered? */
static int check(const struct cca_client *client, struct cca_error *err) {
  uint32_t major = client->interface >> 16, ours = CCA_CLIENT_VERSION >> 16;
  if (major != ours)
    return cca_error_set(err, CCA_ERR_VERSION, 0,
                         "it was made for version %u of the interface, and the "
                         "runtime has %u: build it with the ccallocs/client.h "
                         "of this one",
                         major, ours);
  if (client->size < offsetof(struct cca_client, begin) ||
      client->size > 4096 || client->size % sizeof(void *))
    return cca_error_set(err, CCA_ERR_CORRUPT, 0,
                         "its struct cca_client has a size of %u bytes",
                         client->size);
  if (!is_known(client))
    return cca_error_set(err, CCA_ERR_VERSION, 0,
                         "it wants events of version %u.%u of the interface, "
                         "and the runtime has %u.%u: install a newer cc-allocs",
                         major, client->interface & 0xffff, ours,
                         CCA_CLIENT_VERSION & 0xffff);
  if (!cca_client_is_name(client->id) || !cca_client_is_name(client->version))
    return cca_error_set(err, CCA_ERR_CORRUPT, 0,
                         "its id and version have to be 1 to %d printable "
                         "characters without spaces",
                         CCA_MAX_CLIENT_NAME);
  for (uint32_t i = 0; i < cca_registered_count; i++)
    if (!strcmp(cca_registry[i].id, client->id))
      return cca_error_set(err, CCA_ERR_REFUSED, 0,
                           "a client with its id, %s, is there already",
                           client->id);
  if (cca_registered_count == CCA_CLIENTS_MAX)
    return cca_error_set(err, CCA_ERR_MEMORY, 0, "%d clients are there already",
                         CCA_CLIENTS_MAX);
  return CCA_OK;
}

uintptr_t cca_client_code(const struct cca_client *c) {
  const uintptr_t functions[] = {
      (uintptr_t)c->begin,         (uintptr_t)c->end,
      (uintptr_t)c->forked,        (uintptr_t)c->snapshot,
      (uintptr_t)c->allocated,     (uintptr_t)c->freed,
      (uintptr_t)c->resizing,      (uintptr_t)c->resized,
      (uintptr_t)c->module_loaded, (uintptr_t)c->module_unloaded,
      (uintptr_t)c->validate,      (uintptr_t)c->patch,
      (uintptr_t)c->keep};
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (functions[i])
      return functions[i];
  return (uintptr_t)c->id;
}

/* Its functions stay, whoever closes the module that they are in; what was
 * there from the start stays by itself. */
static void pin(const struct cca_client *client) {
  uintptr_t code = cca_client_code(client);
  const struct cca_loaded *m = cca_modules_find(code);
  Dl_info info;
  if ((!m || m->late) && dladdr((void *)code, &info) && info.dli_fname)
    dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static const char *keep(const char *text) {
  size_t len = strlen(text) + 1;
  char *copy = cca_pages_map(len);
  return copy ? memcpy(copy, text, len) : NULL;
}

static int add(const struct cca_client *client, const char *options,
               enum cca_origin origin, struct cca_error *err) {
  int status = check(client, err);
  if (status < 0)
    return status;
  struct cca_registered *r = &cca_registry[cca_registered_count];
  memset(r, 0, sizeof *r);
  r->origin = origin;
  memcpy(&r->client, client,
         client->size < sizeof *client ? client->size : sizeof *client);
  memcpy(r->id, client->id, strlen(client->id) + 1);
  memcpy(r->version, client->version, strlen(client->version) + 1);
  r->cache.row = CCA_NONE;
  if (!options || !*options)
    options = "";
  else if (!(options = keep(options)))
    return cca_error_set(err, CCA_ERR_MEMORY, 0, "no memory");
  pin(&r->client);
  struct cca_error why = {.text = ""};
  if (r->client.begin && r->client.begin(options, &r->data, &why) < 0)
    return cca_error_set(err, CCA_ERR_REFUSED, 0, "%.*s",
                         (int)sizeof why.text - 1,
                         *why.text ? why.text : "it did not say why");
  const struct cca_client *c = &r->client;
  if (c->module_loaded || c->module_unloaded)
    cca_walk_link_map_changed();
  cca_store_release(&cca_registered_count, cca_registered_count + 1);
  cca_store(&told_map, 0);
  tell_modules();
  if (c->allocated || c->freed || c->resizing || c->resized ||
      c->module_loaded || c->module_unloaded)
    cca_hooks_watch(true);
  if (origin == CCA_ORIGIN_PROGRAM)
    cca_client_cache_join(r);
  return CCA_OK;
}

static int enlist(const struct cca_client *client, const char *options,
                  enum cca_origin origin, struct cca_error *err) {
  cca_hooks_wake();
  if (!cca_hooks_ready())
    return cca_error_set(err, CCA_ERR_NOT_READY, 0,
                         "the runtime stands aside: there is no malloc that it "
                         "can work with");
  if (busy)
    return cca_error_set(err, CCA_ERR_REFUSED, 0,
                         "no client can be registered in an event");
  int saved = errno;
  while (!cca_try(&cca_registry_lock))
    sched_yield();
  busy = true;
  int status = add(client, options, origin, err);
  busy = false;
  cca_leave(&cca_registry_lock);
  errno = saved;
  return status;
}

int cca_client_register(const struct cca_client *client, const char *options,
                        struct cca_error *err) {
  return enlist(client, options,
                client == &cca_recorder ? CCA_ORIGIN_OURS : CCA_ORIGIN_PROGRAM,
                err);
}

/* ---- Libraries ---- */

/* Is what dlsym() found there a variable, and as long as it says? */
static bool is_whole(const struct cca_client *client) {
  Dl_info info;
  const ElfW(Sym) *symbol = NULL;
  return dladdr1(client, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
         ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
         info.dli_saddr == client &&
         symbol->st_size >= offsetof(struct cca_client, id) &&
         symbol->st_size >= client->size;
}

static int load(const char *library, const char *options,
                struct cca_error *err) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return cca_error_set(err, CCA_ERR_IO, 0, "it cannot be loaded: %s",
                         why ? why : "no reason is known");
  }
  int status;
  const struct cca_client *client = dlsym(handle, "cca_client");
  if (!client)
    status = cca_error_set(err, CCA_ERR_NOT_FOUND, 0,
                           "it is no client: it has no variable cca_client "
                           "(ccallocs/client.h)");
  else if (!is_whole(client))
    status = cca_error_set(err, CCA_ERR_CORRUPT, 0,
                           "its variable cca_client is no struct cca_client");
  else
    status = enlist(client, options, CCA_ORIGIN_LISTED, err);
  if (status < 0)
    dlclose(handle);
  return status;
}

/* One line for each that is refused. */
static void say_why(const char *folder, const char *library, const char *why) {
  char line[PATH_MAX + sizeof((struct cca_error *)0)->text];
  int len = snprintf(line, sizeof line, "%s\t%s", library, why);
  if (len < 0 || (size_t)len >= sizeof line - 1)
    len = sizeof line - 2;
  for (int i = 0; i < len; i++)
    if ((unsigned char)line[i] < ' ' && line[i] != '\t')
      line[i] = '?';
  line[len++] = '\n';
  cca_snapshot_say(folder, "clients", line, (size_t)len, O_APPEND);
}

void cca_clients_load(const char *list, const char *folder) {
  int saved = errno;
  char *text = cca_pages_map(strlen(list) + 1);
  if (!text)
    return;
  strcpy(text, list);
  for (char *line, *rest = text; (line = strsep(&rest, "\n"));) {
    struct cca_error err = {.text = ""};
    char *options = line;
    const char *library = strsep(&options, ":");
    if (*library && load(library, options, &err) < 0 && folder)
      say_why(folder, library, err.text);
  }
  cca_pages_unmap(text, strlen(list) + 1);
  errno = saved;
}
