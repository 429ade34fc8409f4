/* SPDX-License-Identifier: MIT */
/*
 * solve.c -- the command `allocs solve`: the solver, in a process of its own.
 *
 *   allocs solve [-o OUT] FILE...    summaries into a classification
 *   allocs solve --link DIR NOTE [LINKER]
 *                                    in the middle of a link (see job.h)
 *   allocs solve --patch DIR KIND    after the link
 *   allocs solve --keep DIR          after a relocatable link
 *
 * A link calls the last three and ignores what becomes of them: the worst that
 * can happen here is a program without classification.  Hence also the alarm:
 * a solver that does not end must not hold up a build.  One whose linker has
 * been killed, which cannot tell it, ends with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocs.h"
#include "analysis/attach.h"
#include "base/file.h"
#include "base/memory.h"
#include "input.h"
#include "linker_plugin/extract.h"
#include "linker_plugin/inputs.h"
#include "linker_plugin/libraries.h"
#include "linker_plugin/line.h"
#include "linker_plugin/note_object.h"
#include "linker_plugin/patch.h"
#include "linker_plugin/plan.h"
#include "linker_plugin/solver.h"
#include "linker_plugin/units.h"
#include "log.h"
#include "primitives.h"

extern char **environ;

enum { LONGEST_SECONDS = 900 };

static int write_file(const char *path, const void *bytes, size_t len) {
  FILE *file = fopen(path, "we");
  if (!file)
    return -1;
  int failed = len && fwrite(bytes, 1, len, file) != len;
  return fclose(file) != 0 || failed ? -1 : 0;
}

static int solve(const struct cca_solver_request *request,
                 struct cca_solver_result *result) {
  struct cca_solver_request full = *request;
  struct cca_primitives_text primitives = {0};
  struct cca_table_error err = {0};
  int status = cca_primitives_read("solve", &primitives);
  if (status == 0) {
    full.primitives = primitives.text.data;
    full.primitives_len = primitives.text.len;
    status = cca_solve(&full, result, &err);
    if (status < 0)
      cca_primitives_complain("solve", &primitives, &err);
  }
  cca_primitives_release(&primitives);
  return status;
}

/* allocs solve --link ------------------------------------------------------ */

/* DIR/NAME; owned. */
static char *path_in(const char *dir, const char *name) {
  struct cca_text path = {0};
  cca_text_addf(&path, "%s/%s", dir, name);
  return path.data;
}

static int read_in(const char *dir, const char *name, struct cca_text *out) {
  char *path = path_in(dir, name);
  int error = cca_file_read(path, SIZE_MAX, out);
  free(path);
  return error;
}

static int write_in(const char *dir, const char *name,
                    const struct cca_text *text) {
  char *path = path_in(dir, name);
  int error = write_file(path, text->data, text->len);
  free(path);
  return error;
}

/* The command line that the shim left in DIR; TEXT keeps its strings. */
static int read_line(const char *dir, struct cca_text *text,
                     struct cca_line *line) {
  struct cca_strings args = {0};
  if (read_in(dir, "arguments", text) != 0)
    return -1;
  for (size_t at = 0; at < text->len; at += strlen(text->data + at) + 1)
    cca_vec_push(&args, text->data + at);
  cca_line_parse(line, args.count, args.items);
  cca_vec_release(&args);
  return 0;
}

/* The installation's analyser; owned, NULL if it is not there. */
static char *find_analyser(void) {
  char *path = cca_file_beside_program("../lib/cc-allocs/cca-analyze");
  if (path && access(path, X_OK) == 0)
    return path;
  free(path);
  return NULL;
}

