/* SPDX-License-Identifier: MIT */
/*
 * cache-image.c -- a cache file as bytes; see cache-image.h.
 *
 * In:    any bytes; or rows.
 * Out:   a checked table and its areas, or the first reason against it; or the
 *        bytes, the same for the same rows.
 * Holds: what was opened leads nowhere out of the image; nothing is allocated.
 *
 * The end is looked at first: a file that was cut has none, and that is told
 * apart from one that was changed.  Then the checksum, which is over all, and
 * only then what the bytes say.
 */
#include "cache-image.h"

#include <string.h>

#define FOOTER_MAGIC                                                           \
  "\x89"                                                                       \
  "ccaend\n"
enum { FOOTER_VERSION = 1, FOOTER_SUM = 24, LANES = 4 };

static const struct {
  const char *word, *text;
} reasons[CCA_CACHE_REASONS] = {
    [CCA_CACHE_USED] = {"used", "used"},
    [CCA_CACHE_OFF] = {"off", "none was asked for"},
    [CCA_CACHE_RIGHTS] = {"rights",
                          "the program has other rights than its user"},
    [CCA_CACHE_FOLDER] = {"folder", "there is no such folder, or it is a "
                                    "symbolic link"},
    [CCA_CACHE_FOLDER_OWNER] = {"folder-owner",
                                "the folder belongs to another user"},
    [CCA_CACHE_FOLDER_MODE] = {"folder-mode",
                               "others may write into the folder"},
    [CCA_CACHE_ABSENT] = {"absent", "there is none for these modules yet"},
    [CCA_CACHE_KIND] = {"kind", "a symbolic link, or no regular file"},
    [CCA_CACHE_OWNER] = {"owner", "the file belongs to another user"},
    [CCA_CACHE_MODE] = {"mode", "others may write to the file"},
    [CCA_CACHE_LINKS] = {"links", "the file has a second name"},
    [CCA_CACHE_SIZE] = {"size", "no cache has such a size"},
    [CCA_CACHE_CUT] = {"cut", "the file has no end"},
    [CCA_CACHE_FORMAT] = {"format", "another version of the format"},
    [CCA_CACHE_CHECKSUM] = {"checksum", "bytes of the file were changed"},
    [CCA_CACHE_BROKEN] = {"broken", "the file breaks a rule of its format"},
    [CCA_CACHE_RUNTIME] = {"runtime", "another version of the runtime wrote "
                                      "it"},
    [CCA_CACHE_OPTIONS] = {"options", "other options, or another machine"},
    [CCA_CACHE_CLIENTS] = {"clients", "other clients are there"},
    [CCA_CACHE_CLIENT_VERSION] = {"client-version",
                                  "a client has another version"},
    [CCA_CACHE_CLIENT_REBUILT] = {"client-rebuilt",
                                  "a client's library was built anew"},
    [CCA_CACHE_VETOED] = {"vetoed", "a client would not have it"},
    [CCA_CACHE_MODULES] = {"modules", "other modules, or in another order"},
    [CCA_CACHE_REBUILT] = {"rebuilt", "a module was built anew"},
    [CCA_CACHE_CHANGED] = {"changed",
                           "a module has its build id, but other bytes"},
    [CCA_CACHE_UNIDENTIFIED] = {"unidentified",
                                "nothing says which build a module is"},
    [CCA_CACHE_ROOM] = {"room", "no memory, or the file could not be read"},
};

const char *cca_cache_word(enum cca_cache_reason reason) {
  return reason < CCA_CACHE_REASONS ? reasons[reason].word : "?";
}

const char *cca_cache_text(enum cca_cache_reason reason) {
  return reason < CCA_CACHE_REASONS ? reasons[reason].text : "?";
}

/* ---- The checksum ---- */

static uint64_t turn(uint64_t state, uint64_t word) {
  state = (state ^ word) * 0x9e3779b97f4a7c15;
  return state << 29 | state >> 35;
}

