/* SPDX-License-Identifier: MIT */
/*
 * patch.c -- fill the return addresses into a finished output.
 *
 * In:    the placeholder, the plan, the link map, the output, and what was
 *        found in it.
 * Out:   the ADDRESS rows of the output's note, sorted by address, dead first.
 * Holds: a row gets the address of its own section or none.
 *
 * A section is recognised by object and name.  Objects have several sections of
 * one name (COMDAT groups, -fno-unique-section-names), and the map tells them
 * apart by order alone; so the n-th one shown is the n-th one of the object
 * only if all of them are shown.  If not, the size must decide, and where it
 * can't, the rows are dead.  A size that is not the object's means that the
 * linker changed the code (relaxation), and offsets with it: dead as well.
 *
 * The output is written in place, one write of just these rows.  A new file
 * renamed over it would lose hard links, attributes and whatever the linker
 * set up, and would copy gigabytes; and a crash between a linker's writes and
 * ours leaves no less than a crash among the linker's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "map.h"
#include "patch.h"
#include "summaries/carrier.h"
#include "summaries/table.h"

/* What may be said of an address that was found in the output. */
enum {
  FOUND_FLAGS = CCA_ADDRESS_FLAGS_INLINED | CCA_ADDRESS_FLAGS_TAIL |
                CCA_ADDRESS_FLAGS_AMBIGUOUS
};

static void put_number(unsigned char *bytes, size_t size, uint64_t value) {
  for (size_t i = 0; i < size; i++)
    bytes[i] = (unsigned char)(value >> (8 * i));
}

static void put_row(unsigned char *rows, uint32_t i,
                    const struct cca_address *row) {
  struct cca_wire_address *wire = (struct cca_wire_address *)rows + i;
  put_number(wire->value, sizeof wire->value, (uint64_t)row->value);
  put_number(wire->site, sizeof wire->site, row->site);
  put_number(wire->flags, sizeof wire->flags, row->flags);
}

void cca_patch_clear(void *image, size_t len) {
  struct cca_table table;
  if (cca_table_open(&table, &cca_classification_schema, image, len, NULL) < 0)
    return;
  unsigned char *rows =
      (unsigned char *)image +
      (table.rows[CCA_CHUNK_ADDRESS] - (const unsigned char *)image);
  for (uint32_t i = 0; i < cca_address_count(&table); i++) {
    struct cca_address row = cca_address_at(&table, i);
    row.value = 0;
    row.flags |= CCA_ADDRESS_FLAGS_DEAD;
    put_row(rows, i, &row);
  }
}

struct shown {
  uint64_t address, size;
};

/* Sections of one name in one object, and where the map shows them. */
struct group {
  const char *object;
  bool ambiguous; /* two objects of one name */
  struct cca_vec(struct shown) shown;
};

struct locator {
  struct cca_map by_name; /* object, zero byte, section: 1 + index of group */
  struct cca_vec(struct group) groups;
  struct cca_text path, key;
};

/* Append PATH without "." and empty components and without "x/..": mold shows
 * names like this, whatever they were on the command line. */
static void add_clean(struct cca_text *out, const char *path, size_t len) {
  size_t start = out->len;
  if (len > 0 && path[0] == '/')
    cca_text_adds(out, "/");
  size_t root = out->len;
  for (size_t at = 0, end; at < len; at = end + 1) {
    const char *slash = memchr(path + at, '/', len - at);
    end = slash ? (size_t)(slash - path) : len;
    size_t n = end - at;
    if (n == 0 || (n == 1 && path[at] == '.'))
      continue;
    if (n == 2 && memcmp(path + at, "..", 2) == 0 && out->len > root &&
        !(out->len >= root + 2 &&
          memcmp(out->data + out->len - 2, "..", 2) == 0)) {
      while (out->len > root && out->data[out->len - 1] != '/')
        out->len--;
      if (out->len > root)
        out->len--;
      continue;
    }
    if (out->len > root)
      cca_text_adds(out, "/");
    cca_text_add(out, path + at, n);
  }
  if (out->len == start)
    cca_text_adds(out, ".");
}

static struct group *find_group(struct locator *l, const char *folder,
                                size_t folder_len, const char *object,
                                size_t object_len, const char *section,
                                size_t section_len, bool add) {
  l->key.len = l->path.len = 0;
  cca_text_add(&l->path, folder, folder_len);
  cca_text_add(&l->path, object, object_len);
  add_clean(&l->key, l->path.data, l->path.len);
  cca_text_add(&l->key, "", 1);
  cca_text_add(&l->key, section, section_len);
  if (!add) {
    const uint32_t *found = cca_map_find(&l->by_name, l->key.data, l->key.len);
    return found ? &l->groups.items[*found - 1] : NULL;
  }
  bool is_new;
  uint32_t *number = cca_map_at(&l->by_name, l->key.data, l->key.len, &is_new);
  if (is_new) {
    struct group group = {0};
    cca_vec_push(&l->groups, group);
    *number = (uint32_t)l->groups.count;
  }
  return &l->groups.items[*number - 1];
}

