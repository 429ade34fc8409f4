/* SPDX-License-Identifier: MIT */
/*
 * peak.c -- a client: of which types was the heap when it was largest?
 *
 *     allocs run --client=./libpeak.so ./prog          on standard error
 *     allocs run --client=./libpeak.so:FILE ./prog     into FILE.PID
 *
 * In:  events of objects, of which only the sizes are added up.
 * Out: when the process ends, the types that were live at the maximum.
 *
 * The runtime counts for each call what was allocated and freed, so all that is
 * left to do is to look at the right time: when something is about to be freed,
 * and what is live is more than it ever was.  To look takes a while, so it is
 * done when it is more by 1/64; what is shown may be less than the maximum by
 * as much.
 */
#include <ccallocs/client.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SITES = 1 << 17, MAX_ROWS = 1 << 12, SHOWN = 20 };

static uint64_t live, most; /* bytes; most: when it was looked at last */
static uint32_t looking;    /* one thread at a time; others go on */
static struct {
  uint64_t bytes, objects;
} peak[MAX_SITES]; /* what was live then, of each site */

static void look(uint64_t now) {
  if (now <= most + most / 64 ||
      __atomic_exchange_n(&looking, 1, __ATOMIC_ACQUIRE))
    return;
  struct cca_client_counts counts;
  for (uint32_t i = 0;
       i < MAX_SITES && cca_client_site_counts(i, &counts) == CCA_OK; i++) {
    peak[i].bytes = counts.bytes - counts.freed_bytes;
    peak[i].objects = counts.objects - counts.freed_objects;
  }
  most = now;
  __atomic_store_n(&looking, 0, __ATOMIC_RELEASE);
}

static void add(size_t size) {
  __atomic_fetch_add(&live, size, __ATOMIC_RELAXED);
}

/* It is still counted as live here.  What was there before us may be freed too,
 * so that the sum may go below 0. */
static void take_away(size_t size) {
  uint64_t now = __atomic_fetch_sub(&live, size, __ATOMIC_RELAXED);
  if (now >> 63 == 0)
    look(now);
}

static void allocated(void *data, const struct cca_client_object *object) {
  (void)data;
  add(object->size);
}

static void freed(void *data, const struct cca_client_object *object) {
  (void)data;
  take_away(object->size);
}

static void resized(void *data, const struct cca_client_object *before,
                    const struct cca_client_object *after) {
  (void)data;
  (void)before;
  add(after->size);
}

/* ---- The table ---- */

struct row {
  char type[128];
  uint64_t bytes, objects;
};

static void name_type(uint32_t number, char *text, size_t room) {
  struct cca_client_site site;
  struct cca_client_type type;
  if (cca_client_site(number, &site) != CCA_OK)
    snprintf(text, room, "untyped");
  else if (cca_client_site_type(number, 0, &type) == CCA_OK)
    snprintf(text, room, "%s%s%s", type.name,
             strcmp(site.shape, "array") ? "" : "[]",
             site.types > 1 ? " | ..." : "");
  else
    snprintf(text, room, "%s",
             !strcmp(site.site_class, "bytes") ? "bytes" : "untyped");
}

static int more_bytes(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1)
                              : strcmp(x->type, y->type);
}

/* Outside of all else: what may allocate and print is allowed here. */
static void end(void *data) {
  const char *file = data;
  static struct row rows[MAX_ROWS];
  size_t count = 0;
  look(live >> 63 ? 0 : live);
  for (uint32_t i = 0; i < MAX_SITES; i++) {
    if (!peak[i].objects)
      continue;
    struct row row;
    name_type(i, row.type, sizeof row.type);
    size_t at = 0;
    while (at < count && strcmp(rows[at].type, row.type) != 0)
      at++;
    if (at == MAX_ROWS)
      continue;
    if (at == count)
      memcpy(rows[count++].type, row.type, sizeof row.type);
    rows[at].bytes += peak[i].bytes;
    rows[at].objects += peak[i].objects;
  }
  qsort(rows, count, sizeof rows[0], more_bytes);

  char path[4096];
  snprintf(path, sizeof path, "%s.%ld", file, (long)getpid());
  int out = *file ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                  : STDERR_FILENO;
  dprintf(out, "process %ld, when its heap was largest: %llu bytes\n",
          (long)getpid(), (unsigned long long)most);
  dprintf(out, "%14s %10s  type\n", "bytes", "objects");
  for (size_t i = 0; i < count && i < SHOWN; i++)
    dprintf(out, "%14llu %10llu  %s\n", (unsigned long long)rows[i].bytes,
            (unsigned long long)rows[i].objects, rows[i].type);
  if (*file && out >= 0)
    close(out);
}

static int begin(const char *options, void **data, struct cca_error *err) {
  (void)err;
  *data = (void *)options; /* they live as long as the process */
  return CCA_OK;
}

/* A child begins with what is live in its parent, and has no past. */
static void forked(void *data) {
  (void)data;
  looking = 0;
  most = 0;
}

/* clang-format off */
const struct cca_client cca_client = {
    CCA_CLIENT_INTERFACE,
    .id = "cc-allocs.example.peak",
    .version = "1",
    .begin = begin,
    .end = end,
    .forked = forked,
    .allocated = allocated,
    .freed = freed,
    .resizing = freed,
    .resized = resized,
};
/* clang-format on */
