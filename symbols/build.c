/* SPDX-License-Identifier: MIT */
/*
 * build.c -- from an ELF file to its symbol table.
 *
 * In:    a path; that of a table is taken as well, which is then the answer.
 * Out:   an image that cca_table_open() accepts.
 * Holds: the same files give the same bytes, wherever they are.
 *
 * Everything is read once, also when one address is all that will be asked
 * for: reading all of a program of a megabyte takes a tenth of a second, and
 * what is read can then be used by all who have loaded the module.
 */
#include "build.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "gather.h"
#include "summaries/error.h"

/* libdw keeps the lines of each unit that it has read until its handle is
 * closed: 70 bytes a row, which here have 16.  So lines are read by a handle
 * that is closed after so many units.  And what of the file was read goes after
 * so many bytes of .debug_info: all of it is more than what is made of it. */
enum { UNITS_AT_ONCE = 16, BYTES_AT_ONCE = 1 << 19 };

struct line_reader {
  Dwarf *dwarf;
  unsigned units;
  Dwarf_Off let_go; /* where that was last done */
};

/* The unit DIE as LINES of its own sees it; false if it does not. */
static bool read_lines(struct line_reader *lines, Dwarf *dwarf, Dwarf_Die *die,
                       Dwarf_Die *out) {
  Dwarf_Off at = dwarf_dieoffset(die);
  if (at - lines->let_go >= BYTES_AT_ONCE) {
    cca_elf_module_let_go(dwarf_getelf(dwarf));
    lines->let_go = at;
  }
  if (lines->units++ % UNITS_AT_ONCE == 0) {
    dwarf_end(lines->dwarf);
    lines->dwarf = dwarf_begin_elf(dwarf_getelf(dwarf), DWARF_C_READ, NULL);
    if (lines->dwarf)
      cca_elf_module_watch(lines->dwarf);
  }
  return lines->dwarf && dwarf_offdie(lines->dwarf, at, out);
}

/* All units, each of which has its lines in the file itself, and its functions
 * there or in a file of its own (.dwo). */
static void gather_debug(struct cca_gather *gather) {
  struct cca_lines *lines = cca_lines_new(gather);
  struct cca_scopes *scopes = cca_scopes_new(gather);
  struct line_reader reader = {0};
  struct cca_files files = {0};
  Dwarf *dwarf = gather->module->dwarf;
  const char *common;
  const void *id;
  Dwarf_CU *unit = NULL;
  Dwarf_Die die, split, other;
  uint8_t kind;
  gather->lacks_file = dwelf_dwarf_gnu_debugaltlink(dwarf, &common, &id) > 0 &&
                       !dwarf_getalt(dwarf);
  while (!dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &die, &split)) {
    if (kind != DW_UT_compile && kind != DW_UT_skeleton)
      continue; /* types, and parts that others import */
    gather->lacks_file |= kind == DW_UT_skeleton && !split.addr;
    if (!read_lines(&reader, dwarf, &die, &other))
      continue;
    cca_files_open(&files, &other);
    cca_lines_add(lines, &other, &files);
    if (kind == DW_UT_skeleton && split.addr) {
      cca_files_open(&files, &split);
      cca_scopes_add(scopes, &split, &files);
    } else {
      cca_scopes_add(scopes, &die, &files);
    }
  }
  dwarf_end(reader.dwarf);
  cca_lines_finish(lines);
  cca_scopes_finish(scopes);
  cca_files_release(&files);
}

static void add_image(struct cca_gather *gather) {
  const struct cca_elf_module *module = gather->module;
  struct cca_image image = cca_image_init();
  image.producer =
      cca_builder_string(gather->builder, "cc-allocs " CCA_VERSION);
  image.build_id = cca_builder_string(gather->builder, module->build_id);
  image.digest = (int64_t)module->digest;
  image.size = (int64_t)module->size;
  image.base = (int64_t)module->base;
  image.span = module->span;
  image.parts = (gather->has_symbols ? CCA_PARTS_SYMBOLS : 0) |
                (module->dwarf ? CCA_PARTS_DEBUG : 0) |
                (gather->lacks_file ? CCA_PARTS_PARTIAL : 0) |
                (module->relocatable ? CCA_PARTS_RELOCATABLE : 0);
  cca_image_add(gather->builder, image);
}