static void see_entry(void *context, const struct cca_link_map_entry *e) {
  struct locator *l = context;
  struct group *group = find_group(l, "", 0, e->object, e->object_len,
                                   e->section, e->section_len, false);
  /* A member of a thin archive is planned as the file that it is, relative to
   * the archive's folder; some maps call it ARCHIVE(MEMBER). */
  if (!group && e->object_len > 2 && e->object[e->object_len - 1] == ')') {
    const char *end = e->object + e->object_len - 1;
    const char *open = memrchr(e->object, '(', e->object_len);
    if (open) {
      const char *slash = memrchr(e->object, '/', (size_t)(open - e->object));
      size_t folder = slash ? (size_t)(slash + 1 - e->object) : 0;
      if (open[1] == '/')
        folder = 0;
      group =
          find_group(l, e->object, folder, open + 1, (size_t)(end - open - 1),
                     e->section, e->section_len, false);
    }
  }
  if (!group)
    return;
  struct shown shown = {e->address, e->size};
  cca_vec_push(&group->shown, shown);
}

/* The address of SECTION, or 0. */
static uint64_t decide(const struct group *group,
                       const struct cca_plan_section *section) {
  uint64_t address = 0;
  if (group->ambiguous)
    return 0;
  if (group->shown.count == section->count)
    return group->shown.items[section->ordinal].size == section->size
               ? group->shown.items[section->ordinal].address
               : 0;
  for (size_t i = 0; i < group->shown.count && section->alike == 1; i++)
    if (group->shown.items[i].size == section->size) {
      if (address != 0)
        return 0;
      address = group->shown.items[i].address;
    }
  return address;
}

void cca_patch_locate(const struct cca_plan *plan, enum cca_linker_kind kind,
                      const char *map, size_t map_len, uint64_t *addresses,
                      size_t row_count) {
  struct locator l = {0};
  for (size_t i = 0; i < plan->sections.count; i++) {
    const struct cca_plan_section *s = &plan->sections.items[i];
    struct group *group = find_group(&l, "", 0, s->object, strlen(s->object),
                                     s->name, strlen(s->name), true);
    group->ambiguous |=
        (group->object && group->object != s->object) || s->ordinal >= s->count;
    group->object = s->object;
  }
  cca_link_map_read(kind, map, map_len, see_entry, &l);

  memset(addresses, 0, row_count * sizeof *addresses);
  for (size_t i = 0; i < plan->sections.count; i++) {
    const struct cca_plan_section *s = &plan->sections.items[i];
    uint64_t start = decide(find_group(&l, "", 0, s->object, strlen(s->object),
                                       s->name, strlen(s->name), false),
                            s);
    for (uint32_t r = 0; start != 0 && r < s->row_count; r++) {
      const struct cca_plan_row *row = &plan->rows.items[s->first_row + r];
      /* A return address may be the section's end, after a noreturn call. */
      if (row->row < row_count && row->offset <= s->size)
        addresses[row->row] = start + row->offset;
    }
  }

  for (size_t i = 0; i < l.groups.count; i++)
    cca_vec_release(&l.groups.items[i].shown);
  cca_vec_release(&l.groups);
  cca_map_release(&l.by_name);
  cca_text_release(&l.key);
  cca_text_release(&l.path);
}

/* Rows without an address, and which of them are room for anything. */
struct spare {
  struct cca_map by_site; /* 1 + the site's last row in next */
  uint32_t *next;         /* by row: 1 + another one of its site; 0: no more */
  struct cca_vec(uint32_t) room;
};

static void find_spare(struct spare *spare, const struct cca_plan *plan,
                       const struct cca_address *rows, uint32_t count) {
  bool *planned = cca_calloc(count, sizeof *planned);
  for (size_t i = 0; i < plan->rows.count; i++)
    if (plan->rows.items[i].row < count)
      planned[plan->rows.items[i].row] = true;
  spare->next = cca_calloc(count, sizeof *spare->next);
  for (uint32_t i = count; i-- > 0;) {
    if (rows[i].value != 0)
      continue;
    uint32_t *last =
        cca_map_at(&spare->by_site, &rows[i].site, sizeof rows[i].site, NULL);
    spare->next[i] = *last;
    *last = i + 1;
    if (!planned[i])
      cca_vec_push(&spare->room, i);
  }
  free(planned);
}

