/* SPDX-License-Identifier: MIT */
/*
 * carrier.c -- what is this file, and where are its tables?
 *
 * Input:     a file or bytes, of any kind and from anybody.
 * Output:    items in the order of the file: archive members as they stand,
 *            tables of one object as ld -r joined them.
 * Invariant: nothing is read outside the bytes given; each table has passed
 *            cca_table_open(); the work is linear in the size of the input.
 *
 * note.c may find the same note more than once: they are remembered by their
 * place.
 */
#include "carrier.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "bitcode.h"
#include "elf.h"
#include "note.h"
#include "schema.h"

/* Beyond what any linker makes; they keep the work on hostile files linear. */
enum { MAX_DEPTH = 8 /* archives in archives */, MAX_NOTES = 64 };

struct mapping {
  const unsigned char *bytes;
  size_t len;
  const char *wrong; /* why it could not be read; NULL: it could */
};

struct cca_carrier {
  struct cca_arena arena;
  char *producer;
  struct cca_vec(struct cca_carrier_item *) items;
  struct cca_vec(struct mapping) mappings;
  struct cca_map by_path; /* 1 + index of mapping */
};

/* What is being looked at. */
struct place {
  const char *name;   /* for the items */
  const char *folder; /* where a thin archive's members are; NULL: nowhere */
  unsigned depth;
};

static const char *folder_of(struct cca_carrier *c, const char *path) {
  const char *slash = strrchr(path, '/');
  return cca_arena_strndup(&c->arena, path,
                           slash ? (size_t)(slash - path) + 1 : 0);
}

/* ----------------------------------------------------------------- items */

static struct cca_carrier_item *add_item(struct cca_carrier *c,
                                         const struct place *place) {
  struct cca_carrier_item *item = cca_arena_zalloc(&c->arena, 1, sizeof *item);
  item->name = place->name;
  cca_vec_push(&c->items, item);
  return item;
}

static void add_missing(struct cca_carrier *c, const struct place *place,
                        uint32_t part, enum cca_carrier_why why,
                        const char *reason) {
  struct cca_carrier_item *item = add_item(c, place);
  item->kind = CCA_CARRIER_MISSING;
  item->part = part;
  item->why = why;
  item->reason = reason;
}

static void add_table(struct cca_carrier *c, const struct place *place,
                      uint32_t part, enum cca_carrier_kind kind,
                      const struct cca_table *table) {
  struct cca_table *kept = cca_arena_alloc(&c->arena, sizeof *kept);
  *kept = *table;
  struct cca_carrier_item *item = add_item(c, place);
  item->kind = kind;
  item->part = part;
  item->table = kept;
}

/* A table that does not open; MADE, or to MAKE: how it came to be. */
static void add_refused(struct cca_carrier *c, const struct place *place,
                        uint32_t part, const struct cca_table_error *err,
                        const char *made, const char *make) {
  if (err->status == CCA_TABLE_ERR_OLDER) {
    add_missing(c, place, part, CCA_CARRIER_OLDER,
                cca_arena_printf(&c->arena,
                                 "%s by an older cc-allocs (%s); %s it again",
                                 made, err->text, make));
    return;
  }
  bool version = err->status == CCA_TABLE_ERR_VERSION;
  add_missing(c, place, part,
              version ? CCA_CARRIER_VERSION : CCA_CARRIER_CORRUPT,
              cca_arena_printf(&c->arena, "%s at byte %zu: %s",
                               version ? "another format" : "corrupt table",
                               err->offset, err->text));
}

/* --------------------------------------------------------------- objects */

/* The length of a table that is refused for its version, as it says itself in
 * the first of the SIZE bytes; or 0 if that cannot be. */
static size_t refused_length(const struct cca_table_error *err,
                             const unsigned char *bytes, size_t size) {
  if (err->status != CCA_TABLE_ERR_OLDER &&
      err->status != CCA_TABLE_ERR_VERSION)
    return 0;
  size_t len = cca_load_4(bytes + CCA_HEADER_LEN);
  return len < CCA_HEADER_SIZE || len % CCA_IMAGE_ALIGN || len > size ? 0 : len;
}

