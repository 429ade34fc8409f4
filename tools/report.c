/* SPDX-License-Identifier: MIT */
/*
 * report.c -- `allocs report`: what was found, for people or for programs.
 */
#include "report.h"

#include <getopt.h>
#include <unistd.h>

#include "allocs.h"

static const char help[] =
    "usage: allocs report [OPTION...] FILE...\n"
    "\n"
    "Show the allocation functions and sites of executables and shared objects "
    "that\n"
    "were linked with CC=cc-allocs.  Objects, archives and table files are "
    "solved\n"
    "first, all together, as if they were linked.\n"
    "\n"
    "      --functions     only the functions\n"
    "      --sites         only the sites\n"
    "      --type TYPE     only what allocates TYPE (`struct' may be left "
    "out)\n"
    "      --why           all evidence, all types, all return addresses\n"
    "      --json          for programs; docs/report.schema.json describes it\n"
    "      --color[=WHEN]  auto (the default: on a terminal), always, never\n"
    "      --help          this text\n"
    "\n"
    "Exit status: 0 reported, 1 nothing to report in a FILE (standard error "
    "says\n"
    "why), 2 wrong usage, or a FILE cannot be read or is broken.\n"
    "\n"
    "CC_ALLOCS_PRIMITIVES names a file of more primitives (allocs(1)), "
    "NO_COLOR turns\n"
    "colours off, COLUMNS is the width where there is no terminal.\n";

/* Returns negative to go on with the files at argv[optind], or the exit
 * status. */
static int parse(struct cca_report_options *options, int argc, char **argv) {
  enum { JSON = 256, SITES, FUNCTIONS, TYPE, WHY, COLOR, HELP };
  static const struct option longs[] = {
      {"json", no_argument, NULL, JSON},
      {"sites", no_argument, NULL, SITES},
      {"functions", no_argument, NULL, FUNCTIONS},
      {"type", required_argument, NULL, TYPE},
      {"why", no_argument, NULL, WHY},
      {"color", optional_argument, NULL, COLOR},
      {"help", no_argument, NULL, HELP},
      {0},
  };
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, ":h", longs, NULL)) != -1)
    switch (option) {
    case JSON:
      options->json = true;
      break;
    case SITES:
      options->sites = true;
      break;
    case FUNCTIONS:
      options->functions = true;
      break;
    case TYPE:
      options->type = optarg;
      break;
    case WHY:
      options->why = true;
      break;
    case COLOR:
      if (cca_parse_color("report", optarg, &options->color) < 0)
        return CCA_EXIT_ERROR;
      break;
    case 'h':
    case HELP:
      return cca_show_help(help);
    default:
      cca_complain_option(option, argv);
      return CCA_EXIT_ERROR;
    }
  if (optind == argc) {
    cca_complain_no_file("report");
    return CCA_EXIT_ERROR;
  }
  if (options->type && !*options->type) {
    cca_complain("report", "--type needs the name of a type");
    return CCA_EXIT_ERROR;
  }
  return -1;
}

/* Is there anything of the wanted type? */
static bool has_type(const struct cca_report *report) {
  if (report->sites.count || report->imports.count)
    return true;
  for (int group = 0; group < CCA_GROUP_COUNT; group++)
    if (report->groups[group].count)
      return true;
  return false;
}

int cca_report_main(int argc, char **argv) {
  struct cca_report_options options = {0};
  int status = parse(&options, argc, argv);
  if (status >= 0)
    return status;

  struct cca_report_modules modules;
  cca_report_load(&modules, "report", argv + optind, (size_t)(argc - optind));
  struct cca_screen screen = cca_screen_of(STDOUT_FILENO, options.color);
  struct cca_text out = {0};
  status = modules.status;
  for (size_t i = 0; i < modules.count; i++) {
    struct cca_report report;
    cca_report_init(&report, modules.items[i].name, modules.items[i].table,
                    options.type);
    if (options.type && !has_type(&report)) {
      cca_complain("report",
                   "%s: nothing in it allocates %s; without --type "
                   "the report lists the types",
                   modules.items[i].name, options.type);
      if (status < CCA_EXIT_NOTHING)
        status = CCA_EXIT_NOTHING;
    } else if (options.json) {
      cca_report_json(&report, &options, &out);
    } else {
      if (out.len)
        cca_text_adds(&out, "\n");
      cca_report_text(&report, &options, &screen, &out);
    }
    cca_report_release(&report);
  }
  if (cca_print("report", out.data, out.len) != CCA_EXIT_OK)
    status = CCA_EXIT_ERROR;
  cca_text_release(&out);
  cca_report_modules_release(&modules);
  return status;
}
