/* SPDX-License-Identifier: MIT */
/*
 * units.c -- from a link's inputs to the solver's units, and back.
 *
 * In:    objects, most with a summary in a section; places from the solver.
 * Out:   units in link order, those without summary with the reason; and for
 *        each place the section that it is in, so that a map can be asked.
 * Holds: a unit's name says nothing that another build of the same sources in
 *        another folder would not say.
 *
 * Objects that one command both compiles and links are temporary, have random
 * names and no section: their summaries lie in a folder, numbered as the
 * sources.  The linker gets the objects in the same order, with others in
 * between; which is which, the symbol of type STT_FILE tells, which both gcc
 * and clang name after the source, and of bitcode the name that clang gives it.
 *
 * Start files and the like, from the system's folders, are not the program's:
 * they are left out.  Members of the system's archives are too, unless the
 * link is static, where one unit per archive says what is not known.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "summaries/bitcode.h"
#include "summaries/elf.h"
#include "summaries/table.h"
#include "units.h"
#include "wanted.h"

extern char **environ;

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void add_unit(struct cca_units *units, const char *name,
                     const struct cca_table *summary, const char *reason,
                     uint32_t input) {
  struct cca_solver_unit unit = {name, summary, reason, false};
  cca_vec_push(&units->list, unit);
  cca_vec_push(&units->inputs, input);
}

/* The source that the object says it was made from; NULL if it does not. */
static const char *source_of(const struct cca_object *input) {
  struct cca_elf elf;
  struct cca_elf_section section, strings;
  struct cca_elf_symbol symbol;
  if (cca_elf_open(&elf, input->bytes, input->len) != NULL)
    return NULL;
  for (uint32_t i = 1; i < elf.section_count; i++) {
    if (!cca_elf_section_at(&elf, i, &section) || section.type != SHT_SYMTAB ||
        section.link >= elf.section_count ||
        !cca_elf_section_at(&elf, section.link, &strings))
      continue;
    uint64_t count = cca_elf_symbol_count(&elf, &section);
    for (uint64_t s = 1; s < count; s++)
      if (cca_elf_symbol_at(&elf, &section, &strings, NULL, s, &symbol) &&
          symbol.type == STT_FILE)
        return symbol.name;
  }
  return NULL;
}

/* Does a call or jump of x86 end before offset AT of CODE? */
static bool follows_branch(const struct cca_elf_section *code, uint32_t at) {
  const unsigned char *end = code->bytes + at;
  if (at > code->size)
    return false;
  return (at >= 5 && (end[-5] & 0xfe) == 0xe8) ||
         (at >= 6 && end[-6] == 0xff) || (at >= 6 && end[-6] == 0x0f) ||
         (at >= 2 &&
          (end[-2] == 0xff || end[-2] == 0xeb || (end[-2] & 0xf0) == 0x70)) ||
         (at >= 3 && end[-3] == 0xff) || (at >= 4 && end[-4] == 0xff) ||
         (at >= 7 && end[-7] == 0xff);
}

/* Are the places in SUMMARY those of INPUT's code?  `ld -r` moves it, also that
 * of an object which is the only one with a summary. */
static bool places_hold(const struct cca_object *input,
                        const struct cca_table *summary) {
  struct cca_elf elf;
  struct cca_elf_section code = {0};
  uint32_t index = 0;
  if (cca_elf_open(&elf, input->bytes, input->len) != NULL ||
      (elf.machine != EM_X86_64 && elf.machine != EM_386))
    return true;
  for (uint32_t i = 0; i < cca_site_count(summary); i++) {
    struct cca_site site = cca_site_at(summary, i);
    if (site.index != index && (site.index >= elf.section_count ||
                                !cca_elf_section_at(&elf, site.index, &code)))
      return false;
    index = site.index;
    if (!code.bytes || !follows_branch(&code, site.offset) ||
        strcmp(code.name, cca_table_string(summary, site.section)) != 0)
      return false;
  }
  return true;
}

/* Summaries of the folder -------------------------------------------------- */

struct folder {
  const char *path, *analyser;
  unsigned next; /* number of the next source */
};

/* Enough for any command line; the gap is of sources without summary. */
enum { MAX_SOURCES = 4096, MAX_GAP = 64 };

/* The table in the file PATH, which is kept; or NULL. */
static const struct cca_table *open_summary(struct cca_units *units,
                                            const char *path) {
  struct cca_text *image = cca_arena_zalloc(&units->arena, 1, sizeof *image);
  struct cca_table *table = cca_arena_zalloc(&units->arena, 1, sizeof *table);
  if (cca_file_read(path, SIZE_MAX, image) == 0 &&
      cca_table_open(table, &cca_summary_schema, image->data, image->len,
                     NULL) == CCA_TABLE_OK) {
    cca_vec_push(&units->images, image);
    return table;
  }
  cca_text_release(image);
  return NULL;
}