/* The tables in the SIZE bytes of one section .cc_allocs; *PART counts them. */
static void add_summaries(struct cca_carrier *c, const struct place *place,
                          const unsigned char *bytes, size_t size,
                          uint32_t *part) {
  size_t at = 0;
  while (at < size) {
    struct cca_table table;
    struct cca_table_error err = {0};
    if (cca_table_open(&table, &cca_summary_schema, bytes + at, size - at,
                       &err) < 0) {
      size_t len = refused_length(&err, bytes + at, size - at);
      err.offset += at;
      add_refused(c, place, (*part)++, &err, "compiled", "compile");
      if (!len)
        return; /* where the next one begins is unknown */
      at += len;
      continue;
    }
    const char *producer =
        cca_table_string(&table, cca_unit_at(&table, 0).producer);
    if (c->producer && strcmp(producer, c->producer) != 0)
      add_missing(c, place, *part, CCA_CARRIER_VERSION,
                  cca_arena_printf(&c->arena, "summary by %s", producer));
    else
      add_table(c, place, *part, CCA_CARRIER_SUMMARY, &table);
    ++*part;
    at += table.len; /* a multiple of 8, so the linker leaves no gap */
  }
}

static void add_object(struct cca_carrier *c, const struct place *place,
                       const struct cca_elf *elf) {
  struct cca_elf_section section, target;
  bool contributes = false, lto = false;
  uint64_t total = 0;
  uint32_t part = 0;
  for (uint32_t i = 1; i < elf->section_count; i++) {
    if (!cca_elf_section_at(elf, i, &section)) {
      add_missing(c, place, part, CCA_CARRIER_CORRUPT,
                  cca_arena_printf(&c->arena,
                                   "corrupt object: section %u lies outside "
                                   "the file",
                                   i));
      return;
    }
    if (section.bytes && strcmp(section.name, CCA_SECTION_NAME) == 0) {
      if (!section.size)
        add_missing(c, place, part++, CCA_CARRIER_CORRUPT,
                    "corrupt object: its section " CCA_SECTION_NAME
                    " is empty");
      total += section.size;
      if (total > elf->len) { /* or one table could be read 65000 times */
        add_missing(c, place, part, CCA_CARRIER_CORRUPT,
                    "corrupt object: sections overlap");
        return;
      }
      add_summaries(c, place, section.bytes, section.size, &part);
    }
    /* Code, or data that the linker fills with addresses. */
    if ((section.flags & SHF_EXECINSTR) && section.size)
      contributes = true;
    if ((section.type == SHT_REL || section.type == SHT_RELA) && section.size &&
        cca_elf_section_at(elf, section.info, &target) &&
        (target.flags & SHF_ALLOC) && strcmp(target.name, ".eh_frame") != 0)
      contributes = true;
    if (strncmp(section.name, ".gnu.lto_", 9) == 0)
      lto = true;
  }
  if (part)
    return;
  if (contributes)
    add_missing(c, place, 0, CCA_CARRIER_NO_SECTION,
                "object without a summary");
  else if (lto)
    add_missing(c, place, 0, CCA_CARRIER_NO_SECTION,
                "GIMPLE object without a summary");
}

static void add_bitcode(struct cca_carrier *c, const struct place *place,
                        const unsigned char *bytes, size_t len) {
  size_t size;
  uint32_t part = 0;
  const unsigned char *found = cca_bitcode_find(bytes, len, &size);
  if (found)
    add_summaries(c, place, found, size, &part);
  if (!part)
    add_missing(c, place, 0, CCA_CARRIER_BITCODE,
                "bitcode object without a summary");
}

/* --------------------------------------------------------------- modules */

/* The table in NOTE. */
static void add_note(struct cca_carrier *c, const struct place *place,
                     uint32_t part, const struct cca_note *note) {
  struct cca_table table;
  struct cca_table_error err = {0};
  if (!note->whole)
    add_missing(c, place, part, CCA_CARRIER_CORRUPT,
                "corrupt note: longer than its segment");
  else if (cca_table_open(&table, &cca_classification_schema, note->content,
                          note->len, &err) < 0)
    add_refused(c, place, part, &err, "linked", "link");
  else
    add_table(c, place, part, CCA_CARRIER_CLASSIFICATION, &table);
}