/* Write the placeholder for RESULT, its image, the plan, and what is wanted. */
static int write_results(const char *dir, const char *note,
                         const struct cca_note_target *target,
                         const struct cca_inputs *inputs,
                         const struct cca_units *units, bool has_map,
                         struct cca_solver_result *result) {
  struct cca_text object = {0}, strings = {0}, wanted = {0};
  struct cca_plan plan = {0};
  cca_patch_clear(result->classification.data, result->classification.len);
  cca_note_object_write(&object, target, result->classification.data,
                        result->classification.len);
  cca_units_plan(units, inputs, result->places, result->place_count, &plan);
  cca_plan_write(&plan, &strings);
  cca_units_want(units, result, !has_map, &wanted);
  int status = write_in(dir, "image", &result->classification) == 0 &&
                       write_in(dir, "plan", &strings) == 0 &&
                       write_in(dir, "wanted", &wanted) == 0 &&
                       write_file(note, object.data, object.len) == 0
                   ? 0
                   : -1;
  cca_plan_release(&plan);
  cca_text_release(&object);
  cca_text_release(&strings);
  cca_text_release(&wanted);
  return status;
}

/* What all of it cost, reading the summaries included. */
static void log_cost(const char *output) {
  struct rusage used;
  if (getrusage(RUSAGE_SELF, &used) != 0)
    return;
  long ms = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
            (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
  cca_log("allocs solve: %s: solved in %ld ms, %ld KiB", output, ms,
          used.ru_maxrss);
}

static int solve_link(const char *dir, const char *note) {
  struct cca_text text = {0}, list = {0}, libraries = {0};
  struct cca_line line;
  struct cca_inputs inputs;
  struct cca_units units;
  struct cca_note_target target;
  if (read_line(dir, &text, &line) != 0)
    return CCA_EXIT_ERROR;

  /* What is in the link: from the plugin, or found out here. */
  cca_inputs_init(&inputs, line.sysroot);
  bool has_plugin = read_in(dir, "inputs", &list) == 0;
  if (has_plugin) {
    cca_inputs_add_list(&inputs, list.data, list.len);
    cca_extract_drop_unused(&inputs, &line);
  } else {
    cca_extract(&inputs, &line);
  }

  /* A link without objects has nothing that the note could agree with. */
  bool found = false;
  for (size_t i = 0; i < inputs.list.count && !found; i++)
    found = cca_note_target_of(inputs.list.items[i].bytes,
                               inputs.list.items[i].len, &target);
  if (!found)
    return CCA_EXIT_NOTHING;

  char *analyser = find_analyser();
  cca_units_make(&units, &inputs, getenv("CC_ALLOCS_UNITS"), analyser,
                 line.is_static);
  size_t imports = cca_libraries_write(&inputs, &libraries);
  struct cca_solver_request request = {
      .units = units.list.items,
      .unit_count = units.list.count,
      .libraries = libraries.data,
      .libraries_len = libraries.len,
      .wraps = line.wraps.items,
      .wrap_count = line.wraps.count,
      .defsyms = line.defsyms.items,
      .defsym_count = line.defsyms.count / 2,
  };
  struct cca_solver_result result = {0};
  int status = CCA_EXIT_NOTHING;
  if (units.list.count > 0)
    status = solve(&request, &result) == 0 &&
                     write_results(dir, note, &target, &inputs, &units,
                                   cca_line_has_map(&line, !has_plugin),
                                   &result) == 0
                 ? CCA_EXIT_OK
                 : CCA_EXIT_ERROR;
  cca_log("allocs solve: %s: %zu inputs, %zu units, %zu call sites, "
          "%zu allocation functions of libraries%s",
          line.output, inputs.list.count, units.list.count, result.place_count,
          imports, status == CCA_EXIT_ERROR ? ", failed" : "");
  log_cost(line.output);
  if (status == CCA_EXIT_OK)
    cca_solver_result_release(&result);
  cca_units_release(&units);
  cca_inputs_release(&inputs);
  cca_line_release(&line);
  cca_text_release(&text);
  cca_text_release(&list);
  cca_text_release(&libraries);
  free(analyser);
  return status;
}

/* allocs solve --keep ------------------------------------------------------ */

/* Attach to the relocatable output all summaries of the inputs, if the link has
 * lost some: with the bitcode or GIMPLE that it made code of, or because the
 * sources were compiled by the same command. */
static int keep_summaries(const char *dir) {
  struct cca_text text = {0}, all = {0};
  struct cca_line line;
  struct cca_inputs inputs;
  struct cca_units units;
  struct cca_attach_error err = {.text = ""};
  const char *folder = getenv("CC_ALLOCS_UNITS");
  bool lost = folder != NULL;
  int status = CCA_EXIT_NOTHING;
  if (read_line(dir, &text, &line) != 0)
    return CCA_EXIT_ERROR;
  cca_inputs_init(&inputs, line.sysroot);
  cca_extract(&inputs, &line);
  for (size_t i = 0; i < inputs.list.count && !lost; i++)
    lost = cca_object_is_remade(&inputs.list.items[i]);
  if (lost) {
    char *analyser = find_analyser();
    cca_units_make(&units, &inputs, folder, analyser, false);
    for (size_t i = 0; i < units.list.count; i++) {
      const struct cca_table *table = units.list.items[i].summary;
      if (table)
        cca_text_add(&all, table->image, table->len);
    }
    if (all.len > 0)
      status = cca_attach(line.output, all.data, all.len, CCA_ATTACH_REPLACE,
                          &err) == CCA_ATTACH_OK
                   ? CCA_EXIT_OK
                   : CCA_EXIT_ERROR;
    cca_log("allocs solve: %s: summaries of %zu units: %s", line.output,
            units.list.count,
            status == CCA_EXIT_OK        ? "kept"
            : status == CCA_EXIT_NOTHING ? "none"
                                         : err.text);
    cca_units_release(&units);
    free(analyser);
  }
  cca_inputs_release(&inputs);
  cca_line_release(&line);
  cca_text_release(&text);
  cca_text_release(&all);
  return status;
}

/* allocs solve --patch ----------------------------------------------------- */

/* Have the analyser look in the output for what no map can tell. */
static void look_in_output(const char *dir, const char *output,
                           struct cca_founds *found) {
  struct cca_text answer = {0};
  char *wanted = path_in(dir, "wanted"), *path = path_in(dir, "found");
  char *argv[] = {
      find_analyser(), strdup("--locate"), strdup(output), wanted, path, NULL};
  struct stat status;
  posix_spawn_file_actions_t actions;
  pid_t pid;
  if (argv[0] && stat(wanted, &status) == 0 && status.st_size > 0) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) == 0)
      while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    posix_spawn_file_actions_destroy(&actions);
    if (cca_file_read(path, SIZE_MAX, &answer) == 0 &&
        cca_found_read(found, answer.data, answer.len) != 0)
      found->count = 0;
  }
  for (size_t i = 0; i < sizeof argv / sizeof *argv; i++)
    free(argv[i]);
  cca_text_release(&answer);
}