static void add_sections(struct cca_gather *gather) {
  const struct cca_elf_module *module = gather->module;
  size_t names;
  if (elf_getshdrstrndx(module->elf, &names) < 0)
    return;
  for (Elf_Scn *section = NULL;
       (section = elf_nextscn(module->elf, section));) {
    GElf_Shdr header;
    struct cca_section row = cca_section_init();
    if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
        header.sh_flags & SHF_TLS || !header.sh_size ||
        !cca_elf_module_start(module, header.sh_addr, &row.start) ||
        header.sh_size > module->span - row.start)
      continue;
    const char *name = elf_strptr(module->elf, names, header.sh_name);
    row.name = cca_builder_string(gather->builder, name ? name : "");
    row.size = (uint32_t)header.sh_size;
    row.flags = header.sh_flags & SHF_EXECINSTR ? CCA_SECTION_FLAGS_CODE : 0;
    cca_section_add(gather->builder, row);
  }
}

/* If the file at PATH is a table, add it to OUT; false if it is something else.
 * A copy: a file that is mapped could change after it was checked. */
static bool read_table(const char *path, struct cca_text *out, int *status,
                       struct cca_error *err) {
  struct cca_table table;
  struct cca_table_error wrong;
  char head[12];
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool is_one = file >= 0 && pread(file, head, sizeof head, 0) == sizeof head &&
                cca_table_open(&table, &cca_symbols_schema, head, sizeof head,
                               NULL) != CCA_TABLE_ERR_MAGIC;
  if (file >= 0)
    close(file);
  if (!is_one)
    return false;
  size_t before = out->len;
  *status = CCA_OK;
  if ((errno = cca_file_read(path, SIZE_MAX, out))) {
    *status = cca_error_set(err, CCA_ERR_IO, 0, "cannot be read: %s",
                            strerror(errno));
  } else if (cca_table_open(&table, &cca_symbols_schema, out->data + before,
                            out->len - before, &wrong) < 0) {
    bool version = wrong.status == CCA_TABLE_ERR_VERSION;
    *status = cca_error_set(err, version ? CCA_ERR_VERSION : CCA_ERR_CORRUPT, 0,
                            "a broken table, at byte %zu: %s", wrong.offset,
                            wrong.text);
  }
  if (*status < 0)
    out->len = before;
  return true;
}

int cca_symbols_build_file(int file, const char *path, struct cca_text *out,
                           struct cca_error *err) {
  struct cca_elf_module module;
  struct cca_table_error wrong;
  int status = cca_elf_module_open(&module, file, path, err);
  if (status == CCA_OK) {
    struct cca_gather gather = {.module = &module};
    gather.builder = cca_builder_new(&cca_symbols_schema);
    cca_gather_symbols(&gather);
    if (module.dwarf)
      gather_debug(&gather);
    add_image(&gather);
    add_sections(&gather);
    cca_elf_module_release(&module); /* its memory is not needed any more */
    if (cca_builder_finish(gather.builder, out, &wrong) < 0)
      status =
          cca_error_set(err, CCA_ERR_CORRUPT, 0, "its table is %s", wrong.text);
    cca_builder_free(gather.builder);
    cca_vec_release(&gather.names);
    cca_vec_release(&gather.paths);
  }
  cca_elf_module_release(&module);
  return status;
}

int cca_symbols_build(const char *path, struct cca_text *out,
                      struct cca_error *err) {
  int status;
  if (read_table(path, out, &status, err))
    return status;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    status = errno;
    cca_error_set(err, CCA_ERR_IO, 0, "cannot be opened: %s", strerror(status));
    errno = status;
    return CCA_ERR_IO;
  }
  return cca_symbols_build_file(file, path, out, err);
}