uint64_t cca_cache_sum(uint64_t seed, const void *bytes, size_t len) {
  const unsigned char *at = bytes;
  uint64_t lane[LANES];
  size_t left = len;
  for (unsigned i = 0; i < LANES; i++)
    lane[i] = seed + (i + 1) * 0x9e3779b97f4a7c15;
  for (; left >= 8 * LANES; left -= 8 * LANES)
#pragma GCC unroll 4 /* so that lanes are registers */
    for (unsigned i = 0; i < LANES; i++, at += 8)
      lane[i] = turn(lane[i], cca_load_8(at));
  for (unsigned i = 0; left; i++) {
    unsigned char last[8] = {0};
    size_t part = left < 8 ? left : 8;
    memcpy(last, at, part);
    lane[i] = turn(lane[i], cca_load_8(last));
    at += part;
    left -= part;
  }
  uint64_t sum = len;
  for (unsigned i = 0; i < LANES; i++)
    sum = turn(sum, lane[i]);
  return sum ^ sum >> 32;
}

/* ---- Reading ---- */

static uint64_t whole_pages(uint64_t bytes) {
  return (bytes + CCA_CACHE_PAGE - 1) / CCA_CACHE_PAGE * CCA_CACHE_PAGE;
}

static enum cca_cache_reason broken(struct cca_table_error *err, size_t offset,
                                    const char *text) {
  if (err) {
    err->status = CCA_TABLE_ERR_CORRUPT;
    err->offset = offset;
    size_t len = strlen(text);
    memcpy(err->text, text, len + 1);
  }
  return CCA_CACHE_BROKEN;
}

static bool all_zero(const unsigned char *bytes, size_t from, size_t to) {
  for (; from < to; from++)
    if (bytes[from])
      return false;
  return true;
}

static enum cca_cache_reason check_end(const unsigned char *image, size_t len) {
  if (len < CCA_CACHE_PAGE + CCA_CACHE_FOOTER || len > CCA_CACHE_MAX)
    return CCA_CACHE_SIZE;
  const unsigned char *end = image + len - CCA_CACHE_FOOTER;
  if (len % CCA_CACHE_PAGE != CCA_CACHE_FOOTER || memcmp(end, FOOTER_MAGIC, 8))
    return CCA_CACHE_CUT;
  if (cca_load_4(end + 8) != FOOTER_VERSION)
    return CCA_CACHE_FORMAT;
  if (cca_load_8(end + 16) != len)
    return CCA_CACHE_CUT;
  if (cca_load_4(end + 12) ||
      cca_load_8(end + FOOTER_SUM) !=
          cca_cache_sum(0, image, len - CCA_CACHE_FOOTER + FOOTER_SUM))
    return CCA_CACHE_CHECKSUM;
  return CCA_CACHE_USED;
}

/* Areas lie one behind the other, from the table to the footer. */
static enum cca_cache_reason check_areas(const struct cca_cache *cache,
                                         struct cca_table_error *err) {
  const struct cca_table *t = &cache->table;
  uint64_t end = cache->len - CCA_CACHE_FOOTER, at = whole_pages(t->len);
  if (at > end || !all_zero(cache->image, t->len, at))
    return broken(err, t->len, "what follows the table is not zero");
  for (uint32_t i = 0; i < cca_cache_area_count(t); i++) {
    struct cca_cache_area area = cca_cache_area_at(t, i);
    const unsigned char *row = cca_table_row(t, CCA_CHUNK_CACHE_AREA, i);
    size_t offset = (size_t)(row - cache->image);
    uint64_t next = at + whole_pages(area.size);
    if ((uint64_t)area.offset * CCA_CACHE_PAGE != at || next > end)
      return broken(err, offset, "an area is not where it should be");
    if (!all_zero(cache->image, at + area.size, next))
      return broken(err, at + area.size, "what follows an area is not zero");
    at = next;
  }
  return at == end ? CCA_CACHE_USED
                   : broken(err, at, "more pages than areas need");
}

enum cca_cache_reason cca_cache_open(struct cca_cache *cache, const void *image,
                                     size_t len, struct cca_table_error *err) {
  *cache = (struct cca_cache){image, len, {0}};
  if (err)
    *err = (struct cca_table_error){0};
  enum cca_cache_reason reason = check_end(image, len);
  if (reason != CCA_CACHE_USED)
    return reason;
  switch (cca_table_open(&cache->table, &cca_cache_schema, image,
                         len - CCA_CACHE_FOOTER, err)) {
  case CCA_TABLE_OK:
    return check_areas(cache, err);
  case CCA_TABLE_ERR_OLDER:
  case CCA_TABLE_ERR_VERSION:
    return CCA_CACHE_FORMAT;
  default:
    return CCA_CACHE_BROKEN;
  }
}