static int patch_output(const char *dir, const char *kind) {
  struct cca_text text = {0}, image = {0}, strings = {0}, map = {0};
  struct cca_line line;
  struct cca_plan plan;
  struct cca_table table;
  struct cca_founds found = {0};
  if (read_line(dir, &text, &line) != 0 || read_in(dir, "image", &image) != 0 ||
      read_in(dir, "plan", &strings) != 0 ||
      cca_plan_read(&plan, strings.data, strings.len) != 0 ||
      cca_table_open(&table, &cca_classification_schema, image.data, image.len,
                     NULL) < 0)
    return CCA_EXIT_ERROR;
  if ((line.map ? cca_file_read(line.map, SIZE_MAX, &map)
                : read_in(dir, "map", &map)) != 0)
    map.len = 0;

  uint32_t count = cca_address_count(&table);
  uint64_t *addresses = cca_calloc(count, sizeof *addresses);
  struct cca_address *rows = cca_calloc(count, sizeof *rows);
  cca_patch_locate(&plan, cca_linker_kind_of(kind), map.data, map.len,
                   addresses, count);
  look_in_output(dir, line.output, &found);
  size_t left_out = cca_patch_rows(&table, &plan, addresses, &found, rows);
  int status =
      cca_patch_file(line.output, image.data, image.len, rows, count) == 0
          ? CCA_EXIT_OK
          : CCA_EXIT_ERROR;
  size_t located = 0;
  for (uint32_t i = 0; i < count; i++)
    located += rows[i].value != 0;
  cca_log("allocs solve: %s: %zu of %zu call sites have an address%s",
          line.output, located, count + left_out,
          status == CCA_EXIT_OK ? "" : ", but they could not be written");
  free(addresses);
  free(rows);
  cca_vec_release(&found);
  cca_plan_release(&plan);
  cca_line_release(&line);
  cca_text_release(&text);
  cca_text_release(&image);
  cca_text_release(&strings);
  cca_text_release(&map);
  return status;
}