static void add_module(struct cca_carrier *c, const struct place *place,
                       const struct cca_elf *elf) {
  const unsigned char *seen[MAX_NOTES];
  struct cca_note_cursor cursor = {0};
  struct cca_note note;
  uint32_t part = 0;
  while (part < MAX_NOTES && cca_note_next(elf, &cursor, &note)) {
    bool known = false;
    for (uint32_t s = 0; s < part; s++)
      known |= seen[s] == note.content;
    if (known)
      continue;
    seen[part] = note.content;
    add_note(c, place, part++, &note);
  }
  if (!part)
    add_missing(c, place, 0, CCA_CARRIER_NO_NOTE,
                "module without a classification");
}

/* ------------------------------------------------------ archives, any file */

static void add_any(struct cca_carrier *c, const struct place *place,
                    const unsigned char *bytes, size_t len);

static const struct mapping *map_file(struct cca_carrier *c, const char *path);

/* MEMBER of a thin archive, which is a file, or a member of another archive. */
static void add_thin(struct cca_carrier *c, const struct place *place,
                     const struct cca_archive_member *member) {
  const char *path =
      member->name[0] == '/'
          ? cca_arena_strndup(&c->arena, (const char *)member->name,
                              member->name_len)
          : cca_arena_printf(&c->arena, "%s%.*s", place->folder,
                             (int)member->name_len, member->name);
  const struct mapping *file = map_file(c, path);
  struct cca_archive archive;
  if (file->wrong) {
    add_missing(c, place, 0, CCA_CARRIER_UNREADABLE, file->wrong);
    return;
  }
  /* One archive in another is listed member by member by ar, with origins;
   * an archive as a whole is refused, or a few that name each other would
   * keep us busy for ever. */
  if (!cca_archive_open(&archive, file->bytes, file->len)) {
    if (!member->origin)
      add_any(c, place, file->bytes, file->len);
    else
      add_missing(c, place, 0, CCA_CARRIER_CORRUPT,
                  "corrupt archive: a member's origin is no archive");
    return;
  }
  struct cca_archive_member inner;
  while (member->origin && cca_archive_next(&archive, &inner))
    if (inner.header_at == member->origin && inner.content) {
      struct place at = *place;
      at.folder = NULL;
      at.name = cca_arena_printf(&c->arena, "%.*s:%.*s)",
                                 (int)strlen(place->name) - 1, place->name,
                                 (int)inner.name_len, inner.name);
      add_any(c, &at, inner.content, inner.len);
      return;
    }
  add_missing(c, place, 0, CCA_CARRIER_CORRUPT,
              "corrupt archive: an archive as member of a thin archive");
}

/* All members, or the one whose content is at ONLY. */
static void add_archive(struct cca_carrier *c, const struct place *place,
                        struct cca_archive *archive, uint64_t only) {
  struct cca_archive_member member;
  bool found = false;
  if (place->depth >= MAX_DEPTH) {
    add_missing(c, place, 0, CCA_CARRIER_CORRUPT,
                "corrupt archive: archives nested too deeply");
    return;
  }
  while (cca_archive_next(archive, &member)) {
    if (only && (!member.content || member.content_at != only))
      continue;
    found = true;
    struct place at = {.folder = place->folder, .depth = place->depth + 1};
    at.name = cca_arena_printf(&c->arena, "%s(%.*s)", place->name,
                               (int)member.name_len, member.name);
    if (member.content)
      add_any(c, &at, member.content, member.len);
    else if (place->folder)
      add_thin(c, &at, &member);
    else
      add_missing(c, &at, 0, CCA_CARRIER_UNREADABLE,
                  "the member of a thin archive is not here");
    if (only)
      return;
  }
  if (archive->wrong)
    add_missing(c, place, 0, CCA_CARRIER_CORRUPT,
                cca_arena_printf(&c->arena, "corrupt archive at byte %zu: %s",
                                 archive->wrong_at, archive->wrong));
  else if (only && !found)
    add_missing(c, place, 0, CCA_CARRIER_CORRUPT,
                "corrupt archive: no member begins there");
}