/* Let the analyser look up the calls of SUMMARY in OBJECT's code. */
static void join_object(const struct folder *folder, const char *object,
                        const char *summary) {
  char *argv[] = {strdup(folder->analyser), strdup("--join"), strdup(object),
                  strdup(summary), NULL};
  posix_spawn_file_actions_t actions;
  pid_t pid;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) == 0)
    waitpid(pid, NULL, 0);
  posix_spawn_file_actions_destroy(&actions);
  for (size_t i = 0; argv[i]; i++)
    free(argv[i]);
}

/* Was the temporary object INPUT made from PATH?  An object says from which
 * SOURCE; bitcode does not, but clang names it after that: STEM-RANDOM.o. */
static bool is_made_from(const struct cca_object *input, const char *source,
                         const char *path) {
  const char *name = base_name(input->name), *dash = strrchr(name, '-');
  const char *base = base_name(path);
  if (source)
    return strcmp(base, source) == 0;
  size_t len = dash ? (size_t)(dash - name) : 0;
  return len > 0 && strncmp(base, name, len) == 0 && base[len] == '.';
}

/* The summary of the next source if that is what INPUT was made from. */
static const struct cca_table *take_summary(struct cca_units *units,
                                            struct folder *folder,
                                            const struct cca_object *input,
                                            const char *source) {
  for (unsigned i = folder->next; i < folder->next + MAX_GAP && i < MAX_SOURCES;
       i++) {
    const char *path =
        cca_arena_printf(&units->arena, "%s/%u.summary", folder->path, i);
    const struct cca_table *table = open_summary(units, path);
    if (!table ||
        !is_made_from(input, source,
                      cca_table_string(table, cca_unit_at(table, 0).source)))
      continue;
    folder->next = i + 1;
    if (source && folder->analyser && cca_site_count(table) == 0) {
      join_object(folder, input->name, path);
      const struct cca_table *joined = open_summary(units, path);
      table = joined ? joined : table;
    }
    return table;
  }
  return NULL;
}

/* Wait until the analyses are over that write into the folder: whoever started
 * them holds this lock so long. */
