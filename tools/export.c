/* SPDX-License-Identifier: MIT */
/*
 * export.c -- `allocs export`: what was found, in the forms in which people
 * write it by hand.
 */
#include "export.h"

#include <getopt.h>
#include <string.h>

#include "allocs.h"

static const char help[] =
    "usage: allocs export --format=FORMAT FILE...\n"
    "\n"
    "Write what was found in FILE to standard output, as other tools read it.\n"
    "Objects and archives are solved first, all together, as if they were "
    "linked.\n"
    "\n"
    "      --format FORMAT\n"
    "           header     C declarations with attributes, for gcc and clang: "
    "compile\n"
    "                      the program with -include and this header\n"
    "           liballocs  the variables LIBALLOCS_ALLOC_FNS and so on\n"
    "           list       a line a function: name, kind, size_args, free\n"
    "      --help  this text\n"
    "\n"
    "The first two need debug information (-g) in FILE for the functions' "
    "types; what\n"
    "they leave out is named in comments, with the reason.\n"
    "\n"
    "Exit status: 0 exported, 1 nothing to export in a FILE (standard error "
    "says\n"
    "why), 2 wrong usage, or a FILE cannot be read or is broken.\n";

typedef void writer(const struct cca_export *export, struct cca_text *out);

static const struct format {
  const char *name;
  writer *write;
  bool prototypes;
} formats[] = {
    {"header", cca_export_header, true},
    {"liballocs", cca_export_liballocs, true},
    {"list", cca_export_list, false},
};

static const struct format *format_of(const char *name) {
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (!strcmp(name, formats[i].name))
      return &formats[i];
  cca_complain("export", "--format is header, liballocs or list, not `%s'",
               name);
  return NULL;
}

/* Returns negative to go on with the files at argv[optind], or the exit
 * status. */
static int parse(const struct format **format, int argc, char **argv) {
  enum { FORMAT = 256, HELP };
  static const struct option longs[] = {
      {"format", required_argument, NULL, FORMAT},
      {"help", no_argument, NULL, HELP},
      {0},
  };
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, ":h", longs, NULL)) != -1)
    switch (option) {
    case FORMAT:
      *format = format_of(optarg);
      if (!*format)
        return CCA_EXIT_ERROR;
      break;
    case 'h':
    case HELP:
      return cca_show_help(help);
    default:
      cca_complain_option(option, argv);
      return CCA_EXIT_ERROR;
    }
  if (!*format) {
    cca_complain("export", "no --format is given; it is header, liballocs or "
                           "list");
    return CCA_EXIT_ERROR;
  }
  if (optind == argc) {
    cca_complain_no_file("export");
    return CCA_EXIT_ERROR;
  }
  return -1;
}

const struct cca_prototype *
cca_export_prototype(const struct cca_export *export,
                     const struct cca_alloc *alloc) {
  const char *name = cca_table_string(export->table, alloc->name);
  return cca_prototype_is_identifier(name)
             ? cca_prototypes_find(export->prototypes, name)
             : NULL;
}

void cca_export_name(struct cca_text *out, const char *name) {
  struct cca_text clean = {0};
  cca_screen_clean(&clean, name);
  for (size_t i = 0; i < clean.len; i++)
    cca_text_add(out, clean.data[i] == '*' ? "_" : &clean.data[i], 1);
  cca_text_release(&clean);
}

void cca_export_left_out(const struct cca_export *export, struct cca_text *out,
                         const struct cca_alloc *alloc, const char *reason) {
  const char *file = cca_report_file(export->table, alloc->file);
  cca_export_name(out, cca_table_string(export->table, alloc->name));
  if (*file) {
    cca_text_adds(out, " (");
    const char *slash = strrchr(file, '/');
    cca_export_name(out, slash ? slash + 1 : file);
    cca_text_addf(out, ":%u)", alloc->line);
  }
  cca_text_adds(out, ": ");
  cca_text_adds(out, reason);
}

static int run(const struct format *format,
               const struct cca_report_modules *modules, char *const *files,
               size_t count) {
  if (modules->count > 1) {
    cca_complain("export",
                 "%s and %s are linked each by itself; export one "
                 "at a time",
                 modules->items[0].name, modules->items[1].name);
    return CCA_EXIT_ERROR;
  }
  if (!modules->count)
    return CCA_EXIT_OK;
  struct cca_report report;
  cca_report_init(&report, modules->items[0].name, modules->items[0].table,
                  NULL);
  struct cca_export export = {.report = &report, .table = report.table};
  if (format->prototypes) {
    export.prototypes = cca_prototypes_new();
    for (uint32_t i = 0; i < cca_alloc_count(report.table); i++) {
      struct cca_alloc alloc = cca_alloc_at(report.table, i);
      const char *name = cca_table_string(report.table, alloc.name);
      if (cca_prototype_is_identifier(name))
        cca_prototypes_want(export.prototypes, name);
    }
    for (size_t i = 0; i < count; i++)
      cca_prototypes_read(export.prototypes, files[i]);
  }
  struct cca_text out = {0};
  format->write(&export, &out);
  int status = cca_print("export", out.data, out.len);
  cca_text_release(&out);
  if (export.prototypes)
    cca_prototypes_free(export.prototypes);
  cca_report_release(&report);
  return status;
}

int cca_export_main(int argc, char **argv) {
  const struct format *format = NULL;
  int status = parse(&format, argc, argv);
  if (status >= 0)
    return status;
  char *const *files = argv + optind;
  size_t count = (size_t)(argc - optind);
  struct cca_report_modules modules;
  cca_report_load(&modules, "export", files, count);
  status = run(format, &modules, files, count);
  if (status < modules.status)
    status = modules.status;
  cca_report_modules_release(&modules);
  return status;
}