/* A row for SITE, or NULL. */
static struct cca_address *take_spare(struct spare *spare,
                                      struct cca_address *rows, uint32_t site) {
  uint32_t *last = cca_map_at(&spare->by_site, &site, sizeof site, NULL);
  while (*last != 0) {
    struct cca_address *row = &rows[*last - 1];
    *last = spare->next[*last - 1];
    if (row->value == 0)
      return row;
  }
  while (spare->room.count > 0) {
    struct cca_address *row = &rows[spare->room.items[--spare->room.count]];
    if (row->value == 0)
      return row;
  }
  return NULL;
}

size_t cca_patch_rows(const struct cca_table *table,
                      const struct cca_plan *plan, const uint64_t *addresses,
                      const struct cca_founds *found,
                      struct cca_address *rows) {
  uint32_t count = cca_address_count(table);
  struct spare spare = {0};
  struct cca_map known = {0};
  size_t left_out = 0;
  for (uint32_t i = 0; i < count; i++) {
    rows[i] = cca_address_at(table, i);
    rows[i].value = (int64_t)addresses[i];
    if (addresses[i] != 0) {
      rows[i].flags &= ~(uint32_t)CCA_ADDRESS_FLAGS_DEAD;
      cca_map_at(&known, &addresses[i], sizeof addresses[i], NULL);
    }
  }
  if (found->count > 0)
    find_spare(&spare, plan, rows, count);
  for (size_t i = 0; i < found->count; i++) {
    const struct cca_found *f = &found->items[i];
    bool is_new;
    if (f->address == 0 || f->site >= cca_allocsite_count(table))
      continue;
    cca_map_at(&known, &f->address, sizeof f->address, &is_new);
    if (!is_new)
      continue;
    struct cca_address *row = take_spare(&spare, rows, f->site);
    if (row)
      *row = (struct cca_address){(int64_t)f->address, f->site,
                                  f->flags & FOUND_FLAGS};
    else
      left_out++;
  }
  cca_map_release(&known);
  cca_map_release(&spare.by_site);
  cca_vec_release(&spare.room);
  free(spare.next);
  return left_out;
}

static int compare_rows(const void *a, const void *b) {
  const struct cca_address *x = a, *y = b;
  if (x->value != y->value)
    return (uint64_t)x->value < (uint64_t)y->value ? -1 : 1;
  if (x->site != y->site)
    return x->site < y->site ? -1 : 1;
  return x->flags < y->flags ? -1 : x->flags > y->flags;
}

/* The bytes of ROWS, sorted; owned. */
static unsigned char *make_rows(const struct cca_address *rows, size_t count) {
  struct cca_address *sorted = cca_calloc(count, sizeof *sorted);
  unsigned char *bytes = cca_calloc(count, sizeof(struct cca_wire_address));
  memcpy(sorted, rows, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_rows);
  for (uint32_t i = 0; i < count; i++)
    put_row(bytes, i, &sorted[i]);
  free(sorted);
  return bytes;
}

static int write_at(int fd, const unsigned char *bytes, size_t len,
                    off_t offset) {
  while (len > 0) {
    ssize_t n = pwrite(fd, bytes, len, offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return -1;
    bytes += n;
    len -= (size_t)n;
    offset += n;
  }
  return 0;
}

/* Where in the LEN bytes at FILE the classification IMAGE is; or NULL. */
static const unsigned char *find_image(const unsigned char *file, size_t len,
                                       const void *image, size_t image_len) {
  const unsigned char *found = NULL;
  struct cca_carrier *carrier = cca_carrier_new(NULL);
  cca_carrier_add_bytes(carrier, "output", file, len);
  for (size_t i = 0; i < cca_carrier_count(carrier) && !found; i++) {
    const struct cca_table *table = cca_carrier_item(carrier, i)->table;
    if (table && table->len <= image_len &&
        memcmp(table->image, image, table->len) == 0)
      found = table->image;
  }
  cca_carrier_free(carrier);
  return found;
}

int cca_patch_file(const char *output, const void *image, size_t len,
                   const struct cca_address *rows, size_t row_count) {
  struct cca_table table;
  if (cca_table_open(&table, &cca_classification_schema, image, len, NULL) <
          0 ||
      cca_address_count(&table) != row_count)
    return -1;
  if (row_count == 0)
    return 0;

  int fd = open(output, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (fd < 0)
    return -1;
  void *file = MAP_FAILED;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  int result = -1;
  if (file != MAP_FAILED) {
    const unsigned char *found =
        find_image(file, (size_t)status.st_size, image, len);
    if (found) {
      size_t offset = (size_t)(found - (const unsigned char *)file) +
                      (size_t)(table.rows[CCA_CHUNK_ADDRESS] - table.image);
      unsigned char *bytes = make_rows(rows, row_count);
      result = write_at(fd, bytes, row_count * sizeof(struct cca_wire_address),
                        (off_t)offset);
      free(bytes);
    }
    munmap(file, (size_t)status.st_size);
  }
  close(fd);
  return result;
}