/* allocs solve FILE... ----------------------------------------------------- */

/* The file PATH, whose items are those from FIRST on, has to have a summary.
 * Returns CCA_EXIT_OK if so; else that is said. */
static int look_for_summary(const struct cca_input *input, const char *path,
                            size_t first) {
  for (size_t i = first; i < input->count; i++)
    if (input->items[i].kind == CCA_CARRIER_SUMMARY)
      return CCA_EXIT_OK;
  if (first == input->count) {
    cca_complain("solve", "%s: no code in it", path);
    return CCA_EXIT_NOTHING;
  }
  const struct cca_carrier_item *item = &input->items[first];
  if (item->kind == CCA_CARRIER_CLASSIFICATION)
    cca_complain("solve", "%s: it is solved already", path);
  else
    cca_complain("solve", "%s: %s%s", path, item->reason,
                 cca_input_advice(item));
  return cca_input_is_broken(item) ? CCA_EXIT_ERROR : CCA_EXIT_NOTHING;
}

/* What has no summary is said here, and is named in the classification. */
static int solve_files(int count, char **paths, const char *output) {
  struct cca_input input = {0};
  struct cca_vec(struct cca_solver_unit) units = {0};
  int worst = CCA_EXIT_OK;
  for (int i = 0; i < count; i++) {
    int status =
        look_for_summary(&input, paths[i], cca_input_add(&input, paths[i]));
    if (worst < status)
      worst = status;
  }
  for (size_t i = 0; i < input.count; i++) {
    const struct cca_carrier_item *item = &input.items[i];
    if (item->kind == CCA_CARRIER_CLASSIFICATION)
      continue;
    struct cca_solver_unit unit = {item->name, item->table, item->reason,
                                   false};
    cca_vec_push(&units, unit);
  }

  struct cca_solver_request request = {.units = units.items,
                                       .unit_count = units.count};
  struct cca_solver_result result = {0};
  int status = worst;
  bool any = false;
  for (size_t i = 0; i < units.count; i++)
    any |= units.items[i].summary != NULL;
  if (any) {
    status = CCA_EXIT_ERROR;
    if (solve(&request, &result) == 0)
      status = cca_write_table("solve", output, &result.classification);
    cca_solver_result_release(&result);
  }
  cca_vec_release(&units);
  cca_input_release(&input);
  return status < worst ? worst : status;
}

static const char help[] =
    "usage: allocs solve [-o OUT] FILE...\n\n"
    "Solve the summaries in objects, archives and table files as if they were "
    "linked,\nand write the classification, a table file, to OUT or to "
    "standard output.\nLinks do it by themselves.\n\n"
    "Exit status: 0 done, 1 a FILE has nothing to solve (standard error says "
    "why), 2\nwrong usage, or a FILE cannot be read or written, or is "
    "broken.\n";

int cca_solve_main(int argc, char **argv) {
  const char *output = NULL;
  cca_memory_keep();
  if ((argc == 4 || argc == 5) && strcmp(argv[1], "--link") == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc == 5 && getppid() != (pid_t)strtol(argv[4], NULL, 10))
      return CCA_EXIT_ERROR; /* it died before that */
    alarm(LONGEST_SECONDS);
    return solve_link(argv[2], argv[3]);
  }
  if (argc == 3 && strcmp(argv[1], "--keep") == 0) {
    alarm(LONGEST_SECONDS);
    return keep_summaries(argv[2]);
  }
  if (argc == 4 && strcmp(argv[1], "--patch") == 0) {
    alarm(LONGEST_SECONDS);
    return patch_output(argv[2], argv[3]);
  }
  int status = cca_parse_output(argc, argv, help, &output);
  if (status >= 0)
    return status;
  if (optind == argc) {
    cca_complain("solve", "no FILE is given; name an object, archive or table "
                          "file");
    return CCA_EXIT_ERROR;
  }
  if (!cca_may_write_table("solve", output))
    return CCA_EXIT_ERROR;
  return solve_files(argc - optind, argv + optind, output);
}