const void *cca_cache_area(const struct cca_cache *cache, uint32_t client,
                           const char *name, size_t *size) {
  const struct cca_table *t = &cache->table;
  for (uint32_t i = 0; i < cca_cache_area_count(t); i++) {
    struct cca_cache_area area = cca_cache_area_at(t, i);
    if (area.client == client &&
        !strcmp(cca_table_string(t, area.name), name)) {
      *size = area.size;
      return cache->image + (size_t)area.offset * CCA_CACHE_PAGE;
    }
  }
  return NULL;
}

/* ---- May it be used? ---- */

static enum cca_cache_reason match_client(const struct cca_table *t,
                                          struct cca_cache_client was,
                                          const struct cca_cache_tool *is) {
  if (strcmp(cca_table_string(t, was.id), is->id) != 0)
    return CCA_CACHE_CLIENTS;
  if (strcmp(cca_table_string(t, was.version), is->version) != 0)
    return CCA_CACHE_CLIENT_VERSION;
  if (strcmp(cca_table_string(t, was.build_id), is->build_id) != 0)
    return CCA_CACHE_CLIENT_REBUILT;
  return CCA_CACHE_USED;
}

enum cca_cache_reason cca_cache_match_clients(const struct cca_cache *cache,
                                              const struct cca_cache_key *key,
                                              uint32_t *which) {
  const struct cca_table *t = &cache->table;
  *which = CCA_NONE;
  uint32_t there = 0; /* at start */
  while (there < cca_cache_client_count(t) &&
         !(cca_cache_client_at(t, there).flags & CCA_CACHE_CLIENT_FLAGS_LATE))
    there++;
  if (there != key->client_count)
    return CCA_CACHE_CLIENTS;
  for (uint32_t i = 0; i < key->client_count; i++) {
    enum cca_cache_reason reason =
        match_client(t, cca_cache_client_at(t, i), &key->clients[i]);
    *which = i;
    if (reason != CCA_CACHE_USED)
      return reason;
  }
  *which = CCA_NONE;
  return CCA_CACHE_USED;
}

enum cca_cache_reason cca_cache_match_late(const struct cca_cache *cache,
                                           const struct cca_cache_tool *client,
                                           uint32_t *row) {
  const struct cca_table *t = &cache->table;
  for (uint32_t i = 0; i < cca_cache_client_count(t); i++) {
    struct cca_cache_client was = cca_cache_client_at(t, i);
    *row = i;
    if (was.flags & CCA_CACHE_CLIENT_FLAGS_LATE &&
        !strcmp(cca_table_string(t, was.id), client->id))
      return match_client(t, was, client);
  }
  return CCA_CACHE_CLIENTS;
}

static enum cca_cache_reason match_module(const struct cca_table *t,
                                          struct cca_cache_module was,
                                          const struct cca_identity *is) {
  if (strcmp(cca_table_string(t, was.path), is->path) != 0)
    return CCA_CACHE_MODULES;
  if (!is->known)
    return CCA_CACHE_UNIDENTIFIED;
  if (strcmp(cca_table_string(t, was.build_id), is->build_id) != 0)
    return CCA_CACHE_REBUILT;
  if ((uint64_t)was.digest != is->digest || (uint64_t)was.span != is->span)
    return *is->build_id ? CCA_CACHE_CHANGED : CCA_CACHE_REBUILT;
  return CCA_CACHE_USED;
}

enum cca_cache_reason cca_cache_match(const struct cca_cache *cache,
                                      const struct cca_cache_key *key,
                                      uint32_t *which) {
  const struct cca_table *t = &cache->table;
  struct cca_cache_head head = cca_cache_head_at(t, 0);
  *which = CCA_NONE;
  if (strcmp(cca_table_string(t, head.runtime), key->runtime) != 0)
    return CCA_CACHE_RUNTIME;
  if ((uint64_t)head.options != key->options)
    return CCA_CACHE_OPTIONS;
  enum cca_cache_reason reason = CCA_CACHE_USED;
  for (uint32_t i = 0; reason == CCA_CACHE_USED && i < key->module_count; i++) {
    *which = i;
    if (i >= cca_cache_module_count(t) ||
        cca_cache_module_at(t, i).flags & CCA_CACHE_MODULE_FLAGS_LATE)
      return CCA_CACHE_MODULES;
    reason = match_module(t, cca_cache_module_at(t, i), &key->modules[i]);
  }
  if (reason != CCA_CACHE_USED)
    return reason;
  *which = CCA_NONE;
  for (uint32_t i = key->module_count; i < cca_cache_module_count(t); i++)
    if (!(cca_cache_module_at(t, i).flags & CCA_CACHE_MODULE_FLAGS_LATE))
      return CCA_CACHE_MODULES;
  return CCA_CACHE_USED;
}