static void wait_for_summaries(struct cca_units *units, const char *folder) {
  int fd = open(cca_arena_printf(&units->arena, "%s/lock", folder),
                O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  while (flock(fd, LOCK_SH) != 0 && errno == EINTR)
    ;
  close(fd);
}

/* Units -------------------------------------------------------------------- */

static bool is_temporary(const char *path) {
  const char *tmp = getenv("TMPDIR");
  size_t len = tmp ? strlen(tmp) : 0;
  while (len > 1 && tmp[len - 1] == '/')
    len--;
  return strncmp(path, "/tmp/", 5) == 0 || strncmp(path, "/var/tmp/", 9) == 0 ||
         (len > 0 && strncmp(path, tmp, len) == 0 && path[len] == '/');
}

static void add_missing(struct cca_units *units, struct folder *folder,
                        const struct cca_object *input, uint32_t number,
                        const struct cca_carrier_item *item) {
  const char *source = input->archive ? NULL : source_of(input);
  bool is_bitcode = cca_bitcode_is(input->bytes, input->len);
  if (folder->path && !input->archive &&
      (source || (is_bitcode && is_temporary(input->name)))) {
    const struct cca_table *table = take_summary(units, folder, input, source);
    if (table) {
      add_unit(units, cca_table_string(table, cca_unit_at(table, 0).source),
               table, NULL, number);
      units->list.items[units->list.count - 1].is_remade =
          cca_object_is_remade(input);
      return;
    }
  }
  const char *name = item->name;
  if (folder->path && !input->archive && is_temporary(name)) /* and random */
    name =
        source ? cca_arena_strdup(&units->arena, source) : "temporary object";
  add_unit(units, name, NULL, item->reason, number);
}

static void add_system(struct cca_units *units, struct cca_map *archives,
                       const struct cca_object *input, bool is_static) {
  bool is_new;
  if (!is_static || !input->archive)
    return;
  cca_map_at(archives, input->archive, strlen(input->archive), &is_new);
  if (is_new)
    add_unit(units, base_name(input->archive), NULL,
             "system library without summaries", 0);
}

void cca_units_make(struct cca_units *units, const struct cca_inputs *inputs,
                    const char *folder_path, const char *analyser,
                    bool is_static) {
  struct folder folder = {folder_path, analyser, 0};
  struct cca_map archives = {0};
  *units = (struct cca_units){.carrier = cca_carrier_new(NULL)};
  if (folder_path)
    wait_for_summaries(units, folder_path);
  for (uint32_t i = 0; i < inputs->list.count; i++) {
    const struct cca_object *input = &inputs->list.items[i];
    size_t first = cca_carrier_count(units->carrier);
    cca_carrier_add_bytes(units->carrier, input->name, input->bytes,
                          input->len);
    size_t count = cca_carrier_count(units->carrier) - first;
    for (size_t k = 0; k < count; k++) {
      const struct cca_carrier_item *item =
          cca_carrier_item(units->carrier, first + k);
      if (item->table) {
        bool placed = count == 1 && places_hold(input, item->table);
        add_unit(units, item->name, item->table, NULL, placed ? i + 1 : 0);
        /* Without a place, it has been made by `ld -r`. */
        units->list.items[units->list.count - 1].is_remade =
            cca_object_is_remade(input) || cca_site_count(item->table) == 0;
      } else if (input->is_system)
        add_system(units, &archives, input, is_static);
      else
        add_missing(units, &folder, input, i + 1, item);
    }
  }
  cca_map_release(&archives);
}

void cca_units_want(const struct cca_units *units,
                    const struct cca_solver_result *result, bool all,
                    struct cca_text *out) {
  struct cca_table solved;
  const uint32_t *call_sites = result->call_sites;
  size_t before = out->len;
  bool sites = false;
  if (cca_table_open(&solved, &cca_classification_schema,
                     result->classification.data, result->classification.len,
                     NULL) < 0)
    return;
  for (size_t i = 0; i < units->list.count; i++) {
    const struct cca_solver_unit *unit = &units->list.items[i];
    if (!unit->summary)
      continue;
    uint32_t count = cca_call_count(unit->summary);
    if (all || unit->is_remade || units->inputs.items[i] == 0) {
      cca_wanted_write(out, unit->summary, call_sites, &solved,
                       !unit->is_remade);
      for (uint32_t k = 0; k < count; k++)
        sites |= call_sites[k] != CCA_NONE;
    }
    call_sites += count;
  }
  if (!sites) /* they need not be told from anything */
    out->len = before;
}

/* The way back ------------------------------------------------------------- */

/* Begin the section of PLACE in the plan; false if the object has no such. */
static bool plan_section(const struct cca_object *input,
                         const struct cca_solver_place *place,
                         struct cca_plan *plan) {
  struct cca_elf elf;
  struct cca_elf_section section, other;
  uint32_t ordinal = 0, count = 0, alike = 0;
  if (cca_elf_open(&elf, input->bytes, input->len) != NULL ||
      place->index >= elf.section_count ||
      !cca_elf_section_at(&elf, place->index, &section) ||
      strcmp(section.name, place->section) != 0)
    return false;
  for (uint32_t i = 1; i < elf.section_count; i++)
    if (cca_elf_section_at(&elf, i, &other) &&
        strcmp(other.name, place->section) == 0) {
      ordinal += i < place->index;
      count++;
      alike += other.size == section.size;
    }
  cca_plan_section(plan, input->name, section.name, section.size, ordinal,
                   count, alike);
  return true;
}

struct order {
  const struct cca_solver_place *place;
  uint32_t row;
};

static int compare_order(const void *a, const void *b) {
  const struct order *x = a, *y = b;
  if (x->place->unit != y->place->unit)
    return x->place->unit < y->place->unit ? -1 : 1;
  if (x->place->index != y->place->index)
    return x->place->index < y->place->index ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

void cca_units_plan(const struct cca_units *units,
                    const struct cca_inputs *inputs,
                    const struct cca_solver_place *places, size_t count,
                    struct cca_plan *plan) {
  struct order *order = cca_calloc(count, sizeof *order);
  for (size_t i = 0; i < count; i++)
    order[i] = (struct order){&places[i], (uint32_t)i};
  qsort(order, count, sizeof *order, compare_order);

  const struct cca_solver_place *last = NULL;
  bool good = false;
  for (size_t i = 0; i < count; i++) {
    const struct cca_solver_place *place = order[i].place;
    if (place->unit >= units->list.count || !place->section ||
        units->inputs.items[place->unit] == 0)
      continue;
    if (!last || last->unit != place->unit || last->index != place->index)
      good = plan_section(
          &inputs->list.items[units->inputs.items[place->unit] - 1], place,
          plan);
    last = place;
    if (good)
      cca_plan_row(plan, order[i].row, place->offset);
  }
  free(order);
}

void cca_units_release(struct cca_units *units) {
  cca_carrier_free(units->carrier);
  for (size_t i = 0; i < units->images.count; i++)
    cca_text_release(units->images.items[i]);
  cca_vec_release(&units->images);
  cca_vec_release(&units->list);
  cca_vec_release(&units->inputs);
  cca_arena_release(&units->arena);
}
