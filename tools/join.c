/* SPDX-License-Identifier: MIT */
/*
 * join.c -- cca-analyze --join: call sites for a summary that is a file.
 *
 * In:    a summary without sites, and the object of its source.
 * Out:   the same summary with sites, in the same file.
 * Holds: the file is whole at every moment.
 *
 * When one command compiles and links, the object is there only while the
 * linker runs, and by then the analysis has ended and its tables are closed.
 * An image can't be added to; but its text can, and gives the same image but
 * for what was added.  That costs some milliseconds, in a rare case.
 */
#include "join.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/sites.h"
#include "base/file.h"
#include "summaries/table.h"
#include "tools/log.h"

enum { OBJECT_MAX = 1 << 30 };

/* Add one line of text for ROW.  Names that would need quoting are odd enough
 * to go without. */
static void add_row(struct cca_text *text, const struct cca_site_row *row) {
  static const char *const flags[] = {"inlined", "tail", "ambiguous"};
  if (strpbrk(row->section, "\"\\\n"))
    return;
  cca_text_addf(text, "site call=@%u section=\"%s\" index=%u offset=%u",
                row->call, row->section, row->index, row->offset);
  const char *before = " flags=";
  for (unsigned bit = 0; bit < sizeof flags / sizeof *flags; bit++)
    if (row->flags & (1u << bit)) {
      cca_text_addf(text, "%s%s", before, flags[bit]);
      before = ",";
    }
  cca_text_adds(text, "\n");
}

static bool write_whole(const char *path, const struct cca_text *image) {
  struct cca_text name = {0};
  cca_text_addf(&name, "%s.new", path);
  FILE *file = fopen(name.data, "wbxe");
  bool ok = file && fwrite(image->data, 1, image->len, file) == image->len;
  if (file && fclose(file) != 0)
    ok = false;
  ok = ok && rename(name.data, path) == 0;
  if (file && !ok)
    unlink(name.data);
  cca_text_release(&name);
  return ok;
}

int cca_join(const char *object, const char *summary) {
  struct cca_text code = {0}, image = {0}, text = {0}, joined = {0};
  struct cca_table table;
  struct cca_table_error err = {0};
  struct cca_site_calls calls = {0};
  struct cca_sites sites;
  if (cca_file_read(object, OBJECT_MAX, &code) != 0 ||
      cca_file_read(summary, SIZE_MAX, &image) != 0 ||
      cca_table_open(&table, &cca_summary_schema, image.data, image.len,
                     &err) != CCA_TABLE_OK)
    return 1;

  cca_site_calls_of_table(&calls, &table);
  const char *wrong =
      cca_sites_join(&sites, code.data, code.len, calls.items, calls.count);
  if (wrong) {
    cca_log("cca-analyze: %s: no call sites: %s", object, wrong);
    return 1;
  }
  cca_text_dump(&table, &text);
  for (size_t i = 0; i < sites.rows.count; i++)
    add_row(&text, &sites.rows.items[i]);
  if (cca_text_assemble(text.data, text.len, &joined, &err) < 0) {
    cca_log("cca-analyze: %s: not joined: line %zu: %s", summary, err.offset,
            err.text);
    return 1;
  }
  return write_whole(summary, &joined) ? 0 : 1;
}
