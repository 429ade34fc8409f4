/* libs: cca_sites */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-sites.c -- any bytes as an object whose calls are looked for.
 *
 * Every row names one of the calls and a place inside a section of code, and
 * rows of one place stand together.
 */
#include "analysis/sites.h"
#include "summaries/elf.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Those of the objects in the corpus. */
static const struct cca_site_call calls[] = {
    {"wrap", 4, 13, "alloc", "a.c"}, {"f", 9, 7, "wrap", "a.c"},
    {"f", 9, 3, "use", "a.c"},       {"f", 10, 7, "wrap", "b.c"},
    {"f", 10, 3, "use", NULL},       {"g", 13, 10, "h", NULL},
    {"h", 7, 58, "alloc", NULL},     {"g", 12, 3, NULL, NULL},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cca_sites sites;
  struct cca_elf elf;
  struct cca_elf_section section;
  if (cca_sites_join(&sites, data, size, calls, CALLS)) {
    MUST(!sites.rows.count);
    return 0;
  }
  MUST(!cca_elf_open(&elf, data, size));
  MUST(sites.joined_calls <= sites.code_calls);
  const struct cca_site_row *last = NULL;
  for (size_t i = 0; i < sites.rows.count; i++) {
    const struct cca_site_row *row = &sites.rows.items[i];
    MUST(row->call < CALLS);
    MUST(cca_elf_section_at(&elf, row->index, &section));
    MUST(row->section == section.name);
    MUST(section.flags & SHF_EXECINSTR);
    MUST(row->offset && row->offset <= section.size);
    MUST(!last || last->index < row->index ||
         (last->index == row->index && last->offset <= row->offset));
    last = row;
  }
  cca_sites_release(&sites);
  return 0;
}
