/* SPDX-License-Identifier: MIT */
/*
 * check.c -- `allocs check`: sites whose size is not that of what they make.
 */
#include "check.h"

#include <getopt.h>
#include <unistd.h>

#include "allocs.h"

enum { EXIT_FOUND = 1 };

static const char help[] =
    "usage: allocs check [--json] FILE...\n"
    "\n"
    "Find the calls of allocation functions that ask for the size of one type "
    "and use\n"
    "the result as another, such as T *p = xmalloc(sizeof(T *)): through "
    "wrappers and\n"
    "pools, across files.  Objects and archives are solved first, all "
    "together, as if\n"
    "they were linked.\n"
    "\n"
    "      --json  for programs; docs/check.schema.json describes it\n"
    "      --help  this text\n"
    "\n"
    "Exit status: 0 nothing found, 1 something found, 2 wrong usage, or a FILE "
    "cannot\n"
    "be read, is broken, or was built without cc-allocs.\n";

/* Returns negative to go on with the files at argv[optind], or the exit
 * status. */
static int parse(bool *json, int argc, char **argv) {
  enum { JSON = 256, HELP };
  static const struct option longs[] = {
      {"json", no_argument, NULL, JSON},
      {"help", no_argument, NULL, HELP},
      {0},
  };
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, ":h", longs, NULL)) != -1)
    switch (option) {
    case JSON:
      *json = true;
      break;
    case 'h':
    case HELP:
      return cca_show_help(help);
    default:
      cca_complain_option(option, argv);
      return CCA_EXIT_ERROR;
    }
  if (optind == argc) {
    cca_complain_no_file("check");
    return CCA_EXIT_ERROR;
  }
  return -1;
}

int cca_check_main(int argc, char **argv) {
  bool json = false;
  int status = parse(&json, argc, argv);
  if (status >= 0)
    return status;
  struct cca_report_modules modules;
  cca_report_load(&modules, "check", argv + optind, (size_t)(argc - optind));
  struct cca_screen screen = cca_screen_of(STDOUT_FILENO, CCA_COLOR_AUTO);
  struct cca_text out = {0};
  /* What could not be looked at is not known to be right. */
  status = modules.status == CCA_EXIT_OK ? CCA_EXIT_OK : CCA_EXIT_ERROR;
  for (size_t i = 0; i < modules.count; i++) {
    struct cca_report report;
    struct cca_check check;
    cca_report_init(&report, modules.items[i].name, modules.items[i].table,
                    NULL);
    cca_check_judge(&check, &report);
    if (json)
      cca_check_json(&check, &out);
    else
      cca_check_text(&check, &screen, &out);
    if (check.count && status < EXIT_FOUND)
      status = EXIT_FOUND;
    cca_report_release(&report);
  }
  if (cca_print("check", out.data, out.len) != CCA_EXIT_OK)
    status = CCA_EXIT_ERROR;
  cca_text_release(&out);
  cca_report_modules_release(&modules);
  return status;
}
