/* SPDX-License-Identifier: MIT */
/*
 * gather-files.c -- the source files of one unit as rows of SOURCE_FILE.
 *
 * libdw joins a file with its folder; what is relative then is so to the folder
 * in which the unit was compiled.  Each is made into a row when it is first
 * asked for: headers of which nothing is used are none.
 */
#include <dwarf.h>
#include <string.h>

#include "gather.h"

void cca_files_open(struct cca_files *files, Dwarf_Die *unit) {
  Dwarf_Attribute attribute;
  files->rows.count = files->count = 0;
  files->folder =
      dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  if (dwarf_getsrcfiles(unit, &files->files, &files->count))
    files->count = 0;
  for (size_t i = 0; i < files->count; i++)
    cca_vec_push(&files->rows, CCA_NONE);
}

uint32_t cca_files_row(struct cca_files *files, struct cca_gather *gather,
                       size_t number) {
  if (number >= files->count)
    return CCA_NONE;
  uint32_t *row = &files->rows.items[number];
  if (*row != CCA_NONE)
    return *row;
  const char *name = dwarf_filesrc(files->files, number, NULL, NULL);
  if (!name || !*name || !strcmp(name, "???")) /* libdw's word for none */
    return CCA_NONE;
  if (*name == '/' || !files->folder)
    return *row = cca_gather_path(gather, name);
  struct cca_text path = {0};
  cca_text_addf(&path, "%s/%s", files->folder, name);
  *row = cca_gather_path(gather, path.data);
  cca_text_release(&path);
  return *row;
}

void cca_files_release(struct cca_files *files) {
  cca_vec_release(&files->rows);
}