static void add_any(struct cca_carrier *c, const struct place *place,
                    const unsigned char *bytes, size_t len) {
  struct cca_archive archive;
  struct cca_elf elf;
  if (cca_archive_open(&archive, bytes, len)) {
    /* A thin archive inside another has no place that its paths start from. */
    struct place at = *place;
    if (place->depth)
      at.folder = NULL;
    add_archive(c, &at, &archive, 0);
    return;
  }
  if (cca_bitcode_is(bytes, len)) {
    add_bitcode(c, place, bytes, len);
    return;
  }
  if (!cca_elf_is(bytes, len)) {
    add_missing(c, place, 0, CCA_CARRIER_NOT_ELF, "not an ELF file");
    return;
  }
  const char *wrong = cca_elf_open(&elf, bytes, len);
  if (wrong)
    add_missing(c, place, 0, CCA_CARRIER_CORRUPT,
                cca_arena_printf(&c->arena, "corrupt object: %s", wrong));
  else if (elf.type == ET_REL)
    add_object(c, place, &elf);
  else if (elf.type == ET_DYN || elf.type == ET_EXEC)
    add_module(c, place, &elf);
  else
    add_missing(c, place, 0, CCA_CARRIER_NOT_ELF,
                "neither an object nor a module");
}

/* ----------------------------------------------------------------- files */

/* Map a regular file; the result is borrowed until the next call. */
static struct mapping open_mapping(struct cca_carrier *c, const char *path) {
  struct mapping map = {.bytes = (const unsigned char *)""};
  struct stat status;
  int error = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 || fstat(fd, &status))
    error = errno;
  else if (!S_ISREG(status.st_mode))
    map.wrong = "cannot read it: not a regular file";
  else if (status.st_size > 0) {
    void *bytes =
        mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
      error = errno;
    else {
      map.bytes = bytes;
      map.len = (size_t)status.st_size;
    }
  }
  if (fd >= 0)
    close(fd);
  if (error)
    map.wrong =
        cca_arena_printf(&c->arena, "cannot read it: %s", strerror(error));
  return map;
}

/* Each file is mapped once, however many of its members are asked for. */
static const struct mapping *map_file(struct cca_carrier *c, const char *path) {
  uint32_t *slot = cca_map_at(&c->by_path, path, strlen(path), NULL);
  if (!*slot) {
    cca_vec_push(&c->mappings, open_mapping(c, path));
    *slot = (uint32_t)c->mappings.count;
  }
  return &c->mappings.items[*slot - 1];
}

struct cca_carrier *cca_carrier_new(const char *producer) {
  struct cca_carrier *c = cca_calloc(1, sizeof *c);
  if (producer)
    c->producer = cca_arena_strdup(&c->arena, producer);
  return c;
}

void cca_carrier_free(struct cca_carrier *c) {
  if (!c)
    return;
  for (size_t i = 0; i < c->mappings.count; i++)
    if (c->mappings.items[i].len)
      munmap((void *)(uintptr_t)c->mappings.items[i].bytes,
             c->mappings.items[i].len);
  cca_vec_release(&c->mappings);
  cca_vec_release(&c->items);
  cca_map_release(&c->by_path);
  cca_arena_release(&c->arena);
  free(c);
}

void cca_carrier_add_member(struct cca_carrier *c, const char *path,
                            uint64_t offset) {
  struct place place = {.name = cca_arena_strdup(&c->arena, path),
                        .folder = folder_of(c, path)};
  struct mapping file = *map_file(c, path);
  struct cca_archive archive;
  if (file.wrong)
    add_missing(c, &place, 0, CCA_CARRIER_UNREADABLE, file.wrong);
  else if (!offset)
    add_any(c, &place, file.bytes, file.len);
  else if (cca_archive_open(&archive, file.bytes, file.len))
    add_archive(c, &place, &archive, offset);
  else
    add_missing(c, &place, 0, CCA_CARRIER_CORRUPT, "not an archive");
}

void cca_carrier_add_file(struct cca_carrier *c, const char *path) {
  cca_carrier_add_member(c, path, 0);
}

void cca_carrier_add_bytes(struct cca_carrier *c, const char *name,
                           const void *bytes, size_t len) {
  struct place place = {.name = cca_arena_strdup(&c->arena, name)};
  add_any(c, &place, bytes, len);
}

size_t cca_carrier_count(const struct cca_carrier *c) { return c->items.count; }

const struct cca_carrier_item *cca_carrier_item(const struct cca_carrier *c,
                                                size_t i) {
  return c->items.items[i];
}