void cca_cache_digits(uint64_t number, char to[16]) {
  for (unsigned i = 0; i < 16; i++)
    to[i] = "0123456789abcdef"[number >> (60 - 4 * i) & 15];
}

void cca_cache_name(const struct cca_cache_key *key,
                    char name[CCA_CACHE_NAME]) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < key->module_count; i++)
    sum = cca_cache_sum(sum, key->modules[i].path,
                        strlen(key->modules[i].path) + 1);
  sum = cca_cache_sum(sum, key->client_list, strlen(key->client_list));
  cca_cache_digits(sum, name);
  memcpy(name + 16, ".cache", sizeof ".cache");
}

/* ---- Writing ---- */

/* The chunks of a cache, in the order of the file. */
static const struct {
  uint32_t id, row_size;
} chunks[] = {
    {CCA_CHUNK_CACHE_HEAD, sizeof(struct cca_wire_cache_head)},
    {CCA_CHUNK_CACHE_MODULE, sizeof(struct cca_wire_cache_module)},
    {CCA_CHUNK_CACHE_CALL, sizeof(struct cca_wire_cache_call)},
    {CCA_CHUNK_CACHE_BINDING, sizeof(struct cca_wire_cache_binding)},
    {CCA_CHUNK_CACHE_CLIENT, sizeof(struct cca_wire_cache_client)},
    {CCA_CHUNK_CACHE_AREA, sizeof(struct cca_wire_cache_area)},
    {CCA_CHUNK_STRINGS, 1},
};
enum { CHUNKS = sizeof chunks / sizeof chunks[0], HEADER = 32, ENTRY = 16 };

/* Where the parts of the file will be. */
struct plan {
  uint64_t count[CHUNKS], at[CHUNKS];
  uint64_t table, size;
};

static uint64_t strings_of(const struct cca_cache_content *c) {
  const struct cca_cache_key *key = c->key;
  uint64_t len = 1 + strlen(key->runtime) + 1;
  for (uint32_t i = 0; i < key->module_count; i++)
    len +=
        strlen(key->modules[i].path) + 1 + strlen(key->modules[i].build_id) + 1;
  for (uint32_t i = 0; i < key->client_count; i++)
    len += strlen(key->clients[i].id) + 1 + strlen(key->clients[i].version) +
           1 + strlen(key->clients[i].build_id) + 1;
  for (uint32_t i = 0; i < c->blob_count; i++)
    len += strlen(c->blobs[i].name) + 1;
  return len;
}

static struct plan plan_of(const struct cca_cache_content *c) {
  struct plan plan = {.count = {1, c->key->module_count, c->call_count,
                                c->binding_count, c->key->client_count,
                                c->blob_count, strings_of(c)}};
  uint64_t at = HEADER;
  for (unsigned i = 0; i < CHUNKS; i++)
    at += plan.count[i] ? ENTRY : 0;
  for (unsigned i = 0; i < CHUNKS; i++) {
    plan.at[i] = at;
    at += plan.count[i] * chunks[i].row_size;
  }
  plan.table = (at + 7) / 8 * 8;
  plan.size = whole_pages(plan.table);
  for (uint32_t i = 0; i < c->blob_count; i++)
    plan.size += whole_pages(c->blobs[i].size);
  plan.size += CCA_CACHE_FOOTER;
  return plan;
}

size_t cca_cache_size(const struct cca_cache_content *content) {
  struct plan plan = plan_of(content);
  return plan.size > CCA_CACHE_MAX ? 0 : plan.size;
}

/* What is being written. */
struct pen {
  unsigned char *out, *row[CHUNKS];
  const unsigned char *strings;
};

static uint32_t put_string(struct pen *pen, const char *text) {
  if (!*text)
    return 0;
  unsigned char *at = pen->row[CHUNKS - 1];
  size_t len = strlen(text) + 1;
  memcpy(at, text, len);
  pen->row[CHUNKS - 1] += len;
  return (uint32_t)(at - pen->strings);
}

static void put_table_header(const struct plan *plan, unsigned char *out) {
  static const unsigned char start[16] = "\x89"
                                         "cca\r\n\x1a\n"
                                         "cach\x02\0\0";
  memcpy(out, start, sizeof start);
  cca_save_4(out + 16, (uint32_t)plan->table);
  uint32_t used = 0;
  for (unsigned i = 0; i < CHUNKS; i++) {
    if (!plan->count[i])
      continue;
    unsigned char *entry = out + HEADER + used++ * ENTRY;
    cca_save_4(entry, chunks[i].id);
    cca_save_4(entry + 4, chunks[i].row_size);
    cca_save_4(entry + 8, (uint32_t)plan->count[i]);
    cca_save_4(entry + 12, (uint32_t)plan->at[i]);
  }
  cca_save_4(out + 20, used);
}

static void put_modules(struct pen *pen, const struct cca_cache_content *c) {
  for (uint32_t i = 0; i < c->key->module_count; i++) {
    const struct cca_identity *is = &c->key->modules[i];
    struct cca_cache_module row = c->modules[i];
    row.path = put_string(pen, is->path);
    row.build_id = put_string(pen, is->build_id);
    row.digest = (int64_t)is->digest;
    row.span = (int64_t)is->span;
    cca_cache_module_encode(pen->row[1], row);
    pen->row[1] += chunks[1].row_size;
  }
}

static void put_blobs(struct pen *pen, const struct cca_cache_content *c,
                      uint64_t at) {
  for (uint32_t i = 0; i < c->blob_count; i++) {
    const struct cca_cache_blob *blob = &c->blobs[i];
    struct cca_cache_area row = {
        .client = blob->client,
        .name = put_string(pen, blob->name),
        .kind = blob->kind,
        .offset = (uint32_t)(at / CCA_CACHE_PAGE),
        .size = blob->size,
    };
    cca_cache_area_encode(pen->row[5], row);
    pen->row[5] += chunks[5].row_size;
    memcpy(pen->out + at, blob->bytes, blob->size);
    at += whole_pages(blob->size);
  }
}

void cca_cache_make(const struct cca_cache_content *c, unsigned char *out,
                    size_t size) {
  struct plan plan = plan_of(c);
  struct pen pen = {.out = out, .strings = out + plan.at[CHUNKS - 1]};
  for (unsigned i = 0; i < CHUNKS; i++)
    pen.row[i] = out + plan.at[i];
  pen.row[CHUNKS - 1]++; /* the empty string */
  put_table_header(&plan, out);
  struct cca_cache_head head = {.runtime = put_string(&pen, c->key->runtime),
                                .options = (int64_t)c->key->options};
  cca_cache_head_encode(pen.row[0], head);
  put_modules(&pen, c);
  for (uint32_t i = 0; i < c->call_count; i++, pen.row[2] += chunks[2].row_size)
    cca_cache_call_encode(pen.row[2], c->calls[i]);
  for (uint32_t i = 0; i < c->binding_count;
       i++, pen.row[3] += chunks[3].row_size)
    cca_cache_binding_encode(pen.row[3], c->bindings[i]);
  for (uint32_t i = 0; i < c->key->client_count; i++) {
    const struct cca_cache_tool *is = &c->key->clients[i];
    struct cca_cache_client row = {put_string(&pen, is->id),
                                   put_string(&pen, is->version),
                                   put_string(&pen, is->build_id),
                                   is->late ? CCA_CACHE_CLIENT_FLAGS_LATE : 0};
    cca_cache_client_encode(pen.row[4], row);
    pen.row[4] += chunks[4].row_size;
  }
  put_blobs(&pen, c, whole_pages(plan.table));
  unsigned char *end = out + size - CCA_CACHE_FOOTER;
  memcpy(end, FOOTER_MAGIC, 8);
  cca_save_4(end + 8, FOOTER_VERSION);
  cca_save_8(end + 16, size);
  cca_save_8(end + FOOTER_SUM,
             cca_cache_sum(0, out, size - CCA_CACHE_FOOTER + FOOTER_SUM));
}
